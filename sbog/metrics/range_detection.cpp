// SPDX-License-Identifier: Apache-2.0
// Buffered precision and recall; see range_detection.h.
#include "sbog/metrics/range_detection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

constexpr std::size_t kNoSegment = static_cast<std::size_t>(-1);

void check(std::span<const double> scores,
           std::span<const std::int64_t> labels) {
  if (scores.size() != labels.size()) {
    throw InvalidArgument("labels: one per score is expected (" +
                          std::to_string(scores.size()) + "), got " +
                          std::to_string(labels.size()));
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != 0 && labels[i] != 1) {
      throw InvalidArgument("labels: 0 or 1 is expected, label " +
                            std::to_string(i) + " is " +
                            std::to_string(labels[i]));
    }
    if (std::isnan(scores[i])) {
      throw InvalidArgument("scores: score " + std::to_string(i) + " is NaN");
    }
  }
}

// Rows by falling score.
std::vector<std::size_t> ranking(std::span<const double> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  return order;
}

// For each row the run of positive soft labels it lies in.
std::vector<std::size_t> segments_of(std::span<const double> soft,
                                     std::size_t& count) {
  std::vector<std::size_t> segment(soft.size(), kNoSegment);
  count = 0;
  for (std::size_t i = 0; i < soft.size(); ++i) {
    if (soft[i] <= 0.0) continue;
    if (i == 0 || soft[i - 1] <= 0.0) ++count;
    segment[i] = count - 1;
  }
  return segment;
}

double area(std::span<const double> scores,
            std::span<const std::int64_t> labels,
            std::span<const std::size_t> order, std::size_t buffer,
            std::size_t thresholds) {
  const std::vector<double> soft = soft_labels(labels, buffer);
  std::size_t segment_count = 0;
  const std::vector<std::size_t> segment = segments_of(soft, segment_count);
  std::vector<bool> is_hit(segment_count);
  const auto positives = static_cast<double>(
      std::count(labels.begin(), labels.end(), std::int64_t{1}));
  double found = 0.0;
  double in_buffers = 0.0;
  std::size_t hits = 0;
  std::size_t predicted = 0;
  double recall_before = 0.0;
  double sum = 0.0;
  for (std::size_t k = 0; k < thresholds; ++k) {
    const double threshold =
        scores[order[k * (order.size() - 1) / (thresholds - 1)]];
    for (; predicted < order.size() && scores[order[predicted]] >= threshold;
         ++predicted) {
      const std::size_t row = order[predicted];
      found += soft[row];
      if (labels[row] == 0) in_buffers += soft[row];
      if (segment[row] == kNoSegment || is_hit[segment[row]]) continue;
      is_hit[segment[row]] = true;
      ++hits;
    }
    const double reached =
        std::min(found / (positives + in_buffers / 2.0), 1.0);
    const double recall = reached * static_cast<double>(hits) /
                          static_cast<double>(segment_count);
    sum += (recall - recall_before) * found / static_cast<double>(predicted);
    recall_before = recall;
  }
  return sum;
}

}  // namespace

std::vector<double> soft_labels(std::span<const std::int64_t> labels,
                                std::size_t buffer) {
  std::vector<double> soft(labels.begin(), labels.end());
  const std::size_t n = labels.size();
  const std::size_t reach = std::min(buffer / 2, n);  // rows beyond are none
  for (std::size_t i = 0; i < n; ++i) {
    if (labels[i] == 0) continue;
    const bool is_first = i == 0 || labels[i - 1] == 0;
    const bool is_last = i + 1 == n || labels[i + 1] == 0;
    if (!is_first && !is_last) continue;
    for (std::size_t d = 1; d <= reach; ++d) {
      const double share =
          std::sqrt(1.0 - static_cast<double>(d) / static_cast<double>(buffer));
      if (is_first && i >= d) soft[i - d] = std::min(1.0, soft[i - d] + share);
      if (is_last && i + d < n)
        soft[i + d] = std::min(1.0, soft[i + d] + share);
    }
  }
  return soft;
}

std::optional<double> range_auc_pr(std::span<const double> scores,
                                   std::span<const std::int64_t> labels,
                                   std::size_t buffer,
                                   const RangeOptions& options) {
  RangeOptions one = options;
  one.buffers = {buffer};
  return vus_pr(scores, labels, one);
}

std::optional<double> vus_pr(std::span<const double> scores,
                             std::span<const std::int64_t> labels,
                             const RangeOptions& options) {
  check(scores, labels);
  if (options.thresholds < 2 || options.buffers.empty()) {
    throw InvalidArgument(
        "vus_pr: at least two thresholds and one buffer are expected");
  }
  if (std::find(labels.begin(), labels.end(), std::int64_t{1}) ==
      labels.end()) {
    return std::nullopt;
  }
  const std::vector<std::size_t> order = ranking(scores);
  double sum = 0.0;
  for (const std::size_t buffer : options.buffers) {
    sum += area(scores, labels, order, buffer, options.thresholds);
  }
  return sum / static_cast<double>(options.buffers.size());
}

}  // namespace sbog
