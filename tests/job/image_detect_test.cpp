// SPDX-License-Identifier: Apache-2.0
// Detectors of images without LibTorch: options by score, files, results.
#include "sbog/job/image_detect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"

namespace sbog::testing_support {
namespace image_detect_test {

using job::ImageDetectorOptions;
using ::testing::HasSubstr;

ImageDetectorOptions options_of(const std::string& score,
                                const std::string& model = {},
                                const std::string& outliers = {}) {
  ImageDetectorOptions options;
  options.data = "demo:shapes";
  options.settings.score = score;
  options.settings.model = model;
  options.settings.outliers = outliers;
  return options;
}

std::string fault_of(const ImageDetectorOptions& options) {
  try {
    job::check_image_detector(options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(ImageDetect, every_score_has_its_own_options) {
  EXPECT_EQ(fault_of(options_of("lse")), "");
  EXPECT_EQ(fault_of(options_of("knn", "m")), "");
  EXPECT_EQ(fault_of(options_of("head", "m", "run")), "");
  EXPECT_THAT(fault_of(options_of("soe")), HasSubstr("needs --model"));
  EXPECT_THAT(fault_of(options_of("knn", "m", "run")),
              HasSubstr("--outliers: the score knn learns nothing"));
  ImageDetectorOptions knn = options_of("knn", "m");
  knn.epochs = 3;
  EXPECT_THAT(fault_of(knn), HasSubstr("--epochs: the score knn"));
  ImageDetectorOptions soe = options_of("soe", "m");
  soe.settings.loss = "energy";
  EXPECT_THAT(fault_of(soe), HasSubstr("--loss: the score soe"));
}

TEST(ImageDetect, what_a_trained_encoder_or_no_outliers_rule_out_is_refused) {
  ImageDetectorOptions trained = options_of("msp", "m");
  trained.settings.held_out = 0.1;
  EXPECT_THAT(fault_of(trained), HasSubstr("--held-out: the encoder of"));
  ImageDetectorOptions alone = options_of("lse");
  alone.settings.weight = 2.0;
  EXPECT_THAT(fault_of(alone), HasSubstr("--weight: it is about outliers"));
}

TEST(ImageDetect, numbers_out_of_range_are_refused) {
  ImageDetectorOptions level = options_of("lse");
  level.level = 0.0;
  EXPECT_THAT(fault_of(level), HasSubstr("--level"));
  ImageDetectorOptions none = options_of("knn", "m");
  none.settings.neighbours = 0;
  EXPECT_THAT(fault_of(none), HasSubstr("neighbours: at least 1"));
  ImageDetectorOptions sharp = options_of("soe", "m");
  sharp.settings.epsilon = -1.0;
  EXPECT_THAT(fault_of(sharp), HasSubstr("epsilon"));
  ImageDetectorOptions pixels = options_of("lse");
  pixels.settings.neighbours = 3;
  EXPECT_THAT(fault_of(pixels), HasSubstr("--neighbours: the score lse"));
}

TEST(ImageDetect, settings_that_only_images_have_mean_images) {
  EXPECT_TRUE(job::is_for_images("demo:shapes", {}));
  EXPECT_FALSE(job::is_for_images("demo:series", {}));
  EXPECT_TRUE(job::is_for_images("x.npy", options_of("knn", "m").settings));
  const std::set<std::string> shared = {"score",      "labels",  "held_out",
                                        "neighbours", "epsilon", "class_names"};
  for (const OptionInfo& info : job::image_detector_table().infos()) {
    EXPECT_EQ(info.kinds,
              shared.contains(info.name) ? kForPoints | kForImages : kForImages)
        << info.name;
  }
  for (const OptionInfo& info : job::image_score_table().infos()) {
    EXPECT_EQ(info.kinds,
              info.name == "outside" ? kForPoints | kForImages : kForImages)
        << info.name;
  }
}

TEST(ImageDetect, scores_of_points_judge_embeddings) {
  for (const char* score : {"rmd", "mean", "span", "sum"}) {
    EXPECT_EQ(fault_of(options_of(score, "m")), "");
  }
  ImageDetectorOptions options = options_of("sum", "m", "run");
  EXPECT_EQ(fault_of(options), "");
  options.points.sum = {"rmd", "knn"};
  EXPECT_THAT(fault_of(options),
              HasSubstr("--outliers: the score sum learns nothing"));
  options = options_of("sum", "m");
  options.level = 0.9;
  options.epochs = 3;
  options.seed = 5;
  options.settings.neighbours = 7;
  options.settings.epsilon = 0.5;
  options.points.shrinkage = 0.25;
  const job::PointTrainOptions points = job::embedding_options(options);
  EXPECT_EQ(points.score, "sum");
  EXPECT_EQ(points.level, 0.9);
  EXPECT_EQ(points.epochs, 3u);
  EXPECT_EQ(points.seed, 5u);
  EXPECT_EQ(points.neighbours, 7u);
  EXPECT_EQ(points.epsilon.number(), 0.5);
  EXPECT_EQ(points.settings.shrinkage, 0.25);
}

TEST(ImageDetect, a_detector_of_images_is_known_by_its_file) {
  const TemporaryFolder folder;
  write_safetensors(folder.file("pixels"), {},
                    {{"role", "sbog image detector 1"}});
  write_safetensors(folder.file("series"), {}, {{"format", "another"}});
  EXPECT_TRUE(job::is_image_detector(folder.file("pixels")));
  EXPECT_FALSE(job::is_image_detector(folder.file("series")));
  std::filesystem::create_directory(folder.file("d"));
  EXPECT_THROW(job::is_image_detector(folder.file("d")), IoError);
  write_safetensors(folder.file("d/detector.safetensors"), {},
                    {{"format", "sbog-point-detector-2"}});
  EXPECT_TRUE(job::is_image_detector(folder.file("d")));
  write_safetensors(folder.file("d/detector.safetensors"), {}, {});
  EXPECT_THROW(job::is_image_detector(folder.file("d")), IoError);
  EXPECT_THROW(job::is_image_detector(folder.file("absent")), IoError);
}

TEST(ImageDetect, results_tell_what_belongs_to_their_score) {
  job::ImageDetectorResult result;
  result.options = options_of("lse");
  result.images = 7;
  result.accuracy_before = 0.5;
  nlohmann::json pixels = to_json(result);
  EXPECT_EQ(pixels["images"], 7);
  EXPECT_EQ(pixels["accuracy_before"], 0.5);
  EXPECT_FALSE(pixels.contains("bank"));
  result.options = options_of("knn", "m");
  result.neighbours = 5;
  nlohmann::json nearness = to_json(result);
  EXPECT_EQ(nearness["encoder"], "m");
  EXPECT_EQ(nearness["neighbours"], 5);
  EXPECT_FALSE(nearness.contains("images"));
  job::ImageScoreResult scored;
  scored.outside = job::OutsideQuality{};
  scored.outside->auroc = 0.75;
  EXPECT_EQ(nlohmann::json(to_json(scored))["outside"]["auroc"], 0.75);
}

}  // namespace image_detect_test
}  // namespace sbog::testing_support
