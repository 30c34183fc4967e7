// SPDX-License-Identifier: Apache-2.0
// The table of cases and the file for continuous integration.
#include "sbog/job/stress_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/data/csv.h"

namespace sbog::job {
namespace stress_files_test {

using ::testing::HasSubstr;
using ::testing::Not;

// Twelve windows of one channel, all missed, with names that need care.
StressResult missed() {
  StressResult result;
  result.kind = Kind::kSeries;
  stress::Cases cases;
  cases.count = 12;
  stress::GroupingBuilder channels("channel");
  for (std::size_t i = 0; i < 12; ++i) {
    CaseFacts facts;
    facts.row = i;
    facts.severity = "2";
    facts.kinds = "level";
    facts.channels = "a<b,\"c\"";
    facts.sentence = "It rises, then falls.";
    result.facts.push_back(facts);
    cases.severities.emplace_back(2);
    cases.first_changed.push_back(0);
    channels.add(i, facts.channels);
  }
  cases.groupings.push_back(std::move(channels).finish());
  stress::VerdictOptions options;
  options.rules.threshold = 5.0;
  options.gates = {stress::parse_gate("detection >= 0.5", {}),
                   stress::parse_gate("detection >= 0", {}),
                   stress::parse_gate("detection >= 0 at severity 9", {})};
  const Matrix<double> answers(12, 3);
  result.verdict = judge(cases, answers.view(), {}, options);
  return result;
}

TEST(StressFiles, a_sentence_says_how_bad_it_is_and_where) {
  StressResult result = missed();
  EXPECT_EQ(verdict_sentence(result),
            "100 % (95 %: 74 to 100) of 12 cases are missed, more than 10 % at "
            "every severity; the weakest spot is channel a<b,\"c\" with 100 % "
            "(95 %: 74 to 100) of 12.");
  result.verdict.weak.spots.clear();
  result.verdict.severity_passed = 3;
  EXPECT_EQ(verdict_sentence(result),
            "100 % (95 %: 74 to 100) of 12 cases are missed, at most 10 % "
            "first at severity 3; no group of cases is a weak spot.");
  result.verdict.weak.ranked_groups = 0;
  result.verdict.curve.clear();
  EXPECT_EQ(verdict_sentence(result),
            "100 % (95 %: 74 to 100) of 12 cases are missed; no group has the "
            "10 cases to be ranked.");
}

TEST(StressFiles, the_table_reads_back) {
  const std::string text = stress_table(missed());
  CsvOptions csv;
  csv.columns = {"case", "value", "threshold", "failure"};
  csv.text_columns = {"channels", "sentence", "delay"};
  const CsvTable table =
      parse_csv(std::as_bytes(std::span(text)), "stress.csv", csv);
  ASSERT_EQ(table.values.rows(), 12u);
  EXPECT_EQ(table.values(3, 0), 3.0);
  EXPECT_EQ(table.values(3, 2), 5.0);
  EXPECT_EQ(table.values(3, 3), 1.0);
  EXPECT_EQ(table.texts[0][3], "a<b,\"c\"");
  EXPECT_EQ(table.texts[1][3], "It rises, then falls.");
  EXPECT_EQ(table.texts[2][3], "");
}

TEST(StressFiles, gates_fail_and_weak_spots_are_skipped) {
  const std::string xml = stress_junit(missed());
  EXPECT_THAT(xml, HasSubstr("tests=\"4\" failures=\"2\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("name=\"detection &gt;= 0.5\">\n    <failure "
                             "message=\"0 is measured on 12 cases"));
  EXPECT_THAT(xml, HasSubstr("name=\"detection &gt;= 0\"/>"));
  EXPECT_THAT(xml, HasSubstr("no case is of this group and severity"));
  EXPECT_THAT(xml,
              HasSubstr("name=\"channel a&lt;b,&quot;c&quot;\">\n    <skipped "
                        "message=\"missed: 100 % (95 %: 74 to 100) of 12"));
  EXPECT_THAT(xml, Not(HasSubstr("a<b")));
}

TEST(StressFiles, failures_have_a_word_for_each_model) {
  stress::Outcomes outcomes;
  EXPECT_STREQ(failure_word(outcomes), "missed");
  outcomes.task = stress::Task::kLoss;
  EXPECT_STREQ(failure_word(outcomes), "above the limit");
  outcomes.task = stress::Task::kClassifier;
  EXPECT_STREQ(failure_word(outcomes), "accepted");
  outcomes.failure = stress::ClassifierFailure::kOther;
  EXPECT_STREQ(failure_word(outcomes), "taken for another class");
  EXPECT_EQ(group_words({"class", "2", 3, {}, {}}), "class 2 at severity 3");
  EXPECT_EQ(group_words({}), "all cases");
}

}  // namespace stress_files_test
}  // namespace sbog::job
