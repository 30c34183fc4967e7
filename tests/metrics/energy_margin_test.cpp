// SPDX-License-Identifier: Apache-2.0
// Gap, boundary distance, fill and yield on small numbers.
#include "sbog/metrics/energy_margin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "metrics/support.h"

namespace sbog::testing_support {
namespace energy_margin_test {

using Values = std::vector<double>;

double plain_median(Values values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2.0;
}

ScoreResult scored_classes() {
  ScoreResult scored;
  scored.energies = {1.0, 2.0, 3.0};
  for (const auto& [label, tau] : {std::pair{3, 0.5}, std::pair{8, 2.5}}) {
    ClassScore score;
    score.label = label;
    score.threshold.value = tau;
    scored.classes.push_back(score);
  }
  return scored;
}

TEST(QueryThresholds, are_those_of_the_class) {
  const std::vector<std::int64_t> labels = {8, 3, 8};
  EXPECT_EQ(query_thresholds(scored_classes(), labels),
            (Values{2.5, 0.5, 2.5}));
}

TEST(QueryThresholds, without_labels_there_is_one) {
  EXPECT_EQ(query_thresholds(scored_classes()), (Values{0.5, 0.5, 0.5}));
}

TEST(QueryThresholds, bad_input_is_named) {
  const std::vector<std::int64_t> labels = {8, 3, 4};
  EXPECT_THAT(
      invalid_argument_of([&] { query_thresholds(scored_classes(), labels); }),
      ::testing::HasSubstr("class 4 has no threshold"));
  EXPECT_THAT(invalid_argument_of([&] {
                query_thresholds(scored_classes(), std::span(labels).first(2));
              }),
              ::testing::HasSubstr("query labels: one per row"));
  EXPECT_THAT(invalid_argument_of([] { query_thresholds({}); }),
              ::testing::HasSubstr("at least one threshold"));
}

TEST(EnergyMargin, gap_is_the_mean_margin) {
  const Values margins =
      energy_margins(Values{0.5, 0.75, 0.25}, Values{0.25, 0.25, 0.5});
  EXPECT_EQ(margins, (Values{0.25, 0.5, -0.25}));
  EXPECT_NEAR(energy_gap(margins).value(), 0.5 / 3.0, 1e-15);
  EXPECT_NEAR(accepted_share(margins).value(), 2.0 / 3.0, 1e-15);
}

TEST(EnergyMargin, a_point_on_the_threshold_is_accepted) {
  EXPECT_EQ(accepted_share(Values{0.0, -1e-300}), 0.5);
}

RC_GTEST_PROP(BoundaryDistance, agrees_with_the_sorted_lists, ()) {
  const Values margins = *rc::gen::nonEmpty(rc::gen::container<Values>(
      rc::gen::map(rc::gen::inRange(-50, 51), [](int x) { return 0.01 * x; })));
  Values all;
  Values accepted;
  for (const double margin : margins) {
    all.push_back(std::abs(margin));
    if (margin >= 0.0) accepted.push_back(margin);
  }
  const BoundaryDistance found = boundary_distance(margins);
  RC_ASSERT(std::abs(found.all.value() - plain_median(all)) < 1e-14);
  RC_ASSERT(found.accepted.has_value() == !accepted.empty());
  if (found.accepted) {
    RC_ASSERT(std::abs(*found.accepted - plain_median(accepted)) < 1e-14);
  }
}

TEST(FillRate, is_the_share_of_anchors_with_a_proposal) {
  const std::vector<std::size_t> counts = {0, 3, 1, 0, 128};
  EXPECT_EQ(fill_rate(counts), 0.6);
}

TEST(Yield, is_the_pass_rate_times_the_mean_energy_of_the_passing) {
  const Yield found = perturbation_yield(Values{0.25, 0.5, 0.75, 9.0},
                                         Values{0.5, 0.8, 0.6, 0.4}, 0.5)
                          .value();
  EXPECT_EQ(found.pass, 0.75);
  EXPECT_EQ(found.mean_energy, 0.5);
  EXPECT_EQ(found.value, 0.375);
}

TEST(Yield, without_passing_is_zero) {
  const Yield found =
      perturbation_yield(Values{1.0, 2.0}, Values{0.1, std::nan("")}, 0.5)
          .value();
  EXPECT_EQ(found.pass, 0.0);
  EXPECT_EQ(found.mean_energy, 0.0);
  EXPECT_EQ(found.value, 0.0);
}

TEST(EnergyMargin, undefined_cases_have_no_value) {
  EXPECT_EQ(energy_gap({}), std::nullopt);
  EXPECT_EQ(accepted_share({}), std::nullopt);
  EXPECT_EQ(boundary_distance({}).all, std::nullopt);
  EXPECT_EQ(boundary_distance({}).accepted, std::nullopt);
  EXPECT_EQ(boundary_distance(Values{-1.0}).accepted, std::nullopt);
  EXPECT_EQ(fill_rate({}), std::nullopt);
  EXPECT_FALSE(perturbation_yield({}, {}, 0.0).has_value());
}

TEST(EnergyMargin, bad_input_is_named) {
  EXPECT_THAT(invalid_argument_of([] { energy_margins(Values{1.0}, {}); }),
              ::testing::HasSubstr("thresholds: one per energy"));
  EXPECT_THAT(invalid_argument_of(
                  [] { (void)perturbation_yield(Values{1.0}, {}, 0.0); }),
              ::testing::HasSubstr("cosines: one per energy"));
  EXPECT_THAT(
      invalid_argument_of([] { boundary_distance(Values{std::nan("")}); }),
      ::testing::HasSubstr("NaN"));
}

}  // namespace energy_margin_test
}  // namespace sbog::testing_support
