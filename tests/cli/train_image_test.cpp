// SPDX-License-Identifier: Apache-2.0
// sbog train image from the outside: a model for generate, options that reach
// the encoder, features from elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/small_images.h"
#include "sbog/base/matrix.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace train_image_test {

using nlohmann::json;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(TrainImage,
     a_trained_model_is_used_by_generate_and_gives_the_same_outliers) {
  const TemporaryFolder folder;
  const ToolResult train = run_tool(
      folder, "train image " + kSmallImages + "--decoder mix --out m --json");
  ASSERT_EQ(train.exit_code, 0) << train.err;
  const json told = json::parse(train.out);
  EXPECT_EQ(told["images"], 160);
  EXPECT_EQ(told["classes"], 8);
  EXPECT_EQ(told["latent"], 8);
  for (const char* name : {"m/encoder.safetensors", "m/bank.safetensors",
                           "m/decoder.safetensors"}) {
    EXPECT_TRUE(fs::exists(folder.file(name))) << name;
  }
  EXPECT_FALSE(fs::exists(folder.file("m/encoder.checkpoint")));
  const std::string generate =
      "generate demo:shapes --limit 20 --side 12 --seed 3 --decoder mix "
      "--count 3 ";
  const ToolResult with = run_tool(folder, generate + "--model m --out a");
  ASSERT_LE(with.exit_code, 1) << with.err;
  const ToolResult without =
      run_tool(folder, generate + "--widths 4,8 --latent 8 --epochs 2 --out b");
  EXPECT_EQ(without.exit_code, with.exit_code) << without.err;
  for (const char* name : {"outliers.npy", "outliers.csv", "decoded/images.npy",
                           "decoded/grid.png", "image_metrics.json"}) {
    EXPECT_EQ(read_bytes(folder.file(std::string("a/") + name)),
              read_bytes(folder.file(std::string("b/") + name)))
        << name;
  }
  expect_one_sentence(
      run_tool(folder,
               "generate demo:shapes --limit 19 --side 12 --seed 3 --model m "
               "--out c --quiet"),
      2);
  EXPECT_FALSE(fs::exists(folder.file("c")));
}

TEST(TrainImage, what_is_said_about_the_ball_reaches_the_encoder) {
  const TemporaryFolder folder;
  std::vector<std::string> encoders;
  for (const char* words :
       {"", "--robust", "--robust --robust-atoms input --robust-atom-count 3",
        "--robust --robust-atoms neighbour", "--robust --robust-epsilon 0.2",
        "--robust --robust-kappa 0.5", "--robust --robust-warm-up 0",
        "--robust --robust-sign adversarial"}) {
    const std::string name = "m" + std::to_string(encoders.size());
    const ToolResult train =
        run_tool(folder, "train image " + kSmallImages + "--decoder none " +
                             words + " --out " + name);
    ASSERT_EQ(train.exit_code, 0) << words << train.err;
    encoders.push_back(read_bytes(folder.file(name + "/encoder.safetensors")));
    for (std::size_t i = 0; i + 1 < encoders.size(); ++i) {
      EXPECT_NE(encoders[i], encoders.back()) << words;
    }
  }
}

// Some rows of ten numbers.
void write_features(const std::string& path, std::size_t count) {
  Matrix<float> rows(count, 10);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < 10; ++k) {
      rows(i, k) = 0.01F * static_cast<float>((i * 37 + k * 11) % 19);
    }
  }
  write_npy(path, rows.view());
}

TEST(TrainImage, features_of_an_encoder_from_elsewhere_are_enough) {
  const TemporaryFolder folder;
  write_features(folder.file("f.npy"), 160);
  write_features(folder.file("short.npy"), 159);
  const std::string train =
      "train image demo:shapes --limit 20 --side 12 --decoder-epochs 1 ";
  const ToolResult made =
      run_tool(folder, train + "--encoder f.npy --out m --json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const json told = json::parse(made.out);
  EXPECT_EQ(told["encoder"], "features");
  EXPECT_EQ(told["latent"], 10);
  const ToolResult run = run_tool(
      folder,
      "generate demo:shapes --limit 20 --side 12 --model m --count 3 --out r");
  ASSERT_LE(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.err, HasSubstr("report: r/report.html"));
  // Nobody can say where the decoded images lie.
  const json metrics = read_json(folder, "r/image_metrics.json");
  EXPECT_FALSE(metrics.contains("consistency"));
  EXPECT_GT(metrics["nearest_distance"], 0.0);
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"--encoder short.npy", "one row per image is expected (160), got 159"},
      {"--encoder f.npy --epochs 3", "--epochs: "},
      {"--encoder f.npy --robust", "--robust: "},
      {"--encoder f.npy --anchors simplex", "means or a file"},
      {"--encoder f.npy --anchors short.npy", "(8 x 10), got 159 x 10"},
      {"--encoder none.npy", "none.npy"},
      {"--encoder none.pt", "there is no such file"}};
  for (const auto& [words, hint] : cases) {
    SCOPED_TRACE(words);
    const ToolResult refused =
        run_tool(folder, train + words + " --out x --quiet");
    expect_one_sentence(refused, refused.exit_code == 3 ? 3 : 2);
    EXPECT_THAT(refused.err, HasSubstr(hint));
    EXPECT_FALSE(fs::exists(folder.file("x")));
  }
}

}  // namespace train_image_test
}  // namespace sbog::testing_support
