// SPDX-License-Identifier: Apache-2.0
// Sums of tilted rows over one tile against plain loops in long double.
#include "sbog/dro/detail/tilt_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dro/support.h"
#include "energy/support.h"
#include "sbog/energy/detail/tile_kernel.h"

namespace sbog::detail {
namespace {

using testing_support::simd_targets;
using testing_support::UseTarget;

// A tile with one absent atom; row 1 has its largest gain below 0.
template <typename T>
struct Scene {
  std::size_t width = lane_count<T>();
  std::vector<double> gains;
  std::vector<T> logits;
  std::vector<double> peak, log2_sum, top, center, weights, partition;

  explicit Scene(std::size_t atoms) {
    dro_oracle::Draws draws(11);
    gains = draws.uniforms(atoms, -1.0, 0.0);
    gains[2] = 0.0;
    for (std::size_t i = 0; i < atoms * width; ++i) {
      logits.push_back(static_cast<T>(draws.uniform(-20.0, 3.0)));
    }
    for (std::size_t l = 0; l < width; ++l) {
      logits[4 * width + l] = static_cast<T>(kAbsentLogit);
    }
    peak = draws.uniforms(width, -3.0, 3.0);
    log2_sum = draws.uniforms(width, 0.0, 4.0);
    top.assign(width, 0.0);
    center = draws.uniforms(width, -0.6, -0.4);
    weights = draws.uniforms(width, 0.0, 1.0);
    partition = draws.uniforms(width, -2.0, 2.0);
  }

  TiltTile<T> tile() const {
    return {logits.data(), gains.size(), width, gains.data()};
  }
  TiltRows rows() const {
    return {peak.data(), log2_sum.data(), top.data(), center.data()};
  }
  long double q(std::size_t j, std::size_t l) const {
    const long double logit = logits[j * width + l];
    if (logit <= kAbsentLogit) return 0;
    return std::exp2(logit - peak[l] - log2_sum[l]);
  }
};

struct Sums {
  explicit Sums(std::size_t width)
      : max(width, kLowestMax), s0(width), s1(width), s2(width) {}
  TiltSums view() { return {max.data(), s0.data(), s1.data(), s2.data()}; }
  std::vector<double> max, s0, s1, s2;
};

template <typename T>
void expect_tilt(double theta) {
  const Scene<T> scene(100);
  Sums sums(scene.width);
  add_tilt(scene.tile(), theta, scene.rows(), sums.view());
  for (std::size_t l = 0; l < scene.width; ++l) {
    long double s[3] = {};
    for (std::size_t j = 0; j < 100; ++j) {
      const long double t = scene.gains[j];
      const long double e = scene.q(j, l) * std::exp(theta * t);
      s[0] += e;
      s[1] += e * t;
      s[2] += e * t * t;
    }
    const double scale = std::exp2(sums.max[l]);
    EXPECT_NEAR(sums.s0[l] * scale / static_cast<double>(s[0]), 1.0, 1e-12);
    EXPECT_NEAR(sums.s1[l] * scale, static_cast<double>(s[1]),
                1e-12 * static_cast<double>(s[0]));
    EXPECT_NEAR(sums.s2[l] * scale, static_cast<double>(s[2]),
                1e-12 * static_cast<double>(s[0]));
  }
}

TEST(TiltKernel, sums_are_the_plain_ones_on_every_target) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    for (const double theta : {0.6, 3.0, 500.0}) {
      expect_tilt<double>(theta);
      expect_tilt<float>(theta);
    }
  }
}

TEST(TiltKernel, small_thetas_keep_every_digit) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    for (const double theta : {1e-9, 1e-3, 0.4}) {
      const Scene<double> scene(60);
      Sums sums(scene.width);
      add_small_tilt(scene.tile(), theta, scene.rows(), sums.view());
      for (std::size_t l = 0; l < scene.width; ++l) {
        long double s[3] = {};
        for (std::size_t j = 0; j < 60; ++j) {
          const long double x = scene.gains[j] - scene.center[l];
          const long double y = theta * x;
          // exp(y) - 1 - y by its series: nothing cancels.
          long double rest = 0, term = y;
          for (int k = 2; k < 30; ++k) rest += term *= y / k;
          const long double q = scene.q(j, l) * x * x;
          s[0] += y == 0 ? q / 2 : q * rest / (y * y);
          s[1] += y == 0 ? q : q * std::expm1(y) / y;
          s[2] += q * std::exp(y);
        }
        EXPECT_NEAR(sums.s0[l] / static_cast<double>(s[0]), 1.0, 1e-12);
        EXPECT_NEAR(sums.s1[l] / static_cast<double>(s[1]), 1.0, 1e-12);
        EXPECT_NEAR(sums.s2[l] / static_cast<double>(s[2]), 1.0, 1e-12);
      }
    }
  }
}

TEST(TiltKernel, the_law_adds_up_over_the_rows) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    const Scene<double> scene(50);
    std::vector<double> law(50, 0.25);
    add_law(scene.tile(), 2.5, scene.rows(), scene.partition.data(),
            scene.weights.data(), law.data());
    for (std::size_t j = 0; j < 50; ++j) {
      long double expected = 0.25L;
      for (std::size_t l = 0; l < scene.width; ++l) {
        expected += scene.weights[l] * scene.q(j, l) *
                    std::exp(2.5L * scene.gains[j]) *
                    std::exp2(-(long double)scene.partition[l]);
      }
      EXPECT_NEAR(law[j], static_cast<double>(expected), 1e-12 * law[j]);
    }
    EXPECT_EQ(law[4], 0.25);  // absent
  }
}

}  // namespace
}  // namespace sbog::detail
