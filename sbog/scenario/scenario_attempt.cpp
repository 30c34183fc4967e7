// SPDX-License-Identifier: Apache-2.0
// One try at one output; see scenario.h.
#include <algorithm>
#include <cmath>
#include <set>

#include "sbog/base/inner_product.h"
#include "sbog/scenario/detail/scenario_work.h"
#include "sbog/scenario/graded_edits.h"
#include "sbog/scenario/scenario.h"

namespace sbog::series {
namespace {

constexpr double kEnergyMargin = 0.002;  // above the threshold, in E*
constexpr double kEnergyGain = 0.5;      // of the way to the target's energy

std::vector<double> column_of(const Matrix<double>& window, std::size_t c) {
  std::vector<double> column(window.rows());
  for (std::size_t t = 0; t < window.rows(); ++t) column[t] = window(t, c);
  return column;
}

std::set<EditKind> kinds_of(const std::vector<RealisedEdit>& edits) {
  std::set<EditKind> kinds;
  for (const RealisedEdit& edit : edits) kinds.insert(edit.edit.kind);
  return kinds;
}

// Channels that differ by a hundredth of their deviation at least, the largest
// first.
std::vector<DrawnChange> changes_of(
    const Matrix<double>& source, const Matrix<double>& window,
    const std::vector<ChannelProfile>& profiles) {
  constexpr double kLeast = 0.01;
  std::vector<DrawnChange> changes;
  for (std::size_t c = 0; c < window.cols(); ++c) {
    DrawnChange change{c, 0.0, 0, profiles[c].deviation};
    for (std::size_t t = 0; t < window.rows(); ++t) {
      const double step = window(t, c) - source(t, c);
      if (std::abs(step) <= std::abs(change.size)) continue;
      change.size = step;
      change.sample = t;
    }
    if (std::abs(change.size) >= kLeast * change.deviation) {
      changes.push_back(change);
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const DrawnChange& a, const DrawnChange& b) {
                     return std::abs(a.size) * b.deviation >
                            std::abs(b.size) * a.deviation;
                   });
  return changes;
}

}  // namespace

std::vector<Scenario> ScenarioGenerator::run_anchor(std::size_t anchor) const {
  Work work(*this, anchors_[anchor]);
  std::vector<Scenario> done;
  for (std::size_t k = anchor; k < options_.sampler.count;
       k += anchors_.size()) {
    Scenario scenario;
    std::vector<MissReason> misses;
    std::vector<KindAndChannel> unreached;
    for (std::size_t t = 0; t <= options_.decoder.redraws; ++t) {
      scenario = attempt(work, k, t);
      const bool is_duplicate =
          is_kept(scenario) &&
          std::any_of(done.begin(), done.end(), [&](const Scenario& other) {
            return is_kept(other) && !scenario.edits.empty() &&
                   are_alike(other.edits, scenario.edits);
          });
      if (is_duplicate) {
        scenario.status = ScenarioStatus::kFailed;
        scenario.reason = MissReason::kDuplicate;
      }
      scenario.misses = misses;
      unreached.insert(unreached.end(), scenario.unreached.begin(),
                       scenario.unreached.end());
      scenario.unreached = unreached;
      if (is_kept(scenario)) break;
      misses.push_back(scenario.reason);
    }
    done.push_back(std::move(scenario));
  }
  return done;
}

Scenario ScenarioGenerator::attempt(Work& work, std::size_t output,
                                    std::size_t tries) const {
  Scenario scenario;
  scenario.index = output;
  scenario.tries = tries + 1;
  scenario.asked = options_.severity_of_output(output);
  scenario.anchor_window = work.row;
  scenario.anchor_start = windows_->starts()[work.row];
  scenario.source = raw_window(*windows_, work.row);
  scenario.window = scenario.source.clone();
  scenario.source_point = work.screen.point;
  scenario.energy_source = bank_.energies()[work.row];
  if (law_ == TargetLaw::kEditFirst) {
    edit_first(work, tries, scenario);
  } else {
    const std::optional<LatentTarget> target =
        draw_target(bank_, work.screen, law_,
                    {work.anchor, output, tries, options_.sampler.max_rounds});
    if (target) {
      decode(work, *target, scenario);
    } else {
      scenario.reason = MissReason::kNoProposal;
    }
  }
  const bool is_last = tries == options_.decoder.redraws;
  if (scenario.asked > 0 && is_last && !is_kept(scenario)) {
    grade_at_random(work, tries, scenario);
  }
  if (!scenario.point.empty()) add_words(scenario);
  return scenario;
}

void ScenarioGenerator::edit_first(Work& work, std::size_t tries,
                                   Scenario& scenario) const {
  const std::optional<Edit> edit =
      find_edit_first(*windows_, work.row, profiles_, library_, bank_,
                      work.embedder, work.edited, options_.decoder.edit_first,
                      {options_.sampler.seed, scenario.index, tries});
  if (!edit) {
    scenario.reason = MissReason::kNoProposal;
    return;
  }
  // The stored window is its own target.
  scenario.target = scenario.source_point;
  if (scenario.asked > 0) {
    store_graded(work, {*edit}, scenario);
    return;
  }
  store(work, {*edit}, scenario);
  scenario.target = scenario.point;
  scenario.energy_target = scenario.energy;
  scenario.reached = 0.0;
  scenario.linear_residual = 0.0;
  if (scenario.reason == MissReason::kDistance ||
      scenario.reason == MissReason::kNone) {
    scenario.status = ScenarioStatus::kReached;
    scenario.reason = MissReason::kNone;
  }
}

void ScenarioGenerator::decode(Work& work, const LatentTarget& target,
                               Scenario& scenario) const {
  scenario.target = target.point;
  scenario.energy_target = target.energy;
  scenario.linear_residual = linear_residual(work.screen, target.point);
  if (options_.decoder.network) {
    draw_window(work, scenario);
    return;
  }
  EditTarget goal{scenario.source_point, target.point, 0.0};
  goal.least_energy =
      std::max(bank_.threshold() + kEnergyMargin,
               scenario.energy_source +
                   kEnergyGain * (target.energy - scenario.energy_source));
  EditObjective objective(work.padded, profiles_, goal, work.embedder,
                          work.energy);
  const PursuitResult found =
      pursue_target(objective, library_, work.screen, bank_.threshold(),
                    options_.decoder.pursuit);
  if (found.best.edits.empty()) {
    scenario.reason = MissReason::kNoEdit;
    return;
  }
  if (scenario.asked > 0) {
    // The best list that can be made so severe.
    store_graded(work, found.best.edits, scenario);
    for (const ScoredEdits& other : found.others) {
      if (is_kept(scenario)) break;
      store_graded(work, other.edits, scenario);
    }
    return;
  }
  store(work, found.best.edits, scenario);
  if (is_kept(scenario)) add_alternatives(work, found, scenario);
}

void ScenarioGenerator::store(Work& work, const std::vector<Edit>& edits,
                              Scenario& scenario) const {
  RealisedWindow realised = realise_edits(
      *windows_, work.row, profiles_, edits, scenario.source_point,
      scenario.target, bank_, work.embedder, work.edited);
  scenario.edits = measure(work, edits, realised);
  take_window(work, std::move(realised), scenario);
}

// The edits that belong together by the search, as strong as the severity asks
// for; the energy is told and, unless only windows outside are kept, not asked.
void ScenarioGenerator::store_graded(Work& work, const std::vector<Edit>& edits,
                                     Scenario& scenario) const {
  GradedEdits graded =
      grade_edits(*recorded_, work.row, edits, scenario.asked, work.edited);
  if (graded.reason != MissReason::kNone) {
    scenario.reason = graded.reason;
    for (const Edit& edit : edits) {
      scenario.unreached.push_back({edit.kind, edit.channel});
    }
    return;
  }
  place_window(*windows_, scenario.source_point, scenario.target, bank_,
               work.embedder, graded.realised);
  scenario.edits = measure(work, graded.edits, graded.realised);
  for (std::size_t k = 0; k < scenario.edits.size(); ++k) {
    scenario.edits[k].rarity = graded.rarities[k];
  }
  scenario.grade = graded.grade;
  take_window(work, std::move(graded.realised), scenario);
  const bool is_refused = options_.decoder.keeps_outside_only &&
                          !(scenario.energy >= bank_.threshold());
  scenario.status =
      is_refused ? ScenarioStatus::kFailed : ScenarioStatus::kGraded;
  scenario.reason = is_refused ? MissReason::kEnergy : MissReason::kNone;
}

// Where no list of the search can be made as severe as asked: single edits of
// the same window.
void ScenarioGenerator::grade_at_random(Work& work, std::size_t tries,
                                        Scenario& scenario) const {
  constexpr std::size_t kDraws = 48;
  if (scenario.target.empty()) scenario.target = scenario.source_point;
  for (const Edit& edit :
       random_edits(library_, profiles_, windows_->width(), kDraws,
                    {options_.sampler.seed, scenario.index, tries})) {
    store_graded(work, {edit}, scenario);
    if (is_kept(scenario)) return;
  }
}

void ScenarioGenerator::draw_window(Work& work, Scenario& scenario) const {
  RealisedWindow realised = realise_drawn(
      *windows_, work.row, profiles_,
      options_.decoder.network(work.row, scenario.target),
      scenario.source_point, scenario.target, bank_, work.embedder);
  scenario.changes = changes_of(scenario.source, realised.window, profiles_);
  take_window(work, std::move(realised), scenario);
}

void ScenarioGenerator::take_window(Work& work, RealisedWindow realised,
                                    Scenario& scenario) const {
  const Verdict verdict = judge_window(realised, bank_.threshold());
  scenario.status = verdict.status;
  scenario.reason = verdict.reason;
  scenario.window = std::move(realised.window);
  scenario.point = std::move(realised.point);
  scenario.reached = realised.reached;
  scenario.energy = realised.energy;
  scenario.clipped_share = realised.clipped_share;
  scenario.visibility = realised.visibility;
  scenario.slew_ratio = realised.slew_ratio;
  if (second_bank_) {
    EncoderEmbedder judge(*second_);
    scenario.second = {second_bank_->rank(second_bank_->energies()[work.row]),
                       second_bank_->rank(second_bank_->energy(
                           embed_raw(*windows_, scenario.window, judge)))};
  }
}

std::vector<RealisedEdit> measure_edits(
    const WindowSource& windows, std::size_t i,
    const std::vector<ChannelProfile>& profiles, const std::vector<Edit>& edits,
    const Matrix<double>& window) {
  const Matrix<double> standard = pad_window(windows, i);
  std::vector<RealisedEdit> measured;
  for (std::size_t k = 0; k < edits.size(); ++k) {
    const std::size_t c = edits[k].channel;
    const ChannelProfile& profile = profiles[c];
    const std::vector<double> edited = column_of(window, c);
    std::vector<double> padded(standard.row(c).begin(), standard.row(c).end());
    for (double& value : padded) value = profile.to_raw(value);
    std::vector<double> partner;
    if (edits[k].kind == EditKind::kCoupling) {
      // An earlier edit of the partner is seen, a later one is not.
      const bool is_edited_before = std::any_of(
          edits.begin(), edits.begin() + static_cast<std::ptrdiff_t>(k),
          [&](const Edit& e) { return e.channel == edits[k].partner; });
      const auto source = windows.raw(i, edits[k].partner);
      partner = is_edited_before
                    ? column_of(window, edits[k].partner)
                    : std::vector<double>(source.begin(), source.end());
    }
    RealisedEdit entry;
    entry.edit = edits[k];
    entry.effect =
        measure_effect(edits[k], {windows.raw(i, c), edited, padded, partner},
                       profile, profiles[edits[k].partner]);
    entry.deviation = profile.deviation;
    entry.is_floored = profile.is_floored;
    measured.push_back(entry);
  }
  return measured;
}

std::vector<RealisedEdit> ScenarioGenerator::measure(
    Work& work, const std::vector<Edit>& edits,
    const RealisedWindow& realised) const {
  std::vector<RealisedEdit> measured =
      measure_edits(*windows_, work.row, profiles_, edits, realised.window);
  double total = 0.0;
  for (std::size_t k = 0; k < edits.size(); ++k) {
    std::vector<Edit> others = edits;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    work.edited.apply(others, true);
    measured[k].share = std::sqrt(squared_distance<double, double>(
        work.embedder.embed(work.edited.window()), realised.point));
    total += measured[k].share;
  }
  for (RealisedEdit& entry : measured) {
    entry.share = total > 0.0 ? entry.share / total
                              : 1.0 / static_cast<double>(measured.size());
  }
  return measured;
}

void ScenarioGenerator::add_alternatives(Work& work, const PursuitResult& found,
                                         Scenario& scenario) const {
  std::set<std::set<EditKind>> said = {kinds_of(scenario.edits)};
  for (const ScoredEdits& other : found.others) {
    if (scenario.alternatives.size() >= options_.decoder.alternatives) break;
    const RealisedWindow realised = realise_edits(
        *windows_, work.row, profiles_, other.edits, scenario.source_point,
        scenario.target, bank_, work.embedder, work.edited);
    const ScenarioStatus status =
        judge_window(realised, bank_.threshold()).status;
    if (status != ScenarioStatus::kReached && status != ScenarioStatus::kNear) {
      continue;
    }
    const std::vector<RealisedEdit> edits =
        measure(work, other.edits, realised);
    if (!said.insert(kinds_of(edits)).second) continue;
    scenario.alternatives.push_back(
        describe_edits(edits, words_at(scenario.anchor_start)) + ".");
  }
}

void ScenarioGenerator::add_words(Scenario& scenario) const {
  const SentenceWords words = words_at(scenario.anchor_start);
  scenario.sentence =
      (scenario.edits.empty() ? describe_changes(scenario.changes, words)
                              : describe_edits(scenario.edits, words)) +
      ".";
  if (scenario.grade) {
    scenario.sentence +=
        describe_rarity(scenario.edits, *scenario.grade, words);
  }
  scenario.sentence +=
      " " + describe_energy(scenario.energy_source, scenario.energy,
                            bank_.threshold());
}

SentenceWords ScenarioGenerator::words_at(std::size_t first_row) const {
  return {names_, &options_.times, first_row, windows_->width(),
          options_.row_seconds};
}

}  // namespace sbog::series
