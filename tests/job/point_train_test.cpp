// SPDX-License-Identifier: Apache-2.0
// The part of `detect train` that is about points.
#include "sbog/job/point_train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "sbog/detect/point_detector_file.h"

namespace sbog::testing_support {
namespace point_train_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

job::PointTrainOptions quick(const TemporaryFolder& folder) {
  job::PointTrainOptions options;
  options.data = "demo:bank";
  options.labels = "demo:labels";
  options.out = folder.file("m.safetensors");
  options.epochs = 2;
  options.settings.outliers_per_epoch = 50;
  return options;
}

void write_lines(const std::string& path, std::size_t lines) {
  std::ofstream file(path);
  for (std::size_t i = 0; i < lines; ++i) file << "line\t" << i << "\r\n";
}

TEST(PointTrain, writes_a_detector_and_tells_what_it_is) {
  const TemporaryFolder folder;
  RecordedEvents events;
  const job::PointTrainResult result = job::train_points(quick(folder), events);
  EXPECT_EQ(result.status, job::Status::kDone);
  EXPECT_THAT(result.scores, ElementsAre("head", "rmd", "mean"));
  EXPECT_EQ(result.bank, 480u);
  EXPECT_EQ(result.held_out, 120u);
  EXPECT_EQ(result.dimensions, 4u);
  EXPECT_EQ(result.classes, 3u);
  EXPECT_EQ(result.outliers, 17500u);  // 350 epochs: 700 steps
  EXPECT_TRUE(events.warnings.empty());
  EXPECT_THAT(events.stages, ElementsAre("training"));
  const detect::PointDetector read =
      detect::read_point_detector(result.options.out);
  EXPECT_EQ(read.threshold(0.95), result.threshold);
  EXPECT_EQ(to_json(result)["threshold"], result.threshold);
}

TEST(PointTrain, the_options_reach_the_detector) {
  const TemporaryFolder folder;
  job::Events events;
  job::PointTrainOptions options = quick(folder);
  options.score = "sum";
  options.settings.sum = {"soe", "knn"};
  options.settings.soe_reference = "all";
  options.settings.shrinkage = 0.5;
  options.neighbours = 2;
  options.epsilon = 0.2;
  options.held_out = 0.5;
  options.level = 0.8;
  options.seed = 9;
  EXPECT_EQ(job::train_points(options, events).bank, 300u);
  const detect::PointDetectorOptions kept =
      detect::read_point_detector(options.out).state().options;
  EXPECT_THAT(kept.scores,
              ElementsAre(detect::PointScore::kSoe, detect::PointScore::kKnn));
  EXPECT_FALSE(kept.score.is_soe_per_class);
  EXPECT_EQ(kept.shrinkage, 0.5);
  EXPECT_EQ(kept.score.neighbours, 2u);
  EXPECT_EQ(kept.score.epsilon, 0.2);
  EXPECT_EQ(kept.level, 0.8);
  EXPECT_EQ(kept.seed, 9u);
}

TEST(PointTrain, names_and_items_are_kept_for_rows_of_the_bank) {
  const TemporaryFolder folder;
  job::Events events;
  job::PointTrainOptions options = quick(folder);
  options.settings.items = folder.file("items.txt");
  write_lines(options.settings.items, 600);
  options.class_names = folder.file("names.txt");
  std::ofstream(options.class_names) << "red\ngreen\nblue\n";
  (void)job::train_points(options, events);
  const detect::PointDetector read = detect::read_point_detector(options.out);
  EXPECT_EQ(read.class_name(2), "blue");
  ASSERT_EQ(read.state().items.size(), 480u);
  EXPECT_EQ(read.state().items[7],
            "line " + std::to_string(read.state().bank_rows[7]));
}

TEST(PointTrain, without_labels_there_is_one_class) {
  const TemporaryFolder folder;
  job::Events events;
  job::PointTrainOptions options = quick(folder);
  options.labels.clear();
  const job::PointTrainResult result = job::train_points(options, events);
  EXPECT_THAT(result.scores, ElementsAre("rmd", "knn"));
  EXPECT_EQ(result.classes, 1u);
  EXPECT_EQ(result.outliers, 0u);
}

TEST(PointTrain, rows_apart_may_give_the_threshold) {
  const TemporaryFolder folder;
  job::Events events;
  job::PointTrainOptions options = quick(folder);
  options.settings.calibration = "demo:outliers";
  const job::PointTrainResult result = job::train_points(options, events);
  EXPECT_EQ(result.bank, 600u);
  EXPECT_EQ(result.held_out, 60u);
}

TEST(PointTrain, what_makes_no_sense_is_refused_before_anything_is_written) {
  const TemporaryFolder folder;
  const TemporaryFolder inputs;
  job::Events events;
  const auto refusal = [&](auto change, const char* words) {
    job::PointTrainOptions options = quick(folder);
    change(options);
    EXPECT_THAT([&] { (void)job::train_points(options, events); },
                ThrowsMessage<InvalidArgument>(HasSubstr(words)));
  };
  using O = job::PointTrainOptions;
  const auto unlabelled = [](const char* score) {
    return [score](O& o) {
      o.labels.clear();
      o.score = score;
    };
  };
  refusal(unlabelled("head"), "name the classes of the rows by --labels");
  refusal(unlabelled("msp"), "the score msp learns to tell classes apart");
  refusal([](O& o) { o.score = "odin"; }, "got 'odin'");
  refusal([](O& o) { o.settings.sum = {"rmd"}; }, "at least two scores");
  refusal(
      [](O& o) {
        o.score = "rmd";
        o.settings.sum = {"rmd", "knn"};
      },
      "--sum: it goes with --score sum only");
  refusal(
      [](O& o) {
        o.settings.radius = {true, 0.0, 0.0};
      },
      "--radius: a number or a range");
  refusal(
      [](O& o) {
        o.settings.radius = {false, 2.0, 1.0};
      },
      "the smaller first");
  refusal([](O& o) { o.settings.outliers_per_epoch = 0; },
          "--outliers-per-epoch: at least 1");
  refusal([](O& o) { o.level = 1.0; }, "level");
  refusal([](O& o) { o.settings.calibration = "demo:labels"; },
          "rows of 4 numbers are expected");
  refusal([](O& o) { o.labels = "demo:outlier-labels"; },
          "one per row is expected (600), got 60");
  refusal(
      [&](O& o) {
        o.settings.items = inputs.file("items.txt");
        write_lines(o.settings.items, 5);
      },
      "one line per row of the bank is expected (600)");
  refusal(
      [&](O& o) {
        o.class_names = inputs.file("names.txt");
        std::ofstream(o.class_names) << "red\n";
      },
      "none of them for the class 1");
  EXPECT_TRUE(folder.is_empty());
}

TEST(PointTrain, a_value_that_is_not_finite_is_refused_by_its_place) {
  const TemporaryFolder folder;
  job::Events events;
  Matrix<float> rows(30, 3);
  for (float& x : rows.elements()) x = 1.0F;
  rows(4, 2) = std::numeric_limits<float>::infinity();
  write_npy(folder.file("bank.npy"), rows.view());
  job::PointTrainOptions options = quick(folder);
  options.data = folder.file("bank.npy");
  options.labels.clear();
  EXPECT_THAT([&] { (void)job::train_points(options, events); },
              ThrowsMessage<InvalidArgument>(HasSubstr("row 4, column 2")));
}

TEST(PointTrain, few_rows_are_warned_about) {
  const TemporaryFolder folder;
  RecordedEvents events;
  Matrix<float> rows(10, 20);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows.elements()[i] = static_cast<float>((i * 7919) % 23) - 11.0F;
  }
  write_npy(folder.file("bank.npy"), rows.view());
  job::PointTrainOptions options = quick(folder);
  options.data = folder.file("bank.npy");
  options.labels.clear();
  options.score = "rmd";
  const job::PointTrainResult result = job::train_points(options, events);
  EXPECT_THAT(events.warnings,
              ElementsAre(HasSubstr("fewer rows (8) than dimensions (20)"),
                          HasSubstr("too few held-out rows (2)")));
  EXPECT_FALSE(to_json(result).contains("threshold"));
}

TEST(PointTrain, a_stopped_training_writes_nothing) {
  const TemporaryFolder folder;
  RecordedEvents events;
  events.stop_after = 1;
  EXPECT_EQ(job::train_points(quick(folder), events).status,
            job::Status::kStopped);
  EXPECT_THAT(events.notes, ElementsAre("interrupted; nothing was written"));
  EXPECT_TRUE(folder.is_empty());
}

TEST(PointTrain, items_are_lines_without_control_characters) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("items.txt")) << "one\x1b[31m\n\ntwo\n\n";
  EXPECT_THAT(job::load_items(folder.file("items.txt"), 3),
              ElementsAre("one [31m", "", "two"));
  EXPECT_THROW((void)job::load_items(folder.file("missing.txt"), 3), IoError);
}

}  // namespace point_train_test
}  // namespace sbog::testing_support
