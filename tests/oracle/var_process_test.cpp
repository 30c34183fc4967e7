// SPDX-License-Identifier: Apache-2.0
// Laws of windows against golden numbers and against one large Gaussian.
#include "sbog/oracle/var_process.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "oracle/golden.h"
#include "oracle/var_support.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace var_process_test {

Matrix2 to_matrix2(const nlohmann::json& value) {
  const Matrix<double> m = golden::to_matrix(value);
  return {{{m(0, 0), m(0, 1)}, {m(1, 0), m(1, 1)}}};
}

VarProcess golden_process() {
  const auto json = golden::entry("/var/process");
  const std::vector<double> mean = golden::to_vector(json["b"]);
  return {to_matrix2(json["A"]), to_matrix2(json["S"]), {mean[0], mean[1]}};
}

// The three perturbations of the golden log ratios.
std::vector<VarProcess> golden_perturbations() {
  return {perturb(golden_process(), 0, Perturbation::kMean, 0.5),
          perturb(golden_process(), 0, Perturbation::kNoise, 0.3),
          perturb(golden_process(), 0, Perturbation::kDynamics, 0.2)};
}

std::vector<double> golden_window() {
  const Matrix<double> window = golden::to_matrix(golden::entry("/var/window"));
  return {window.elements().begin(), window.elements().end()};
}

void expect_close(double value, const nlohmann::json& expected) {
  const double truth = golden::to_double(expected);
  EXPECT_NEAR(value, truth, 1e-10 * std::abs(truth));
}

TEST(VarProcess, golden_stationary_covariance) {
  const Matrix2 covariance = stationary_covariance(golden_process());
  const auto expected = golden::entry("/var/stationary_cov");
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      expect_close(covariance[i][j], expected[i][j]);
    }
  }
}

TEST(VarProcess, golden_density_ratios_and_divergences) {
  const std::vector<double> window = golden_window();
  const WindowLaw base(golden_process());
  expect_close(base.log_density(window), golden::entry("/var/logp_T3"));
  const auto ratios = golden::entry("/var/llr/values");
  const auto divergences = golden::entry("/var/llr/kl_T3");
  const std::vector<VarProcess> moved = golden_perturbations();
  for (std::size_t k = 0; k < moved.size(); ++k) {
    expect_close(
        WindowLaw(moved[k]).log_density(window) - base.log_density(window),
        ratios[k]);
    expect_close(window_divergence(moved[k], golden_process(), 3),
                 divergences[k]);
  }
}

TEST(VarProcess, densities_equal_those_of_one_large_gaussian) {
  for (std::size_t c = 0; c < kOracleClasses; ++c) {
    const VarProcess process = base_processes()[c];
    const Matrix<double> windows = oracle::drawn_windows(c, 3, 5);
    for (std::size_t i = 0; i < windows.rows(); ++i) {
      for (const std::size_t points : {1, 2, 32}) {
        const auto window = windows.view().row(i).first(2 * points);
        const double expected = oracle::dense_log_density(process, window);
        EXPECT_NEAR(WindowLaw(process).log_density(window), expected,
                    1e-11 * std::abs(expected));
      }
    }
  }
}

TEST(VarProcess, divergences_equal_those_of_large_gaussians) {
  for (std::size_t c = 0; c < kOracleClasses; ++c) {
    const VarProcess base = base_processes()[c];
    for (const auto what :
         {Perturbation::kMean, Perturbation::kNoise, Perturbation::kDynamics}) {
      const VarProcess moved = perturb(base, c, what, 0.6);
      for (const std::size_t length : {1, 2, 32}) {
        const double expected = oracle::dense_divergence(moved, base, length);
        EXPECT_NEAR(window_divergence(moved, base, length), expected,
                    1e-11 * (1.0 + expected));
      }
    }
    const VarProcess other = base_processes()[(c + 1) % kOracleClasses];
    const double apart = oracle::dense_divergence(base, other, 32);
    EXPECT_NEAR(window_divergence(base, other, 32), apart, 1e-11 * apart);
    EXPECT_NEAR(window_divergence(base, base, 32), 0.0, 1e-13);
  }
}

TEST(VarProcess, the_stationary_covariance_is_a_fixed_point_near_radius_one) {
  const VarProcess process = {
      {{{0.97, 0.3}, {0.0, -0.979}}}, {{{1.0, 0.2}, {0.2, 0.7}}}, {3.0, 4.0}};
  const Matrix2 g = stationary_covariance(process);
  const Matrix2& a = process.transition;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      double sum = process.noise[i][j];
      for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t l = 0; l < 2; ++l) sum += a[i][k] * g[k][l] * a[j][l];
      }
      EXPECT_NEAR(g[i][j], sum, 1e-12 * g[0][0]);
    }
  }
}

TEST(VarProcess, spectral_radius_of_real_and_complex_pairs) {
  EXPECT_DOUBLE_EQ(spectral_radius({{{0.5, 3.0}, {0.0, -0.75}}}), 0.75);
  EXPECT_DOUBLE_EQ(spectral_radius({{{0.0, -0.64}, {1.0, 0.0}}}), 0.8);
  EXPECT_DOUBLE_EQ(spectral_radius({{{-2.0, 0.0}, {0.0, 1.0}}}), 2.0);
}

TEST(VarProcess, drawn_windows_have_the_moments_of_the_law) {
  constexpr std::size_t kDraws = 20000;
  const VarProcess process = base_processes()[1];
  const Matrix<double> truth = oracle::toeplitz_covariance(process, 32);
  const Matrix<double> windows = oracle::drawn_windows(1, kDraws, 9);
  // The first point, and the last two with their lag.
  const std::array<std::size_t, 6> places = {0, 1, 60, 61, 62, 63};
  for (const std::size_t i : places) {
    double mean = 0.0;
    for (std::size_t w = 0; w < kDraws; ++w) mean += windows(w, i) / kDraws;
    EXPECT_NEAR(mean, process.mean[i % 2],
                5.0 * std::sqrt(truth(i, i) / kDraws));
    for (const std::size_t j : places) {
      double product = 0.0;
      for (std::size_t w = 0; w < kDraws; ++w) {
        product += (windows(w, i) - process.mean[i % 2]) *
                   (windows(w, j) - process.mean[j % 2]) / kDraws;
      }
      const double spread = std::sqrt(
          (truth(i, i) * truth(j, j) + truth(i, j) * truth(i, j)) / kDraws);
      EXPECT_NEAR(product, truth(i, j), 5.0 * spread);
    }
  }
}

TEST(VarProcess, every_part_of_a_key_changes_the_draw) {
  const WindowLaw law(base_processes()[0]);
  const auto draw = [&](const WindowKey& key) {
    std::vector<double> window(8);
    draw_window(law, key, window);
    return window;
  };
  const WindowKey key{7, WindowPurpose::kBank, 1, 5};
  EXPECT_EQ(draw(key), draw(key));
  for (const WindowKey& other : {WindowKey{8, WindowPurpose::kBank, 1, 5},
                                 WindowKey{7, WindowPurpose::kOracle, 1, 5},
                                 WindowKey{7, WindowPurpose::kBank, 2, 5},
                                 WindowKey{7, WindowPurpose::kBank, 1, 6}}) {
    EXPECT_NE(draw(key)[0], draw(other)[0]);
  }
}

TEST(VarProcess, refuses_what_is_no_stationary_process) {
  VarProcess process = base_processes()[0];
  process.transition[0][0] = 1.0;
  EXPECT_THROW(stationary_covariance(process), InvalidArgument);
  process = base_processes()[0];
  process.noise[0][1] = 0.5;
  EXPECT_THROW(WindowLaw{process}, InvalidArgument);
  process.noise[1][0] = 0.5;
  EXPECT_THROW(WindowLaw{process}, InvalidArgument);  // not positive definite
  const WindowLaw law(base_processes()[0]);
  std::vector<double> odd(3);
  EXPECT_THROW(law.log_density(odd), InvalidArgument);
  EXPECT_THROW(law.log_density({}), InvalidArgument);
  EXPECT_THROW(draw_window(law, {}, odd), InvalidArgument);
  EXPECT_THROW(window_divergence(law.process(), law.process(), 0),
               InvalidArgument);
}

}  // namespace var_process_test
}  // namespace sbog
