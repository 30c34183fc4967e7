// SPDX-License-Identifier: Apache-2.0
// Amplitudes, bands and classes of the known boundary.
#include "sbog/oracle/boundary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "oracle/golden.h"
#include "oracle/var_support.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace boundary_test {

constexpr std::array kAll = {Perturbation::kMean, Perturbation::kNoise,
                             Perturbation::kDynamics};

TEST(Boundary, golden_amplitudes) {
  const auto expected = golden::entry("/var/amplitudes_KL6_T32");
  for (std::size_t c = 0; c < kOracleClasses; ++c) {
    for (std::size_t k = 0; k < kPerturbations; ++k) {
      const std::string key =
          std::to_string(c + 1) + "," + std::to_string(k + 1);
      const double truth = golden::to_double(expected[key]);
      // Ten digits are printed.
      EXPECT_NEAR(solve_amplitude(base_processes()[c], c, kAll[k], 6.0), truth,
                  1e-9)
          << key;
    }
  }
}

TEST(Boundary, an_amplitude_costs_the_divergence_that_was_asked_for) {
  for (const double nats : {0.5, 6.0, 14.0}) {
    for (std::size_t c = 0; c < kOracleClasses; ++c) {
      const VarProcess base = base_processes(0.3)[c];
      for (const Perturbation what : kAll) {
        const VarProcess moved =
            perturb(base, c, what, solve_amplitude(base, c, what, nats));
        EXPECT_NEAR(oracle::dense_divergence(moved, base, kWindowPoints), nats,
                    1e-9 * nats);
        EXPECT_LT(spectral_radius(moved.transition), 0.98);
      }
    }
  }
}

TEST(Boundary, divergences_out_of_reach_are_refused) {
  const VarProcess base = base_processes()[0];
  EXPECT_THROW(solve_amplitude(base, 0, Perturbation::kDynamics, 1e6),
               InvalidArgument);
  EXPECT_THROW(solve_amplitude(base, 0, Perturbation::kMean, 0.0),
               InvalidArgument);
  EXPECT_THROW(solve_amplitude(base, 0, Perturbation::kMean, NAN),
               InvalidArgument);
}

TEST(Boundary, scaled_means_change_nothing_but_the_means) {
  const auto whole = base_processes();
  const auto scaled = base_processes(0.3);
  for (std::size_t c = 0; c < kOracleClasses; ++c) {
    EXPECT_EQ(scaled[c].transition, whole[c].transition);
    EXPECT_EQ(scaled[c].noise, whole[c].noise);
    EXPECT_DOUBLE_EQ(scaled[c].mean[1], 0.3 * whole[c].mean[1]);
  }
}

TEST(Boundary, half_of_the_positive_ratios_lie_in_the_band) {
  const Boundary boundary({3, 6.0, 1.0, 4000});
  for (std::size_t l = 0; l < kOracleRegions; ++l) {
    // The published widths are 5.6 to 6.2 from more draws.
    EXPECT_GT(boundary.region(l).width, 5.2);
    EXPECT_LT(boundary.region(l).width, 6.6);
    std::vector<double> window(kWindowSize);
    double inside = 0.0;
    double positive = 0.0;
    for (std::uint32_t i = 0; i < 4000; ++i) {
      draw_window(boundary.perturbed(l),
                  {3, WindowPurpose::kWidth, static_cast<std::uint32_t>(l), i},
                  window);
      const double ratio =
          oracle::dense_log_density(boundary.perturbed(l).process(),
                                    std::span(window).first(2)) -
          oracle::dense_log_density(boundary.base(l / 3).process(),
                                    std::span(window).first(2));
      EXPECT_NEAR(boundary.log_ratio(l, std::span(window).first(2)), ratio,
                  1e-9);
      if (i >= 5) break;  // the dense way is slow
    }
    for (std::uint32_t i = 0; i < 4000; ++i) {
      draw_window(boundary.perturbed(l),
                  {3, WindowPurpose::kWidth, static_cast<std::uint32_t>(l), i},
                  window);
      positive += boundary.log_ratio(l, window) > 0.0 ? 1.0 : 0.0;
      inside += boundary.is_in_band(l, window) ? 1.0 : 0.0;
    }
    EXPECT_NEAR(inside, 0.5 * positive, 1.0) << l;
  }
}

TEST(Boundary, distant_classes_are_told_apart) {
  const Boundary boundary({1, 6.0, 1.0, 200});
  for (std::size_t c = 0; c < kOracleClasses; ++c) {
    const Matrix<double> windows = oracle::drawn_windows(c, 200, 2);
    for (std::size_t i = 0; i < windows.rows(); ++i) {
      EXPECT_EQ(boundary.likeliest_class(windows.row(i)), c);
    }
  }
}

TEST(Boundary, is_the_same_for_any_number_of_threads) {
  const BoundarySettings settings{1, 6.0, 1.0, 300};
  const Boundary alone(settings);
  for (const std::size_t threads : {2, 7}) {
    ThreadPool pool(threads);
    const Boundary together(settings, {&pool, nullptr});
    for (std::size_t l = 0; l < kOracleRegions; ++l) {
      EXPECT_EQ(alone.region(l).width, together.region(l).width);
      EXPECT_EQ(alone.region(l).amplitude, together.region(l).amplitude);
    }
  }
}

}  // namespace boundary_test
}  // namespace sbog
