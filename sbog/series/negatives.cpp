// SPDX-License-Identifier: Apache-2.0
// Rules through the sampler; see negatives.h.
#include "sbog/series/negatives.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/sample/sample_outliers.h"

namespace sbog::series {
namespace {

constexpr std::pair<NegativeRule, const char*> kNames[] = {
    {NegativeRule::kCarla, "carla"},
    {NegativeRule::kRandom, "random"},
    {NegativeRule::kKnn, "knn"},
    {NegativeRule::kKde, "kde"},
    {NegativeRule::kSbogPaper, "sbog-paper"},
    {NegativeRule::kSbogDefault, "sbog-default"},
    {NegativeRule::kSbogExposure, "sbog-exposure"}};

// Anchors that a draw tries before it takes what there is.
constexpr std::size_t kTries = 20;
// A margin that every finite score passes.
constexpr double kNoTest = -1e9;

// Fills the rows that have no output yet; returns how many it filled.
std::size_t fill_rows(MatrixView<const float> bank,
                      const SamplerOptions& options, std::vector<bool>& is_set,
                      NegativeSet& set, ClassReport* report,
                      const Context& context) {
  OutlierSet<float> made =
      sample_outliers<float>({bank, {}, {}, {}}, options, context);
  if (made.status == SolveStatus::kCancelled) {
    set.status = SolveStatus::kCancelled;
    return 0;
  }
  std::size_t filled = 0;
  double margins = 0.0;
  for (const Output<float>& output : made.outputs) {
    if (is_set[output.k]) continue;
    std::copy(output.point.begin(), output.point.end(),
              set.points.row(output.k).begin());
    is_set[output.k] = true;
    ++filled;
    margins += output.margin;
  }
  if (report != nullptr) {
    if (filled > 0) set.gap = margins / static_cast<double>(filled);
    *report = std::move(made.reports[0]);
  }
  return filled;
}

}  // namespace

const char* to_string(NegativeRule rule) {
  for (const auto& [value, name] : kNames) {
    if (value == rule) return name;
  }
  return "unknown";
}

NegativeRule parse_negative_rule(std::string_view name) {
  std::string names;
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
    names += names.empty() ? known : std::string(", ") + known;
  }
  throw InvalidArgument("rule: '" + std::string(name) +
                        "' is not one of: " + names);
}

SamplerOptions rule_options(NegativeRule rule, std::size_t count,
                            std::uint64_t seed) {
  if (rule == NegativeRule::kCarla) {
    throw InvalidArgument(
        "draw_negatives: the negatives of the rule carla are "
        "windows with an injected anomaly");
  }
  const bool is_balanced = rule == NegativeRule::kSbogDefault;
  const bool is_exposure = rule == NegativeRule::kSbogExposure;
  SamplerOptions options = profile_options(is_balanced   ? "balanced"
                                           : is_exposure ? "exposure"
                                                         : "paper-series");
  options.count = count;
  options.seed = seed;
  if (!is_balanced && !is_exposure) {
    options.max_rounds = kTries;
    // Every point keeps its own support, but for those that trimming took out
    // of the reference: they make the tail that anchors come from.
    options.includes_self = true;
  }
  if (rule == NegativeRule::kRandom) options.rule = Rule::kRandom;
  if (rule == NegativeRule::kKnn) options.rule = Rule::kKnn;
  if (rule == NegativeRule::kKde) options.rule = Rule::kKdeMedian;
  // The margin is in units of the energy and means nothing for other scores.
  if (rule == NegativeRule::kKnn || rule == NegativeRule::kKde) {
    options.margin = 0.0;
  }
  return options;
}

NegativeSet draw_negatives(NegativeRule rule, MatrixView<const float> bank,
                           std::size_t count, std::uint64_t seed,
                           const Context& context) {
  return draw_negatives(rule_options(rule, count, seed), bank, context);
}

NegativeSet draw_negatives(SamplerOptions options, MatrixView<const float> bank,
                           const Context& context) {
  const std::size_t count = options.count;
  NegativeSet set;
  set.points = Matrix<float>(count, bank.cols());
  std::vector<bool> is_set(count);
  ClassReport report;
  try {
    set.feasible = fill_rows(bank, options, is_set, set, &report, context);
  } catch (const InvalidArgument&) {
    if (options.rule != Rule::kKdeMedian) throw;
    // Points that coincide have a median distance of 0: the kernel width of the
    // energy stands in. Anything else that is wrong is told by the second try.
    options.rule = Rule::kKdeMatched;
    set.feasible = fill_rows(bank, options, is_set, set, &report, context);
  }
  if (set.status == SolveStatus::kCancelled) return set;
  set.threshold = report.plan.threshold;
  set.fill = report.fill_anchors;
  if (set.feasible == count) return set;
  // The best proposal of the first round, by the score of the rule, stands in
  // for the rest; they are not counted as feasible.
  set.status = SolveStatus::kPartial;
  options.margin = kNoTest;
  fill_rows(bank, options, is_set, set, nullptr, context);
  return set;
}

}  // namespace sbog::series
