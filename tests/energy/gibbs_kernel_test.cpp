// SPDX-License-Identifier: Apache-2.0
// Moments of Gibbs weights: every target against plain double loops.
#include "sbog/energy/detail/gibbs_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "sbog/energy/detail/tile_kernel.h"

namespace sbog::detail {
namespace gibbs_kernel_test {

using testing_support::simd_targets;
using testing_support::UseTarget;

template <typename T>
struct Group {
  std::vector<T> logits, top, scale, weights;
  std::vector<double> sums[3];

  Group(std::size_t atoms, std::size_t width, bool is_weighted) {
    for (const double u : oracle::uniforms(atoms * width, 5)) {
      logits.push_back(static_cast<T>(-u));
    }
    logits[0] = static_cast<T>(kAbsentLogit);  // a point that is left out
    for (std::size_t l = 0; l < width; ++l) {
      top.push_back(static_cast<T>(-0.01 * static_cast<double>(l)));
      scale.push_back(
          static_cast<T>(std::pow(3.0, static_cast<double>(l % 6))));
    }
    for (std::size_t i = 0; is_weighted && i < atoms; ++i) {
      weights.push_back(static_cast<T>(-static_cast<double>(i % 5)));
    }
    for (auto& sum : sums) sum.assign(width, -1.0);
  }
  void run(std::size_t atoms, std::size_t width) {
    gibbs_sums<T>({logits.data(), atoms, width,
                   weights.empty() ? nullptr : weights.data()},
                  top.data(), scale.data(),
                  {sums[0].data(), sums[1].data(), sums[2].data()});
  }
};

template <typename T>
void expect_plain_sums(std::size_t atoms, bool is_weighted) {
  const std::size_t width = group_width<T>();
  Group<T> group(atoms, width, is_weighted);
  group.run(atoms, width);
  for (std::size_t l = 0; l < width; ++l) {
    double expected[3] = {};
    for (std::size_t i = 0; i < atoms; ++i) {
      const double logit = group.logits[i * width + l];
      double y = (logit - group.top[l]) * group.scale[l];
      if (is_weighted) y += group.weights[i];
      y = std::max(y, -100.0);
      const double w = std::exp2(y);
      expected[0] += w;
      expected[1] += w * y;
      expected[2] += w * y * y;
    }
    // Rounding of y (up to 250), of the exponential and of runs of 64 sums.
    const double unit = std::numeric_limits<T>::epsilon();
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(group.sums[k][l], expected[k],
                  300.0 * unit * (1e-6 + std::abs(expected[k])))
          << "sum " << k << ", lane " << l << ", atoms " << atoms;
    }
  }
}

TEST(GibbsKernel, is_the_plain_sum_on_every_target) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    for (const std::size_t atoms : {1u, 3u, 4u, 63u, 64u, 65u, 200u}) {
      for (const bool is_weighted : {false, true}) {
        expect_plain_sums<float>(atoms, is_weighted);
        expect_plain_sums<double>(atoms, is_weighted);
      }
    }
  }
}

TEST(GibbsKernel, a_lane_does_not_see_its_neighbours) {
  const std::size_t narrow = lane_count<float>();
  const std::size_t wide = group_width<float>();
  constexpr std::size_t kAtoms = 150;
  Group<float> whole(kAtoms, wide, false);
  whole.run(kAtoms, wide);
  Group<float> part(kAtoms, narrow, false);
  for (std::size_t i = 0; i < kAtoms; ++i) {
    for (std::size_t l = 0; l < narrow; ++l) {
      // The same lanes in reverse order.
      part.logits[i * narrow + l] = whole.logits[i * wide + narrow - 1 - l];
    }
  }
  for (std::size_t l = 0; l < narrow; ++l) {
    part.top[l] = whole.top[narrow - 1 - l];
    part.scale[l] = whole.scale[narrow - 1 - l];
  }
  part.run(kAtoms, narrow);
  for (std::size_t l = 0; l < narrow; ++l) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(part.sums[k][l], whole.sums[k][narrow - 1 - l]);
    }
  }
}

}  // namespace gibbs_kernel_test
}  // namespace sbog::detail
