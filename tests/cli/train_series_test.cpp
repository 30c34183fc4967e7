// SPDX-License-Identifier: Apache-2.0
// sbog train series: models, interruption, diagnostics, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace train_series_test {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kTrain =
    "train series demo:series --width 40 --stride 8 --epochs 2 --out ";

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string wave_table(int rows, int channels) {
  std::ostringstream text;
  for (int t = 0; t < rows; ++t) {
    for (int c = 0; c < channels; ++c) {
      text << (c == 0 ? "" : ",")
           << std::sin(0.3 * t + c) + 0.01 * (t * 7919 % 13);
    }
    text << "\n";
  }
  return text.str();
}

TEST(Train, the_examples_of_its_help_pages_work_as_typed) {
  for (const char* page : {"train", "train series"}) {
    const TemporaryFolder folder;
    expect_examples_work(folder, page);
  }
}

TEST(Train, tells_how_it_went_in_words_and_to_machines) {
  const TemporaryFolder folder;
  const ToolResult words = run_tool(folder, std::string(kTrain) + "m");
  EXPECT_THAT(words.out, HasSubstr("1,200 rows of 4 channels, 145 windows"));
  EXPECT_THAT(words.out, HasSubstr("spread: two windows are"));
  EXPECT_THAT(words.out, HasSubstr("contrast: an injected anomaly moves"));
  EXPECT_THAT(words.out, HasSubstr("(95 %)"));
  const ToolResult run = run_tool(
      folder, std::string(kTrain) + "n --json --seed 7 --mid 2 --head 3");
  const json result = json::parse(run.out);
  EXPECT_EQ(result["windows"], 145);
  EXPECT_EQ(result["seed"], 7);
  EXPECT_EQ(result["head"], 3);
  EXPECT_EQ(result["space"], "standard");
  EXPECT_EQ(result["energy_quantiles"].size(), 3u);
  EXPECT_EQ(result["collapsed"], result["pair_distance"] < 0.01);
  EXPECT_EQ(run.exit_code, result["collapsed"].get<bool>() ? 1 : 0);
  EXPECT_EQ(run_line(folder, "ls").out, "m\nn\n");
}

TEST(Train, is_the_same_for_any_number_of_threads) {
  const TemporaryFolder folder;
  run_tool(folder, std::string(kTrain) + "a --threads 1");
  run_tool(folder, std::string(kTrain) + "b --threads 3");
  run_tool(folder, std::string(kTrain) + "c --seed 1");
  EXPECT_EQ(read_bytes(folder.file("a")), read_bytes(folder.file("b")));
  EXPECT_NE(read_bytes(folder.file("a")), read_bytes(folder.file("c")));
}

TEST(Train, an_interrupted_training_goes_on_to_the_same_bits) {
  const TemporaryFolder folder;
  const std::string line =
      "train series demo:series --width 40 --stride 8 --epochs 60 --out ";
  const ToolResult whole = run_tool(folder, line + "whole");
  // The checkpoint appears after the first of 60 epochs.
  const ToolResult cut = run_line(
      folder, "'" SBOG_TOOL "' " + line +
                  "cut & while ! test -e cut.checkpoint; do sleep 0.01; done; "
                  "kill -INT $!; wait $!");
  ASSERT_EQ(cut.exit_code, 130) << cut.err;
  EXPECT_THAT(cut.err, HasSubstr("interrupted"));
  EXPECT_EQ(cut.out, "");
  const ToolResult again = run_tool(folder, line + "cut");
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("--resume"));
  const ToolResult other = run_tool(folder, line + "cut --resume --loss hinge");
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.err, HasSubstr("other options"));
  const ToolResult rest = run_tool(folder, line + "cut --resume");
  EXPECT_EQ(rest.exit_code, whole.exit_code) << rest.err;
  EXPECT_EQ(read_bytes(folder.file("cut")), read_bytes(folder.file("whole")));
  EXPECT_EQ(run_line(folder, "ls").out, "cut\nwhole\n");
}

TEST(Train, nothing_to_resume_is_a_note_and_a_fresh_start) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, std::string(kTrain) + "a --resume");
  EXPECT_THAT(run.err, HasSubstr("begins afresh"));
  run_tool(folder, std::string(kTrain) + "b");
  EXPECT_EQ(read_bytes(folder.file("a")), read_bytes(folder.file("b")));
}

TEST(Train, a_collapsed_encoder_is_warned_of_with_exit_1) {
  const TemporaryFolder folder;
  // Command channels that never act: their injections change nothing.
  std::ostringstream text;
  for (int t = 0; t < 200; ++t) {
    text << std::sin(0.5 * t);
    for (int c = 0; c < 19; ++c) text << ",0";
    text << "\n";
  }
  write_text(folder.file("s.csv"), text.str());
  const ToolResult run =
      run_tool(folder,
               "train series s.csv --out m --width 32 --stride 1 --epochs 20 "
               "--profile faithful");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("the encoder has collapsed"));
  EXPECT_THAT(run.err, HasSubstr("change nothing"));
  EXPECT_THAT(run.err, HasSubstr("19 constant channels"));
  EXPECT_FALSE(read_bytes(folder.file("m")).empty());
}

TEST(Train, one_channel_is_trained_on) {
  const TemporaryFolder folder;
  write_text(folder.file("one.csv"), wave_table(150, 1));
  const ToolResult run = run_tool(
      folder, "train series one.csv --out m --width 20 --epochs 2 --time none");
  EXPECT_THAT(run.out, HasSubstr("150 rows of 1 channel, 130 windows"))
      << run.err;
}

TEST(Train, what_cannot_be_learnt_from_is_exit_2_in_one_sentence) {
  const TemporaryFolder folder;
  write_text(folder.file("short.csv"), wave_table(240, 2));
  std::string still, wide;
  for (int t = 0; t < 300; ++t) still += "1,2,3\n";
  for (int c = 0; c < 10000; ++c) wide += c == 0 ? "1" : ",1";
  write_text(folder.file("still.csv"), still);
  write_text(folder.file("wide.csv"), wide + "\n" + wide + "\n" + wide + "\n");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"short.csv", "240 rows, which give 40 windows of 200 rows"},
      {"still.csv --width 20 --time none", "every channel is constant"},
      {"wide.csv --time none", "10000 channels; at most 1024"},
      {"demo:none", "demo:"},
      {"demo:series --width 9", "at least 10 rows"},
      {"demo:series --width 50 --epochs 0", "epoch"},
      {"demo:series --width 50 --head 1", "head"},
      {"demo:series --loss cross", "cross"},
      {"demo:series --profile other", "other"},
      {"demo:series --width 50 --batch 5000", "5000 windows are expected"}};
  for (const auto& [line, words] : cases) {
    const ToolResult run =
        run_tool(folder, "train series --quiet --out m " + line);
    EXPECT_EQ(run.exit_code, 2) << line << "\n" << run.err;
    EXPECT_THAT(run.err, ::testing::StartsWith("sbog: ")) << line;
    EXPECT_THAT(run.err, HasSubstr(words)) << line;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
  }
  EXPECT_EQ(run_tool(folder, "train").exit_code, 2);
  EXPECT_EQ(run_tool(folder, "train series demo:series").exit_code, 2);
}

TEST(Train, bad_files_are_exit_3) {
  const TemporaryFolder folder;
  write_text(folder.file("text.csv"), "a,b\n1,2\n3,four\n");
  write_text(folder.file("m.checkpoint"), "not one");
  for (const char* line :
       {"train series text.csv --out x", "train series absent.csv --out x",
        "train series demo:series --out no/where",
        "train series demo:series --width 40 --out m --resume"}) {
    const ToolResult run = run_tool(folder, line);
    EXPECT_EQ(run.exit_code, 3) << line << "\n" << run.err;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
  }
}

}  // namespace train_series_test
}  // namespace sbog::testing_support
