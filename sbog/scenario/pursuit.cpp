// SPDX-License-Identifier: Apache-2.0
// The greedy search; see pursuit.h.
#include "sbog/scenario/pursuit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sbog/base/inner_product.h"

namespace sbog::series {
namespace {

constexpr double kLeastGain = 0.02;    // of a slot, in o
constexpr double kCloseEnough = 0.09;  // r^2 at which no slot is added
constexpr double kPruningCost = 0.05;  // in r^2
constexpr double kEquallyGood = 0.02;  // in o

struct Ranked {
  double value = 0.0;
  std::size_t place = 0;  // in the screen

  bool operator<(const Ranked& other) const {
    return value != other.value ? value < other.value : place < other.place;
  }
};

// The best of each kind by prediction.
std::vector<Ranked> best_by_kind(const EditObjective& objective,
                                 std::span<const Edit> library,
                                 const Screen& screen, std::size_t per_kind) {
  const EditTarget& target = objective.target();
  const double distance =
      squared_distance<double, double>(target.source, target.point);
  std::array<std::vector<Ranked>, kEditKinds.size()> kinds;
  for (std::size_t i = 0; i < screen.edits.size(); ++i) {
    const Edit& edit = library[screen.edits[i]];
    const StrengthRange range =
        strength_range(edit.kind, objective.profiles()[edit.channel]);
    const double value =
        predicted_distance(screen, i, target.point) / distance +
        kStrengthWeight * std::abs(edit.amount) / range.unit;
    kinds[static_cast<std::size_t>(edit.kind)].push_back({value, i});
  }
  std::vector<Ranked> chosen;
  for (std::vector<Ranked>& list : kinds) {
    const std::size_t count = std::min(per_kind, list.size());
    std::partial_sort(list.begin(),
                      list.begin() + static_cast<std::ptrdiff_t>(count),
                      list.end());
    chosen.insert(chosen.end(), list.begin(),
                  list.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return chosen;
}

// One more edit: all refined starts, best first.
std::vector<ScoredEdits> extend(EditObjective& objective,
                                std::span<const Edit> library,
                                const Screen& screen,
                                const std::vector<Edit>& before,
                                const PursuitOptions& options) {
  std::vector<Ranked> chosen =
      best_by_kind(objective, library, screen, options.per_kind);
  std::vector<Edit> edits = before;
  edits.emplace_back();
  for (Ranked& candidate : chosen) {
    edits.back() = library[screen.edits[candidate.place]];
    candidate.value = objective.evaluate(edits).total;
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.resize(std::min(chosen.size(), options.starts));
  std::vector<ScoredEdits> refined;
  for (const Ranked& candidate : chosen) {
    edits.back() = library[screen.edits[candidate.place]];
    refined.push_back(refine_edits(objective, edits, options.refine));
  }
  std::stable_sort(refined.begin(), refined.end(),
                   [](const ScoredEdits& a, const ScoredEdits& b) {
                     return a.score.total < b.score.total;
                   });
  return refined;
}

void prune(EditObjective& objective, double threshold, ScoredEdits& found) {
  for (std::size_t k = 0; k < found.edits.size() && found.edits.size() > 1;) {
    std::vector<Edit> fewer = found.edits;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    EditScore score = objective.evaluate(fewer);
    if (score.residual < found.score.residual + kPruningCost &&
        score.energy >= threshold) {
      found = {std::move(fewer), std::move(score)};
    } else {
      ++k;
    }
  }
}

int complexity_of(const std::vector<Edit>& edits) {
  int sum = 0;
  for (const Edit& edit : edits) sum += complexity(edit.kind);
  return sum;
}

// Of the lists that do as well as the best, the simplest becomes the best.
void prefer_simplest(PursuitResult& result) {
  ScoredEdits* simplest = &result.best;
  for (ScoredEdits& other : result.others) {
    if (other.score.total > result.best.score.total + kEquallyGood) break;
    if (complexity_of(other.edits) < complexity_of(simplest->edits)) {
      simplest = &other;
    }
  }
  if (simplest != &result.best) std::swap(*simplest, result.best);
}

}  // namespace

PursuitResult pursue_target(EditObjective& objective,
                            std::span<const Edit> library, const Screen& first,
                            double threshold, const PursuitOptions& options) {
  PursuitResult result;
  result.best.score = objective.evaluate({});
  for (std::size_t slot = 0; slot < options.slots; ++slot) {
    std::vector<ScoredEdits> refined;
    if (slot == 0) {
      refined = extend(objective, library, first, {}, options);
    } else {
      objective.evaluate(result.best.edits);
      const Screen screen =
          screen_edits(objective.window(), objective.profiles(), library,
                       objective.embedder());
      refined = extend(objective, library, screen, result.best.edits, options);
    }
    if (refined.empty() ||
        refined[0].score.total > result.best.score.total - kLeastGain) {
      break;
    }
    result.best = std::move(refined[0]);
    refined.erase(refined.begin());
    result.others = std::move(refined);
    if (result.best.score.residual <= kCloseEnough &&
        result.best.score.energy >= objective.target().least_energy) {
      break;
    }
  }
  prefer_simplest(result);
  prune(objective, threshold, result.best);
  return result;
}

}  // namespace sbog::series
