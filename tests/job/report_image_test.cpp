// SPDX-License-Identifier: Apache-2.0
// The report of a run on images as data: what it adds to that of its points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "job/made_runs.h"
#include "sbog/base/errors.h"
#include "sbog/job/report_files.h"

namespace sbog::job {
namespace report_image_test {

using testing_support::make_image_run;
using testing_support::TemporaryFolder;

std::optional<ReportData> report_of(const std::string& folder) {
  ReportOptions options;
  options.run = folder;
  options.compute_missing = false;
  Events events;
  return image_report(options, FinishedRun(folder), events, {});
}

TEST(ReportImage, images_and_their_metrics_come_with_the_points) {
  const TemporaryFolder folder;
  make_image_run(folder.file("run"));
  const auto data = report_of(folder.file("run"));
  ASSERT_TRUE(data);
  EXPECT_EQ(data->images_total, 2u);
  ASSERT_EQ(data->images.size(), 2u);
  EXPECT_EQ(data->images[0].outlier, 0u);
  EXPECT_EQ(data->images[1].outlier, 7u);
  EXPECT_EQ(data->images[1].cls, 1u);
  EXPECT_EQ(data->images[1].energy, 0.3);
  EXPECT_EQ(data->images[0].png, data->images[0].source_png);
  ASSERT_TRUE(data->metrics);
  EXPECT_EQ(data->metrics->front().name, "Accuracy");
  EXPECT_EQ(data->metrics->front().value, 0.75);
  EXPECT_EQ(data->metrics->back().value, std::nullopt);  // unseen images
  EXPECT_THAT(data->notes.back(), ::testing::HasSubstr("decoder mix"));
}

TEST(ReportImage, an_image_of_an_unknown_class_is_refused) {
  const TemporaryFolder folder;
  make_image_run(folder.file("run"));
  const std::string path = folder.file("run/decoded/images.csv");
  std::string text = testing_support::read_bytes(path);
  text.replace(text.find("1,7,1,"), 6, "1,7,9,");
  write_file_atomically(path, text);
  EXPECT_THROW(report_of(folder.file("run")), IoError);
}

}  // namespace report_image_test
}  // namespace sbog::job
