// SPDX-License-Identifier: Apache-2.0
// Hits and coverage of the boundary, counted again.
#include "sbog/oracle/boundary_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "oracle/energy_oracle.h"
#include "oracle/var_support.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace boundary_metrics_test {

// Points on a line at 0, 1, 2, ...
Matrix<float> line(std::size_t count, float start = 0.0f) {
  Matrix<float> points(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    points(i, 0) = start + static_cast<float>(i);
  }
  return points;
}

TEST(BoundaryMetrics, the_radius_on_a_line_is_known) {
  // Second neighbours of 0..4 are 2, 1, 1, 1, 2 away.
  EXPECT_DOUBLE_EQ(neighbour_radius(line(5), 2), 1.0);
  // Third ones are 3, 2, 2, 2, 3 away.
  EXPECT_DOUBLE_EQ(neighbour_radius(line(5), 3), 4.0);
  EXPECT_THROW(neighbour_radius(line(5), 5), InvalidArgument);
  EXPECT_THROW(neighbour_radius(line(5), 0), InvalidArgument);
}

TEST(BoundaryMetrics, coverage_counts_targets_within_the_radius) {
  EXPECT_DOUBLE_EQ(covered_share(line(10), line(1), 4.0), 0.3);
  EXPECT_DOUBLE_EQ(covered_share(line(10), line(1), 3.99), 0.2);
  EXPECT_DOUBLE_EQ(covered_share(line(10), line(2, 8.0f), 0.0), 0.2);
  EXPECT_DOUBLE_EQ(covered_share(line(10), Matrix<float>(0, 1), 1.0), 0.0);
  EXPECT_DOUBLE_EQ(covered_share(Matrix<float>(0, 1), line(3), 1.0), 0.0);
}

struct Case {
  Boundary boundary{{1, 6.0, 0.3, 500}};  // close classes: some are invalid
  Matrix<double> windows{0, kWindowSize};
  std::vector<std::size_t> classes;
  Matrix<float> points;
  std::vector<BandSample> bands;

  explicit Case(std::size_t count)
      : windows(count, kWindowSize),
        points(oracle::normal_matrix<float>(count, 4, 8)) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t l = i % kOracleRegions;
      draw_window(boundary.perturbed(l),
                  {2, WindowPurpose::kOracle, static_cast<std::uint32_t>(l),
                   static_cast<std::uint32_t>(i)},
                  windows.row(i));
      classes.push_back(l / kPerturbations);
    }
    for (std::size_t l = 0; l < kOracleRegions; ++l) {
      bands.push_back({oracle::normal_matrix<float>(30, 4, 100 + l),
                       0.5 + 0.1 * static_cast<double>(l)});
    }
  }
  BoundaryScores scores(const Context& context = {}) const {
    return score_boundary(boundary, {points, windows, classes}, bands, context);
  }
};

TEST(BoundaryMetrics, agree_with_obvious_loops) {
  const Case c(180);
  double precise = 0.0;
  double valid = 0.0;
  std::vector<double> coverage(kOracleRegions, 0.0);
  for (std::size_t i = 0; i < 180; ++i) {
    const auto w = c.windows.row(i);
    bool is_in = false;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = 3 * c.classes[i] + k;
      const double ratio = c.boundary.perturbed(l).log_density(w) -
                           c.boundary.base(c.classes[i]).log_density(w);
      is_in |= ratio > 0.0 && ratio <= c.boundary.region(l).width;
    }
    precise += is_in ? 1.0 / 180.0 : 0.0;
    valid += c.boundary.likeliest_class(w) == c.classes[i] ? 1.0 / 180.0 : 0.0;
  }
  for (std::size_t l = 0; l < kOracleRegions; ++l) {
    for (std::size_t o = 0; o < 30; ++o) {
      bool is_covered = false;
      for (std::size_t i = 0; i < 180; ++i) {
        if (c.classes[i] != l / 3 ||
            !c.boundary.is_in_band(l, c.windows.row(i)))
          continue;
        double squares = 0.0;
        for (std::size_t k = 0; k < 4; ++k) {
          const double apart = static_cast<double>(c.points(i, k)) -
                               static_cast<double>(c.bands[l].points(o, k));
          squares += apart * apart;
        }
        is_covered |= squares <= c.bands[l].radius;
      }
      coverage[l] += is_covered ? 1.0 / 30.0 : 0.0;
    }
  }
  const BoundaryScores scores = c.scores();
  EXPECT_NEAR(scores.precision, precise, 1e-12);
  EXPECT_NEAR(scores.validity, valid, 1e-12);
  double mean = 0.0;
  for (std::size_t l = 0; l < kOracleRegions; ++l) {
    EXPECT_NEAR(scores.region_coverage[l], coverage[l], 1e-12) << l;
    mean += coverage[l] / 9.0;
  }
  EXPECT_NEAR(scores.coverage, mean, 1e-12);
  EXPECT_NEAR(scores.worst_coverage,
              *std::min_element(coverage.begin(), coverage.end()), 1e-12);
  // The case is not a trivial one.
  EXPECT_GT(precise, 0.2);
  EXPECT_LT(precise, 0.9);
  EXPECT_LT(valid, 1.0);
  EXPECT_GT(mean, 0.05);
}

TEST(BoundaryMetrics, are_the_same_for_any_number_of_threads) {
  const Case c(60);
  const BoundaryScores alone = c.scores();
  for (const std::size_t threads : {2, 7}) {
    ThreadPool pool(threads);
    const BoundaryScores together = c.scores({&pool, nullptr});
    EXPECT_EQ(alone.precision, together.precision);
    EXPECT_EQ(alone.region_coverage, together.region_coverage);
  }
}

TEST(BoundaryMetrics, nothing_generated_covers_nothing) {
  const Case c(0);
  const BoundaryScores scores = c.scores();
  EXPECT_TRUE(std::isnan(scores.precision));
  EXPECT_TRUE(std::isnan(scores.validity));
  EXPECT_EQ(scores.coverage, 0.0);
}

TEST(BoundaryMetrics, refuses_lists_that_do_not_fit) {
  Case c(9);
  c.classes[4] = 3;
  EXPECT_THROW(c.scores(), InvalidArgument);
  c.classes.pop_back();
  EXPECT_THROW(c.scores(), InvalidArgument);
  Case d(9);
  d.bands.pop_back();
  EXPECT_THROW(d.scores(), InvalidArgument);
}

}  // namespace boundary_metrics_test
}  // namespace sbog
