// SPDX-License-Identifier: Apache-2.0
// Sums of one tile against the plainest loops in long double, on every SIMD
// target.
#include "sbog/dro/detail/tilt_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dro/support.h"
#include "energy/support.h"
#include "sbog/energy/detail/tile_kernel.h"

namespace sbog::detail {
namespace tilt_kernel_test {

using dro_oracle::Draws;
using dro_oracle::Real;
using testing_support::simd_targets;
using testing_support::UseTarget;

// A tile with rows that are prepared, so that Q adds up to 1.
template <typename T>
struct Tile {
  Tile(std::size_t atoms, std::size_t width, std::uint64_t seed) {
    Draws draws(seed);
    count = atoms;
    lanes = width;
    for (std::size_t i = 0; i < atoms * width; ++i) {
      logits.push_back(T(draws.uniform(-30.0, 0.0)));
    }
    // Atom 1 is absent for all rows, atom 0 for the first.
    if (atoms > 3) {
      for (std::size_t l = 0; l < width; ++l) {
        logits[width + l] = T(kAbsentLogit);
      }
      logits[0] = T(kAbsentLogit);
    }
    gains = draws.uniforms(atoms, -1.0, -0.1);
    gains[0] = 0.0;
    for (std::size_t l = 0; l < width; ++l) {
      Real largest = -1e30L;
      for (std::size_t a = 0; a < atoms; ++a) {
        largest = std::max(largest, logit(a, l));
      }
      Real sum = 0;
      for (std::size_t a = 0; a < atoms; ++a) {
        sum += std::exp2(logit(a, l) - largest);
      }
      peak.push_back(double(largest));
      log2_sum.push_back(double(std::log2(sum)));
      double best = -1.0;
      for (std::size_t a = 0; a < atoms; ++a) {
        if (logits[a * width + l] > T(kAbsentLogit)) {
          best = std::max(best, gains[a]);
        }
      }
      top.push_back(best);
      Real mean = 0;
      for (std::size_t a = 0; a < atoms; ++a) mean += q(a, l) * gain(a, l);
      center.push_back(double(mean));
    }
  }
  Real logit(std::size_t a, std::size_t l) const {
    return logits[a * lanes + l];
  }
  Real q(std::size_t a, std::size_t l) const {
    return std::exp2(logit(a, l) - Real(peak[l]) - Real(log2_sum[l]));
  }
  Real gain(std::size_t a, std::size_t l) const {
    return std::min(Real(gains[a]) - Real(top[l]), Real(0));
  }
  TiltTile<T> tile() const {
    return {logits.data(), count, lanes, gains.data()};
  }
  TiltRows rows() const {
    return {peak.data(), log2_sum.data(), top.data(), center.data()};
  }

  std::size_t count, lanes;
  std::vector<T> logits;
  std::vector<double> gains, peak, log2_sum, top, center;
};

struct Sums {
  explicit Sums(std::size_t width)
      : max(width, kLowestMax), s0(width), s1(width), s2(width) {}
  TiltSums view() { return {max.data(), s0.data(), s1.data(), s2.data()}; }
  std::vector<double> max, s0, s1, s2;
};

void expect_relative(double got, Real expected, double tolerance) {
  EXPECT_NEAR(got, double(expected), tolerance * std::abs(double(expected)));
}

template <typename T>
void check_tilt() {
  for (const std::size_t atoms : {1u, 2u, 5u, 64u, 255u, 256u}) {
    for (const std::size_t vectors : {1u, 3u}) {
      const std::size_t width = vectors * lane_count<T>();
      const Tile<T> one(atoms, width, atoms);
      for (const double theta : {0.0, 0.7, 20.0, 1e4, kInfiniteTheta}) {
        Sums sums(width);
        add_tilt(one.tile(), theta, one.rows(), sums.view());
        add_tilt(one.tile(), theta, one.rows(), sums.view());  // twice
        for (std::size_t l = 0; l < width; ++l) {
          Real s0 = 0, s1 = 0, s2 = 0;
          for (std::size_t a = 0; a < atoms; ++a) {
            const Real t = one.gain(a, l);
            const Real p = one.q(a, l) * std::exp(Real(theta) * t);
            s0 += 2 * p;
            s1 += 2 * p * t;
            s2 += 2 * p * t * t;
          }
          const double scale = std::exp2(sums.max[l]);
          // Exponents of up to 1e4 lose as many digits.
          const double tolerance = theta > 100 ? 1e-11 : 1e-13;
          expect_relative(sums.s0[l] * scale, s0, tolerance);
          expect_relative(sums.s1[l] * scale, s1, tolerance);
          expect_relative(sums.s2[l] * scale, s2, tolerance);
        }
      }
    }
  }
}

TEST(TiltKernel, large_tilts_are_the_plain_sums_on_every_target) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    check_tilt<float>();
    check_tilt<double>();
  }
}

template <typename T>
void check_small_tilt() {
  for (const std::size_t atoms : {1u, 7u, 256u}) {
    const std::size_t width = 3 * lane_count<T>();
    const Tile<T> one(atoms, width, atoms + 100);
    for (const double theta : {0.0, 1e-150, 1e-8, 1e-3, 0.2, 0.4999}) {
      Sums sums(width);
      add_small_tilt(one.tile(), theta, one.rows(), sums.view());
      for (std::size_t l = 0; l < width; ++l) {
        Real s0 = 0, s1 = 0, s2 = 0;
        for (std::size_t a = 0; a < atoms; ++a) {
          const Real x = one.gain(a, l) - Real(one.center[l]);
          const Real y = Real(theta) * x;
          // By the series: the quotients cancel for small y.
          Real term = 0.5L, series = 0, first = 1, power = 0.5L;
          for (int k = 0; k < 25; ++k) {
            series += term;
            term *= y / (k + 3);
          }
          first = 1 + y * series;
          power = std::exp(y);
          const Real w = one.q(a, l) * x * x;
          s0 += w * series;
          s1 += w * first;
          s2 += w * power;
        }
        expect_relative(sums.s0[l], s0, 1e-13);
        expect_relative(sums.s1[l], s1, 1e-13);
        expect_relative(sums.s2[l], s2, 1e-13);
      }
    }
  }
}

TEST(TiltKernel, small_tilts_keep_all_digits_on_every_target) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    check_small_tilt<float>();
    check_small_tilt<double>();
  }
}

template <typename T>
void check_law() {
  const std::size_t width = 3 * lane_count<T>();
  const Tile<T> one(100, width, 7);
  Draws draws(8);
  const std::vector<double> weights = draws.uniforms(width, 0.0, 1.0);
  const std::vector<double> partition = draws.uniforms(width, -2.0, 0.0);
  std::vector<double> law(100, 0.25);
  add_law(one.tile(), 1.5, one.rows(), partition.data(), weights.data(),
          law.data());
  for (std::size_t a = 0; a < 100; ++a) {
    Real expected = 0.25L;
    for (std::size_t l = 0; l < width; ++l) {
      expected += Real(weights[l]) * one.q(a, l) *
                  std::exp(1.5L * one.gain(a, l)) *
                  std::exp2(-Real(partition[l]));
    }
    expect_relative(law[a], expected, 1e-13);
  }
  EXPECT_EQ(law[1], 0.25);  // absent
}

TEST(TiltKernel, laws_add_up_the_rows_on_every_target) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    check_law<float>();
    check_law<double>();
  }
}

TEST(TiltKernel, a_row_does_not_depend_on_the_rows_beside_it) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    const std::size_t narrow = lane_count<double>(), wide = 3 * narrow;
    const Tile<double> one(200, wide, 9);
    Sums all(wide);
    add_tilt(one.tile(), 2.5, one.rows(), all.view());
    for (std::size_t first = 0; first < wide; first += narrow) {
      std::vector<double> logits;
      for (std::size_t a = 0; a < 200; ++a) {
        for (std::size_t l = 0; l < narrow; ++l) {
          logits.push_back(one.logits[a * wide + first + l]);
        }
      }
      Sums part(narrow);
      const TiltRows rows = {one.peak.data() + first,
                             one.log2_sum.data() + first,
                             one.top.data() + first, one.center.data() + first};
      add_tilt<double>({logits.data(), 200, narrow, one.gains.data()}, 2.5,
                       rows, part.view());
      for (std::size_t l = 0; l < narrow; ++l) {
        EXPECT_EQ(part.s0[l], all.s0[first + l]);
        EXPECT_EQ(part.s2[l], all.s2[first + l]);
        EXPECT_EQ(part.max[l], all.max[first + l]);
      }
    }
  }
}

}  // namespace tilt_kernel_test
}  // namespace sbog::detail
