// SPDX-License-Identifier: Apache-2.0
// How far the support K(v) = E exp(-d(v, z)/epsilon) of the population can be
// from the mean over n reference points, and what that says about the energy
// E = -epsilon log K. Exact for every n and every law of the points, provided
// they are independent of each other and of v.
#pragma once

#include <cstddef>

#include "sbog/base/binomial.h"

namespace sbog {

/// What the n numbers psi_i = exp(-d(v, z_i)/epsilon) in [0, 1] are like.
struct SupportSample {
  double log_mean = 0.0;  ///< log of their mean; -inf when all are 0
  double variance = 0.0;  ///< unbiased
  /// How many; may be an effective number, and then nothing is certified.
  double count = 0.0;
};

/// A set of supports K in logarithms: deep outliers have K far below the
/// smallest double.
struct LogInterval {
  double low = 0.0;   ///< -inf: K may be 0
  double high = 0.0;  ///< at most 0
};

/// { K : n kl(mean||K) <= log(2/failure) }. The population's K is outside with
/// a probability of at most `failure`; for a union over a pool of candidates
/// pass delta / pool. Throws InvalidArgument for a failure outside (0, 1), a
/// count below 1, or a mean that is no probability.
LogInterval kl_interval(const SupportSample& sample, double failure);

/// Empirical Bernstein (Maurer, Pontil 2009): |K - mean| <= sqrt(2 s2 y/n) +
/// 7y/(3(n-1)), y = log(4/failure). Better than kl once n K >> y.
LogInterval bernstein_interval(const SupportSample& sample, double failure);

/// Both at failure/2, intersected: what is reported.
LogInterval combined_interval(const SupportSample& sample, double failure);

/// The energies of supports, [-epsilon log high, -epsilon log low].
Interval energy_interval(const LogInterval& support, double epsilon);

/// What an interval says about the population's decision E >= threshold.
enum class DecisionLabel {
  kCertifiedAccept,  ///< E >= threshold for every support in the interval
  kCertifiedReject,  ///< E < threshold for every support in the interval
  kUndecided,        ///< the interval holds both
};

/// The label of an interval of energies.
DecisionLabel label_decision(const Interval& energies, double threshold);

/// "certified accept", "certified reject", "undecided".
const char* to_string(DecisionLabel label);

/// The smallest number of reference points, at this mean and variance, with
/// which combined_interval would decide `threshold`; +inf where no number
/// would. Enough and nearly tight: the smaller of log(4/failure) /
/// kl(mean||kappa), kappa = exp(-threshold/epsilon), and what empirical
/// Bernstein needs. `sample.count` is not used.
double required_count(const SupportSample& sample, double failure,
                      double epsilon, double threshold);

}  // namespace sbog
