// SPDX-License-Identifier: Apache-2.0
// One scale for the scores of many classes; see class_tails.h.
#include "sbog/energy/class_tails.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sbog/energy/threshold.h"

namespace sbog {
namespace {

constexpr double kMiddle = 0.5;
constexpr double kUpper = 0.90;
// Fewer say nothing of their own 0.90 quantile; they use the shared tail by it
// all the same, but do not shape it.
constexpr std::size_t kFewestShaping = 20;

// A type-7 quantile of increasing values without the one at `left_out`; the
// count of values leaves nothing out.
double quantile_without(std::span<const double> values, std::size_t left_out,
                        double q) {
  const std::size_t count = values.size() - (left_out < values.size() ? 1 : 0);
  const auto at = [&](std::size_t i) {
    return values[i >= left_out ? i + 1 : i];
  };
  const double position = q * static_cast<double>(count - 1);
  const auto index = static_cast<std::size_t>(position);
  const double fraction = position - std::floor(position);
  if (fraction == 0.0) return at(index);
  return at(index) + fraction * (at(index + 1) - at(index));
}

std::pair<double, double> bulk_without(std::span<const double> values,
                                       std::size_t left_out) {
  const double middle = quantile_without(values, left_out, kMiddle);
  const double unit = quantile_without(values, left_out, kUpper) - middle;
  return {middle, unit > 0.0 ? unit : 1.0};
}

std::vector<double> finite_sorted(const std::vector<double>& scores) {
  std::vector<double> found;
  for (const double score : scores) {
    if (std::isfinite(score)) found.push_back(score);
  }
  std::sort(found.begin(), found.end());
  return found;
}

TailOptions with_stream(TailOptions options, std::size_t number) {
  options.stream += number;
  return options;
}

}  // namespace

std::pair<double, double> bulk_of(std::span<const double> sorted_scores) {
  if (sorted_scores.empty()) return {0.0, 1.0};
  return bulk_without(sorted_scores, sorted_scores.size());
}

ClassTails::ClassTails(const std::vector<std::vector<double>>& scores,
                       const TailOptions& options) {
  std::vector<double> shared;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    Class added;
    const std::vector<double> own = finite_sorted(scores[c]);
    added.scores = std::make_shared<const std::vector<double>>(own);
    if (scores.size() == 1 || own.size() >= kOwnTailCount) {
      added.tail =
          std::make_shared<const TailModel>(own, with_stream(options, c));
    } else {
      added.is_shared = true;
      std::tie(added.middle, added.unit) = bulk_of(own);
    }
    // Large classes shape the shared tail as well: it is of all of them.
    for (std::size_t i = 0; own.size() >= kFewestShaping && i < own.size();
         ++i) {
      const auto [middle, unit] = bulk_without(own, i);
      shared.push_back((own[i] - middle) / unit);
    }
    classes_.push_back(std::move(added));
  }
  std::shared_ptr<const TailModel> tail;
  for (Class& c : classes_) {
    if (!c.is_shared) continue;
    if (!tail) {
      tail = std::make_shared<const TailModel>(
          shared, with_stream(options, scores.size()));
    }
    c.tail = tail;
  }
}

double ClassTails::scaled(std::size_t c, double score) const {
  const Class& cls = classes_.at(c);
  return cls.is_shared ? (score - cls.middle) / cls.unit : score;
}

double ClassTails::unscaled(std::size_t c, double value) const {
  const Class& cls = classes_.at(c);
  return cls.is_shared ? cls.middle + cls.unit * value : value;
}

RarityEstimate ClassTails::rarity(std::size_t c, double score) const {
  RarityEstimate found = model(c).rarity(scaled(c, score));
  found.bound = conformal_p_value(*classes_.at(c).scores, score);
  return found;
}

double ClassTails::probability(std::size_t c, double score) const {
  return model(c).probability(scaled(c, score));
}

double ClassTails::score_at(std::size_t c, double probability) const {
  return unscaled(c, model(c).score_at(probability));
}

int ClassTails::severity(std::size_t c, double score) const {
  return model(c).severity(scaled(c, score));
}

int ClassTails::highest_severity(std::size_t c) const {
  return model(c).highest_severity();
}

std::pair<double, double> ClassTails::band(std::size_t c, int severity) const {
  const auto [low, high] = model(c).band(severity);
  return {unscaled(c, low), unscaled(c, high)};
}

}  // namespace sbog
