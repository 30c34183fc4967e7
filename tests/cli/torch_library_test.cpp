// SPDX-License-Identifier: Apache-2.0
// The tool where libsbog_torch.so is not installed: jobs that need it say so in
// one sentence and leave nothing behind, all others work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/tool.h"
#include "sbog/data/safetensors.h"

namespace sbog::testing_support {
namespace torch_library_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

// A copy of the tool in a place of its own, beside which nothing lies.
class AloneTool : public ::testing::Test {
 protected:
  AloneTool() {
    fs::create_directories(place_.file("a/bin"));
    fs::copy_file(SBOG_TOOL, place_.file("a/bin/sbog"));
  }

  ToolResult run(const std::string& words) const {
    return run_line(folder_, "'" + place_.file("a/bin/sbog") + "' " + words);
  }
  void expect_sentence(const std::string& words) const {
    SCOPED_TRACE(words);
    const ToolResult result = run(words + " --quiet");
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(told_lines(result.err), 1u);
    EXPECT_THAT(result.err, StartsWith("sbog: "));
    EXPECT_THAT(result.err,
                HasSubstr("needs the library libsbog_torch.so, which is not "
                          "installed"));
    EXPECT_FALSE(fs::exists(folder_.file("x")));
  }

  TemporaryFolder place_;
  TemporaryFolder folder_;
};

TEST_F(AloneTool, jobs_on_images_say_what_is_missing) {
  expect_sentence("train image demo:shapes --out x");
  expect_sentence("generate demo:shapes --out x");
  expect_sentence("detect train demo:shapes --out x");
  expect_sentence("demo --kind image --out x");
  write_safetensors(folder_.file("d"), {}, {{"role", "sbog image detector 1"}});
  expect_sentence("detect score d demo:shapes-test");
}

TEST_F(AloneTool, models_under_test_say_what_is_missing) {
  ASSERT_EQ(run("generate demo:bank --labels demo:labels --count 4 --out run "
                "--no-report --quiet")
                .exit_code,
            0);
  std::ofstream(folder_.file("m.pt")) << "whatever it holds";
  expect_sentence("stress run --model m.pt");
}

TEST_F(AloneTool, the_autoencoder_of_windows_says_what_is_missing) {
  expect_sentence("generate demo:series --width 40 --decoder vae --out x");
}

TEST_F(AloneTool, wrong_use_is_told_first) {
  EXPECT_EQ(run("train image demo:shapes --out x --latent 1").exit_code, 2);
  EXPECT_EQ(run("detect train demo:shapes --out x --score knn").exit_code, 2);
}

TEST_F(AloneTool, all_else_works) {
  const ToolResult train =
      run("train series demo:series --width 50 --epochs 2 --out m --quiet");
  EXPECT_EQ(train.exit_code, 0) << train.err;
  const ToolResult doctor = run("doctor --json");
  EXPECT_EQ(doctor.exit_code, 0) << doctor.err;
  const auto facts = nlohmann::json::parse(doctor.out);
  EXPECT_EQ(facts["libtorch"]["is_installed"], false);
  EXPECT_EQ(facts["libtorch"]["fault"], "");
  EXPECT_THAT(run("--version").out, HasSubstr("\nLibTorch  no"));
}

}  // namespace torch_library_test
}  // namespace sbog::testing_support
