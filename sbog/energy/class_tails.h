// SPDX-License-Identifier: Apache-2.0
// How rare a score is within its class, for a bank of many classes.
//
// A class with at least 2,000 scores, which severity 3 needs, has a tail of its
// own. Smaller ones are put on one scale, t = (E - m) / d with m the median and
// d the way from there to the 0.90 quantile of the class, each score by those
// of the others in its class, and share one tail: how scores fall off beyond
// the bulk is taken to be alike, where the bulk lies and how wide it is not.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sbog/energy/rarity.h"

namespace sbog {

/// The least scores of a class that has a tail of its own beside others.
inline constexpr std::size_t kOwnTailCount = 2000;

/// See the top of the file. Copies share what they hold.
class ClassTails {
 public:
  ClassTails() = default;
  /// Scores of every class that count for its threshold. The bootstrap of a
  /// tail is keyed by options.stream plus the class, or the count of classes
  /// for the shared one.
  explicit ClassTails(const std::vector<std::vector<double>>& scores,
                      const TailOptions& options = {});

  std::size_t size() const { return classes_.size(); }
  /// Whether the class shares a tail with others.
  bool is_shared(std::size_t c) const { return classes_.at(c).is_shared; }
  /// The tail that a class is told by; of scores t when shared.
  const TailModel& model(std::size_t c) const { return *classes_.at(c).tail; }

  /// As of TailModel; the bound counts the scores of the class alone.
  RarityEstimate rarity(std::size_t c, double score) const;
  double probability(std::size_t c, double score) const;
  double score_at(std::size_t c, double probability) const;
  int severity(std::size_t c, double score) const;
  int highest_severity(std::size_t c) const;
  std::pair<double, double> band(std::size_t c, int severity) const;
  /// A score as its tail has it, and back.
  double scaled(std::size_t c, double score) const;
  double unscaled(std::size_t c, double value) const;

 private:
  struct Class {
    std::shared_ptr<const std::vector<double>> scores;  // increasing, finite
    std::shared_ptr<const TailModel> tail;
    bool is_shared = false;
    double middle = 0.0;
    double unit = 1.0;
  };

  std::vector<Class> classes_;
};

/// Where a class's scores lie and how wide they are: the median, and from there
/// to the 0.90 quantile; (0, 1) where these are equal or there is no score.
std::pair<double, double> bulk_of(std::span<const double> sorted_scores);

}  // namespace sbog
