// SPDX-License-Identifier: Apache-2.0
// The report of a run on points as data.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "job/made_runs.h"
#include "sbog/base/errors.h"
#include "sbog/job/report_files.h"

namespace sbog::job {
namespace report_latent_test {

using testing_support::make_points_run;
using testing_support::TemporaryFolder;

TEST(ReportLatent, classes_and_outliers_are_those_of_the_run) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  ReportOptions options;
  options.run = folder.file("run");
  const FinishedRun finished(options.run);
  Events events;
  const auto data = latent_report(options, finished, events, {});
  ASSERT_TRUE(data);
  ASSERT_EQ(data->classes.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) {
    const nlohmann::json& entry = finished.manifest()["classes"][c];
    EXPECT_EQ(data->classes[c].name, "class " + std::to_string(c));
    EXPECT_EQ(data->classes[c].threshold, entry["threshold"].get<double>());
    EXPECT_EQ(data->classes[c].produced, 6u);
    EXPECT_TRUE(data->classes[c].purity);
    EXPECT_EQ(data->classes[c].epsilon, entry["epsilon"].get<double>());
    ASSERT_TRUE(data->classes[c].radius);
    EXPECT_EQ(data->classes[c].radius->second, entry["radius"][1]);
  }
  EXPECT_EQ(data->run.level, 0.95);
  EXPECT_EQ(data->run.distance_ratio, finished.manifest()["distance_ratio"]);
  EXPECT_EQ(data->bank.total, 600u);
  ASSERT_TRUE(data->metrics);
  EXPECT_FALSE(data->certificate.empty());
}

TEST(ReportLatent, a_run_of_before_has_a_report) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  const std::string path = folder.file("run/manifest.json");
  nlohmann::json manifest = testing_support::read_json(path);
  const double ratio = manifest["distance_ratio"];
  manifest.erase("level");
  manifest.erase("distance_ratio");
  for (auto& entry : manifest["classes"]) {
    entry.erase("epsilon");
    entry.erase("radius");
  }
  manifest["classes"][1]["radius"] = {0.0, 0.0};
  manifest["classes"][2]["radius"] = "?";
  testing_support::write_json(path, manifest);
  ReportOptions options;
  options.run = folder.file("run");
  options.compute_missing = false;
  Events events;
  auto data = latent_report(options, FinishedRun(options.run), events, {});
  ASSERT_TRUE(data);
  EXPECT_FALSE(data->run.level);
  EXPECT_FALSE(data->run.distance_ratio);
  for (const ReportClass& cls : data->classes) {
    EXPECT_FALSE(cls.epsilon);
    EXPECT_FALSE(cls.radius);
  }
  // Its metrics know the ratio.
  options.compute_missing = true;
  data = latent_report(options, FinishedRun(options.run), events, {});
  ASSERT_TRUE(data);
  ASSERT_TRUE(data->run.distance_ratio);
  EXPECT_NEAR(*data->run.distance_ratio, ratio, 1e-9);
}

TEST(ReportLatent, a_table_of_another_length_is_refused) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  const std::string path = folder.file("run/outliers.csv");
  std::string text = testing_support::read_bytes(path);
  text.erase(text.rfind('\n', text.size() - 2) + 1);
  write_file_atomically(path, text);
  ReportOptions options;
  options.run = folder.file("run");
  Events events;
  EXPECT_THROW(latent_report(options, FinishedRun(options.run), events, {}),
               IoError);
}

}  // namespace report_latent_test
}  // namespace sbog::job
