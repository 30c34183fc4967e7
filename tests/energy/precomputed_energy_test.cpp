// SPDX-License-Identifier: Apache-2.0
// Energies and weights from a given matrix of costs.
#include "sbog/energy/precomputed_energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "oracle/golden.h"

namespace sbog {
namespace precomputed_energy_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::invalid_argument_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Matrix<double> row_of(const std::vector<double>& values) {
  Matrix<double> out(1, values.size());
  std::copy(values.begin(), values.end(), out.row(0).begin());
  return out;
}

TEST(PrecomputedEnergy, gives_the_golden_values_where_exponentials_underflow) {
  const auto c = golden::entry("/core/C_underflow");
  const auto costs = golden::to_vector(c.at("costs"));
  const double epsilon = golden::to_double(c.at("eps"));
  const EnergyResult result = evaluate_precomputed(row_of(costs), {}, epsilon);
  const double expected = golden::to_double(c.at("E"));
  EXPECT_NEAR(result.energies[0], expected, 1e-12 * expected);
  const auto w = gibbs_weights_of_costs(costs, {}, epsilon);
  EXPECT_NEAR(w[0], golden::to_double(c.at("w")[0]), 1e-12);
  EXPECT_NEAR(w[1], golden::to_double(c.at("w")[1]), 1e-12);
  EXPECT_EQ(w[2], 0.0);
}

TEST(PrecomputedEnergy, gives_the_golden_weighted_values) {
  const auto b = golden::entry("/core/B_sqeuclid_weighted");
  const auto costs = golden::to_vector(b.at("costs"));
  const auto weights = golden::to_vector(b.at("weights"));
  const double epsilon = golden::to_double(b.at("eps"));
  const double expected = golden::to_double(b.at("E"));
  EXPECT_NEAR(evaluate_precomputed(row_of(costs), weights, epsilon).energies[0],
              expected, 1e-12 * expected);
  const auto w = gibbs_weights_of_costs(costs, weights, epsilon);
  const auto known = golden::to_vector(b.at("w"));
  for (std::size_t i = 0; i < w.size(); ++i) {
    EXPECT_NEAR(w[i], known[i], 1e-12 * known[i]);
  }
}

RC_GTEST_PROP(PrecomputedEnergy, agrees_with_the_oracle, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 600);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const double epsilon = *rc::gen::element(1.0, 0.05, 1e-3, 1e-5);
  const bool is_weighted = *rc::gen::arbitrary<bool>();
  auto costs = row_of(oracle::uniforms(n, seed));
  std::vector<double> weights;
  if (is_weighted) weights = oracle::uniforms(n, seed + 1);
  if (n > 5) costs(0, 2) = kInfinity;
  const std::size_t self = *rc::gen::element(kNoAtom, n / 2);
  const std::vector<std::size_t> selves = {self};
  const auto expected = static_cast<double>(oracle::energy_of_costs(
      oracle::to_real<double>(costs.row(0)), weights, epsilon, self));
  const double found =
      evaluate_precomputed(costs, weights, epsilon, selves).energies[0];
  if (std::isinf(expected)) {
    RC_ASSERT(found == expected);
  } else {
    RC_ASSERT(std::abs(found - expected) <= 1e-12 * expected);
  }
}

TEST(PrecomputedEnergy, infinite_costs_are_no_support) {
  Matrix<double> costs(2, 2);
  costs(0, 0) = kInfinity;
  costs(0, 1) = kInfinity;
  costs(1, 0) = kInfinity;
  costs(1, 1) = 0.5;
  const EnergyResult result = evaluate_precomputed(costs, {}, 0.1);
  EXPECT_EQ(result.energies[0], kInfinity);
  EXPECT_NEAR(result.energies[1], 0.5 + 0.1 * std::log(2.0), 1e-15);
  EXPECT_THAT(gibbs_weights_of_costs(costs.row(0), {}, 0.1),
              ElementsAre(0.0, 0.0));
  EXPECT_THAT(gibbs_weights_of_costs(costs.row(1), {}, 0.1),
              ElementsAre(0.0, 1.0));
  // A zero weight is absent even where its cost is infinite.
  EXPECT_NEAR(evaluate_precomputed(costs, std::vector<double>{0.0, 3.0}, 0.1)
                  .energies[1],
              0.5, 1e-15);
}

TEST(PrecomputedEnergy, refuses_bad_input_and_says_where) {
  const std::vector<double> good = {0.1, 0.2};
  const auto message = [&](const std::vector<double>& costs,
                           const std::vector<double>& weights, double epsilon,
                           const std::vector<std::size_t>& self) {
    return invalid_argument_of([&] {
      static_cast<void>(
          evaluate_precomputed(row_of(costs), weights, epsilon, self));
    });
  };
  EXPECT_THAT(message({0.1, -0.2}, {}, 1, {}), HasSubstr("row 0, column 1"));
  EXPECT_THAT(message({std::nan(""), 1}, {}, 1, {}),
              HasSubstr("row 0, column 0"));
  EXPECT_THAT(message({}, {}, 1, {}), HasSubstr("no values"));
  EXPECT_THAT(message(good, {1.0}, 1, {}), HasSubstr("(2), got 1"));
  EXPECT_THAT(message(good, {1.0, -1.0}, 1, {}), HasSubstr("entry 1"));
  EXPECT_THAT(message(good, {0.0, 0.0}, 1, {}), HasSubstr("positive"));
  EXPECT_THAT(message(good, {1.5e308, 1.5e308}, 1, {}), HasSubstr("finite"));
  EXPECT_THAT(message(good, {}, 1, {0, 1}), HasSubstr("one column per row"));
  EXPECT_THAT(message(good, {}, 1, {2}), HasSubstr("self: 2 is not a column"));
  for (const double epsilon : {0.0, -1.0, kInfinity, std::nan("")}) {
    EXPECT_THAT(message(good, {}, epsilon, {}), HasSubstr("epsilon"));
  }
}

TEST(PrecomputedEnergy, can_be_cancelled_and_tells_its_progress) {
  const Matrix<double> costs(20, 3);
  testing_support::CancelAtOnce cancel;
  EXPECT_EQ(evaluate_precomputed(costs, {}, 1.0, {}, {nullptr, &cancel}).status,
            SolveStatus::kCancelled);
  testing_support::Watch watch;
  EXPECT_EQ(evaluate_precomputed(costs, {}, 1.0, {}, {nullptr, &watch}).status,
            SolveStatus::kDone);
  EXPECT_TRUE(watch.is_in_range);
  EXPECT_EQ(watch.last_done, 20u);
  EXPECT_EQ(watch.last_total, 20u);
}

}  // namespace precomputed_energy_test
}  // namespace sbog
