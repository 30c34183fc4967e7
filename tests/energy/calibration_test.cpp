// SPDX-License-Identifier: Apache-2.0
// What thresholds do to fresh points of the same law: leave-one-out and the
// conformal split hold their level, the literal reading fails in many
// dimensions. Fixed seeds.
#include <gtest/gtest.h>

#include <cmath>

#include "oracle/energy_oracle.h"
#include "sbog/energy/score_bank.h"

namespace sbog {
namespace calibration_test {

struct Setting {
  std::size_t dim;
  double spread;
  double epsilon;
};

// Share of fresh points above the threshold, over several banks.
double exceedance(const Setting& setting, bool includes_self,
                  ThresholdRule rule, double trim = 0.0) {
  double share = 0.0;
  const std::size_t banks = 8;
  for (std::size_t b = 0; b < banks; ++b) {
    const auto bank =
        oracle::mixture<double>(400, setting.dim, setting.spread, 100 + b);
    const auto fresh =
        oracle::mixture<double>(1000, setting.dim, setting.spread, 900 + b);
    ScoreProblem<double> problem;
    problem.bank = bank.view();
    problem.queries = fresh.view();
    ScoreOptions options;
    options.energy = {GroundCost::kUnitCosine, setting.epsilon, {}};
    options.includes_self = includes_self;
    options.threshold.rule = rule;
    options.trim = trim;
    options.seed = b;
    share += score_bank(problem, options).classes[0].share_above;
  }
  return share / static_cast<double>(banks);
}

// The quantile of 400 energies is known to about sqrt(0.05 * 0.95 / 400) =
// 0.011 per bank, 0.004 over 8 banks; the fresh points add 0.0024. Four
// deviations, and the same again for the bias of a finite bank.
constexpr double kTolerance = 0.03;

TEST(Calibration, leave_one_out_holds_its_level) {
  for (const Setting& setting :
       {Setting{4, 0.2, 0.02}, Setting{64, 0.1, 0.05}}) {
    EXPECT_NEAR(exceedance(setting, false, ThresholdRule::kQuantile), 0.05,
                kTolerance);
    EXPECT_NEAR(exceedance(setting, false, ThresholdRule::kQuantile, 0.08),
                0.05, kTolerance);
  }
}

TEST(Calibration, the_conformal_split_holds_its_level) {
  for (const Setting& setting :
       {Setting{4, 0.2, 0.02}, Setting{64, 0.1, 0.05}}) {
    EXPECT_NEAR(exceedance(setting, false, ThresholdRule::kConformal), 0.05,
                kTolerance);
  }
}

TEST(Calibration, the_literal_reading_fails_in_many_dimensions) {
  EXPECT_GT(exceedance({64, 0.1, 0.05}, true, ThresholdRule::kQuantile), 0.98);
}

}  // namespace calibration_test
}  // namespace sbog
