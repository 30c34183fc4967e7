// SPDX-License-Identifier: Apache-2.0
// Coverage plans against their formulas and simulated pilots.
#include "sbog/certify/coverage_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certify/support.h"

namespace sbog {
namespace coverage_plan_test {

using testing_support::binomial_tail;
using testing_support::invalid_argument_of;
using testing_support::kInfinity;
using testing_support::kNan;

CoverageSetting setting_of(std::uint64_t pilot, std::uint64_t outputs,
                           double zeta = 0.0) {
  CoverageSetting setting;
  setting.pilot = pilot;
  setting.outputs = outputs;
  setting.zeta = zeta;
  return setting;
}

TEST(CoveragePlan, lower_bounds_are_exact_one_sided_bounds) {
  const std::vector<std::uint64_t> counts = {3, 40, 100};
  const CoveragePlan plan = plan_coverage(counts, setting_of(100, 50));
  for (std::size_t l = 0; l < counts.size(); ++l) {
    // At the bound, so many or more hits have just this probability.
    EXPECT_NEAR(static_cast<double>(binomial_tail(
                    100, static_cast<int>(counts[l]), plan.lower_bounds[l])),
                0.05 / 3, 1e-9);
  }
  EXPECT_TRUE(plan.empty_regions.empty());
}

TEST(CoveragePlan, counts_and_probabilities_are_their_formulas) {
  const std::vector<std::uint64_t> counts = {30, 60, 120, 300};
  for (const double zeta : {0.0, 0.01}) {
    const CoveragePlan plan = plan_coverage(counts, setting_of(600, 150, zeta));
    ASSERT_FALSE(plan.is_vacuous);
    long double missed = 0;
    double smallest = 1.0;
    for (const double q : plan.lower_bounds) {
      missed += std::pow(1.0L - (q - zeta), 150.0L);
      smallest = std::min(smallest, q - zeta);
    }
    EXPECT_NEAR(plan.smallest, smallest, 1e-15);
    EXPECT_NEAR(plan.probability_sharp, static_cast<double>(1 - missed), 1e-12);
    EXPECT_NEAR(plan.probability, 1 - 4 * std::exp(-150 * smallest), 1e-12);
    EXPECT_NEAR(plan.needed, std::log(4 / 0.05) / smallest, 1e-9);
    const auto left = [&](double n) {
      long double sum = 0;
      for (const double q : plan.lower_bounds) {
        sum += std::pow(1.0L - (q - zeta), static_cast<long double>(n));
      }
      return sum;
    };
    EXPECT_LE(left(plan.needed_sharp), 0.05L);
    EXPECT_GT(left(plan.needed_sharp - 1), 0.05L);
    EXPECT_LE(plan.needed_sharp, std::ceil(plan.needed));
  }
}

TEST(CoveragePlan, the_promise_holds_in_simulated_runs) {
  // Ten regions; the plan of a pilot must be enough for a fresh run, except
  // with the probabilities of a misleading pilot and of a missed region.
  const std::vector<double> q = {0.02, 0.03, 0.05, 0.05, 0.05,
                                 0.1,  0.1,  0.1,  0.2,  0.3};
  testing_support::Uniforms uniform(31);
  const auto draw = [&](std::uint64_t outputs) {
    std::vector<std::uint64_t> counts(q.size(), 0);
    for (std::uint64_t i = 0; i < outputs; ++i) {
      double u = uniform();
      std::size_t l = 0;
      while (l + 1 < q.size() && u >= q[l]) u -= q[l++];
      ++counts[l];
    }
    return counts;
  };
  const int trials = 400;
  int missed = 0;
  for (int t = 0; t < trials; ++t) {
    const CoveragePlan plan = plan_coverage(draw(400), setting_of(400, 1));
    if (plan.is_vacuous) continue;  // nothing was promised
    const auto run = draw(static_cast<std::uint64_t>(plan.needed_sharp));
    missed += std::count(run.begin(), run.end(), 0u) > 0 ? 1 : 0;
  }
  EXPECT_LE(missed, testing_support::most_violations(trials, 0.1));
}

TEST(CoveragePlan, it_says_why_it_is_vacuous) {
  const std::vector<std::uint64_t> with_empty = {0, 50, 0};
  const CoveragePlan empty = plan_coverage(with_empty, setting_of(100, 10));
  EXPECT_TRUE(empty.is_vacuous);
  EXPECT_EQ(empty.needed, kInfinity);
  EXPECT_EQ(empty.empty_regions, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(empty.reason,
            "Vacuous: 2 of 3 regions were not hit by the pilot, so nothing "
            "bounds their probability from below.");
  const std::vector<std::uint64_t> rare = {5, 95};
  const CoveragePlan close = plan_coverage(rare, setting_of(100, 10, 0.2));
  EXPECT_TRUE(close.is_vacuous);
  EXPECT_THAT(close.reason, testing::HasSubstr("no more than zeta, 0.2."));
}

TEST(CoveragePlan, bad_input_is_refused) {
  const std::vector<std::uint64_t> counts = {5};
  EXPECT_THROW(plan_coverage({}, setting_of(10, 10)), InvalidArgument);
  EXPECT_THROW(plan_coverage(counts, setting_of(4, 10)), InvalidArgument);
  EXPECT_THROW(plan_coverage(counts, setting_of(0, 10)), InvalidArgument);
  EXPECT_THROW(plan_coverage(counts, setting_of(10, 0)), InvalidArgument);
  EXPECT_THROW(plan_coverage(counts, setting_of(10, 10, 1.0)), InvalidArgument);
  for (const double bad : {0.0, 1.0, kNan}) {
    CoverageSetting setting = setting_of(10, 10);
    setting.delta = bad;
    EXPECT_THROW(plan_coverage(counts, setting), InvalidArgument);
    setting = setting_of(10, 10);
    setting.pilot_delta = bad;
    EXPECT_THROW(plan_coverage(counts, setting), InvalidArgument);
  }
  CoverageSetting generous = setting_of(10, 10);
  generous.pilot_delta = 0.9;
  EXPECT_FALSE(plan_coverage(counts, generous).is_vacuous);
}

}  // namespace coverage_plan_test
}  // namespace sbog
