// SPDX-License-Identifier: Apache-2.0
// The job `detect score` as a library: scores, alarms, what carries them, and
// quality against labels.
#include "sbog/job/detect_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "sbog/job/detect_train.h"

namespace sbog::testing_support {
namespace detect_score_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A detector of the embedded series, and options to score its other half.
job::DetectScoreOptions trained(const TemporaryFolder& folder,
                                const std::string& detector = "views") {
  job::DetectTrainOptions train;
  train.input.data = "demo:series";
  train.out = folder.file("m");
  train.detector = detector;
  if (detector == "carla") {
    train.width = 40;
    train.stride = 8;
    train.epochs = 3;
  }
  job::Events events;
  job::run(train, events);
  job::DetectScoreOptions options;
  options.model = train.out;
  options.input.data = "demo:series-test";
  return options;
}

TEST(DetectScore, finds_the_anomaly_and_the_channel_that_carries_it) {
  const TemporaryFolder folder;
  job::DetectScoreOptions options = trained(folder);
  options.labels = "demo:series-labels";
  job::Events events;
  const job::DetectScoreResult result = job::run(options, events);
  EXPECT_EQ(result.rows, 600u);
  EXPECT_EQ(result.detector, "views");
  EXPECT_EQ(result.level, 0.99);
  ASSERT_EQ(result.scores.size(), 600u);
  ASSERT_FALSE(result.alarms.empty());
  const Alarm& strongest = *std::max_element(
      result.alarms.begin(), result.alarms.end(),
      [](const Alarm& a, const Alarm& b) { return a.score < b.score; });
  EXPECT_GE(strongest.peak, 340u);
  EXPECT_LT(strongest.peak, 410u);
  const auto carriers = result.carriers(strongest);
  ASSERT_TRUE(carriers.has_value());
  EXPECT_EQ(carriers->channels.front().name, "2");
  double whole = 0.0;
  for (const job::ScoreShare& view : carriers->views) whole += view.share;
  EXPECT_NEAR(whole, 1.0, 1e-9);
  ASSERT_TRUE(result.quality.has_value());
  // Many times the share of anomalous rows, which is chance.
  EXPECT_GT(result.quality->average_precision, 5.0 * 50.0 / 600.0);
  const nlohmann::ordered_json json = to_json(result);
  EXPECT_EQ(json["alarms"].size(), result.alarms.size());
  EXPECT_EQ(json["quality"]["vus_pr"], result.quality->vus_pr);
}

TEST(DetectScore, writes_what_it_returns) {
  const TemporaryFolder folder;
  job::DetectScoreOptions options = trained(folder);
  options.out = folder.file("s.npy");
  options.plot = folder.file("s.svg");
  job::Events events;
  const job::DetectScoreResult result = job::run(options, events);
  EXPECT_EQ(to_vector(read_npy(options.out)), result.scores);
  EXPECT_THAT(read_bytes(options.plot), HasSubstr("</svg>"));
  options.out = folder.file("s.csv");
  job::run(options, events);
  EXPECT_THAT(read_bytes(options.out),
              ::testing::StartsWith("row,score,threshold,alarm\n0,"));
}

TEST(DetectScore, whole_windows_have_no_carriers) {
  const TemporaryFolder folder;
  job::DetectScoreOptions options = trained(folder, "carla");
  options.level = 0.1;  // low, so that there are alarms
  job::Events events;
  const job::DetectScoreResult result = job::run(options, events);
  EXPECT_EQ(result.detector, "carla");
  EXPECT_EQ(result.level, 0.1);
  ASSERT_FALSE(result.alarms.empty());
  EXPECT_FALSE(result.carriers(result.alarms.front()).has_value());
  EXPECT_FALSE(to_json(result)["alarms"][0].contains("channels"));
}

TEST(DetectScore, warns_of_drift_that_recalibration_follows) {
  const TemporaryFolder folder;
  job::DetectScoreOptions options = trained(folder);
  std::ofstream table(folder.file("drift.csv"));
  for (int t = 0; t < 600; ++t) table << "0.5,3,0.5,9." << t % 7 << "\n";
  table.close();
  options.input.data = folder.file("drift.csv");
  RecordedEvents events;
  const double share = job::run(options, events).flagged_share;
  EXPECT_THAT(events.warnings, ElementsAre(HasSubstr("drift")));
  options.recalibrate = 200;
  EXPECT_LT(job::run(options, events).flagged_share, share);
}

TEST(DetectScore, what_does_not_fit_the_detector_is_refused) {
  const TemporaryFolder folder;
  const job::DetectScoreOptions good = trained(folder);
  job::Events events;
  const auto refusal = [&](const job::DetectScoreOptions& options,
                           const char* words) {
    EXPECT_THAT([&] { job::run(options, events); },
                ThrowsMessage<InvalidArgument>(HasSubstr(words)));
  };
  job::DetectScoreOptions options = good;
  options.level = 1.0;
  refusal(options, "--level: a number in (0, 1) is expected");
  options = good;
  options.labels = "demo:labels";
  refusal(options, "--labels: 0 or 1 is expected, row ");
  options.labels = "demo:outlier-labels";
  refusal(options, "--labels: one per row is expected (600), got 60");
  options = good;
  options.input.data = "demo:plant";
  refusal(options, "trained on 4 channels, got 12");
  options = good;
  options.model = folder.file("absent");
  EXPECT_THROW(job::run(options, events), IoError);
}

TEST(DetectScore, a_stopped_job_writes_nothing) {
  const TemporaryFolder folder;
  job::DetectScoreOptions options = trained(folder);
  options.out = folder.file("s.npy");
  RecordedEvents events;
  events.stop();
  EXPECT_EQ(job::run(options, events).status, job::Status::kStopped);
  EXPECT_FALSE(std::filesystem::exists(options.out));
}

}  // namespace detect_score_test
}  // namespace sbog::testing_support
