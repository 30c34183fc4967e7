// SPDX-License-Identifier: Apache-2.0
// The highest energy that n reference points can certify: even when none of
// them supports a point, they only show K <= 1 - failure^(1/n).
#pragma once

namespace sbog {

/// epsilon log(1 / (1 - failure^(1/n))), about epsilon log(n / log(1/failure)).
/// `failure` is delta / |V| for a one-sided statement about a pool of |V|, and
/// a quarter of that for combined_interval. A threshold above it can never be
/// certified. Throws InvalidArgument for arguments out of range.
double certifiable_ceiling(double epsilon, double count, double failure);

/// The epsilon at which the ceiling is `threshold` >= 0, all else equal.
double smallest_epsilon(double threshold, double count, double failure);

/// The real n at which the ceiling is `threshold` >= 0.
double smallest_count(double threshold, double epsilon, double failure);

}  // namespace sbog
