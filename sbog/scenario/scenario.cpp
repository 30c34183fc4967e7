// SPDX-License-Identifier: Apache-2.0
// Preparation, the loop over anchors and the summary; see scenario.h.
#include "sbog/scenario/scenario.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/symmetric.h"
#include "sbog/energy/threshold.h"
#include "sbog/scenario/detail/scenario_work.h"

namespace sbog::series {
namespace {

constexpr std::size_t kNarrowest = 32;
constexpr std::size_t kTestedTargets = 32;
constexpr double kHardToReach = 0.4;  // median linear residual
constexpr std::size_t kPerAnchor = 2;
constexpr std::size_t kSpareAnchors = 8;
constexpr std::size_t kFertileRounds = 4;
constexpr std::size_t kTellingTries = 3;

std::size_t wanted_anchors(const SamplerOptions& options) {
  const std::size_t spread = (options.count + kPerAnchor - 1) / kPerAnchor;
  return std::min(options.count, std::max(options.anchor_count, spread));
}

// What the sampler of the bank starts from: some anchors will be barren.
SamplerOptions with_spare_anchors(SamplerOptions options) {
  options.anchor_count = 2 * wanted_anchors(options) + kSpareAnchors;
  return options;
}

void need(bool is_good, const std::string& what) {
  if (!is_good) throw InvalidArgument("scenarios: " + what);
}

void count_scenario(const Scenario& scenario, bool is_kept,
                    const std::vector<std::string>& names,
                    ScenarioDiagnostics& into) {
  ++into.statuses[to_string(scenario.status)];
  for (const MissReason reason : scenario.misses) {
    ++into.misses[to_string(reason)];
  }
  if (scenario.asked > 0) ++into.severities[scenario.asked].asked;
  if (!is_kept) return;
  ++into.kept;
  into.mean_reached += scenario.reached;
  into.mean_edits += static_cast<double>(scenario.edits.size());
  into.mean_tries += static_cast<double>(scenario.tries);
  if (scenario.asked > 0) {
    SeverityCount& count = into.severities[scenario.asked];
    ++count.kept;
    count.outside +=
        !scenario.point.empty() && scenario.energy >= into.threshold;
  }
  for (const RealisedEdit& edit : scenario.edits) {
    ++into.kinds[to_string(edit.edit.kind)];
    ++into.channels[names[edit.edit.channel]];
  }
}

// Pairs of kind and channel that were tried for a severity and never made it.
void name_unreachable(const std::vector<Scenario>& scenarios,
                      const std::vector<std::string>& names,
                      ScenarioDiagnostics& d) {
  std::map<std::size_t, std::map<KindAndChannel, std::size_t>> failed;
  std::map<std::size_t, std::set<KindAndChannel>> reached;
  for (const Scenario& s : scenarios) {
    for (const KindAndChannel& pair : s.unreached) ++failed[s.asked][pair];
    if (!s.grade) continue;
    for (const RealisedEdit& edit : s.edits) {
      reached[s.asked].insert({edit.edit.kind, edit.edit.channel});
    }
  }
  for (const auto& [severity, pairs] : failed) {
    for (const auto& [pair, count] : pairs) {
      if (count < kTellingTries || reached[severity].contains(pair)) continue;
      d.severities[severity].unreachable.push_back(
          std::string(to_string(pair.kind)) + " of " + names[pair.channel]);
    }
  }
}

void name_unused(const std::vector<Edit>& library,
                 const std::vector<std::string>& names,
                 ScenarioDiagnostics& d) {
  std::set<std::string> kinds;
  std::set<std::size_t> channels;
  for (const Edit& edit : library) {
    kinds.insert(to_string(edit.kind));
    channels.insert(edit.channel);
  }
  for (const std::string& kind : kinds) {
    if (!d.kinds.contains(kind)) d.unused_kinds.push_back(kind);
  }
  for (const std::size_t c : channels) {
    if (!d.channels.contains(names[c])) d.unused_channels.push_back(names[c]);
  }
}

std::vector<double> minus(const std::vector<double>& a,
                          const std::vector<double>& b) {
  std::vector<double> result(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) result[k] = a[k] - b[k];
  return result;
}

}  // namespace

void check_scenario_options(const ScenarioOptions& options, std::size_t width) {
  need(width >= kNarrowest,
       "windows of at least 32 samples are expected, got " +
           std::to_string(width));
  const SamplerOptions& sampler = options.sampler;
  check_sampler_options(sampler, 0);
  need(sampler.count >= 1, "a count of at least 1 is expected");
  need(sampler.anchor_count >= 1, "at least one anchor is expected");
  need(sampler.max_rounds < 4095, "at most 4094 rounds are expected");
  need(sampler.projection == sbog::Projection::kSphere && sampler.local == 0 &&
           sampler.rule == Rule::kSbog && !sampler.certify,
       "the whole reference, the sphere and rule sbog are expected");
  for (const std::size_t severity : options.severities) {
    need(
        severity >= 1 && severity <= kMostSevere,
        "severities from 1 to 6 are expected, got " + std::to_string(severity));
  }
  need(options.severities.empty() || !options.decoder.network,
       "a severity is that of edits, which drawn windows do not have");
  const PursuitOptions& pursuit = options.decoder.pursuit;
  need(options.decoder.redraws < 16, "at most 15 redraws are expected");
  need(pursuit.slots >= 1 && pursuit.starts >= 1 && pursuit.per_kind >= 1,
       "at least one slot, start and candidate of a kind are expected");
}

ScenarioOptions checked_scenario_options(
    const ScenarioOptions& options, const WindowSource& windows,
    const std::vector<std::string>& names) {
  check_scenario_options(options, windows.width());
  need(names.size() == windows.channels(),
       "one name per channel is expected, got " + std::to_string(names.size()) +
           " for " + std::to_string(windows.channels()));
  need(options.times.empty() || options.times.size() == windows.rows(),
       "one time per row of the series is expected");
  return options;
}

double participation_ratio(const std::vector<std::vector<double>>& rows) {
  if (rows.empty()) return 0.0;
  const std::size_t dim = rows[0].size();
  Matrix<double> scatter(dim, dim);
  for (const std::vector<double>& row : rows) {
    add_gram({row.data(), 1, dim}, scatter);
  }
  // The trace of S^2 is the sum of the squared entries of a symmetric S.
  double trace = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < dim; ++i) {
    trace += scatter(i, i);
    squares += scatter(i, i) * scatter(i, i);
    for (std::size_t j = 0; j < i; ++j) {
      squares += 2.0 * scatter(i, j) * scatter(i, j);
    }
  }
  return squares > 0.0 ? trace * trace / squares : 0.0;
}

bool are_alike(const std::vector<RealisedEdit>& a,
               const std::vector<RealisedEdit>& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&](const RealisedEdit& left) {
    return std::any_of(b.begin(), b.end(), [&](const RealisedEdit& right) {
      return left.edit.kind == right.edit.kind &&
             left.edit.channel == right.edit.channel &&
             left.edit.amount * right.edit.amount > 0.0 &&
             left.effect.first <= right.effect.last &&
             right.effect.first <= left.effect.last;
    });
  });
}

ScenarioGenerator::ScenarioGenerator(const Encoder& encoder,
                                     const WindowSource& windows,
                                     const std::vector<std::string>& names,
                                     const ScenarioOptions& options,
                                     const Encoder* second,
                                     const Context& context)
    : encoder_(&encoder),
      windows_(&windows),
      names_(&names),
      options_(checked_scenario_options(options, windows, names)),
      second_(second),
      bank_(encoder.embed(windows, {context.pool, nullptr}),
            with_spare_anchors(options.sampler), {context.pool, nullptr}),
      profiles_(profile_channels(windows, options.decoder.overrides)),
      library_(make_library(profiles_, windows.width(),
                            options.decoder.allowance,
                            coupling_partners(windows, profiles_))) {
  if (second != nullptr) {
    second_bank_.emplace(second->embed(windows, {context.pool, nullptr}),
                         options.sampler, Context{context.pool, nullptr});
  }
  if (!options_.severities.empty()) {
    recorded_ = std::make_unique<RecordedSpans>(windows, profiles_);
  }
  const std::size_t wanted = wanted_anchors(options.sampler);
  anchors_.resize(std::min(wanted, bank_.anchors().size()));
  std::iota(anchors_.begin(), anchors_.end(), std::size_t{0});
  choose_law(context);
  choose_anchors(wanted, context);
}

// Anchors where the first rounds find no feasible target are passed over: what
// they give late lies at the very edge of what is feasible, far away, and
// seldom survives the decoding.
void ScenarioGenerator::choose_anchors(std::size_t count,
                                       const Context& context) {
  if (law_ == TargetLaw::kEditFirst) return;
  const std::size_t rounds =
      std::min(options_.sampler.max_rounds, kFertileRounds);
  const std::size_t candidates = bank_.anchors().size();
  std::vector<std::size_t> fertile;
  std::size_t next = 0;
  while (fertile.size() < count && next < candidates) {
    const std::size_t size =
        std::min(count - fertile.size(), candidates - next);
    std::vector<char> is_fertile(size, 0);
    parallel_for({context.pool, nullptr}, size,
                 [&](std::size_t i, std::size_t) {
                   const std::size_t a = next + i;
                   const Work work(*this, a);
                   is_fertile[i] =
                       draw_target(bank_, work.screen, law_, {a, a, 0, rounds})
                           .has_value();
                 });
    for (std::size_t i = 0; i < size; ++i) {
      if (is_fertile[i] != 0) fertile.push_back(next + i);
    }
    next += size;
  }
  barren_anchors_ = next - fertile.size();
  if (!fertile.empty()) anchors_ = std::move(fertile);
}

void ScenarioGenerator::choose_law(const Context& context) {
  law_ = options_.law;
  if (law_ != TargetLaw::kAuto) return;
  const std::size_t tested = std::min(kTestedTargets, anchors_.size());
  std::vector<double> residuals(tested, -1.0);
  parallel_for({context.pool, nullptr}, tested,
               [&](std::size_t k, std::size_t) {
                 const Work work(*this, anchors_[k]);
                 const auto target =
                     draw_target(bank_, work.screen, TargetLaw::kIsotropic,
                                 {k, k, 0, options_.sampler.max_rounds});
                 if (target) {
                   residuals[k] = linear_residual(work.screen, target->point);
                 }
               });
  std::erase_if(residuals, [](double r) { return r < 0.0; });
  // Without a single target isotropic proposals are of no use.
  median_linear_residual_ = residuals.empty() ? 1.0 : quantile(residuals, 0.5);
  law_ = median_linear_residual_ > kHardToReach ? TargetLaw::kTangent
                                                : TargetLaw::kIsotropic;
}

bool ScenarioGenerator::is_kept(const Scenario& scenario) const {
  return scenario.status == ScenarioStatus::kGraded ||
         scenario.status == ScenarioStatus::kReached ||
         scenario.status == ScenarioStatus::kNear ||
         (scenario.status == ScenarioStatus::kOutsideOnly &&
          options_.decoder.keeps_outside_only);
}

ScenarioRun ScenarioGenerator::summarise(
    std::vector<Scenario> scenarios) const {
  ScenarioDiagnostics d;
  d.law = law_;
  d.threshold = bank_.threshold();
  d.share_outside = bank_.share_outside();
  d.windows = bank_.size();
  d.anchors = anchors_.size();
  d.barren_anchors = barren_anchors_;
  d.library = library_.size();
  d.median_linear_residual = median_linear_residual_;
  if (recorded_) add_drift(*recorded_, library_, *names_, d);
  return summarise_scenarios(
      std::move(scenarios), [this](const Scenario& s) { return is_kept(s); },
      *names_, library_, std::move(d));
}

void add_drift(const RecordedSpans& recorded, const std::vector<Edit>& library,
               const std::vector<std::string>& names,
               ScenarioDiagnostics& diagnostics) {
  std::set<std::size_t> channels;
  for (const Edit& edit : library) channels.insert(edit.channel);
  for (const std::size_t c : channels) {
    diagnostics.drift_observed +=
        recorded.drift()[c].observed / static_cast<double>(channels.size());
    if (recorded.drift()[c].drifts) diagnostics.drifting.push_back(names[c]);
  }
}

ScenarioRun summarise_scenarios(
    std::vector<Scenario> scenarios,
    const std::function<bool(const Scenario&)>& is_kept,
    const std::vector<std::string>& names, const std::vector<Edit>& library,
    ScenarioDiagnostics diagnostics) {
  std::sort(
      scenarios.begin(), scenarios.end(),
      [](const Scenario& a, const Scenario& b) { return a.index < b.index; });
  ScenarioRun run;
  run.diagnostics = std::move(diagnostics);
  ScenarioDiagnostics& d = run.diagnostics;
  std::vector<std::vector<double>> wanted;
  std::vector<std::vector<double>> realised;
  for (const Scenario& scenario : scenarios) {
    count_scenario(scenario, is_kept(scenario), names, d);
    if (!is_kept(scenario) || scenario.point.empty()) continue;
    wanted.push_back(minus(scenario.target, scenario.source_point));
    realised.push_back(minus(scenario.point, scenario.source_point));
  }
  d.wanted_rank = participation_ratio(wanted);
  d.realised_rank = participation_ratio(realised);
  if (d.kept > 0) {
    const double n = static_cast<double>(d.kept);
    d.mean_reached /= n;
    d.mean_edits /= n;
    d.mean_tries /= n;
  }
  name_unreachable(scenarios, names, d);
  name_unused(library, names, d);
  run.status =
      d.kept == scenarios.size() ? SolveStatus::kDone : SolveStatus::kPartial;
  run.scenarios = std::move(scenarios);
  return run;
}

ScenarioRun generate_scenarios(const Encoder& encoder,
                               const WindowSource& windows,
                               const std::vector<std::string>& names,
                               const ScenarioOptions& options,
                               const Context& context, const Encoder* second) {
  const ScenarioGenerator generator(encoder, windows, names, options, second,
                                    context);
  std::vector<std::vector<Scenario>> parts(generator.anchor_count());
  ProgressCounter progress(context.observer, options.sampler.count);
  parallel_for({context.pool, nullptr}, parts.size(),
               [&](std::size_t a, std::size_t) {
                 if (progress.is_cancelled()) return;
                 parts[a] = generator.run_anchor(a);
                 progress.add(parts[a].size());
               });
  if (progress.is_cancelled()) {
    ScenarioRun run;
    run.status = SolveStatus::kCancelled;
    return run;
  }
  std::vector<Scenario> all;
  for (std::vector<Scenario>& part : parts) {
    std::move(part.begin(), part.end(), std::back_inserter(all));
  }
  return generator.summarise(std::move(all));
}

}  // namespace sbog::series
