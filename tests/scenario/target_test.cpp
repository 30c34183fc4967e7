// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/target.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "latent_support.h"
#include "sbog/base/errors.h"

namespace sbog::series {
namespace target_test {

using namespace testing_support;

Screen screen_at(const LatentBank& bank, std::size_t row) {
  Screen screen;
  screen.point.assign(bank.points().row(row).begin(),
                      bank.points().row(row).end());
  screen.moves = Matrix<double>(0, bank.points().cols());
  return screen;
}

TEST(Target, targets_are_unit_points_outside_near_the_anchor) {
  const LatentBank bank(cap_points(600, 4, 3), bank_options(8));
  std::size_t found = 0;
  for (std::size_t a = 0; a < 8; ++a) {
    const std::size_t row = bank.anchors()[a];
    for (const std::size_t attempt : {0, 1, 2}) {
      const auto target = draw_target(bank, screen_at(bank, row),
                                      TargetLaw::kIsotropic, {a, row, attempt});
      if (!target) continue;  // some anchors lie too deep
      ++found;
      EXPECT_NEAR(norm_of<double>(target->point), 1.0, 1e-6);
      EXPECT_GE(target->energy, bank.threshold());
      EXPECT_EQ(target->energy, bank.energy(target->point));
      const double distance = std::sqrt(squared_distance<double, double>(
          target->point, screen_at(bank, row).point));
      EXPECT_GT(distance, 0.0);
      EXPECT_LT(distance, 0.05 * 6.0);  // sigma times six deviations
    }
  }
  EXPECT_GE(found, 12u);
}

TEST(Target, the_first_try_takes_the_highest_and_others_any) {
  SamplerOptions options = bank_options(1);
  options.sigma = 0.2;  // many feasible ones
  const LatentBank bank(cap_points(600, 4, 3), options);
  const auto draw = [&](std::size_t output, std::size_t attempt) {
    return draw_target(bank, screen_at(bank, bank.anchors()[0]),
                       TargetLaw::kIsotropic, {0, output, attempt})
        .value();
  };
  double first = 0.0;
  double later = 0.0;
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_EQ(draw(k, 0).point, draw(k, 0).point);
    EXPECT_NE(draw(k, 0).point, draw(k, 1).point);
    EXPECT_NE(draw(k, 1).point, draw(k + 1, 1).point);
    first += draw(k, 0).energy;
    later += draw(k, 1).energy;
  }
  EXPECT_GT(first, later);
}

TEST(Target, an_anchor_deep_inside_gives_nothing) {
  SamplerOptions options = bank_options(600);
  options.margin = 0.3;
  options.inner_anchors = 0.0;
  const LatentBank bank(cap_points(600, 4, 3), options);
  const auto deepest = std::min_element(
      bank.anchors().begin(), bank.anchors().end(),
      [&](auto a, auto b) { return bank.energies()[a] < bank.energies()[b]; });
  const auto anchor =
      static_cast<std::size_t>(deepest - bank.anchors().begin());
  const Screen screen = screen_at(bank, *deepest);
  EXPECT_FALSE(
      draw_target(bank, screen, TargetLaw::kIsotropic, {anchor, 0, 0, 3})
          .has_value());
  // Without moves there is no tangent direction.
  EXPECT_FALSE(draw_target(bank, screen, TargetLaw::kTangent, {anchor, 0, 0, 3})
                   .has_value());
}

TEST(Target, the_basis_is_where_the_moves_lead) {
  Screen screen;
  screen.point = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  screen.moves = Matrix<double>(3, 6);
  screen.moves(0, 1) = 0.2;
  screen.moves(1, 2) = -0.1;
  screen.moves(2, 1) = 9.0;  // cut at 0.3
  const TangentLaw basis = tangent_law(screen);
  ASSERT_EQ(basis.weights.size(), 4u);
  EXPECT_NEAR(basis.weights[0], 1.0, 1e-12);
  EXPECT_NEAR(std::abs(basis.directions(0, 1)), 1.0, 1e-9);
  EXPECT_NEAR(basis.weights[1], 0.1 / std::sqrt(0.04 + 0.09), 1e-9);
  EXPECT_NEAR(std::abs(basis.directions(1, 2)), 1.0, 1e-9);
  EXPECT_NEAR(basis.weights[2], 0.0, 1e-6);
}

TEST(Target, tangent_targets_stay_in_the_span_and_in_the_band) {
  const LatentBank bank(cap_points(900, 6, 4), bank_options(12));
  std::size_t found = 0;
  for (std::size_t a = 0; a < 12; ++a) {
    const std::size_t row = bank.anchors()[a];
    Screen screen = screen_at(bank, row);
    screen.moves = Matrix<double>(2, 6);
    screen.moves(0, 1) = 0.2;
    screen.moves(1, 2) = 0.2;
    const auto target =
        draw_target(bank, screen, TargetLaw::kTangent, {a, row, 0});
    if (!target) continue;
    ++found;
    EXPECT_GE(target->energy, bank.threshold());
    EXPECT_LE(target->energy, bank.threshold() + TangentLaw().ceiling + 1e-6);
    // z and v differ in coordinates 1 and 2 alone, but for the projection.
    const double scale = target->point[0] / screen.point[0];
    for (const std::size_t k : {3, 4, 5}) {
      EXPECT_NEAR(target->point[k], scale * screen.point[k], 1e-6);
    }
  }
  EXPECT_GE(found, 3u);
}

TEST(Target, names_are_read_back) {
  for (const TargetLaw law : {TargetLaw::kAuto, TargetLaw::kIsotropic,
                              TargetLaw::kTangent, TargetLaw::kEditFirst}) {
    EXPECT_EQ(parse_target_law(to_string(law)), law);
  }
  EXPECT_THROW(parse_target_law("random"), InvalidArgument);
}

}  // namespace target_test
}  // namespace sbog::series
