// SPDX-License-Identifier: Apache-2.0
// Laws and rows of the kernel against long double, on every SIMD target.
#include "sbog/dro/detail/robust_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dro/support.h"
#include "energy/support.h"

namespace sbog::detail {
namespace {

using dro_oracle::Real;
using testing_support::simd_targets;
using testing_support::UseTarget;

constexpr std::size_t kSamples = 23;
constexpr std::size_t kClasses = 3;
constexpr std::size_t kAtoms = 8;
constexpr double kEpsilon = 0.05;

struct Scene {
  std::vector<double> costs, log2_weights, log2_q, q, scratch;
  RobustSamples<double> samples() const {
    return {costs.data(), kAtoms, kAtoms, log2_weights.data(), kEpsilon};
  }
};

Scene make_scene() {
  Scene scene;
  scene.costs = dro_oracle::Draws(3).uniforms(kSamples * kAtoms, 0.0, 0.2);
  scene.log2_weights = {0.0, 0.5, -1.0, 0.0, 0.25, 0.0, 1.0, -0.5};
  scene.log2_q.resize(kSamples * kAtoms);
  scene.q.resize(kSamples * kAtoms);
  scene.scratch.resize(robust_scratch() * kAtoms);
  return scene;
}

// log Q of one sample.
std::vector<Real> plain_law(const Scene& scene, std::size_t b) {
  std::vector<Real> logs;
  for (std::size_t s = 0; s < kAtoms; ++s) {
    logs.push_back(scene.log2_weights[s] * std::log(Real(2)) -
                   scene.costs[b * kAtoms + s] / Real(kEpsilon));
  }
  const Real total = dro_oracle::log_sum_exp(logs);
  for (Real& x : logs) x -= total;
  return logs;
}

TEST(RobustKernel, laws_of_samples_are_gibbs_laws) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    Scene scene = make_scene();
    ASSERT_TRUE(robust_sample_laws(scene.samples(), 0, kSamples,
                                   scene.log2_q.data(), scene.q.data(),
                                   scene.scratch.data()));
    for (std::size_t b = 0; b < kSamples; ++b) {
      const std::vector<Real> law = plain_law(scene, b);
      for (std::size_t s = 0; s < kAtoms; ++s) {
        EXPECT_NEAR(scene.q[b * kAtoms + s],
                    static_cast<double>(std::exp(law[s])), 1e-13);
      }
    }
  }
}

TEST(RobustKernel, values_are_the_worst_and_the_best_of_the_ball) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    Scene scene = make_scene();
    ASSERT_TRUE(robust_sample_laws(scene.samples(), 0, kSamples,
                                   scene.log2_q.data(), scene.q.data(),
                                   scene.scratch.data()));
    const std::size_t rows = kSamples * kClasses;
    const std::vector<double> values =
        dro_oracle::Draws(4).uniforms(rows * kAtoms, -5.0, 5.0);
    std::vector<double> signs(rows);
    for (std::size_t r = 0; r < rows; ++r) signs[r] = r % 2 == 0 ? 1.0 : -1.0;
    std::vector<double> found(rows), lambdas(rows), tilted(rows * kAtoms);
    const double radius = 0.1 * kEpsilon;
    ASSERT_TRUE(solve_robust_rows<double>(
        {values.data(), kAtoms, scene.log2_q.data(), scene.q.data(), kAtoms,
         kClasses, signs.data(), kEpsilon, radius},
        0, rows,
        {found.data(), lambdas.data(), tilted.data(), kAtoms, nullptr, 0},
        scene.scratch.data()));
    for (std::size_t r = 0; r < rows; ++r) {
      dro_oracle::Problem problem;
      problem.mu = {1};
      problem.epsilon = kEpsilon;
      problem.log_q = {plain_law(scene, r / kClasses)};
      for (std::size_t s = 0; s < kAtoms; ++s) {
        problem.f.push_back(signs[r] * values[r * kAtoms + s]);
      }
      const dro_oracle::Solution truth = dro_oracle::solve(problem, radius);
      EXPECT_NEAR(found[r], signs[r] * static_cast<double>(truth.value), 1e-7);
      EXPECT_NEAR(lambdas[r],
                  static_cast<double>(1 / (truth.theta * Real(kEpsilon))),
                  1e-4 * lambdas[r]);
      double total = 0.0;
      for (std::size_t s = 0; s < kAtoms; ++s) total += tilted[r * kAtoms + s];
      EXPECT_NEAR(total, 1.0, 1e-9);
    }
  }
}

TEST(RobustKernel, bad_numbers_are_told) {
  Scene scene = make_scene();
  scene.costs[5] = -0.1;
  EXPECT_FALSE(robust_sample_laws(scene.samples(), 0, kSamples,
                                  scene.log2_q.data(), scene.q.data(),
                                  scene.scratch.data()));
  scene.costs[5] = std::nan("");
  EXPECT_FALSE(robust_sample_laws(scene.samples(), 0, kSamples,
                                  scene.log2_q.data(), scene.q.data(),
                                  scene.scratch.data()));
}

}  // namespace
}  // namespace sbog::detail
