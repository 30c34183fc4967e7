// SPDX-License-Identifier: Apache-2.0
// Shares, tails and bands; see rarity.h.
#include "sbog/energy/rarity.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "sbog/base/binomial.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/energy/detail/pareto_tail.h"
#include "sbog/energy/detail/tail_region.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace {

constexpr std::array kStartLevels = {0.90, 0.80};
constexpr std::size_t kFewestExceedances = 50;
constexpr double kBeyond = 5.0;  // nothing rarer than 1 in this times n
// The region ends at this times the normal quantile of the confidence, since at
// p = 1 / n the limit of the likelihood ratio itself is wider than need be:
// half of the intervals end at the rarest probability that is stated. It grows
// with the exceedances, as the error of the law itself does not shrink with
// them: for this many both errors are taken to be equal. Measured at p = 1 / n
// over 200 to 800 repetitions of four laws in closed form and of mixtures on
// the sphere, for n = 1,000 and 4,000: covers 0.88 to 0.96, mostly 0.90 to
// 0.95, and is 8 to 10.5 times as high as low.
constexpr double kRegionShare = 0.91;
constexpr double kModelCount = 5000.0;

}  // namespace

TailModel::TailModel(std::span<const double> scores, const TailOptions& options)
    : confidence_(options.confidence), run_length_(options.run_length) {
  require("rarity", options.confidence > 0.0 && options.confidence < 1.0,
          "a confidence in (0, 1) is expected");
  require("rarity", run_length_ >= 1.0 && std::isfinite(run_length_),
          "a run length of at least 1 is expected");
  for (const double score : scores) {
    if (std::isfinite(score)) scores_.push_back(score);
  }
  std::sort(scores_.begin(), scores_.end());
  if (scores_.empty()) return;
  start_ = scores_.back();
  fit(options);
  for (int s = 1; s <= highest_severity() + 1; ++s) {
    edges_.push_back(score_at(std::pow(10.0, -s)));
  }
}

void TailModel::fit(const TailOptions& options) {
  for (const double level : kStartLevels) {
    const double start = quantile(scores_, level);
    std::vector<double> excesses;
    for (auto it = std::upper_bound(scores_.begin(), scores_.end(), start);
         it != scores_.end(); ++it) {
      excesses.push_back(*it - start);
    }
    if (excesses.size() < kFewestExceedances) continue;
    const detail::ParetoTail law = detail::fit_pareto_tail(excesses);
    has_fit_ = true;
    start_ = start;
    share_ = static_cast<double>(excesses.size()) /
             static_cast<double>(scores_.size());
    shape_ = law.shape;
    scale_ = law.scale;
    const double normal = boost::math::quantile(
        boost::math::normal_distribution<double>(), 0.5 + 0.5 * confidence_);
    for (const detail::TailPoint& point : detail::tail_region(
             excesses, scores_.size(), law,
             {options.seed, options.stream, options.draws,
              kRegionShare * normal *
                  std::sqrt(run_length_ + static_cast<double>(excesses.size()) /
                                              kModelCount)})) {
      region_.push_back({point.share, point.law.shape, point.law.scale});
    }
    return;
  }
}

double TailModel::rarest() const {
  if (scores_.empty()) return 1.0;
  return std::min(
      1.0, run_length_ / (kBeyond * static_cast<double>(scores_.size())));
}

// 1 minus the position among the order statistics, as a type-7 quantile counts.
double TailModel::empirical(double score) const {
  const auto above = std::upper_bound(scores_.begin(), scores_.end(), score);
  if (above == scores_.begin()) return 1.0;
  if (above == scores_.end()) return 0.0;
  const double below = *(above - 1);
  const double position = static_cast<double>(above - scores_.begin() - 1) +
                          (score - below) / (*above - below);
  return 1.0 - position / static_cast<double>(scores_.size() - 1);
}

double TailModel::tail_probability(const Tail& tail, double score) const {
  return tail.share *
         detail::ParetoTail{tail.shape, tail.scale}.survival(score - start_);
}

double TailModel::probability(double score) const {
  require("rarity", !std::isnan(score), "a score other than NaN is expected");
  if (scores_.empty()) return 1.0;
  if (!has_fit_) {
    const double least = 1.0 / (static_cast<double>(scores_.size()) + 1.0);
    return std::max(empirical(score), least);
  }
  if (score < start_) return std::max(empirical(score), share_);
  return tail_probability({share_, shape_, scale_}, score);
}

double TailModel::score_at(double probability) const {
  require("rarity", probability > 0.0 && probability <= 1.0,
          "a probability in (0, 1] is expected");
  require("rarity", !scores_.empty(), "at least one score is expected");
  if (has_fit_ && probability <= share_) {
    return start_ +
           detail::ParetoTail{shape_, scale_}.excess_at(probability / share_);
  }
  const double score = quantile(scores_, 1.0 - probability);
  return has_fit_ ? std::min(score, start_) : score;
}

RarityEstimate TailModel::rarity(double score) const {
  RarityEstimate result;
  result.bound = conformal_p_value(scores_, score);
  const double p = probability(score);
  if (!has_fit_) return result;
  if (score < start_) {
    const auto at_least = static_cast<std::uint64_t>(
        scores_.end() -
        std::lower_bound(scores_.begin(), scores_.end(), score));
    const Interval interval =
        clopper_pearson(at_least, scores_.size(), confidence_);
    result.probability = p;
    result.low = std::min(interval.low, p);
    result.high = std::max(interval.high, p);
    return result;
  }
  double low = p;
  double high = p;
  for (const Tail& tail : region_) {
    const double at = tail_probability(tail, score);
    low = std::min(low, at);
    high = std::max(high, at);
  }
  const double least = rarest();
  result.is_beyond = p < least;
  result.probability = std::max(p, least);
  result.low = std::max(low, least);
  result.high = std::max(high, least);
  return result;
}

int TailModel::highest_severity() const {
  if (scores_.empty()) return 0;
  const double n = static_cast<double>(scores_.size()) / run_length_;
  const double inverse = has_fit_ ? kBeyond * n : n + 1.0;
  int severity = 0;
  for (double needed = 100.0; inverse >= needed; needed *= 10.0) ++severity;
  return severity;
}

int TailModel::severity(double score) const {
  require("rarity", !std::isnan(score), "a score other than NaN is expected");
  return static_cast<int>(
      std::upper_bound(edges_.begin(), edges_.end(), score) - edges_.begin());
}

std::pair<double, double> TailModel::band(int severity) const {
  const int beyond = static_cast<int>(edges_.size());
  if (severity < 1 || severity > beyond) {
    throw InvalidArgument("severity: 1 to " +
                          std::to_string(highest_severity()) + " is what " +
                          with_commas(scores_.size()) +
                          " scores support, got " + std::to_string(severity));
  }
  const auto s = static_cast<std::size_t>(severity);
  return {edges_[s - 1], severity == beyond
                             ? std::numeric_limits<double>::infinity()
                             : edges_[s]};
}

std::string one_in(double probability) {
  const double inverse = 1.0 / probability;
  if (inverse < 9.95) {
    const double tenths = std::round(10.0 * inverse) / 10.0;
    return "1 in " + shortest(tenths);
  }
  // Two digits: more would claim what nobody knows.
  const double unit = std::pow(10.0, std::floor(std::log10(inverse)) - 1.0);
  return "1 in " + with_commas(static_cast<std::uint64_t>(
                       std::llround(std::round(inverse / unit) * unit)));
}

std::string words_of(const RarityEstimate& rarity, const TailModel& model) {
  if (!rarity.probability) return "at most about " + one_in(rarity.bound);
  if (rarity.is_beyond) return "rarer than " + one_in(model.rarest());
  const double least = model.rarest();
  const std::string rare_end =
      rarity.low <= least ? one_in(least) + " or rarer" : one_in(rarity.low);
  return "about " + one_in(*rarity.probability) + " (" +
         shortest(std::round(1000.0 * model.confidence()) / 10.0) +
         " %: " + one_in(rarity.high) + " to " + rare_end + ")";
}

}  // namespace sbog
