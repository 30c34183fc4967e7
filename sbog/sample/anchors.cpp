// SPDX-License-Identifier: Apache-2.0
// The four anchor rules of anchors.h.
#include "sbog/sample/anchors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/energy/ground_cost.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace {

constexpr std::size_t kLargestDpp = std::size_t{1} << 27;  // 1 GB of doubles

constexpr std::size_t kRegionIterations = 25;

void normalise(std::span<double> x) {
  const double norm = std::sqrt(dot(x, x));
  if (norm == 0.0) return;
  for (double& value : x) value /= norm;
}

// The highest scores: the pool that a spreading rule chooses from.
std::vector<std::size_t> pool_of(const AnchorProblem& problem,
                                 const SamplerOptions& options) {
  std::vector<std::size_t> pool = order_by_score(problem.scores);
  const double size =
      std::ceil(options.pool_factor * static_cast<double>(problem.count));
  if (size < static_cast<double>(pool.size())) {
    pool.resize(static_cast<std::size_t>(size));
  }
  return pool;
}

// Greedy max-min: first the highest score, then always the pool point farthest
// from those chosen.
std::vector<std::size_t> farthest_points(const AnchorProblem& problem,
                                         const std::vector<std::size_t>& pool) {
  std::vector<double> nearest(pool.size(),
                              std::numeric_limits<double>::infinity());
  std::vector<std::size_t> chosen;
  std::size_t next = 0;
  while (chosen.size() < std::min(problem.count, pool.size())) {
    chosen.push_back(pool[next]);
    nearest[next] = -1.0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      if (nearest[i] < 0.0) continue;
      nearest[i] = std::min(nearest[i], squared_distance<double, double>(
                                            problem.points.row(pool[i]),
                                            problem.points.row(chosen.back())));
      // Equal distances (duplicates): the pool is in score order.
      if (nearest[best] < 0.0 || nearest[i] > nearest[best]) best = i;
    }
    next = best;
  }
  return chosen;
}

// Spherical k-means of the pool's directions; returns the cell of each.
std::vector<std::size_t> cluster_directions(
    const AnchorProblem& problem, const std::vector<std::size_t>& pool,
    std::size_t cells) {
  const std::size_t dim = problem.points.cols();
  Matrix<double> directions(pool.size(), dim);
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const auto point = problem.points.row(pool[i]);
    const auto direction = directions.row(i);
    std::copy(point.begin(), point.end(), direction.begin());
    if (!problem.class_anchor.empty()) {
      const double along = dot(point, problem.class_anchor);
      for (std::size_t k = 0; k < dim; ++k) {
        direction[k] -= along * problem.class_anchor[k];
      }
    }
    normalise(direction);
  }
  // Start from spread-out directions: no random numbers needed.
  AnchorProblem spread;
  spread.points = directions;
  spread.count = cells;
  std::vector<std::size_t> all(pool.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Matrix<double> centers(cells, dim);
  const std::vector<std::size_t> starts = farthest_points(spread, all);
  for (std::size_t c = 0; c < starts.size(); ++c) {
    std::copy_n(directions.row(starts[c]).data(), dim, centers.row(c).data());
  }
  std::vector<std::size_t> cell(pool.size(), 0);
  for (std::size_t step = 0; step < kRegionIterations; ++step) {
    Matrix<double> sums(cells, dim);
    bool has_changed = step == 0;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      std::size_t best = 0;
      double highest = dot(directions.row(i), centers.row(0));
      for (std::size_t c = 1; c < starts.size(); ++c) {
        const double cosine = dot(directions.row(i), centers.row(c));
        if (!(cosine > highest)) continue;
        highest = cosine;
        best = c;
      }
      has_changed = has_changed || cell[i] != best;
      cell[i] = best;
      for (std::size_t k = 0; k < dim; ++k) sums(best, k) += directions(i, k);
    }
    if (!has_changed) break;  // further steps would repeat this one
    for (std::size_t c = 0; c < cells; ++c) {
      if (dot(sums.row(c), sums.row(c)) == 0.0) continue;  // keep an empty one
      normalise(sums.row(c));
      std::copy_n(sums.row(c).data(), dim, centers.row(c).data());
    }
  }
  return cell;
}

AnchorSet by_regions(const AnchorProblem& problem,
                     const SamplerOptions& options) {
  const std::vector<std::size_t> pool = pool_of(problem, options);
  const std::size_t cells =
      std::min({options.regions, pool.size(), problem.count});
  const std::vector<std::size_t> cell =
      cluster_directions(problem, pool, cells);
  AnchorSet set;
  for (std::size_t c = 0; c < cells; ++c) {
    const std::size_t quota =
        problem.count / cells + (c < problem.count % cells ? 1 : 0);
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < pool.size() && members.size() < quota; ++i) {
      if (cell[i] != c) continue;
      members.push_back(set.anchors.size());
      set.anchors.push_back(pool[i]);
    }
    if (!members.empty()) set.regions.push_back(std::move(members));
  }
  return set;
}

// Greedy maximum a posteriori of a DPP with L_ij = q_i q_j exp(-d_ij / eps) by
// incremental Cholesky: always the point with the largest conditional variance.
std::vector<std::size_t> by_dpp(const AnchorProblem& problem,
                                const SamplerOptions& options) {
  const std::vector<std::size_t> pool = pool_of(problem, options);
  const double spread =
      quantile(problem.scores, 0.95) - quantile(problem.scores, 0.5);
  const double temperature = spread > 0.0 ? spread : 1.0;
  std::vector<double> quality(pool.size());
  std::vector<double> variance(pool.size());
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const double excess = problem.scores[pool[i]] - problem.threshold;
    quality[i] =
        std::exp(std::clamp(excess / (2.0 * temperature), -50.0, 50.0));
    variance[i] = quality[i] * quality[i];
  }
  const std::size_t count = std::min(problem.count, pool.size());
  if (count * pool.size() > kLargestDpp) {
    throw InvalidArgument(
        "anchors: dpp can choose among " + std::to_string(kLargestDpp / count) +
        " points, got a pool of " + std::to_string(pool.size()) +
        "; choose fewer anchors or a smaller pool factor");
  }
  Matrix<double> factors(count, pool.size());
  std::vector<std::size_t> chosen;
  while (chosen.size() < factors.rows()) {
    const auto best = static_cast<std::size_t>(
        std::max_element(variance.begin(), variance.end()) - variance.begin());
    // Only copies of chosen points are left: fill up in score order.
    if (!(variance[best] > 1e-12)) break;
    const double root = std::sqrt(variance[best]);
    const std::size_t step = chosen.size();
    chosen.push_back(best);
    for (std::size_t i = 0; i < pool.size(); ++i) {
      if (variance[i] < 0.0) continue;
      const double chord = std::sqrt(squared_distance<double, double>(
          problem.points.row(pool[best]), problem.points.row(pool[i])));
      double entry = quality[best] * quality[i] *
                     std::exp(-cost_of_chord(options.energy.cost, chord) /
                              options.energy.epsilon);
      for (std::size_t s = 0; s < step; ++s) {
        entry -= factors(s, best) * factors(s, i);
      }
      factors(step, i) = entry / root;
      variance[i] -= factors(step, i) * factors(step, i);
    }
    variance[best] = -1.0;
  }
  std::vector<std::size_t> anchors;
  anchors.reserve(factors.rows());
  for (const std::size_t i : chosen) anchors.push_back(pool[i]);
  for (std::size_t i = 0; i < pool.size() && anchors.size() < factors.rows();
       ++i) {
    if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) {
      anchors.push_back(pool[i]);
    }
  }
  return anchors;
}

}  // namespace

std::size_t anchor_count(const SamplerOptions& options, std::size_t n) {
  if (options.anchor_count > 0) return std::min(n, options.anchor_count);
  const auto share = static_cast<std::size_t>(
      std::ceil(options.anchor_share * static_cast<double>(n) - 1e-9));
  return std::min({n, std::size_t{256}, std::max<std::size_t>(8, share)});
}

std::vector<std::size_t> order_by_score(std::span<const double> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  return order;
}

AnchorSet select_anchors(const AnchorProblem& problem,
                         const SamplerOptions& options) {
  AnchorSet set;
  switch (options.anchor_rule) {
    case AnchorRule::kRegions:
      if (problem.scores.empty() || problem.count == 0) break;
      return by_regions(problem, options);
    case AnchorRule::kTop:
      set.anchors = order_by_score(problem.scores);
      set.anchors.resize(std::min(set.anchors.size(), problem.count));
      break;
    case AnchorRule::kFarthestPoint:
      set.anchors = farthest_points(problem, pool_of(problem, options));
      break;
    case AnchorRule::kDpp:
      if (!problem.scores.empty()) set.anchors = by_dpp(problem, options);
      break;
  }
  set.regions.resize(1);
  set.regions[0].resize(set.anchors.size());
  std::iota(set.regions[0].begin(), set.regions[0].end(), std::size_t{0});
  return set;
}

}  // namespace sbog
