// SPDX-License-Identifier: Apache-2.0
// The split itself, conformal p-values, and what they promise for fresh points
// in 4, 64 and 768 dimensions. Fixed seeds.
#include "sbog/certify/split_bank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "certify/support.h"
#include "oracle/energy_oracle.h"
#include "sbog/energy/score_bank.h"

namespace sbog {
namespace split_bank_test {

using testing_support::invalid_argument_of;
using testing_support::kInfinity;
using testing_support::kNan;

std::vector<std::size_t> joined(const BankSplit& split) {
  std::vector<std::size_t> all = split.calibration;
  all.insert(all.end(), split.reference.begin(), split.reference.end());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(SplitBank, every_row_is_in_one_part) {
  for (const std::size_t n : {2u, 3u, 10u, 1001u}) {
    const BankSplit split = split_bank(n, 5);
    EXPECT_EQ(split.calibration.size(), n / 2);
    EXPECT_EQ(joined(split), oracle::iota(n));
    EXPECT_TRUE(std::is_sorted(split.reference.begin(), split.reference.end()));
  }
  EXPECT_EQ(split_bank(10, 5, 0.3).calibration.size(), 3u);
}

TEST(SplitBank, the_seed_alone_decides) {
  EXPECT_EQ(split_bank(500, 1).reference, split_bank(500, 1).reference);
  EXPECT_NE(split_bank(500, 1).reference, split_bank(500, 2).reference);
}

TEST(SplitBank, every_class_is_split_alike) {
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < 300; ++i) labels.push_back(i % 7 == 0 ? 9 : -2);
  const BankSplit split = split_bank(labels, 3);
  EXPECT_EQ(joined(split), oracle::iota(300));
  std::size_t nines = 0;
  for (const std::size_t i : split.calibration) nines += labels[i] == 9 ? 1 : 0;
  EXPECT_EQ(nines, 43u / 2);
  EXPECT_EQ(split.calibration.size(), 43u / 2 + 257u / 2);
}

TEST(SplitBank, score_bank_splits_in_the_same_way) {
  const auto bank = oracle::normal_matrix<double>(101, 3, 4);
  ScoreProblem<double> problem;
  problem.bank = bank.view();
  ScoreOptions options;
  options.energy = {GroundCost::kSquaredEuclidean, 0.5, {}};
  options.threshold.rule = ThresholdRule::kConformal;
  options.seed = 77;
  const double expected =
      score_bank(problem, options).classes[0].threshold.value;
  const BankSplit split = split_bank(101, 77);
  const EnergyModel<double> model({bank.view(), {}, split.reference},
                                  options.energy);
  const auto part = oracle::gather<double>(bank.view(), split.calibration);
  const auto energies = model.evaluate(part.view()).energies;
  EXPECT_EQ(calibrate_threshold(energies, options.threshold).value, expected);
}

TEST(SplitBank, parts_that_would_be_empty_are_refused) {
  EXPECT_THAT(invalid_argument_of([] { split_bank(1, 0); }),
              testing::HasSubstr("got 1 in all"));
  EXPECT_THROW(split_bank(0, 0), InvalidArgument);
  EXPECT_THROW(split_bank(std::span<const std::int64_t>(), 0), InvalidArgument);
  const std::vector<std::int64_t> lonely = {1, 1, 1, 2};
  EXPECT_THROW(split_bank(lonely, 0), InvalidArgument);
  for (const double bad : {0.0, 1.0, kNan}) {
    EXPECT_THROW(split_bank(10, 0, bad), InvalidArgument);
  }
}

TEST(SplitBank, p_values_are_their_definition) {
  const std::vector<double> calibration = {0.3, 0.1, 0.2, 0.2, kInfinity};
  const std::vector<double> energies = {0.0, 0.2, 0.25, 0.3, 7.0, kInfinity};
  const auto found = conformal_p_values(calibration, energies);
  for (std::size_t i = 0; i < energies.size(); ++i) {
    EXPECT_EQ(found[i], conformal_p_value(calibration, energies[i]));
  }
  EXPECT_EQ(conformal_p_values({}, energies)[0], 1.0);
  const std::vector<double> broken = {kNan};
  EXPECT_THROW(conformal_p_values(broken, energies), InvalidArgument);
  EXPECT_THROW(conformal_p_values(calibration, broken), InvalidArgument);
}

TEST(SplitBank, a_finite_threshold_needs_so_many_points) {
  EXPECT_EQ(smallest_calibration(0.95), 19u);
  EXPECT_EQ(smallest_calibration(0.8), 4u);
  EXPECT_EQ(smallest_calibration(0.99), 99u);
  for (const double level : {0.5, 0.8, 0.9, 0.95, 0.99, 0.999}) {
    const std::size_t n = smallest_calibration(level);
    ThresholdOptions options;
    options.rule = ThresholdRule::kConformal;
    options.level = level;
    const std::vector<double> enough(n, 1.0);
    const std::vector<double> fewer(n - 1, 1.0);
    EXPECT_TRUE(std::isfinite(calibrate_threshold(enough, options).value));
    if (n > 1) {
      EXPECT_TRUE(std::isinf(calibrate_threshold(fewer, options).value));
    }
  }
  EXPECT_THROW(smallest_calibration(1.0), InvalidArgument);
}

struct Space {
  std::size_t dim;
  double spread;
  double epsilon;
  int banks;
};

constexpr std::array<Space, 3> kSpaces = {Space{4, 0.2, 0.02, 300},
                                          Space{64, 0.1, 0.05, 300},
                                          Space{768, 0.03, 0.05, 50}};
constexpr std::size_t kFresh = 250;

struct Exceedance {
  double conformal = 0.0;
  double include_self = 0.0;
  double small_p = 0.0;  // share of p-values <= 0.05
};

Exceedance exceedance(const Space& space) {
  Exceedance mean;
  for (int b = 0; b < space.banks; ++b) {
    const auto seed = static_cast<std::uint64_t>(b);
    const auto bank =
        oracle::mixture<float>(400, space.dim, space.spread, 100 + seed);
    const auto fresh =
        oracle::mixture<float>(kFresh, space.dim, space.spread, 900 + seed);
    const BankSplit split = split_bank(400, seed);
    const EnergyOptions options{GroundCost::kUnitCosine, space.epsilon, {}};
    const EnergyModel<float> model({bank.view(), {}, split.reference}, options);
    const auto part = oracle::gather<float>(bank.view(), split.calibration);
    const auto calibration = model.evaluate(part.view()).energies;
    const auto energies = model.evaluate(fresh.view()).energies;
    ThresholdOptions rule;
    rule.rule = ThresholdRule::kConformal;
    const double tau = calibrate_threshold(calibration, rule).value;
    mean.conformal += share_above(energies, tau) / space.banks;
    const auto p = conformal_p_values(calibration, energies);
    mean.small_p +=
        static_cast<double>(std::count_if(p.begin(), p.end(),
                                          [](double x) { return x <= 0.05; })) /
        static_cast<double>(kFresh) / space.banks;
    // The literal reading: quantile of the bank's energies, itself included.
    const EnergyModel<float> whole({bank.view(), {}, {}}, options);
    const double literal = quantile(whole.evaluate_bank(true).energies, 0.95);
    mean.include_self +=
        share_above(whole.evaluate(fresh.view()).energies, literal) /
        space.banks;
  }
  return mean;
}

// One bank's exceedance has the deviation of the quantile of 200 energies,
// sqrt(0.05 * 0.95 / 200) = 0.0154, and of 250 points, 0.0138: 0.0207 together.
// Four deviations of the mean over the banks.
double tolerance_of(const Space& space) {
  return 4.0 * 0.0207 / std::sqrt(space.banks);
}

TEST(SplitBank, conformal_exceedance_matches_its_level_in_any_dimension) {
  for (const Space& space : kSpaces) {
    const Exceedance found = exceedance(space);
    // The rank of 200 points: 191 of 201, so 10/201 on average.
    EXPECT_NEAR(found.conformal, 10.0 / 201.0, tolerance_of(space))
        << space.dim;
    EXPECT_NEAR(found.small_p, 10.0 / 201.0, tolerance_of(space)) << space.dim;
  }
}

TEST(SplitBank, the_literal_reading_fails_in_many_dimensions) {
  for (const Space& space : {kSpaces[1], kSpaces[2]}) {
    EXPECT_GT(exceedance(space).include_self, 0.9) << space.dim;
  }
}

}  // namespace split_bank_test
}  // namespace sbog
