// SPDX-License-Identifier: Apache-2.0
// Random edits of given severities; see graded_scenarios.h.
#include "sbog/scenario/graded_scenarios.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/nn/random.h"

namespace sbog::series {
namespace {

constexpr std::size_t kTries = 256;
constexpr std::size_t kGroups = 64;
constexpr double kPeriodsInSpan = 2.0;

std::vector<std::vector<std::size_t>> by_kind(
    const std::vector<Edit>& library) {
  std::map<EditKind, std::vector<std::size_t>> kinds;
  for (std::size_t i = 0; i < library.size(); ++i) {
    // What has no recorded counterpart cannot be rare.
    if (library[i].kind == EditKind::kDelay && !has_partner(library[i])) {
      continue;
    }
    kinds[library[i].kind].push_back(i);
  }
  std::vector<std::vector<std::size_t>> lists;
  lists.reserve(kinds.size());
  for (auto& [kind, list] : kinds) lists.push_back(std::move(list));
  if (lists.empty()) {
    throw InvalidArgument(
        "scenarios: no allowed kind of edit has a rarity on any allowed "
        "channel (a delay needs a channel to be late to)");
  }
  return lists;
}

// Windows with a whole one before them; all of them in a short series.
std::vector<std::size_t> sources_of(const WindowSource& windows) {
  std::vector<std::size_t> sources;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (windows.starts()[i] >= windows.width()) sources.push_back(i);
  }
  if (!sources.empty()) return sources;
  for (std::size_t i = 0; i < windows.size(); ++i) sources.push_back(i);
  return sources;
}

std::optional<double> draw_period(nn::Draws& draws, double length) {
  std::vector<double> fitting;
  for (const double period : tone_periods()) {
    if (kPeriodsInSpan * period <= length) fitting.push_back(period);
  }
  if (fitting.empty()) return std::nullopt;
  return fitting[draws.below(fitting.size())];
}

}  // namespace

GradedGenerator::GradedGenerator(const WindowSource& windows,
                                 const std::vector<std::string>& names,
                                 const ScenarioOptions& options,
                                 const Encoder* encoder, const Context& context)
    : windows_(&windows),
      names_(&names),
      options_(checked_scenario_options(options, windows, names)),
      encoder_(encoder),
      profiles_(profile_channels(windows, options.decoder.overrides)),
      library_(make_library(profiles_, windows.width(),
                            options.decoder.allowance,
                            coupling_partners(windows, profiles_))),
      kinds_(by_kind(library_)),
      sources_(sources_of(windows)),
      recorded_(windows, profiles_) {
  if (options_.severities.empty()) {
    throw InvalidArgument("scenarios: at least one severity is expected");
  }
  if (sources_.empty()) {
    throw InvalidArgument("scenarios: at least one window is expected");
  }
  if (encoder_ != nullptr) {
    bank_.emplace(encoder_->embed(windows, {context.pool, nullptr}),
                  options_.sampler, Context{context.pool, nullptr});
  }
}

std::size_t GradedGenerator::group_count() const {
  return std::min(kGroups, options_.sampler.count);
}

std::vector<Scenario> GradedGenerator::run_group(std::size_t group) const {
  std::vector<Scenario> done;
  for (std::size_t k = group; k < options_.sampler.count; k += group_count()) {
    done.push_back(make(k));
  }
  return done;
}

Scenario GradedGenerator::make(std::size_t output) const {
  Scenario scenario;
  scenario.index = output;
  scenario.asked = options_.severity_of_output(output);
  for (std::size_t t = 0; t < kTries; ++t) {
    scenario.tries = t + 1;
    if (attempt(t, scenario)) return scenario;
    scenario.misses.push_back(scenario.reason);
  }
  scenario.status = ScenarioStatus::kFailed;
  scenario.misses.pop_back();
  return scenario;
}

std::optional<Edit> GradedGenerator::draw_edit(std::size_t output,
                                               std::size_t attempt,
                                               std::size_t severity,
                                               std::size_t& window) const {
  nn::Draws draws(options_.sampler.seed, nn::Purpose::kGradedEdit,
                  static_cast<std::uint64_t>(output) +
                      (static_cast<std::uint64_t>(attempt) << 32));
  window = sources_[draws.below(sources_.size())];
  const std::vector<std::size_t>& list = kinds_[draws.below(kinds_.size())];
  Edit edit = library_[list[draws.below(list.size())]];
  const std::vector<std::size_t> lengths = span_lengths(windows_->width());
  const std::size_t length = lengths[draws.below(lengths.size())];
  const auto l = static_cast<double>(length);
  edit.start = std::floor(draws.uniform() *
                          static_cast<double>(windows_->width() - length + 1));
  edit.end = edit.start + l - 1.0;
  edit.phase = 2.0 * std::numbers::pi * draws.uniform();
  if (edit.kind == EditKind::kOscillation) {
    const auto period = draw_period(draws, l);
    if (!period) return std::nullopt;
    edit.period = *period;
  }
  if (!recorded_.tail(span_key(edit, windows_->width())).target(severity, 1)) {
    return std::nullopt;
  }
  return edit;
}

bool GradedGenerator::attempt(std::size_t attempt, Scenario& scenario) const {
  std::size_t window = 0;
  const auto edit = draw_edit(scenario.index, attempt, scenario.asked, window);
  scenario.anchor_window = window;
  scenario.anchor_start = windows_->starts()[window];
  if (attempt == 0 || edit) {
    scenario.source = raw_window(*windows_, window);
    scenario.window = scenario.source.clone();
    scenario.source_point.assign(bank_ ? bank_->points().cols() : 0, 0.0);
  }
  if (!edit) {
    scenario.reason = MissReason::kShort;
    return false;
  }
  const Matrix<double> padded = pad_window(*windows_, window);
  EditedWindow work(padded, profiles_);
  GradedEdits graded =
      grade_edits(recorded_, window, {*edit}, scenario.asked, work);
  scenario.reason = graded.reason;
  if (graded.reason != MissReason::kNone) {
    scenario.unreached.push_back({edit->kind, edit->channel});
    return false;
  }
  if (bank_) {
    EncoderEmbedder embedder(*encoder_);
    const auto point = bank_->points().row(window);
    scenario.source_point.assign(point.begin(), point.end());
    scenario.energy_source = bank_->energies()[window];
    place_window(*windows_, scenario.source_point, scenario.source_point,
                 *bank_, embedder, graded.realised);
    if (options_.decoder.keeps_outside_only &&
        !(graded.realised.energy >= bank_->threshold())) {
      scenario.reason = MissReason::kEnergy;
      return false;
    }
  }
  tell(graded, scenario);
  return true;
}

void GradedGenerator::tell(const GradedEdits& graded,
                           Scenario& scenario) const {
  scenario.status = ScenarioStatus::kGraded;
  scenario.edits = measure_edits(*windows_, scenario.anchor_window, profiles_,
                                 graded.edits, graded.realised.window);
  for (std::size_t k = 0; k < scenario.edits.size(); ++k) {
    scenario.edits[k].rarity = graded.rarities[k];
    scenario.edits[k].share = 1.0 / static_cast<double>(scenario.edits.size());
  }
  scenario.grade = graded.grade;
  scenario.window = graded.realised.window.clone();
  scenario.point = graded.realised.point;
  scenario.target = scenario.point;
  scenario.energy = graded.realised.energy;
  scenario.energy_target = scenario.energy;
  scenario.reached = 0.0;
  scenario.linear_residual = 0.0;
  scenario.clipped_share = graded.realised.clipped_share;
  scenario.visibility = graded.realised.visibility;
  scenario.slew_ratio = graded.realised.slew_ratio;
  add_words(scenario);
}

void GradedGenerator::add_words(Scenario& scenario) const {
  const SentenceWords words{names_, &options_.times, scenario.anchor_start,
                            windows_->width(), options_.row_seconds};
  scenario.sentence = describe_edits(scenario.edits, words) + "." +
                      describe_rarity(scenario.edits, *scenario.grade, words);
  if (!bank_) return;
  scenario.sentence +=
      " " + describe_energy(scenario.energy_source, scenario.energy,
                            bank_->threshold());
}

ScenarioRun GradedGenerator::summarise(std::vector<Scenario> scenarios) const {
  ScenarioDiagnostics d;
  d.law = TargetLaw::kEditFirst;
  d.windows = windows_->size();
  d.anchors = sources_.size();
  d.library = library_.size();
  d.has_energies = bank_.has_value();
  if (bank_) {
    d.threshold = bank_->threshold();
    d.share_outside = bank_->share_outside();
  }
  add_drift(recorded_, library_, *names_, d);
  return summarise_scenarios(
      std::move(scenarios), [this](const Scenario& s) { return is_kept(s); },
      *names_, library_, std::move(d));
}

}  // namespace sbog::series
