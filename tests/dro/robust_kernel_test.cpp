// SPDX-License-Identifier: Apache-2.0
// Robust rows on every SIMD target: all agree with the scalar one, and a row
// does not depend on where it stands.
#include "sbog/dro/detail/robust_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dro/support.h"
#include "energy/support.h"
#include "sbog/energy/detail/tile_kernel.h"

namespace sbog::detail {
namespace robust_kernel_test {

using dro_oracle::Draws;
using testing_support::simd_targets;
using testing_support::UseTarget;

// `count` rows, two per sample, and all their results.
struct Rows {
  Rows(std::size_t rows, std::size_t atom_count, double r)
      : count(rows), atoms(atom_count), radius(r) {
    Draws draws(atom_count);
    values = draws.normals(count * atoms, 4.0);
    costs = draws.uniforms((count + 1) / 2 * atoms, 0.0, 0.3);
    log2_weights.assign(atoms, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      signs.push_back(i % 3 == 0 ? 1.0 : -1.0);
    }
  }
  void solve(std::size_t first, std::size_t number) {
    std::vector<double> scratch(robust_scratch() * atoms);
    std::vector<double> log2_q(costs.size()), q(costs.size());
    ASSERT_TRUE(robust_sample_laws<double>(
        {costs.data(), atoms, atoms, log2_weights.data(), 0.05}, 0,
        costs.size() / atoms, log2_q.data(), q.data(), scratch.data()));
    out.assign(count, 0.0);
    lambdas.assign(count, 0.0);
    tilted.assign(count * atoms, 0.0);
    gradients.assign(count * atoms, 0.0);
    ASSERT_TRUE(solve_robust_rows<double>(
        {values.data(), atoms, log2_q.data(), q.data(), atoms, 2, signs.data(),
         0.05, radius},
        first, number,
        {out.data(), lambdas.data(), tilted.data(), atoms, gradients.data(),
         atoms},
        scratch.data()));
  }
  std::size_t count, atoms;
  double radius;
  std::vector<double> values, costs, log2_weights, signs;
  std::vector<double> out, lambdas, tilted, gradients;
};

TEST(RobustKernel, every_target_agrees_with_the_scalar_one) {
  for (const std::size_t atoms : {1u, 2u, 7u, 8u, 9u, 33u}) {
    for (const double radius : {0.0, 1e-9, 1e-3, 0.005, 0.05, 1.0}) {
      Rows truth(29, atoms, radius), got(29, atoms, radius);
      {
        const UseTarget use(0);
        truth.solve(0, 29);
      }
      for (const std::int64_t target : simd_targets()) {
        const UseTarget use(target);
        got.solve(0, 29);
        for (std::size_t i = 0; i < 29; ++i) {
          EXPECT_NEAR(got.out[i], truth.out[i], 1e-11);
          if (std::isfinite(truth.lambdas[i])) {
            EXPECT_NEAR(got.lambdas[i], truth.lambdas[i],
                        1e-8 * truth.lambdas[i]);
          } else {
            EXPECT_EQ(got.lambdas[i], truth.lambdas[i]);
          }
        }
        for (std::size_t i = 0; i < 29 * atoms; ++i) {
          EXPECT_NEAR(got.tilted[i], truth.tilted[i], 1e-11);
          EXPECT_NEAR(got.gradients[i], truth.gradients[i],
                      1e-8 * (1 + std::abs(truth.gradients[i])));
        }
      }
    }
  }
}

TEST(RobustKernel, a_row_does_not_depend_on_its_lane) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    Rows all(40, 8, 0.005), part(40, 8, 0.005);
    all.solve(0, 40);
    for (std::size_t first = 0; first < 40; first += 7) {
      const std::size_t number = std::min<std::size_t>(3, 40 - first);
      part.solve(first, number);
      for (std::size_t i = first; i < first + number; ++i) {
        EXPECT_EQ(part.out[i], all.out[i]);
        EXPECT_EQ(part.lambdas[i], all.lambdas[i]);
        for (std::size_t k = 8 * i; k < 8 * i + 8; ++k) {
          EXPECT_EQ(part.tilted[k], all.tilted[k]);
          EXPECT_EQ(part.gradients[k], all.gradients[k]);
        }
      }
    }
  }
}

TEST(RobustKernel, bad_numbers_are_seen_in_every_lane) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    std::vector<double> scratch(robust_scratch() * 3);
    const std::vector<double> logs(3, 0.0), signs(20, -1.0);
    std::vector<double> log2_q(30), q(30);
    for (std::size_t bad = 0; bad < 10; ++bad) {
      for (const double value : {std::nan(""), -1.0}) {
        std::vector<double> costs(30, 0.1);
        costs[3 * bad + 1] = value;
        EXPECT_FALSE(robust_sample_laws<double>(
            {costs.data(), 3, 3, logs.data(), 0.05}, 0, 10, log2_q.data(),
            q.data(), scratch.data()));
      }
      std::vector<double> costs(30, 0.1);
      ASSERT_TRUE(robust_sample_laws<double>(
          {costs.data(), 3, 3, logs.data(), 0.05}, 0, 10, log2_q.data(),
          q.data(), scratch.data()));
      for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e301}) {
        std::vector<double> values(60, 1.0);
        values[6 * bad + 4] = value;
        std::vector<double> out(20);
        EXPECT_FALSE(solve_robust_rows<double>(
            {values.data(), 3, log2_q.data(), q.data(), 3, 2, signs.data(),
             0.05, 0.01},
            0, 20, {out.data(), nullptr, nullptr, 0, nullptr, 0},
            scratch.data()));
      }
    }
  }
}

}  // namespace robust_kernel_test
}  // namespace sbog::detail
