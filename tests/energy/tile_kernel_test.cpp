// SPDX-License-Identifier: Apache-2.0
// The kernel on its own, for every SIMD target: states and logits against long
// double, the exponential, the merge, and bits across vector widths.
#include "sbog/energy/detail/tile_kernel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "sbog/energy/log_sum_exp.h"

namespace sbog::detail {
namespace tile_kernel_test {

using oracle::Real;
using testing_support::simd_targets;
using testing_support::UseTarget;

constexpr TileForm kForms[] = {TileForm::kDot, TileForm::kSquaredDifference,
                               TileForm::kDifference};

// A block and a group with their memory.
template <typename T>
struct Case {
  TileForm form;
  std::size_t count;
  std::size_t dim;
  std::size_t width;
  Matrix<T> atoms;
  std::vector<T> scale;
  std::vector<T> bias;
  std::vector<const T*> rows;
  Matrix<T> packed;  // [k][lane]
  std::vector<Exclusion> exclusions;

  Case(TileForm tile_form, std::size_t atom_count, std::size_t dims,
       std::size_t lanes)
      : form(tile_form), count(atom_count), dim(dims), width(lanes) {
    const double size = 1.0 / std::sqrt(static_cast<double>(dim));
    atoms = oracle::normal_matrix<T>(count, dim, 41, size);
    packed = oracle::normal_matrix<T>(dim, width, 42, 4.0 * size);
    const auto noise = oracle::uniforms(kBlockAtoms, 43);
    for (std::size_t i = 0; i < kBlockAtoms; ++i) {
      rows.push_back(atoms.row(std::min(i, count - 1)).data());
      const bool is_there = i < count && i % 11 != 5;
      bias.push_back(static_cast<T>(is_there ? noise[i] : kAbsentLogit));
      // Not read by the direct kernel under kDot.
      const bool is_direct_dot = form == TileForm::kDot && dim <= kDirectDim;
      scale.push_back(static_cast<T>(is_direct_dot ? 1.0 : -1.0 - noise[i]));
    }
  }

  AtomBlock<T> block() const {
    return {rows.data(), scale.data(), bias.data(), count};
  }
  QueryGroup<T> group() const {
    return {packed.data(), width, dim, exclusions};
  }
  bool is_excluded(std::size_t atom, std::size_t lane) const {
    for (const Exclusion& gone : exclusions) {
      if (gone.position == atom && gone.lane == lane) return true;
    }
    return bias[atom] < T(-1e20);
  }
  Real logit(std::size_t atom, std::size_t lane) const {
    Real value = 0;
    for (std::size_t k = 0; k < dim; ++k) {
      const Real q = packed(k, lane);
      const Real u = atoms(atom, k);
      value += form == TileForm::kDot ? q * u : (q - u) * (q - u);
    }
    if (form == TileForm::kDifference) value = std::sqrt(value);
    return bias[atom] + scale[atom] * value;
  }
  Real log2_sum(std::size_t lane) const {
    Real sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_excluded(i, lane)) sum += std::exp2(logit(i, lane));
    }
    return std::log2(sum);
  }
};

template <typename T>
constexpr double kRelative = sizeof(T) == 4 ? 2e-6 : 4e-15;

template <typename T, class Check>
void for_all_cases(const Check& check) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    for (const TileForm form : kForms) {
      for (const std::size_t dim : {4, 8, 9, 33, 127, 128, 130, 257}) {
        for (const std::size_t count : {1, 2, 31, 32, 33, 255, 256}) {
          for (const std::size_t width : {lane_count<T>(), group_width<T>()}) {
            Case<T> one(form, count, dim, width);
            one.exclusions = {{count / 2, 0}, {0, width - 1}};
            check(one);
            if (testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

template <typename T>
void expect_states() {
  for_all_cases<T>([](const Case<T>& one) {
    for (const bool has_fixed_range : {false, true}) {
      std::vector<double> max(one.width);
      std::vector<double> sum(one.width);
      block_state(one.block(), one.group(), {one.form, has_fixed_range},
                  max.data(), sum.data());
      for (std::size_t lane = 0; lane < one.width; ++lane) {
        const auto expected = static_cast<double>(one.log2_sum(lane));
        if (std::isinf(expected)) {
          EXPECT_EQ(sum[lane], 0.0);
        } else {
          EXPECT_NEAR(max[lane] + std::log2(sum[lane]), expected,
                      kRelative<T> * (1.0 + std::abs(expected)))
              << simd_target() << ", dim " << one.dim << ", count " << one.count
              << ", lane " << lane << " of " << one.width;
        }
      }
    }
  });
}

TEST(TileKernel, states_are_sums_of_powers) {
  expect_states<float>();
  expect_states<double>();
}

template <typename T>
void expect_logits() {
  for_all_cases<T>([](const Case<T>& one) {
    std::vector<T> logits(kBlockAtoms * one.width, T(7));
    block_logits(one.block(), one.group(), one.form, logits.data());
    for (std::size_t i = 0; i < one.count; ++i) {
      for (std::size_t lane = 0; lane < one.width; ++lane) {
        const T found = logits[i * one.width + lane];
        if (one.is_excluded(i, lane)) {
          EXPECT_LT(found, T(-9e29));
        } else {
          const auto expected = static_cast<double>(one.logit(i, lane));
          EXPECT_NEAR(found, expected,
                      kRelative<T> * (1.0 + std::abs(expected)))
              << simd_target();
        }
      }
    }
    for (std::size_t i = one.count * one.width; i < logits.size(); ++i) {
      ASSERT_EQ(logits[i], T(7)) << "written past the last atom";
    }
  });
}

TEST(TileKernel, logits_are_scale_times_value_plus_bias) {
  expect_logits<float>();
  expect_logits<double>();
}

// 2^x by a block of one atom at 0 with bias x.
template <typename T>
double power_of_two(T x) {
  std::vector<T> row(4, T(0));
  std::vector<const T*> rows(kBlockAtoms, row.data());
  std::vector<T> scale(kBlockAtoms, T(1));
  std::vector<T> bias(kBlockAtoms, T(kAbsentLogit));
  bias[0] = x;
  Matrix<T> packed(4, lane_count<T>());
  std::vector<double> max(lane_count<T>());
  std::vector<double> sum(lane_count<T>());
  block_state<T>({rows.data(), scale.data(), bias.data(), 1},
                 {packed.data(), lane_count<T>(), 4, {}},
                 {TileForm::kDot, true}, max.data(), sum.data());
  EXPECT_EQ(max[0], 0.0);
  return sum[0];
}

template <typename T>
void expect_powers(double low, double high, double bound) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    for (int i = 0; i <= 2000; ++i) {
      const auto x = static_cast<T>(low + (high - low) * i / 2000.0);
      const Real expected = std::exp2(static_cast<Real>(x));
      ASSERT_NEAR(static_cast<double>(power_of_two(x) / expected), 1.0, bound)
          << simd_target() << ", 2^" << x;
    }
    for (int n = static_cast<int>(low); n <= static_cast<int>(high); n += 7) {
      ASSERT_EQ(power_of_two(static_cast<T>(n)), std::ldexp(1.0, n));
    }
    EXPECT_EQ(power_of_two(T(kAbsentLogit)), 0.0);
    EXPECT_EQ(power_of_two(T(-5000)), 0.0);
  }
}

TEST(TileKernel, powers_of_two_are_good_and_exact_for_integers) {
  expect_powers<float>(-80.0, 100.0, 6e-7);
  expect_powers<double>(-900.0, 900.0, 5e-16);
}

TEST(TileKernel, nothing_there_gives_exactly_nothing) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    for (const bool has_fixed_range : {false, true}) {
      Case<float> one(TileForm::kDot, 40, 20, group_width<float>());
      std::fill(one.bias.begin(), one.bias.end(), float(kAbsentLogit));
      std::vector<double> max(one.width);
      std::vector<double> sum(one.width, 5.0);
      block_state(one.block(), one.group(), {one.form, has_fixed_range},
                  max.data(), sum.data());
      for (const double x : sum) EXPECT_EQ(x, 0.0);
    }
  }
}

TEST(TileKernel, an_infinite_value_is_no_support) {
  // The squares overflow for the first atom only.
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    Case<float> one(TileForm::kSquaredDifference, 2, 9, lane_count<float>());
    std::fill(one.bias.begin(), one.bias.begin() + 2, 0.0f);
    for (float& x : one.atoms.row(0)) x = 1e25f;
    std::vector<double> max(one.width);
    std::vector<double> sum(one.width);
    block_state(one.block(), one.group(), {one.form, false}, max.data(),
                sum.data());
    for (std::size_t lane = 0; lane < one.width; ++lane) {
      EXPECT_EQ(sum[lane], 1.0);
      EXPECT_NEAR(max[lane], static_cast<double>(one.logit(1, lane)), 1e-4);
    }
  }
}

TEST(TileKernel, merging_states_is_merging_log_sum_exps) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    for (std::size_t count = 1; count < 20; ++count) {
      const auto values = oracle::normal_matrix<double>(4, count, 5, 20.0);
      std::vector<double> max_a(values.row(0).begin(), values.row(0).end());
      std::vector<double> max_b(values.row(1).begin(), values.row(1).end());
      std::vector<double> sum_a(count);
      std::vector<double> sum_b(count);
      std::vector<LogSumExp> expected(count);
      for (std::size_t i = 0; i < count; ++i) {
        sum_a[i] = 1.0 + std::abs(values(2, i));
        sum_b[i] = 1.0 + std::abs(values(3, i));
        // States without support have a very low maximum.
        if (i % 5 == 1) max_a[i] = -1e29, sum_a[i] = 0.0;
        if (i % 7 == 1) max_b[i] = -1e29, sum_b[i] = 0.0;
        expected[i] = {max_a[i], sum_a[i], 1.0};
        expected[i].merge({max_b[i], sum_b[i], 1.0});
      }
      merge_states(count, max_a.data(), sum_a.data(), max_b.data(),
                   sum_b.data());
      for (std::size_t i = 0; i < count; ++i) {
        if (expected[i].is_empty()) {
          EXPECT_EQ(sum_a[i], 0.0);
          continue;
        }
        EXPECT_EQ(max_a[i], expected[i].max);
        EXPECT_NEAR(sum_a[i], expected[i].sum, 2e-14 * expected[i].sum);
      }
    }
  }
}

template <typename T>
std::vector<std::uint64_t> energy_bits(GroundCost cost, double epsilon) {
  const auto problem = oracle::random_problem<T>(
      cost, {.n = 700, .dim = 21, .queries = 60, .epsilon = epsilon});
  return testing_support::bits_of(
      problem.model().evaluate(problem.queries).energies);
}

TEST(TileKernel, the_vector_width_changes_no_bit) {
  // AVX2 and AVX-512 fuse multiply and add alike.
  if ((hwy::SupportedTargets() & HWY_AVX3) == 0) return;
  for (const GroundCost cost : oracle::kAllCosts) {
    for (const double epsilon : {0.05, 1e-3}) {
      std::vector<std::vector<std::uint64_t>> bits;
      for (const std::int64_t target : {HWY_AVX2, HWY_AVX3}) {
        const UseTarget use(target);
        bits.push_back(energy_bits<float>(cost, epsilon));
        bits.push_back(energy_bits<double>(cost, epsilon));
      }
      EXPECT_EQ(bits[0], bits[2]) << to_string(cost);
      EXPECT_EQ(bits[1], bits[3]) << to_string(cost);
    }
  }
}

}  // namespace tile_kernel_test
}  // namespace sbog::detail
