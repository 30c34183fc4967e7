// SPDX-License-Identifier: Apache-2.0
// Trimming: who goes, who stays, and what it does to energies.
#include "sbog/energy/refined_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "energy/support.h"
#include "oracle/energy_oracle.h"

namespace sbog {
namespace refined_reference_test {

using oracle::kAllCosts;
using testing::HasSubstr;
using testing_support::invalid_argument_of;

// Rows by (energy descending, row ascending) without the first `dropped`,
// increasing.
std::vector<std::size_t> kept_by_definition(std::vector<double> energies,
                                            std::size_t dropped) {
  auto rows = oracle::iota(energies.size());
  std::stable_sort(rows.begin(), rows.end(),
                   [&](auto a, auto b) { return energies[a] > energies[b]; });
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(dropped));
  std::sort(rows.begin(), rows.end());
  return rows;
}

RC_GTEST_PROP(RefinedReference, follows_its_definition, ()) {
  const auto problem = oracle::random_problem<double>(
      *rc::gen::elementOf(kAllCosts),
      {.n = *rc::gen::inRange<std::size_t>(2, 120),
       .dim = 3,
       .is_weighted = *rc::gen::arbitrary<bool>(),
       .seed = *rc::gen::arbitrary<std::uint32_t>()});
  const std::size_t n = problem.bank.rows();
  const bool includes_self = *rc::gen::arbitrary<bool>();
  const RefineOptions options{.trim = 0.08, .includes_self = includes_self};
  const auto refined =
      refine_reference(problem.measure(), problem.options(), options);
  const auto raw = problem.model().evaluate_bank(includes_self).energies;
  const std::size_t dropped = 8 * n / 100;
  RC_ASSERT(refined.status == SolveStatus::kDone);
  RC_ASSERT(refined.kept == kept_by_definition(raw, dropped));
  const EnergyModel<double> model(
      {problem.bank.view(), problem.weights, refined.kept}, problem.options());
  RC_ASSERT(refined.energies == model.evaluate_bank(includes_self).energies);
  RC_ASSERT(refined.rounds == (dropped > 0 ? 1u : 0u));
  RC_ASSERT(refined.is_stable == (dropped == 0));
}

RC_GTEST_PROP(RefinedReference, removing_mass_costs_at_most_its_logarithm, ()) {
  const auto problem = oracle::random_problem<double>(
      *rc::gen::elementOf(kAllCosts),
      {.n = *rc::gen::inRange<std::size_t>(20, 200),
       .dim = 4,
       .queries = 30,
       .epsilon = *rc::gen::element(0.5, 0.05),
       .seed = *rc::gen::arbitrary<std::uint32_t>()});
  const double trim = *rc::gen::element(0.08, 0.3);
  const auto refined =
      refine_reference(problem.measure(), problem.options(), {.trim = trim});
  const EnergyModel<double> trimmed({problem.bank.view(), {}, refined.kept},
                                    problem.options());
  const double share = 1.0 - static_cast<double>(refined.kept.size()) /
                                 static_cast<double>(problem.bank.rows());
  const auto before = problem.model().evaluate(problem.queries).energies;
  const auto after = trimmed.evaluate(problem.queries).energies;
  for (std::size_t q = 0; q < before.size(); ++q) {
    RC_ASSERT(after[q] >=
              before[q] + problem.epsilon * std::log(1.0 - share) - 1e-13);
  }
}

TEST(RefinedReference, repeats_until_nothing_changes) {
  const auto problem = oracle::random_problem<double>(
      GroundCost::kEuclidean, {.n = 400, .dim = 2, .epsilon = 0.05});
  const auto refined = refine_reference(problem.measure(), problem.options(),
                                        {.trim = 0.1, .rounds = 50});
  EXPECT_TRUE(refined.is_stable);
  EXPECT_LT(refined.rounds, 50u);
  EXPECT_EQ(refined.kept, kept_by_definition(refined.energies, 40));
  const auto once = refine_reference(problem.measure(), problem.options(),
                                     {.trim = 0.1, .rounds = 1});
  EXPECT_EQ(once.rounds, 1u);
  const auto never = refine_reference(problem.measure(), problem.options(),
                                      {.trim = 0.1, .rounds = 0});
  EXPECT_EQ(never.kept, oracle::iota(400));
  EXPECT_EQ(never.energies, problem.model().evaluate_bank().energies);
}

TEST(RefinedReference, the_dropped_count_is_the_floor_of_the_exact_product) {
  // 0.08 * 100 is 8, 0.29 * 100 is 29, though the products round below.
  for (const auto& [trim, n, kept] : {std::tuple{0.08, 100, 92},
                                      {0.29, 100, 71},
                                      {0.08, 12, 12},
                                      {0.08, 13, 12},
                                      {0.999999999999, 5, 1}}) {
    const auto problem = oracle::random_problem<float>(
        GroundCost::kCosine, {.n = static_cast<std::size_t>(n)});
    EXPECT_EQ(
        refine_reference(problem.measure(), problem.options(), {.trim = trim})
            .kept.size(),
        static_cast<std::size_t>(kept));
  }
}

TEST(RefinedReference, equal_energies_go_by_row) {
  Matrix<double> bank(8, 2);
  for (std::size_t i = 0; i < 8; ++i) bank(i, 0) = 1.0;
  const auto refined = refine_reference<double>(
      {bank.view(), {}, {}}, {GroundCost::kCosine, 0.1, {}}, {.trim = 0.25});
  EXPECT_EQ(refined.kept, (std::vector<std::size_t>{2, 3, 4, 5, 6, 7}));
}

TEST(RefinedReference, energies_are_in_the_order_of_the_atoms) {
  const auto problem =
      oracle::random_problem<double>(GroundCost::kCosine, {.n = 50, .dim = 3});
  const auto plain =
      refine_reference(problem.measure(), problem.options(), {.trim = 0.1});
  auto order = oracle::iota(50);
  std::reverse(order.begin(), order.end());
  const auto reversed = refine_reference<double>(
      {problem.bank.view(), {}, order}, problem.options(), {.trim = 0.1});
  EXPECT_EQ(reversed.kept, plain.kept);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_NEAR(reversed.energies[i], plain.energies[order[i]], 1e-13);
  }
}

TEST(RefinedReference, works_on_a_part_of_the_bank) {
  const auto problem =
      oracle::random_problem<double>(GroundCost::kCosine, {.n = 60, .dim = 3});
  std::vector<std::size_t> part;
  for (std::size_t i = 1; i < 60; i += 3) part.push_back(i);
  const auto refined = refine_reference<double>(
      {problem.bank.view(), {}, part}, problem.options(), {.trim = 0.1});
  const auto alone = oracle::gather<double>(problem.bank, part);
  const auto expected = refine_reference<double>(
      {alone.view(), {}, {}}, problem.options(), {.trim = 0.1});
  ASSERT_EQ(refined.kept.size(), 18u);
  for (std::size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(refined.kept[i], part[expected.kept[i]]);
  }
  EXPECT_EQ(refined.energies, expected.energies);
}

TEST(RefinedReference, refuses_a_share_that_is_none) {
  const auto problem = oracle::random_problem<double>(GroundCost::kCosine, {});
  for (const double trim : {-0.1, 1.0, std::nan("")}) {
    EXPECT_THAT(invalid_argument_of([&] {
                  refine_reference(problem.measure(), problem.options(),
                                   {.trim = trim});
                }),
                HasSubstr("trim: a share in [0, 1)"));
  }
}

TEST(RefinedReference, can_be_cancelled) {
  const auto problem = oracle::random_problem<double>(GroundCost::kCosine, {});
  testing_support::CancelAtOnce cancel;
  EXPECT_EQ(refine_reference(problem.measure(), problem.options(), {},
                             {nullptr, &cancel})
                .status,
            SolveStatus::kCancelled);
}

}  // namespace refined_reference_test
}  // namespace sbog
