// SPDX-License-Identifier: Apache-2.0
// How rare a score is: how often a point of the same law would have one as high
// or higher.
//
// From n scores E_i of points that were not in the reference when they were
// scored (leave-one-out, or a half of a split bank):
//   bound      p(e) <= (1 + #{E_i >= e}) / (n + 1), exchangeability alone;
//   estimate   up to the tail start u, the 0.90 quantile, the share of scores
//              above e; beyond it p(e) = (n_u / n) (1 + xi (e - u) / beta)
//              ^(-1 / xi), the generalised Pareto law of what exceeds u, with
//              n_u >= 50 exceedances; with fewer u is the 0.80 quantile, and
//              with fewer than 50 there, too, there is no estimate;
//   interval   a parametric bootstrap of (n_u, xi, beta), every draw moved to
//              where the likelihood ratio ends.
// Nothing rarer than 1 in 5 n is stated. All of it is a property of what made
// the scores and of the recorded data; when these drift it is void.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sbog {

/// Options of TailModel.
struct TailOptions {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  ///< keys the bootstrap, beside the seed
  std::size_t draws = 200;   ///< of the bootstrap; 0: no intervals
  double confidence = 0.95;  ///< of the intervals, in (0, 1)
  /// Scores that count as one independent: 1 over their extremal index, for
  /// scores that come in runs. Makes intervals wider and the claim smaller.
  double run_length = 1.0;
};

/// How rare a score is.
struct RarityEstimate {
  double bound = 1.0;  ///< safe: (1 + #{E_i >= e}) / (n + 1)
  /// The estimate, not below TailModel::rarest(); none when there is no fit.
  std::optional<double> probability;
  /// Interval of the estimate, not below rarest(), either: an end that equals
  /// it says "this or rarer". [0, 1] without an estimate.
  double low = 0.0;
  double high = 1.0;
  bool is_beyond = false;  ///< rarer than rarest(), by how much is not said
};

/// The law of scores, as far as the scores tell. Severity s is a decade of
/// rarity: 10^-(s+1) < p(e) <= 10^-s; 0 is everything more frequent.
class TailModel {
 public:
  /// Scores that are not finite are left out. Throws InvalidArgument for
  /// options out of range.
  explicit TailModel(std::span<const double> scores,
                     const TailOptions& options = {});

  bool has_fit() const { return has_fit_; }
  /// Scores that were used, n, and they themselves, increasing.
  std::size_t count() const { return scores_.size(); }
  std::span<const double> scores() const { return scores_; }
  /// 1 / (5 n), with n divided by options.run_length; 1 without scores.
  double rarest() const;
  /// Where the fit begins: u, and the share of scores above it; the largest
  /// score and 0 without a fit.
  double tail_start() const { return start_; }
  double tail_share() const { return share_; }
  double shape() const { return shape_; }            ///< xi; 0 without a fit
  double scale() const { return scale_; }            ///< beta; 0 without a fit
  double confidence() const { return confidence_; }  ///< of the intervals

  /// Throws InvalidArgument for NaN.
  RarityEstimate rarity(double score) const;

  /// p(e) without any limit, by which cases are filed: empirical (linear
  /// between order statistics) below the tail start, the fit above. Without a
  /// fit empirical throughout, and 1 / (n + 1) from the largest score on. Does
  /// not increase with the score; throws InvalidArgument for NaN.
  double probability(double score) const;
  /// A score of this probability in (0, 1]; without a fit at most the largest
  /// score. Throws InvalidArgument without scores.
  double score_at(double probability) const;

  /// 0 below severity 1; highest_severity() + 1 for all that lies beyond the
  /// highest, also for +inf.
  int severity(double score) const;
  /// The highest severity s that n supports: 10^-(s+1) is not below rarest(),
  /// without a fit not below 1 / (n + 1). 0: none.
  int highest_severity() const;
  /// Scores [low, high) of a severity from 1 to highest_severity() + 1, whose
  /// high end is +inf. severity() of a score in it is that severity. Throws
  /// InvalidArgument for others.
  std::pair<double, double> band(int severity) const;

 private:
  struct Tail {
    double share, shape, scale;
  };

  void fit(const TailOptions& options);
  double empirical(double score) const;
  double tail_probability(const Tail& tail, double score) const;

  std::vector<double> scores_;  // increasing
  double confidence_ = 0.95;
  double run_length_ = 1.0;
  bool has_fit_ = false;
  double start_ = 0.0;
  double share_ = 0.0;
  double shape_ = 0.0;
  double scale_ = 0.0;
  std::vector<Tail> region_;
  std::vector<double> edges_;  // least scores of severities 1, 2, ...
};

/// "about 1 in 350 (95 %: 1 in 180 to 1 in 900)", "rarer than 1 in 5,000";
/// without an estimate "at most about 1 in 40" of the bound. `model` gave the
/// estimate.
std::string words_of(const RarityEstimate& rarity, const TailModel& model);

/// "1 in 350", "1 in 3.2"; for a probability in (0, 1].
std::string one_in(double probability);

}  // namespace sbog
