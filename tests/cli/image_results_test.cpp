// SPDX-License-Identifier: Apache-2.0
// What the tool says of images: a run, a detector, and wrong use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/small_images.h"
#include "sbog/data/array.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace image_results_test {

using nlohmann::json;
namespace fs = std::filesystem;

TEST(ImageResults,
     a_run_has_images_with_their_sources_and_resumes_to_the_same) {
  const TemporaryFolder folder;
  const std::string line =
      "generate " + kSmallImages + "--count 4 --decoder-epochs 1 --decoded 3 ";
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

TEST(ImageResults, images_inside_are_no_outliers_of_the_summary) {
  const TemporaryFolder folder;
  const std::string line =
      "generate " + kSmallImages + "--count 4 --decoder mix ";
  const ToolResult run = run_tool(folder, line + "--out run");
  ASSERT_LE(run.exit_code, 1) << run.err;
  const json metrics = read_json(folder, "run/image_metrics.json");
  const std::size_t outside = metrics["outside"];
  const std::size_t decoded = metrics["decoded"];
  ASSERT_LT(outside, decoded);
  EXPECT_THAT(run.out, ::testing::StartsWith(std::to_string(outside) +
                                             " of 32 outliers in run"));
  EXPECT_THAT(run.out, ::testing::HasSubstr(
                           std::to_string(decoded - outside) + " of " +
                           std::to_string(decoded) +
                           " decoded images lie inside of their class"));
  EXPECT_THAT(read_bytes(folder.file("run/report.html")),
              ::testing::HasSubstr("inside: no outlier"));
  // A run that is there already tells the same.
  const ToolResult again = run_tool(folder, line + "--out run --resume");
  EXPECT_EQ(again.exit_code, run.exit_code);
  EXPECT_THAT(again.out, ::testing::StartsWith(std::to_string(outside) +
                                               " of 32 outliers in run\n"));
  const ToolResult kept =
      run_tool(folder, line + "--outside-only --out kept --no-report");
  const json told = read_json(folder, "kept/image_metrics.json");
  EXPECT_EQ(told["outside"], told["decoded"]);
  EXPECT_GE(told["decoded"].get<std::size_t>(), outside);
  EXPECT_EQ(kept.exit_code, told["decoded"] == 32 ? 0 : 1) << kept.err;
  if (kept.exit_code == 1) {
    EXPECT_THAT(kept.err, ::testing::HasSubstr(" binds"));
  }
}

TEST(ImageResults, a_detector_is_trained_with_a_run_and_known_by_its_file) {
  const TemporaryFolder folder;
  ASSERT_LE(run_tool(folder, "generate " + kSmallImages +
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

TEST(ImageResults, wrong_use_and_bad_files_get_one_sentence) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("bad.png")) << "no image";
  fs::create_directories(folder.file("empty"));
  const std::vector<std::pair<std::string, int>> cases = {
      {"generate demo:shapes --out x --certify true", 2},
      {"generate demo:shapes --out x --decoder edits", 2},
      {"generate demo:shapes --out x --decoder none --outside-only", 2},
      {"generate demo:shapes --out x --severity 0", 2},
      {"generate demo:shapes --out x --severity 1 --local 64", 2},
      {"generate demo:bank --out x --outside-only", 2},
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

}  // namespace image_results_test
}  // namespace sbog::testing_support
