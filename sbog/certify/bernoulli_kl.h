// SPDX-License-Identifier: Apache-2.0
// The relative entropy of two coins and its inverses:
//   kl(p||q) = p log(p/q) + (1-p) log((1-p)/(1-q)),  0 log 0 = 0.
// The inverses work on logarithms: supports of deep outliers are far below the
// smallest double, their logarithms are not.
#pragma once

namespace sbog {

/// kl(p||q), a sum of non-negative terms, so nothing cancels near p = q; +inf
/// where q excludes what p allows. Throws InvalidArgument outside [0, 1].
double bernoulli_kl(double p, double q);

/// The same of exp(log_p) and exp(log_q), neither above 0.
double bernoulli_kl_of_logs(double log_p, double log_q);

/// log of the smallest q <= p with kl(p||q) <= budget; -inf where every one
/// will do, or where q is below all bounds of the exponent. `log_p` <= 0 may be
/// -inf (p = 0) and far below the range of exp; `budget` >= 0. Throws
/// InvalidArgument otherwise.
double log_kl_lower(double log_p, double budget);

/// log of the largest q >= p with kl(p||q) <= budget. For p = 0 that is
/// 1 - exp(-budget).
double log_kl_upper(double log_p, double budget);

}  // namespace sbog
