// SPDX-License-Identifier: Apache-2.0
// The part of `detect score` that is about points.
#include "sbog/job/point_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"
#include "sbog/detect/point_detector_file.h"
#include "sbog/job/detect_score.h"
#include "sbog/job/point_train.h"

namespace sbog::testing_support {
namespace point_score_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A folder with a trained detector m.safetensors.
struct Trained : TemporaryFolder {
  Trained() {
    job::PointTrainOptions options;
    options.data = "demo:bank";
    options.labels = "demo:labels";
    options.out = file("m.safetensors");
    options.score = "sum";
    options.settings.sum = {"rmd", "mean"};
    job::Events events;
    (void)job::train_points(options, events);
  }
  job::PointScoreOptions options() const {
    job::PointScoreOptions options;
    options.model = file("m.safetensors");
    options.data = "demo:queries";
    return options;
  }
};

TEST(PointScore, says_which_rows_are_unusual_and_why) {
  const Trained folder;
  job::Events events;
  const job::PointScoreResult result =
      job::score_rows_of(folder.options(), events);
  ASSERT_EQ(result.verdicts.size(), 9u);
  EXPECT_EQ(result.level, 0.95);
  EXPECT_EQ(result.held_out, 120u);
  std::size_t unusual = 0;
  for (const job::PointVerdict& verdict : result.verdicts) {
    EXPECT_EQ(verdict.is_unusual, verdict.score > result.threshold);
    EXPECT_EQ(verdict.is_unusual, verdict.row >= 3) << verdict.row;
    EXPECT_EQ(verdict.near.size(), 3u);
    EXPECT_EQ(verdict.parts.size(), 2u);
    EXPECT_EQ(verdict.carriers.size(), verdict.is_unusual ? 3u : 0u);
    unusual += verdict.is_unusual ? 1 : 0;
  }
  EXPECT_EQ(result.unusual, unusual);
  const std::vector<std::size_t> rows = result.unusual_rows();
  EXPECT_EQ(rows.size(), unusual);
  EXPECT_TRUE(std::ranges::is_sorted(rows, [&](auto a, auto b) {
    return result.verdicts[a].score > result.verdicts[b].score;
  }));
  const nlohmann::ordered_json json = to_json(result);
  EXPECT_EQ(json["unusual"], unusual);
  EXPECT_EQ(json["verdicts"][0]["row"], rows[0]);
  EXPECT_EQ(json["verdicts"][0]["scores"]["rmd"],
            result.verdicts[rows[0]].parts[0]);
  EXPECT_FALSE(json["verdicts"][0]["near"][0].contains("item"));
}

TEST(PointScore, the_level_moves_the_threshold) {
  const Trained folder;
  job::Events events;
  job::PointScoreOptions options = folder.options();
  options.level = 0.5;
  const job::PointScoreResult result = job::score_rows_of(options, events);
  EXPECT_EQ(result.threshold,
            detect::read_point_detector(options.model).threshold(0.5));
  options.level = 0.0;
  EXPECT_THAT([&] { (void)job::score_rows_of(options, events); },
              ThrowsMessage<InvalidArgument>(HasSubstr("--level")));
}

TEST(PointScore, rows_of_something_else_are_told_apart) {
  const Trained folder;
  job::Events events;
  job::PointScoreOptions options = folder.options();
  options.data = "demo:bank";
  options.labels = "demo:labels";
  options.outside = "demo:outliers";
  const job::PointScoreResult result = job::score_rows_of(options, events);
  ASSERT_TRUE(result.outside.has_value());
  EXPECT_EQ(result.outside->rows, 60u);
  EXPECT_GT(result.outside->auroc, 0.8);
  EXPECT_LT(result.outside->fpr95, 0.6);
  EXPECT_GT(*result.accuracy, 0.95);
  EXPECT_EQ(to_json(result)["outside"]["auroc"], result.outside->auroc);
}

TEST(PointScore, a_table_has_the_nearest_items) {
  const Trained folder;
  job::Events events;
  job::PointScoreOptions options = folder.options();
  options.items = folder.file("items.txt");
  {
    std::ofstream items(options.items);
    for (int i = 0; i < 600; ++i) items << "item, " << i << "\n";
  }
  options.out = folder.file("scores.csv");
  const job::PointScoreResult result = job::score_rows_of(options, events);
  for (const job::NearItem& near : result.verdicts[4].near) {
    EXPECT_EQ(near.item, "item, " + std::to_string(near.row));
  }
  CsvOptions csv;
  csv.text_columns = {"class", "item_1", "item_2", "item_3"};
  const CsvTable table = read_csv(options.out, csv);
  EXPECT_THAT(table.header,
              ElementsAre("row", "score", "threshold", "p_value", "unusual",
                          "near_1", "near_2", "near_3"));
  ASSERT_EQ(table.values.rows(), 9u);
  EXPECT_EQ(table.values(4, 1), result.verdicts[4].score);
  EXPECT_EQ(table.values(4, 3), result.verdicts[4].p_value);
  EXPECT_EQ(table.texts[1][4], result.verdicts[4].near[0].item);
}

TEST(PointScore, scores_alone_go_to_an_array) {
  const Trained folder;
  job::Events events;
  job::PointScoreOptions options = folder.options();
  options.out = folder.file("scores.npy");
  const job::PointScoreResult result = job::score_rows_of(options, events);
  const std::vector<double> scores = to_vector(read_npy(options.out));
  ASSERT_EQ(scores.size(), 9u);
  EXPECT_EQ(scores[5], result.verdicts[5].score);
}

TEST(PointScore, what_does_not_fit_is_refused) {
  const Trained folder;
  job::Events events;
  Matrix<float> wide(2, 5);
  for (float& x : wide.elements()) x = 1.0F;
  write_npy(folder.file("wide.npy"), wide.view());
  const auto refusal = [&](auto change, const char* words) {
    job::PointScoreOptions options = folder.options();
    change(options);
    EXPECT_THAT([&] { (void)job::score_rows_of(options, events); },
                ThrowsMessage<InvalidArgument>(HasSubstr(words)));
  };
  using O = job::PointScoreOptions;
  refusal(
      [&](O& o) { o.data = folder.file("wide.npy"); },
      "rows of 4 numbers are expected, as in the bank of the detector, got 5");
  refusal([&](O& o) { o.outside = folder.file("wide.npy"); }, "got 5");
  refusal([](O& o) { o.labels = "demo:labels"; }, "--labels");
  refusal(
      [&](O& o) {
        o.items = folder.file("items.txt");
        std::ofstream(o.items) << "one\n";
      },
      "--items: one line per row of the bank is expected (600)");
  job::PointScoreOptions options = folder.options();
  options.model = folder.file("wide.npy");
  EXPECT_THROW((void)job::score_rows_of(options, events), IoError);
}

TEST(PointScore, the_job_knows_the_model_for_one_of_points) {
  const Trained folder;
  job::Events events;
  job::DetectScoreOptions options;
  options.model = folder.file("m.safetensors");
  options.input.data = "demo:queries";
  options.level = 0.9;
  const job::DetectScoreResult result = job::run(options, events);
  ASSERT_TRUE(result.points.has_value());
  EXPECT_EQ(result.points->level, 0.9);
  EXPECT_EQ(to_json(result)["kind"], "latent");
  job::DetectScoreOptions other;
  const std::vector<Assignment> given = {{"model", {options.model}, "MODEL"},
                                         {"data", {"demo:queries"}, "DATA"},
                                         {"gap", {"3"}, "--gap"}};
  EXPECT_THAT([&] { job::detect_score_option_table().apply(given, other); },
              ThrowsMessage<InvalidArgument>(
                  HasSubstr("--gap: this option is for series only")));
}

TEST(PointScore, a_stopped_scoring_writes_nothing) {
  const Trained folder;
  RecordedEvents events;
  events.stop();
  job::PointScoreOptions options = folder.options();
  options.out = folder.file("scores.npy");
  EXPECT_EQ(job::score_rows_of(options, events).status, job::Status::kStopped);
  EXPECT_FALSE(std::filesystem::exists(options.out));
}

}  // namespace point_score_test
}  // namespace sbog::testing_support
