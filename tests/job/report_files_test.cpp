// SPDX-License-Identifier: Apache-2.0
// Files of a run as its report reads them.
#include "sbog/job/report_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "job/made_runs.h"
#include "sbog/base/errors.h"

namespace sbog::job {
namespace report_files_test {

using ::testing::ElementsAre;
using testing_support::TemporaryFolder;

TEST(ReportFiles, metrics_keep_their_reasons) {
  const nlohmann::json json = {{"metrics",
                                {{{"name", "Gap"},
                                  {"value", 0.5},
                                  {"direction", "higher is better"},
                                  {"meaning", "mean"}},
                                 {{"name", "Purity"},
                                  {"value", nullptr},
                                  {"direction", "higher is better"},
                                  {"meaning", "share"},
                                  {"reason", "needs labels"}}}}};
  const std::vector<ReportMetric> metrics = metrics_of(json);
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].value, 0.5);
  EXPECT_EQ(metrics[1].value, std::nullopt);
  EXPECT_EQ(metrics[1].reason, "needs labels");
}

TEST(ReportFiles, classes_without_outliers_are_added_to_a_certificate) {
  const TemporaryFolder folder;
  nlohmann::json json = {{"certified", true},
                         {"caveat", ""},
                         {"delta", 0.05},
                         {"sentences", {"One."}},
                         {"growth", nlohmann::json::array()},
                         {"totals",
                          {{"outliers", 1},
                           {"accepted", 1},
                           {"certified_accept", 0},
                           {"certified_reject", 0},
                           {"undecided", 1}}},
                         {"classes", {{{"label", 5}, {"threshold", 0.25}}}},
                         {"calculators", nlohmann::json::object()}};
  const std::string path = folder.file("c.json");
  testing_support::write_json(path, json);
  std::vector<ReportClass> classes(2);
  classes[0].threshold = 0.75;
  const auto read =
      nlohmann::json::parse(certificate_of(path, {3, 5}, classes));
  ASSERT_EQ(read["classes"].size(), 2u);
  EXPECT_EQ(read["classes"][0]["label"], 3);
  EXPECT_EQ(read["classes"][0]["threshold"], 0.75);
  EXPECT_EQ(read["classes"][1]["threshold"], 0.25);
  EXPECT_TRUE(read["calculators"]["required_n"].is_object());
  EXPECT_TRUE(read["calculators"]["uniform_bound"].is_null());
  json.erase("totals");
  testing_support::write_json(path, json);
  EXPECT_THROW(certificate_of(path, {3, 5}, classes), IoError);
}

TEST(ReportFiles, names_are_lines) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("names"), "cat\r\ndog\n");
  std::vector<ReportClass> classes(2);
  name_classes("", classes);
  EXPECT_EQ(classes[0].name, "");
  name_classes(folder.file("names"), classes);
  EXPECT_EQ(classes[0].name, "cat");
  EXPECT_EQ(classes[1].name, "dog");
  classes.pop_back();
  EXPECT_THROW(name_classes(folder.file("names"), classes), InvalidArgument);
}

TEST(ReportFiles, facts_and_energies_are_those_of_the_run) {
  const TemporaryFolder folder;
  testing_support::make_series_run(folder.file("my run"));
  const FinishedRun run(folder.file("my run"));
  ReportData data;
  read_run_facts(run, data);
  EXPECT_EQ(data.run.produced, 2u);
  EXPECT_EQ(data.run.seed, 3u);
  EXPECT_EQ(data.config,
            testing_support::read_bytes(folder.file("my run/config.toml")));
  EXPECT_EQ(data.command, "sbog generate plant.csv --config '" +
                              folder.file("my run/config.toml") + "' --out '" +
                              folder.file("my run-again") + "'");
  EXPECT_EQ(bank_energies(run, testing_support::kSeriesWindows).size(),
            testing_support::kSeriesWindows);
  EXPECT_THROW(bank_energies(run, 3), IoError);
}

TEST(ReportFiles, what_is_no_json_is_refused) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("a"), "{");
  EXPECT_THROW(json_of_file(folder.file("a")), IoError);
  EXPECT_THROW(json_of_file(folder.file("b")), IoError);
}

}  // namespace report_files_test
}  // namespace sbog::job
