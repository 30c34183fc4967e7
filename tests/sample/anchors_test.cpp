// SPDX-License-Identifier: Apache-2.0
// Anchor rules against brute force on small pools.
#include "sbog/sample/anchors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "oracle/energy_oracle.h"
#include "sample/support.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace anchors_test {

using testing_support::sphere_bank;
using testing_support::unit;

constexpr AnchorRule kAllRules[] = {AnchorRule::kTop,
                                    AnchorRule::kFarthestPoint,
                                    AnchorRule::kRegions, AnchorRule::kDpp};

struct Pool {
  Matrix<double> points;
  std::vector<double> scores;
  std::vector<double> class_anchor;

  AnchorProblem problem(std::size_t count) const {
    return {points, scores, class_anchor, 0.4, count};
  }
};

// Every third point is a copy of its predecessor; scores are coarse: ties.
Pool make_pool(std::size_t n, std::size_t dim, std::uint64_t seed) {
  Pool pool;
  pool.points = sphere_bank<double>(n, dim, seed, 1.0);
  for (std::size_t i = 2; i < n; i += 3) {
    std::copy_n(pool.points.row(i - 1).data(), dim, pool.points.row(i).data());
  }
  for (const double u : oracle::uniforms(n, seed + 1)) {
    pool.scores.push_back(std::floor(u * 8.0) / 8.0);
  }
  return pool;
}

SamplerOptions with_rule(AnchorRule rule, double pool_factor = 4.0) {
  SamplerOptions options = profile_options("coverage");
  options.anchor_rule = rule;
  options.pool_factor = pool_factor;
  return options;
}

double distance2(const Pool& pool, std::size_t a, std::size_t b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < pool.points.cols(); ++k) {
    const double apart = pool.points(a, k) - pool.points(b, k);
    sum += apart * apart;
  }
  return sum;
}

// The pool by repeated search for the best remaining score.
std::vector<std::size_t> plain_pool(const Pool& pool, std::size_t size) {
  std::vector<std::size_t> order;
  std::set<std::size_t> left;
  for (std::size_t i = 0; i < pool.scores.size(); ++i) left.insert(i);
  while (order.size() < size && !left.empty()) {
    std::size_t best = *left.begin();
    for (const std::size_t i : left) {
      if (pool.scores[i] > pool.scores[best]) best = i;
    }
    order.push_back(best);
    left.erase(best);
  }
  return order;
}

double determinant(std::vector<std::vector<long double>> a) {
  long double product = 1;
  for (std::size_t c = 0; c < a.size(); ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < a.size(); ++r) {
      if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
    }
    if (a[pivot][c] == 0) return 0.0;
    if (pivot != c) product = -product;
    std::swap(a[pivot], a[c]);
    product *= a[c][c];
    for (std::size_t r = c + 1; r < a.size(); ++r) {
      const long double factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k < a.size(); ++k) a[r][k] -= factor * a[c][k];
    }
  }
  return static_cast<double>(product);
}

TEST(Anchors, their_number_follows_the_formula) {
  SamplerOptions options = profile_options("coverage");
  options.anchor_count = 0;
  options.anchor_share = 0.02;
  for (std::size_t n = 1; n <= 20000; ++n) {
    const std::size_t share = (n + 49) / 50;
    ASSERT_EQ(anchor_count(options, n),
              std::min({n, std::size_t{256}, std::max<std::size_t>(8, share)}))
        << n;
  }
  options.anchor_share = 0.05;
  EXPECT_EQ(anchor_count(options, 1000), 50u);
  EXPECT_EQ(anchor_count(options, 1001), 51u);
  options.anchor_count = 40;
  EXPECT_EQ(anchor_count(options, 1000), 40u);
  EXPECT_EQ(anchor_count(options, 3), 3u);
}

TEST(Anchors, equal_scores_are_ordered_by_position) {
  EXPECT_EQ(order_by_score(std::vector<double>{1, 3, 3, 2, 3}),
            (std::vector<std::size_t>{1, 2, 4, 3, 0}));
  EXPECT_TRUE(order_by_score({}).empty());
}

TEST(Anchors, top_takes_the_highest_scores_in_order) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Pool pool = make_pool(30, 3, seed);
    const AnchorSet set =
        select_anchors(pool.problem(11), with_rule(AnchorRule::kTop));
    EXPECT_EQ(set.anchors, plain_pool(pool, 11));
    ASSERT_EQ(set.regions.size(), 1u);
    EXPECT_EQ(set.regions[0], oracle::iota(11));
  }
}

TEST(Anchors, farthest_point_equals_a_brute_force_greedy) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Pool pool = make_pool(40, 3, seed);
    const std::vector<std::size_t> candidates = plain_pool(pool, 30);
    std::vector<std::size_t> expected = {candidates[0]};
    while (expected.size() < 10) {
      double best = -1.0;
      std::size_t winner = 0;
      for (const std::size_t i : candidates) {
        if (std::count(expected.begin(), expected.end(), i) > 0) continue;
        double nearest = 1e9;
        for (const std::size_t j : expected) {
          nearest = std::min(nearest, distance2(pool, i, j));
        }
        if (nearest > best) {
          best = nearest;
          winner = i;
        }
      }
      expected.push_back(winner);
    }
    EXPECT_EQ(select_anchors(pool.problem(10),
                             with_rule(AnchorRule::kFarthestPoint, 3.0))
                  .anchors,
              expected)
        << seed;
  }
}

TEST(Anchors, dpp_equals_greedy_maximisation_of_the_determinant) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Pool pool;
    pool.points = sphere_bank<double>(9, 3, seed, 1.0);
    pool.scores = oracle::uniforms(9, seed + 50);
    SamplerOptions options = with_rule(AnchorRule::kDpp, 2.0);
    options.energy.epsilon = 0.3;
    const std::vector<std::size_t> candidates = plain_pool(pool, 8);
    const double spread =
        quantile(pool.scores, 0.95) - quantile(pool.scores, 0.5);
    const auto entry = [&](std::size_t i, std::size_t j) {
      const long double quality =
          std::exp((pool.scores[i] + pool.scores[j] - 2 * 0.4L) /
                   (2 * static_cast<long double>(spread)));
      return quality * std::exp(-distance2(pool, i, j) / 2 / 0.3L);
    };
    std::vector<std::size_t> expected;
    while (expected.size() < 4) {
      double best = -1.0;
      std::size_t winner = 0;
      for (const std::size_t i : candidates) {
        std::vector<std::size_t> trial = expected;
        if (std::count(trial.begin(), trial.end(), i) > 0) continue;
        trial.push_back(i);
        std::vector<std::vector<long double>> matrix(trial.size());
        for (std::size_t r = 0; r < trial.size(); ++r) {
          for (const std::size_t j : trial) {
            matrix[r].push_back(entry(trial[r], j));
          }
        }
        const double value = determinant(matrix);
        if (value > best) {
          best = value;
          winner = i;
        }
      }
      expected.push_back(winner);
    }
    EXPECT_EQ(select_anchors(pool.problem(4), options).anchors, expected)
        << seed;
  }
}

TEST(Anchors, regions_share_the_anchors_equally) {
  // Four directions around the class anchor, 25 points each.
  Pool pool;
  pool.points = Matrix<double>(100, 3);
  pool.class_anchor = {0, 0, 1};
  for (std::size_t i = 0; i < 100; ++i) {
    const double angle = static_cast<double>(i % 4) * 1.5707963 +
                         0.01 * static_cast<double>(i / 4);
    const auto z = unit({std::cos(angle), std::sin(angle), 2.0});
    std::copy(z.begin(), z.end(), pool.points.row(i).begin());
    pool.scores.push_back(static_cast<double>(i));
  }
  SamplerOptions options = with_rule(AnchorRule::kRegions, 100.0);
  options.regions = 4;
  for (const std::size_t count : {4u, 8u, 10u, 11u}) {
    const AnchorSet set = select_anchors(pool.problem(count), options);
    EXPECT_EQ(set.anchors.size(), count);
    ASSERT_EQ(set.regions.size(), 4u);
    std::size_t next = 0;
    for (const auto& region : set.regions) {
      EXPECT_GE(region.size(), count / 4);
      EXPECT_LE(region.size(), (count + 3) / 4);
      for (const std::size_t a : region) {
        EXPECT_EQ(a, next++);
        // One cell holds one direction, its highest scores first.
        EXPECT_EQ(set.anchors[a] % 4, set.anchors[region[0]] % 4);
        if (a > region[0]) {
          EXPECT_LT(set.anchors[a], set.anchors[a - 1]);
        }
      }
    }
  }
}

TEST(Anchors, no_rule_gives_more_than_asked_for_or_one_twice) {
  for (const AnchorRule rule : kAllRules) {
    for (const std::size_t count : {1u, 3u, 7u, 20u, 50u}) {
      const Pool pool = make_pool(20, 4, 3);
      const AnchorSet set =
          select_anchors(pool.problem(count), with_rule(rule));
      const std::set<std::size_t> distinct(set.anchors.begin(),
                                           set.anchors.end());
      EXPECT_EQ(distinct.size(), set.anchors.size()) << to_string(rule);
      EXPECT_LE(set.anchors.size(), count) << to_string(rule);
      EXPECT_GE(set.anchors.size(), 1u);
      if (rule != AnchorRule::kRegions) {
        EXPECT_EQ(set.anchors.size(), std::min<std::size_t>(20, count));
      }
      std::size_t listed = 0;
      for (const auto& region : set.regions) {
        EXPECT_FALSE(region.empty());
        listed += region.size();
      }
      EXPECT_EQ(listed, set.anchors.size());
    }
  }
}

TEST(Anchors, degenerate_pools_end_well) {
  for (const AnchorRule rule : kAllRules) {
    Pool one;
    one.points = sphere_bank<double>(1, 3, 1);
    one.scores = {std::numeric_limits<double>::infinity()};
    EXPECT_EQ(select_anchors(one.problem(8), with_rule(rule)).anchors,
              std::vector<std::size_t>{0})
        << to_string(rule);
    Pool copies;
    copies.points = Matrix<double>(12, 3);
    for (std::size_t i = 0; i < 12; ++i) copies.points(i, 1) = 1.0;
    copies.scores.assign(12, 0.25);
    const AnchorSet set = select_anchors(copies.problem(5), with_rule(rule));
    EXPECT_EQ(set.anchors[0], 0u);
    EXPECT_TRUE(std::is_sorted(set.anchors.begin(), set.anchors.end()));
    EXPECT_EQ(set.anchors.size(), rule == AnchorRule::kRegions ? 1u : 5u);
    const AnchorSet nothing =
        select_anchors(Pool().problem(5), with_rule(rule));
    EXPECT_TRUE(nothing.anchors.empty());
  }
}

TEST(Anchors, a_huge_pool_factor_means_everything) {
  const Pool pool = make_pool(20, 3, 5);
  EXPECT_EQ(select_anchors(pool.problem(4),
                           with_rule(AnchorRule::kFarthestPoint, 1e300))
                .anchors,
            select_anchors(pool.problem(4),
                           with_rule(AnchorRule::kFarthestPoint, 5.0))
                .anchors);
}

}  // namespace anchors_test
}  // namespace sbog
