// SPDX-License-Identifier: Apache-2.0
// Quality of a detector on a series whose labels are segments: precision and
// recall with a buffer around each segment, averaged over buffers (VUS-PR,
// Paparrizos et al., PVLDB 15, 2022).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sbog {

/// Options of range_auc_pr and vus_pr.
struct RangeOptions {
  /// Thresholds, evenly spaced over the ranks of the scores; at least 2.
  std::size_t thresholds = 250;
  /// Buffers of vus_pr, in rows.
  std::vector<std::size_t> buffers = {0, 20, 40, 60, 80, 100};
};

/// Labels softened by a buffer l: a row at distance d <= l/2 from a segment
/// gets sqrt(1 - d/l) from it; contributions add up, to at most 1.
std::vector<double> soft_labels(std::span<const std::int64_t> labels,
                                std::size_t buffer);

/// Area under precision-recall for one buffer. At a threshold, with soft
/// labels s, labels y and rows predicted positive (score at least the
/// threshold): TP = sum of s over them, precision = TP / their number; P = sum
/// of y + half of s over the predicted rows of the buffers; recall = min(TP/P,
/// 1) x share of segments, buffers included, that are hit. The area is the sum
/// of steps of recall times precision. nullopt without a label 1. Throws
/// InvalidArgument for labels other than 0 and 1, another number of them or a
/// score that is NaN.
std::optional<double> range_auc_pr(std::span<const double> scores,
                                   std::span<const std::int64_t> labels,
                                   std::size_t buffer,
                                   const RangeOptions& options = {});

/// The mean of range_auc_pr over the buffers.
std::optional<double> vus_pr(std::span<const double> scores,
                             std::span<const std::int64_t> labels,
                             const RangeOptions& options = {});

}  // namespace sbog
