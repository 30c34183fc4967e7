// SPDX-License-Identifier: Apache-2.0
// The job `detect train` as a library: results, and which options go together.
#include "sbog/job/detect_train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/series/detector_file.h"

namespace sbog::testing_support {
namespace detect_train_test {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

job::DetectTrainOptions quick(const std::string& out) {
  job::DetectTrainOptions options;
  options.input.data = "demo:series";
  options.out = out;
  return options;
}

job::DetectTrainOptions with_head(const std::string& out) {
  job::DetectTrainOptions options = quick(out);
  options.detector = "carla";
  options.width = 40;
  options.stride = 8;
  options.epochs = 3;
  return options;
}

// Options from assignments, as every source of options gives them.
job::DetectTrainOptions applied(std::vector<Assignment> given) {
  given.push_back({"out", {"x"}, "--out"});
  for (Assignment& assignment : given) {
    assignment.spelling = "--" + dashed(assignment.name);
  }
  job::DetectTrainOptions options;
  job::detect_train_option_table().apply(given, options);
  return options;
}

TEST(DetectTrain, writes_a_detector_and_tells_its_threshold) {
  const TemporaryFolder folder;
  job::Events events;
  job::DetectTrainOptions options = quick(folder.file("m"));
  options.level = 0.9;
  options.causal = true;
  const job::DetectTrainResult result = job::run(options, events);
  EXPECT_EQ(result.status, job::Status::kDone);
  EXPECT_EQ(result.rows, 1200u);
  EXPECT_EQ(result.channels, 4u);
  EXPECT_EQ(result.level, 0.9);
  EXPECT_FALSE(result.clusters.has_value());
  const Detector read = read_detector(folder.file("m"));
  EXPECT_EQ(read.threshold(0.9), result.threshold);
  EXPECT_TRUE(read.options().is_causal);
  const nlohmann::ordered_json json = to_json(result);
  EXPECT_EQ(json["detector"], "views");
  EXPECT_EQ(json["threshold"], result.threshold);
}

TEST(DetectTrain, a_head_tells_how_it_was_trained) {
  const TemporaryFolder folder;
  RecordedEvents events;
  const job::DetectTrainResult result =
      job::run(with_head(folder.file("m")), events);
  ASSERT_TRUE(result.clusters.has_value());
  EXPECT_EQ(result.level, 0.99);
  EXPECT_EQ(result.clusters->windows, 145u);
  EXPECT_EQ(result.clusters->head.negatives, 145u);
  const bool is_collapsed = result.clusters->is_encoder_collapsed ||
                            result.clusters->head.spread.is_collapsed;
  EXPECT_EQ(result.status,
            is_collapsed ? job::Status::kNotReached : job::Status::kDone);
  EXPECT_EQ(events.warnings.size(), is_collapsed ? 1u : 0u);
  EXPECT_EQ(to_json(result)["collapsed"], is_collapsed);
}

TEST(DetectTrain, a_stopped_training_writes_nothing) {
  const TemporaryFolder folder;
  for (const bool is_head : {false, true}) {
    RecordedEvents events;
    events.stop_after = 1;
    if (!is_head) events.stop();
    const job::DetectTrainResult result = job::run(
        is_head ? with_head(folder.file("m")) : quick(folder.file("m")),
        events);
    EXPECT_EQ(result.status, job::Status::kStopped);
    EXPECT_THAT(events.notes,
                ::testing::ElementsAre("interrupted; nothing was written"));
  }
  EXPECT_TRUE(folder.is_empty());
}

TEST(DetectTrain, options_of_another_detector_or_kind_are_refused) {
  const auto refusal = [](std::vector<Assignment> given, const char* words) {
    EXPECT_THAT([&] { applied(given); },
                ThrowsMessage<InvalidArgument>(HasSubstr(words)));
  };
  const Assignment series{"data", {"demo:series"}, {}};
  const Assignment shapes{"data", {"demo:shapes"}, {}};
  const Assignment carla{"detector", {"carla"}, {}};
  refusal({series, carla, {"causal", {"true"}, {}}},
          "--causal: the detector carla has no such option");
  refusal({series, carla, {"joint_rows", {"5"}, {}}}, "--joint-rows");
  refusal({series, {"epochs", {"3"}, {}}},
          "--epochs: only the detectors carla and sbog have it");
  refusal({series, {"score", {"msp"}, {}}},
          "--score: this option is not for series");
  refusal({series, {"items", {"x"}, {}}},
          "--items: this option is for points only");
  const Assignment bank{"data", {"demo:bank"}, {}};
  const Assignment labels{"labels", {"demo:labels"}, {}};
  refusal({bank, {"time", {"none"}, {}}},
          "--time: this option is for series only");
  refusal({bank, {"side", {"8"}, {}}},
          "--side: this option is for images only");
  refusal({bank, labels, {"neighbours", {"3"}, {}}},
          "--neighbours: the score sum has no such option");
  refusal({bank, {"epochs", {"3"}, {}}, {"score", {"knn"}, {}}},
          "--epochs: the score knn has no such option");
  refusal({bank, {"radius", {"1:2"}, {}}, {"score", {"lse"}, {}}},
          "--radius: the score lse has no such option");
  EXPECT_NO_THROW(applied({bank, {"neighbours", {"3"}, {}}}));
  EXPECT_NO_THROW(applied({bank, labels, {"epochs", {"3"}, {}}}));
  refusal({shapes, carla}, "--detector: this option is not for images");
  refusal({series, {"kind", {"image"}, {}}, {"time", {"none"}, {}}},
          "--time: this option is not for images");
}

TEST(DetectTrain, the_kind_follows_from_data_and_options) {
  EXPECT_EQ(applied({{"data", {"demo:series"}, {}}}).kind, job::Kind::kSeries);
  EXPECT_EQ(applied({{"data", {"demo:shapes"}, {}}}).kind, job::Kind::kImages);
  EXPECT_EQ(applied({{"data", {"x"}, {}}, {"model", {"m"}, {}}}).kind,
            job::Kind::kImages);
  EXPECT_EQ(applied({{"data", {"demo:bank"}, {}}}).kind, job::Kind::kPoints);
  EXPECT_EQ(applied({{"data", {"x"}, {}}, {"labels", {"y"}, {}}}).kind,
            job::Kind::kPoints);
  EXPECT_EQ(applied({{"data", {"x"}, {}}, {"score", {"knn"}, {}}}).kind,
            job::Kind::kPoints);
  EXPECT_EQ(applied({{"data", {"x"}, {}}}).kind, job::Kind::kSeries);
}

TEST(DetectTrain, options_that_points_and_images_share_reach_the_points) {
  const job::DetectTrainOptions options =
      applied({{"data", {"x"}, {}},
               {"labels", {"y"}, {}},
               {"held_out", {"0.3"}, {}},
               {"class_names", {"names"}, {}},
               {"score", {"sum"}, {}},
               {"sum", {"knn", "soe"}, {}},
               {"neighbours", {"7"}, {}},
               {"epsilon", {"0.1"}, {}}});
  EXPECT_EQ(options.points.labels, "y");
  EXPECT_EQ(options.points.class_names, "names");
  EXPECT_EQ(options.points.held_out, 0.3);
  EXPECT_EQ(options.points.neighbours, 7u);
  EXPECT_EQ(options.points.epsilon.number(), 0.1);
  EXPECT_EQ(options.points.settings.sum,
            (std::vector<std::string>{"knn", "soe"}));
  EXPECT_EQ(applied({{"data", {"x"}, {}}, {"labels", {"y"}, {}}}).points.score,
            "sum");
}

TEST(DetectTrain, a_bank_becomes_a_detector_of_points) {
  const TemporaryFolder folder;
  job::Events events;
  job::DetectTrainOptions options;
  options.input.data = "demo:bank";
  options.out = folder.file("m");
  options.points.labels = "demo:labels";
  options.level = 0.9;
  options.epochs = 2;
  options.seed = 4;
  const job::DetectTrainResult result = job::run(options, events);
  ASSERT_TRUE(result.points.has_value());
  EXPECT_EQ(result.points->options.level, 0.9);
  EXPECT_EQ(result.points->options.epochs, 2u);
  EXPECT_EQ(result.points->options.seed, 4u);
  EXPECT_EQ(to_json(result)["kind"], "latent");
}

TEST(DetectTrain, what_cannot_be_learnt_from_is_refused) {
  const TemporaryFolder folder;
  job::Events events;
  job::DetectTrainOptions options = quick(folder.file("m"));
  options.level = 1.0;
  EXPECT_THROW(job::run(options, events), InvalidArgument);
  options = quick(folder.file("m"));
  options.detector = "magic";
  EXPECT_THROW(job::run(options, events), InvalidArgument);
  EXPECT_THROW(job::run(quick(folder.file("no/m")), events), IoError);
  EXPECT_TRUE(folder.is_empty());
}

}  // namespace detect_train_test
}  // namespace sbog::testing_support
