// SPDX-License-Identifier: Apache-2.0
// The option --epsilon: words, numbers, and what is found from points.
#include "sbog/job/epsilon_setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "oracle/calls.h"
#include "oracle/energy_oracle.h"
#include "sbog/energy/perplexity.h"

namespace sbog::job {
namespace epsilon_setting_test {

using testing::HasSubstr;
using testing_support::invalid_argument_of;

TEST(EpsilonSetting, texts_are_read_back) {
  EXPECT_TRUE(EpsilonSetting().is_auto());
  EXPECT_TRUE(parse_epsilon("auto").is_auto());
  EXPECT_EQ(to_text(EpsilonSetting()), "auto");
  for (const double value : {0.05, 1.0 / 3.0, 1e-12, 250.0}) {
    EXPECT_EQ(parse_epsilon(to_text(value)).number(), value);
  }
  EXPECT_EQ(to_text(0.05), "0.05");
}

TEST(EpsilonSetting, anything_else_is_refused) {
  for (const char* text :
       {"0", "-1", "nan", "inf", "much", "", "0.1x", "Auto"}) {
    EXPECT_EQ(invalid_argument_of([&] { (void)parse_epsilon(text); }),
              "auto or a finite number above 0 is expected, got '" +
                  std::string(text) + "'");
  }
  EXPECT_NO_THROW(EpsilonSetting().check());
  EXPECT_NO_THROW(EpsilonSetting(0.1).check());
  for (const double value :
       {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(invalid_argument_of([&] { EpsilonSetting(value).check(); }),
                HasSubstr("epsilon: a finite number above 0"));
  }
}

TEST(EpsilonSetting, one_temperature_for_all_classes) {
  const auto problem = oracle::random_problem<float>(
      GroundCost::kCosine, {.n = 90, .dim = 5, .seed = 2});
  const auto measure = problem.measure();
  const auto energy = problem.options();
  EXPECT_EQ(one_epsilon<float>(0.3, measure, {}, energy, {}), 0.3);
  EXPECT_EQ(one_epsilon<float>({}, measure, {}, energy, {}),
            find_epsilon(measure, energy));
  // Three classes of about 30 points and one of a single point.
  std::vector<std::int64_t> labels;
  std::vector<std::vector<std::size_t>> rows(3);
  for (std::size_t i = 0; i < 89; ++i) {
    labels.push_back(static_cast<std::int64_t>(i % 3));
    rows[i % 3].push_back(i);
  }
  labels.push_back(7);
  std::vector<double> of_classes;
  for (const auto& members : rows) {
    of_classes.push_back(find_epsilon<float>(
        {measure.points, measure.weights, members}, energy));
  }
  std::sort(of_classes.begin(), of_classes.end());
  EXPECT_EQ(one_epsilon<float>({}, measure, labels, energy, {}), of_classes[1]);
  // Nothing but single points: the bank as a whole.
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<std::int64_t>(i);
  }
  EXPECT_EQ(one_epsilon<float>({}, measure, labels, energy, {}),
            find_epsilon(measure, energy));
  labels.pop_back();
  EXPECT_THAT(invalid_argument_of([&] {
                (void)one_epsilon<float>({}, measure, labels, energy, {});
              }),
              HasSubstr("labels: one per row"));
}

TEST(EpsilonSetting, stops_when_asked) {
  const auto problem = oracle::random_problem<float>(GroundCost::kCosine, {});
  testing_support::CancelAtOnce cancel;
  const std::vector<std::int64_t> labels(50, 1);
  EXPECT_TRUE(std::isnan(one_epsilon<float>(
      {}, problem.measure(), labels, problem.options(), {nullptr, &cancel})));
}

TEST(EpsilonSetting, support_is_told_in_plain_words) {
  EXPECT_EQ(support_words(0.0208, true, 15.1),
            "0.0208 (auto): a point is supported by about 15 bank "
            "points");
  EXPECT_EQ(support_words(0.05, false, 1064.4),
            "0.05: a point is supported by about 1,064 bank points");
  EXPECT_EQ(support_words(0.01, false, 3.52),
            "0.01: a point is supported by about 3.5 bank points");
  EXPECT_EQ(support_words(1e-5, false, 1.01),
            "1e-05: a point is supported by about 1 bank point");
  EXPECT_EQ(support_words(0.05, false, 0.0), "0.05");
}

}  // namespace epsilon_setting_test
}  // namespace sbog::job
