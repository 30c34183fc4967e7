// SPDX-License-Identifier: Apache-2.0
// Images from the outside: train, generate, detect and the demo, on the
// embedded shapes at a size that shows no more than that everything works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "sbog/base/matrix.h"
#include "sbog/data/array.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace images_test {

using nlohmann::json;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// 160 images of 12 x 12 pixels and a network of two blocks.
const std::string kSmall =
    "demo:shapes --limit 20 --side 12 --widths 4,8 --latent 8 --epochs 2 "
    "--seed 3 ";

json read_json(const TemporaryFolder& folder, const std::string& name) {
  return json::parse(read_bytes(folder.file(name)));
}

void expect_one_sentence(const ToolResult& run, int code) {
  EXPECT_EQ(run.exit_code, code) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_THAT(run.err, ::testing::StartsWith("sbog: "));
}

TEST(Images, a_trained_model_is_used_by_generate_and_gives_the_same_outliers) {
  const TemporaryFolder folder;
  const ToolResult train = run_tool(
      folder, "train image " + kSmall + "--decoder mix --out m --json");
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

TEST(Images, what_is_said_about_the_ball_reaches_the_encoder) {
  const TemporaryFolder folder;
  std::vector<std::string> encoders;
  for (const char* words :
       {"", "--robust", "--robust --robust-atoms input --robust-atom-count 3",
        "--robust --robust-atoms neighbour", "--robust --robust-epsilon 0.2",
        "--robust --robust-kappa 0.5", "--robust --robust-warm-up 0",
        "--robust --robust-sign adversarial"}) {
    const std::string name = "m" + std::to_string(encoders.size());
    const ToolResult train =
        run_tool(folder, "train image " + kSmall + "--decoder none " + words +
                             " --out " + name);
    ASSERT_EQ(train.exit_code, 0) << words << train.err;
    encoders.push_back(read_bytes(folder.file(name + "/encoder.safetensors")));
    for (std::size_t i = 0; i + 1 < encoders.size(); ++i) {
      EXPECT_NE(encoders[i], encoders.back()) << words;
    }
  }
}

TEST(Images, a_run_has_images_with_their_sources_and_resumes_to_the_same) {
  const TemporaryFolder folder;
  const std::string line =
      "generate " + kSmall + "--count 4 --decoder-epochs 1 --decoded 3 ";
  const ToolResult run = run_tool(folder, line + "--out run --json");
  ASSERT_LE(run.exit_code, 1) << run.err;
  const json told = json::parse(run.out);
  const std::size_t produced = told["produced"];
  ASSERT_GT(produced, 0u);
  EXPECT_EQ(told["requested"], 32);
  EXPECT_EQ(run.exit_code, produced == 32 ? 0 : 1);
  const Array latents = read_npy(folder.file("run/outliers.npy"));
  EXPECT_EQ(latents.shape(), (std::vector<std::size_t>{produced, 8}));
  const Array images = read_npy(folder.file("run/decoded/images.npy"));
  const std::size_t decoded = told["metrics"]["decoded"];
  EXPECT_EQ(images.shape(), (std::vector<std::size_t>{decoded, 1, 12, 12}));
  EXPECT_EQ(read_npy(folder.file("run/decoded/source-images.npy")).shape(),
            images.shape());
  EXPECT_EQ(read_npy(folder.file("run/decoded/labels.npy")).shape(),
            std::vector<std::size_t>{decoded});
  const std::string table = read_bytes(folder.file("run/decoded/images.csv"));
  EXPECT_EQ(
      static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')),
      decoded + 1);
  EXPECT_TRUE(fs::exists(folder.file("run/decoded/outlier-00000.png")));
  const json metrics = read_json(folder, "run/image_metrics.json");
  for (const char* name : {"consistency", "least_consistency"}) {
    EXPECT_LE(metrics[name], 1.0001);
    EXPECT_GE(metrics[name], -1.0001);
  }
  EXPECT_GE(metrics["least_nearest_distance"], 0.0);
  EXPECT_GT(metrics["unseen_nearest_distance"], 0.0);
  EXPECT_TRUE(metrics.contains("decoded_energy"));
  // Taken up after the training, it ends with the same bytes.
  const std::string before = read_bytes(folder.file("run/decoded/images.npy"));
  json manifest = read_json(folder, "run/manifest.json");
  manifest["state"] = "running";
  std::ofstream(folder.file("run/manifest.json")) << manifest.dump();
  fs::remove_all(folder.file("run/decoded"));
  EXPECT_EQ(run_tool(folder, line + "--out run").exit_code, 3);
  EXPECT_EQ(run_tool(folder, line + "--out run --resume --threads 3").exit_code,
            run.exit_code);
  EXPECT_EQ(read_bytes(folder.file("run/decoded/images.npy")), before);
  // And its configuration repeats it.
  EXPECT_EQ(run_tool(folder,
                     "generate demo:shapes --config run/config.toml --out two")
                .exit_code,
            run.exit_code);
  EXPECT_EQ(read_bytes(folder.file("two/decoded/images.npy")), before);
}

TEST(Images, a_detector_is_trained_with_a_run_and_known_by_its_file) {
  const TemporaryFolder folder;
  ASSERT_LE(run_tool(folder, "generate " + kSmall +
                                 "--count 4 --decoder mix --out run --quiet")
                .exit_code,
            1);
  const ToolResult train = run_tool(
      folder,
      "detect train demo:shapes --limit 20 --side 12 --outliers run --epochs 1 "
      "--exposure-epochs 1 --held-out 0.25 --out d --json --quiet");
  ASSERT_EQ(train.exit_code, 0) << train.err;
  const json told = json::parse(train.out);
  EXPECT_EQ(told["kind"], "image");
  EXPECT_GT(told["outliers"], 0);
  EXPECT_TRUE(told.contains("artifact_auroc"));
  const ToolResult score = run_tool(
      folder,
      "detect score d demo:shapes-test --side 12 --outside demo:noise --out "
      "s.csv --json --quiet");
  ASSERT_EQ(score.exit_code, 0) << score.err;
  const json scored = json::parse(score.out);
  EXPECT_EQ(scored["images"], 400);
  for (const char* name : {"fpr95", "fpr95_closest", "auroc", "aupr"}) {
    EXPECT_GE(scored["outside"][name], 0.0) << name;
    EXPECT_LE(scored["outside"][name], 1.0) << name;
  }
  const std::string table = read_bytes(folder.file("s.csv"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 401);
  expect_one_sentence(run_tool(folder, "detect score d demo:shapes-test"), 2);
  expect_one_sentence(
      run_tool(folder, "detect score d demo:shapes-test --side 12 --gap 3"), 2);
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

TEST(Images, features_of_an_encoder_from_elsewhere_are_enough) {
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

TEST(Images, wrong_use_and_bad_files_get_one_sentence) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("bad.png")) << "no image";
  fs::create_directories(folder.file("empty"));
  const std::vector<std::pair<std::string, int>> cases = {
      {"generate demo:shapes --out x --certify true", 2},
      {"generate demo:shapes --out x --decoder edits", 2},
      {"generate demo:shapes --out x --stride 3", 2},
      {"generate demo:shapes --out x --rule magic", 2},
      {"generate demo:shapes --out x --profile magic", 2},
      {"generate demo:bank --out x --latent 4", 2},
      {"generate demo:series --out x --decoder cvae", 2},
      {"generate demo:shapes --out x --model absent", 3},
      {"generate empty --out x", 3},
      {"generate bad.png --kind image --out x", 3},
      {"train image demo:circles --out x", 2},
      {"train image bad.png --out x", 3},
      {"train image demo:shapes --out x --anchors absent.npy", 3},
      {"train image demo:shapes --out x --robust-kappa 0.2", 2},
      {"train image demo:shapes --out x --robust --robust-atoms pixel", 2},
      {"train image demo:shapes --out x --robust --robust-kappa -1", 2},
      {"train image demo:shapes --out x --robust --robust-atom-count 0", 2},
      {"detect train demo:series --out x --outliers absent --kind series", 2},
      {"detect train demo:shapes --out x --outliers absent", 3},
      {"detect train demo:shapes --out x --causal", 2},
      {"demo --kind video", 2}};
  for (const auto& [line, code] : cases) {
    SCOPED_TRACE(line);
    expect_one_sentence(run_tool(folder, line + " --quiet"), code);
    EXPECT_FALSE(fs::exists(folder.file("x/outliers.npy")));
    fs::remove_all(folder.file("x"));
  }
}

}  // namespace images_test
}  // namespace sbog::testing_support
