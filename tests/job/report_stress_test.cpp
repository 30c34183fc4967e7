// SPDX-License-Identifier: Apache-2.0
// stress.json as the report reads it.
#include "sbog/job/report_stress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "job/made_runs.h"
#include "sbog/base/errors.h"

namespace sbog::job {
namespace report_stress_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

nlohmann::json share(int count, int of) {
  return {{"count", count},
          {"of", of},
          {"share", 0.5},
          {"low", 0.25},
          {"high", 0.75}};
}

nlohmann::json example() {
  const nlohmann::json group = {{"grouping", "class"},
                                {"group", "b"},
                                {"severity", 2},
                                {"failures", share(5, 10)}};
  nlohmann::json spot = group;
  spot["clearest"] = {
      {{"case", 1}, {"sentence", "a step"}}, {{"case", 0}}, {{"case", 7}}};
  return {
      {"model", "m.safetensors"},
      {"task", "detector"},
      {"failure", "missed"},
      {"controls", {{"what", "rows"}, {"failures", share(1, 100)}}},
      {"overall", {{"failures", share(10, 20)}}},
      {"auroc", nullptr},
      {"tolerance", 0.1},
      {"ranked_groups", 4},
      {"severities", {{{"severity", nullptr}, {"failures", share(5, 10)}}}},
      {"groups", {group}},
      {"weak_spots", {spot, spot}},
      {"gates", {{{"gate", "delay <= 3"}, {"passed", true}, {"value", "inf"}}}},
      {"notes", {"A remark."}}};
}

class ReportStressTest : public ::testing::Test {
 protected:
  ReportStressTest() : run_(folder_.file("run")) {
    testing_support::make_points_run(run_);
    outliers_[0].index = 30;
    outliers_[1].index = 40;
  }

  std::optional<ReportStress> read(const nlohmann::json& json) {
    const FinishedRun run(run_);
    testing_support::write_json(run.file("stress.json"), json);
    return stress_of(run, outliers_);
  }

  testing_support::TemporaryFolder folder_;
  std::string run_;
  std::vector<ReportOutlier> outliers_{2};
};

TEST_F(ReportStressTest, cases_are_told_by_the_index_of_their_outlier) {
  EXPECT_FALSE(stress_of(FinishedRun(run_), outliers_).has_value());
  const auto stress = read(example());
  ASSERT_TRUE(stress.has_value());
  EXPECT_EQ(stress->failure, "missed");
  EXPECT_EQ(stress->auroc, std::nullopt);
  EXPECT_EQ(stress->overall.count, 10u);
  EXPECT_EQ(stress->severities[0].severity, std::nullopt);
  EXPECT_EQ(stress->groups[0].level, "b");
  EXPECT_EQ(stress->groups[0].severity, 2);
  EXPECT_EQ(stress->gates[0].value, std::nullopt);
  ASSERT_EQ(stress->weak_spots[0].clearest.size(), 2u);  // 7 is not there
  EXPECT_EQ(stress->weak_spots[0].clearest[0].words, "a step");
  EXPECT_THAT(clearest_cases(stress), ElementsAre(40, 30));
  EXPECT_THAT(clearest_cases(std::nullopt), IsEmpty());
}

TEST_F(ReportStressTest, another_file_is_told) {
  for (const char* field : {"model", "controls", "groups", "gates", "notes"}) {
    nlohmann::json json = example();
    json.erase(field);
    EXPECT_THROW(read(json), IoError) << field;
    json[field] = 5;
    EXPECT_THROW(read(json), IoError) << field;
  }
  EXPECT_THROW(read(nlohmann::json::array()), IoError);
}

}  // namespace report_stress_test
}  // namespace sbog::job
