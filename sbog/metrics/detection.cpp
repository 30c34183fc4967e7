// SPDX-License-Identifier: Apache-2.0
// Rank statistics of scores; see detection.h.
#include "sbog/metrics/detection.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

std::vector<double> descending(std::span<const double> scores,
                               const char* name) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) {
      throw InvalidArgument(std::string(name) + ": score " + std::to_string(i) +
                            " is NaN");
    }
  }
  std::vector<double> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return sorted;
}

// Both classes, largest score first.
struct Ranked {
  Ranked(std::span<const double> p, std::span<const double> n)
      : positives(descending(p, "positives")),
        negatives(descending(n, "negatives")) {}
  std::vector<double> positives;
  std::vector<double> negatives;
};

// The number of elements of a descending list that are at least `threshold`.
std::size_t count_from(const std::vector<double>& sorted, double threshold) {
  const auto end = std::upper_bound(sorted.begin(), sorted.end(), threshold,
                                    std::greater<>());
  return static_cast<std::size_t>(end - sorted.begin());
}

double ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

F1Score f1_of_counts(std::size_t hits, std::size_t alarms,
                     std::size_t positives, double threshold) {
  // 2 TP + FP + FN = alarms + positives
  return {
      2.0 * static_cast<double>(hits) / static_cast<double>(alarms + positives),
      threshold, ratio(hits, alarms), ratio(hits, positives)};
}

// Calls visit(threshold, hits, alarms) for each distinct score, the largest
// first; hits are positives and alarms are all points at or above it.
template <typename Visit>
void visit_thresholds(const Ranked& ranked, const Visit& visit) {
  std::size_t p = 0;
  std::size_t n = 0;
  while (p < ranked.positives.size() || n < ranked.negatives.size()) {
    const bool is_positive_next = n == ranked.negatives.size() ||
                                  (p < ranked.positives.size() &&
                                   ranked.positives[p] >= ranked.negatives[n]);
    const double threshold =
        is_positive_next ? ranked.positives[p] : ranked.negatives[n];
    while (p < ranked.positives.size() && ranked.positives[p] == threshold) ++p;
    while (n < ranked.negatives.size() && ranked.negatives[n] == threshold) ++n;
    visit(threshold, p, p + n);
  }
}

void check_threshold(double threshold) {
  if (std::isnan(threshold)) {
    throw InvalidArgument("threshold: a number is expected, got NaN");
  }
}

// How many positives the rule wants at or above the threshold, at least 1.
std::size_t wanted_hits(const std::vector<double>& positives, double tpr,
                        RecallRule rule) {
  const auto count = static_cast<double>(positives.size());
  // A hair above the exact product is the product: 0.95 * 20 is 19.
  const double rank = std::max(1.0, std::ceil(tpr * count * (1.0 - 1e-14)));
  const double threshold = positives[static_cast<std::size_t>(rank) - 1];
  const std::size_t at_least = count_from(positives, threshold);
  if (rule == RecallRule::kAtLeast) return at_least;
  // The next larger distinct score gives the largest recall below.
  const auto first = std::lower_bound(positives.begin(), positives.end(),
                                      threshold, std::greater<>());
  const auto below = static_cast<std::size_t>(first - positives.begin());
  if (below == 0) return at_least;
  const double over = static_cast<double>(at_least) - tpr * count;
  const double under = tpr * count - static_cast<double>(below);
  return under < over * (1.0 - 1e-14) ? below : at_least;
}

}  // namespace

ClassScores split_by_label(std::span<const double> scores,
                           std::span<const std::int64_t> labels) {
  if (scores.size() != labels.size()) {
    throw InvalidArgument("labels: one per score is expected (" +
                          std::to_string(scores.size()) + "), got " +
                          std::to_string(labels.size()));
  }
  ClassScores split;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (labels[i] != 0 && labels[i] != 1) {
      throw InvalidArgument("labels: 0 or 1 is expected, label " +
                            std::to_string(i) + " is " +
                            std::to_string(labels[i]));
    }
    (labels[i] == 1 ? split.positives : split.negatives).push_back(scores[i]);
  }
  return split;
}

std::optional<double> auroc(std::span<const double> positives,
                            std::span<const double> negatives) {
  const Ranked ranked(positives, negatives);
  if (positives.empty() || negatives.empty()) return std::nullopt;
  // Twice the Mann-Whitney count, in whole numbers: a win 2, a tie 1.
  std::uint64_t twice = 0;
  std::size_t hits_before = 0;
  std::size_t negatives_before = 0;
  visit_thresholds(ranked, [&](double, std::size_t hits, std::size_t alarms) {
    const std::size_t tied_positives = hits - hits_before;
    const std::size_t tied_negatives = alarms - hits - negatives_before;
    const std::size_t beaten =
        ranked.negatives.size() - negatives_before - tied_negatives;
    twice += tied_positives * (2 * beaten + tied_negatives);
    hits_before = hits;
    negatives_before += tied_negatives;
  });
  return static_cast<double>(twice) / 2.0 /
         static_cast<double>(positives.size()) /
         static_cast<double>(negatives.size());
}

std::optional<double> average_precision(std::span<const double> positives,
                                        std::span<const double> negatives) {
  const Ranked ranked(positives, negatives);
  if (positives.empty()) return std::nullopt;
  double sum = 0.0;
  std::size_t hits_before = 0;
  visit_thresholds(ranked, [&](double, std::size_t hits, std::size_t alarms) {
    sum += static_cast<double>(hits - hits_before) * ratio(hits, alarms);
    hits_before = hits;
  });
  return sum / static_cast<double>(positives.size());
}

std::optional<F1Score> f1_at(std::span<const double> positives,
                             std::span<const double> negatives,
                             double threshold) {
  check_threshold(threshold);
  const Ranked ranked(positives, negatives);
  if (positives.empty()) return std::nullopt;
  const std::size_t hits = count_from(ranked.positives, threshold);
  const std::size_t alarms = hits + count_from(ranked.negatives, threshold);
  return f1_of_counts(hits, alarms, positives.size(), threshold);
}

std::optional<F1Score> best_f1(std::span<const double> positives,
                               std::span<const double> negatives) {
  const Ranked ranked(positives, negatives);
  if (positives.empty()) return std::nullopt;
  std::optional<F1Score> best;
  visit_thresholds(
      ranked, [&](double threshold, std::size_t hits, std::size_t alarms) {
        const F1Score here =
            f1_of_counts(hits, alarms, positives.size(), threshold);
        if (!best || here.value > best->value) best = here;
      });
  return best;
}

std::optional<double> f1_floor(std::size_t positives, std::size_t negatives) {
  if (positives == 0) return std::nullopt;
  const auto share = static_cast<double>(positives);
  return 2.0 * share / (2.0 * share + static_cast<double>(negatives));
}

std::optional<FprAtTpr> fpr_at_tpr(std::span<const double> positives,
                                   std::span<const double> negatives,
                                   double tpr, RecallRule rule) {
  if (!(tpr > 0.0 && tpr <= 1.0)) {
    throw InvalidArgument("tpr: a number in (0, 1] is expected, got " +
                          std::to_string(tpr));
  }
  const Ranked ranked(positives, negatives);
  if (positives.empty() || negatives.empty()) return std::nullopt;
  const std::size_t hits = wanted_hits(ranked.positives, tpr, rule);
  const double threshold = ranked.positives[hits - 1];
  return FprAtTpr{
      ratio(count_from(ranked.negatives, threshold), negatives.size()),
      threshold, ratio(hits, positives.size())};
}

std::optional<double> accuracy_at(std::span<const double> positives,
                                  std::span<const double> negatives,
                                  double threshold) {
  check_threshold(threshold);
  const Ranked ranked(positives, negatives);
  const std::size_t count = positives.size() + negatives.size();
  if (count == 0) return std::nullopt;
  const std::size_t right = count_from(ranked.positives, threshold) +
                            negatives.size() -
                            count_from(ranked.negatives, threshold);
  return ratio(right, count);
}

std::optional<double> accuracy(std::span<const std::int64_t> predicted,
                               std::span<const std::int64_t> labels) {
  if (predicted.size() != labels.size()) {
    throw InvalidArgument("predicted: one per label is expected (" +
                          std::to_string(labels.size()) + "), got " +
                          std::to_string(predicted.size()));
  }
  if (labels.empty()) return std::nullopt;
  std::size_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (predicted[i] == labels[i]) ++right;
  }
  return ratio(right, labels.size());
}

}  // namespace sbog
