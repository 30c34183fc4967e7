// SPDX-License-Identifier: Apache-2.0
// The worst expected loss over controls and cases.
#include "sbog/stress/worst_loss.h"

#include <gtest/gtest.h>

#include "sbog/dro/sinkhorn_dro.h"

namespace sbog::stress {
namespace worst_loss_test {

TEST(WorstLoss, the_curve_is_that_of_the_solver_and_rises_to_the_largest) {
  const Matrix<double> controls = [] {
    Matrix<double> m(2, 2);
    m(0, 0) = m(1, 1) = 1.0;
    return m;
  }();
  Matrix<double> cases(1, 2);
  cases(0, 0) = -1.0;
  const std::vector<double> of_controls = {0.0, 0.5};
  const std::vector<double> of_cases = {2.0};
  EnergyOptions energy;
  energy.cost = GroundCost::kCosine;
  energy.epsilon = 0.5;
  const WorstLosses worst = worst_losses<double>(
      controls.view(), of_controls, cases.view(), of_cases, energy, {});
  ASSERT_EQ(worst.curve.size(), 5u);
  EXPECT_EQ(worst.curve[0].radius, 0.0);
  EXPECT_NEAR(worst.curve[0].value, worst.nominal, 1e-12);
  EXPECT_NEAR(worst.curve[4].value, 2.0, 1e-9);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_GT(worst.curve[i].value, worst.curve[i - 1].value);
    EXPECT_TRUE(worst.curve[i].is_converged);
  }
  // The same by hand.
  Matrix<double> all(3, 2);
  all(0, 0) = all(1, 1) = 1.0;
  all(2, 0) = -1.0;
  const std::vector<double> losses = {0.0, 0.5, 2.0};
  DroPoints<double> points;
  points.nominal = controls.view();
  points.reference = {std::as_const(all).view(), {}, {}};
  SinkhornDro solver = SinkhornDro::from_points<double>(points, losses, energy);
  const WorstLosses asked = worst_losses<double>(
      controls.view(), of_controls, cases.view(), of_cases, energy, {0.1});
  ASSERT_EQ(asked.curve.size(), 1u);
  EXPECT_NEAR(asked.curve[0].value, solver.solve(0.1).value, 1e-12);
}

}  // namespace worst_loss_test
}  // namespace sbog::stress
