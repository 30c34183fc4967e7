// SPDX-License-Identifier: Apache-2.0
// sbog stress on runs of images, and TorchScript as a model, from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/small_images.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace stress_images_test {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kRun =
    "generate " + kSmallImages + "--count 6 --decoder mix --out run --quiet ";

json stressed(const TemporaryFolder& folder, const std::string& words,
              int code = 0) {
  const ToolResult result =
      run_tool(folder, "stress run --json --quiet " + words);
  EXPECT_EQ(result.exit_code, code) << result.err;
  return json::parse(result.out, nullptr, false);
}

TEST(StressImages, detectors_of_images_and_commands_are_asked_about_images) {
  const TemporaryFolder folder;
  ASSERT_LE(run_tool(folder, kRun).exit_code, 1);
  const json metrics = read_json(folder, "run/image_metrics.json");
  const std::size_t outside = metrics["outside"];
  ASSERT_GE(outside, 8u);
  const std::string train =
      "detect train demo:shapes --limit 20 --side 12 --seed 3 --quiet ";
  ASSERT_EQ(
      run_tool(folder, train + "--epochs 1 --held-out 0.25 --out d").exit_code,
      0);
  const json pixels = stressed(
      folder, "--model d --controls demo:shapes-test --require 'auroc >= 0'");
  EXPECT_EQ(pixels["kind"], "image");
  EXPECT_EQ(pixels["task"], "detector");
  EXPECT_EQ(pixels["cases"], outside);
  EXPECT_EQ(pixels["controls"]["failures"]["of"], 400);
  EXPECT_EQ(pixels["threshold_source"], "model");
  EXPECT_TRUE(pixels["gates"][0]["passed"]);
  // The folder of a detector on embeddings.
  ASSERT_EQ(run_tool(folder, train + "--model run/model --score mean --level "
                                     "0.5 --out latents")
                .exit_code,
            0);
  const json latents = stressed(folder, "--model latents --level 0.4");
  EXPECT_EQ(latents["cases"], outside);
  EXPECT_THAT(latents["controls"]["what"].get<std::string>(),
              HasSubstr("other images of the run"));
  // A command is given the bytes of the images.
  std::ofstream(folder.file("ask.sh"))
      << "seq $(head -c 128 \"$1\" | LC_ALL=C sed -n "
         "\"s/.*'shape': (\\([0-9]*\\), 1, 12, 12.*/\\1/p\") >\"$2\"\n";
  const json command = stressed(
      folder, "--model 'sh ask.sh {cases} {out.csv}' --require 'auroc > 1'", 1);
  EXPECT_EQ(command["cases"], outside);
  EXPECT_THAT(read_bytes(folder.file("run/stress.junit.xml")),
              HasSubstr("failures=\"1\""));
  ASSERT_EQ(run_tool(folder, "report run --quiet").exit_code, 0);
  EXPECT_THAT(read_bytes(folder.file("run/report.html")),
              HasSubstr("Where the model breaks"));
}

TEST(StressImages, points_of_the_run_are_asked_about_by_detectors_of_points) {
  const TemporaryFolder folder;
  ASSERT_LE(run_tool(folder, kRun + "--decoded 2").exit_code, 1);
  ASSERT_EQ(run_tool(folder,
                     "detect train run/bank.npy --labels run/bank_labels.npy "
                     "--score mean --out p.safetensors --quiet")
                .exit_code,
            0);
  const std::size_t points =
      read_npy(folder.file("run/outliers.npy")).shape()[0];
  const json found = stressed(folder, "--model p.safetensors");
  EXPECT_EQ(found["kind"], "latent");
  EXPECT_EQ(found["cases"], points);
  EXPECT_EQ(stressed(folder,
                     "--case-kind points --task classifier --model 'cp {cases} "
                     "{out}'")["cases"],
            points);
  expect_one_sentence(
      run_tool(folder,
               "stress run --model p.safetensors --case-kind images --quiet"),
      2);
}

TEST(StressImages, a_torchscript_file_that_is_none_is_one_sentence) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder,
                     "generate demo:bank --labels demo:labels --count 4 --out "
                     "run --no-report --quiet")
                .exit_code,
            0);
  std::ofstream(folder.file("m.pt")) << "this is no program";
  for (const char* words : {"m.pt", "none.pt"}) {
    expect_one_sentence(
        run_tool(folder, std::string("stress run --quiet --model ") + words),
        3);
  }
  expect_one_sentence(
      run_tool(folder, "stress run --quiet --model m.pt --level 0.9"), 2);
  EXPECT_FALSE(std::filesystem::exists(folder.file("run/stress.json")));
}

}  // namespace stress_images_test
}  // namespace sbog::testing_support
