// SPDX-License-Identifier: Apache-2.0
// sbog generate on a series: the run folder, resuming, allow-lists, and what
// becomes of bad tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "sbog/data/array.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace generate_series_test {

using nlohmann::json;
using ::testing::HasSubstr;

// Small and quick; what is kept is not the point of these tests.
constexpr const char* kQuick =
    "generate demo:series --width 48 --stride 2 --epochs 6 --count 4 --steps "
    "10 --seed 3 --severity none ";

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Waves with a time column.
std::string wave_table(int rows, int channels, int time_step = 60) {
  std::ostringstream text;
  text << "time";
  for (int c = 0; c < channels; ++c) text << ",c" << c;
  text << "\n";
  for (int t = 0; t < rows; ++t) {
    text << 1000 + time_step * t;
    for (int c = 0; c < channels; ++c) {
      text << "," << std::sin((0.1 + 0.07 * c) * t) + 0.02 * (t * 7919 % 13);
    }
    text << "\n";
  }
  return text.str();
}

// All results of a run as one text.
std::string results_of(const TemporaryFolder& folder, const std::string& run) {
  std::string all;
  for (const char* name : {"/outliers.npy", "/outliers.csv", "/metrics.json",
                           "/decoded/windows.npy", "/decoded/edits.json"}) {
    all += read_bytes(folder.file(run + name));
  }
  return all;
}

TEST(GenerateSeries, writes_a_folder_that_fits_together) {
  const TemporaryFolder folder;
  const ToolResult run =
      run_tool(folder, std::string(kQuick) + "--out run --outside-only --json");
  ASSERT_THAT(run.exit_code, ::testing::AnyOf(0, 1)) << run.err;
  const json manifest = read_json(folder, "run/manifest.json");
  EXPECT_EQ(manifest["kind"], "series");
  EXPECT_EQ(manifest["requested"], 4);
  EXPECT_EQ(manifest["state"], run.exit_code == 0 ? "complete" : "partial");
  const std::size_t kept = manifest["produced"];
  ASSERT_GE(kept, 1u);
  const Array windows = read_npy(folder.file("run/decoded/windows.npy"));
  EXPECT_EQ(windows.shape(), (std::vector<std::size_t>{kept, 48, 4}));
  const Array sources = read_npy(folder.file("run/decoded/sources.npy"));
  EXPECT_EQ(sources.shape(), windows.shape());
  ASSERT_EQ(windows.type(), ElementType::kFloat64);
  EXPECT_EQ(read_npy(folder.file("run/outliers.npy")).shape(),
            (std::vector<std::size_t>{kept, 4}));
  const json edits = read_json(folder, "run/decoded/edits.json");
  ASSERT_EQ(edits.size(), 4u);
  const double threshold =
      read_json(folder, "run/metrics.json")["threshold"].get<double>();
  const auto* after = reinterpret_cast<const double*>(windows.bytes());
  const auto* before = reinterpret_cast<const double*>(sources.bytes());
  for (const json& entry : edits) {
    if (!entry.contains("window")) continue;
    EXPECT_GE(entry["energy"].get<double>(), threshold);
    EXPECT_THAT(entry["sentence"].get<std::string>(),
                ::testing::Not(HasSubstr("several edits")));
    // Only the channels that are named differ.
    const std::size_t first = entry["window"].get<std::size_t>() * 48 * 4;
    for (std::size_t i = 0; i < 48 * 4; ++i) {
      if (after[first + i] == before[first + i]) continue;
      const std::string channel = std::to_string(i % 4);
      EXPECT_TRUE(std::any_of(
          entry["edits"].begin(), entry["edits"].end(),
          [&](const json& edit) { return edit["channel"] == channel; }));
    }
  }
  EXPECT_THAT(read_bytes(folder.file("run/decoded/window-000.svg")),
              HasSubstr("<svg"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("run/parts")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("run/model.checkpoint")));
}

TEST(GenerateSeries, threads_and_interruptions_do_not_change_a_byte) {
  const TemporaryFolder folder;
  const auto code = [&](const std::string& extra) {
    return run_tool(folder, kQuick + extra + " --quiet").exit_code;
  };
  const int first = code("--out one --threads 1");
  ASSERT_LE(first, 1);
  EXPECT_EQ(code("--out three --threads 3"), first);
  EXPECT_EQ(results_of(folder, "one"), results_of(folder, "three"));
  // A finished run is left alone.
  EXPECT_EQ(code("--out one --resume"), first);
  // As after a kill: the model is there, the outliers are not, and a piece is
  // damaged.
  json manifest = read_json(folder, "one/manifest.json");
  manifest["state"] = "running";
  write_text(folder.file("one/manifest.json"), manifest.dump());
  std::filesystem::remove(folder.file("one/outliers.npy"));
  std::filesystem::create_directories(folder.file("one/parts"));
  write_text(folder.file("one/parts/anchor-0.json"), "damaged");
  EXPECT_EQ(code("--out one"), 3);
  EXPECT_EQ(code("--out one --resume --redraws 2"), 3);
  EXPECT_EQ(code("--out one --resume"), first);
  EXPECT_EQ(results_of(folder, "one"), results_of(folder, "three"));
}

TEST(GenerateSeries, takes_a_trained_model_and_a_second_opinion) {
  const TemporaryFolder folder;
  const std::string train =
      "train series demo:series --width 48 --stride 2 --epochs 6 --quiet ";
  ASSERT_EQ(run_tool(folder, train + "--out a --seed 3").exit_code, 0);
  ASSERT_EQ(run_tool(folder, train + "--out b --seed 4").exit_code, 0);
  const ToolResult run =
      run_tool(folder,
               "generate demo:series --model a --second-model b --count 4 "
               "--steps 10 --seed 3 --severity none --out run");
  ASSERT_LE(run.exit_code, 1) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder.file("run/model.safetensors")));
  for (const json& entry : read_json(folder, "run/decoded/edits.json")) {
    if (!entry.contains("window")) continue;
    EXPECT_GE(entry["second_rank"].get<double>(), 0.0);
    EXPECT_LE(entry["second_rank"].get<double>(), 1.0);
  }
  // The same model trained inside gives the same outliers.
  ASSERT_LE(run_tool(folder, std::string(kQuick) + "--out in").exit_code, 1);
  EXPECT_EQ(read_bytes(folder.file("run/decoded/windows.npy")),
            read_bytes(folder.file("in/decoded/windows.npy")));
}

TEST(GenerateSeries, allow_lists_are_respected) {
  const TemporaryFolder folder;
  ASSERT_LE(run_tool(folder, std::string(kQuick) +
                                 "--kinds level,trend --channels 0,2 --law "
                                 "edit-first --out run")
                .exit_code,
            1);
  for (const json& entry : read_json(folder, "run/decoded/edits.json")) {
    for (const json& edit : entry["edits"]) {
      EXPECT_TRUE(edit["kind"] == "level" || edit["kind"] == "trend");
      EXPECT_TRUE(edit["channel"] == "0" || edit["channel"] == "2");
    }
  }
}

TEST(GenerateSeries, the_written_configuration_repeats_the_run) {
  const TemporaryFolder folder;
  ASSERT_LE(
      run_tool(folder, std::string(kQuick) + "--sigma 0.07 --out a").exit_code,
      1);
  ASSERT_LE(
      run_tool(folder, "generate demo:series --config a/config.toml --out b")
          .exit_code,
      1);
  EXPECT_EQ(results_of(folder, "a"), results_of(folder, "b"));
}

TEST(GenerateSeries, odd_tables_are_treated_and_told) {
  const TemporaryFolder folder;
  const std::string options =
      " --width 40 --epochs 8 --count 2 --steps 5 --law edit-first --out ";
  write_text(folder.file("one.csv"), wave_table(600, 1));
  EXPECT_LE(run_tool(folder, "generate one.csv" + options + "a").exit_code, 1);
  write_text(folder.file("twice.csv"), wave_table(600, 3, 0));
  const ToolResult twice =
      run_tool(folder, "generate twice.csv" + options + "b");
  EXPECT_LE(twice.exit_code, 1) << twice.err;
  EXPECT_THAT(twice.err, HasSubstr("the time of the row before"));
}

TEST(GenerateSeries, severities_are_made_without_an_encoder_and_counted) {
  const TemporaryFolder folder;
  const std::string words =
      "generate demo:series --width 48 --stride 2 --law edit-first --seed 3 ";
  const ToolResult run =
      run_tool(folder, words + "--severity 1,2 --count 4 --out run");
  ASSERT_LE(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("; severity 1: "));
  EXPECT_THAT(run.out, HasSubstr(" of 8 outliers in run"));
  EXPECT_THAT(run.out, HasSubstr("one of several edits"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("run/model.safetensors")));
  for (const char* wrong : {"--severity 0", "--severity 7", "--severity x"}) {
    EXPECT_EQ(run_tool(folder, words + wrong + " --out x --quiet").exit_code, 2)
        << wrong;
  }
}

TEST(GenerateSeries, tables_that_cannot_be_used_get_one_sentence) {
  const TemporaryFolder folder;
  write_text(folder.file("ragged.csv"), "a,b\n1,2\n3\n");
  write_text(folder.file("text.csv"), "a,b\n1,2\n3,four\n");
  std::string constant = "a,b\n";
  for (int t = 0; t < 400; ++t) constant += "1,2\n";
  write_text(folder.file("constant.csv"), constant);
  write_text(folder.file("short.csv"), wave_table(100, 3));
  std::string wide;
  for (int t = 0; t < 300; ++t) {
    for (int c = 0; c < 10000; ++c) {
      wide += (c == 0 ? "" : ",") + std::to_string((t * 31 + c * 17) % 101);
    }
    wide += "\n";
  }
  write_text(folder.file("wide.csv"), wide);
  const std::vector<std::pair<std::string, int>> cases = {
      {"ragged.csv", 3},   {"text.csv", 3},  {"absent.csv", 3},
      {"constant.csv", 2}, {"short.csv", 2}, {"wide.csv", 2}};
  for (const auto& [name, code] : cases) {
    const ToolResult run =
        run_tool(folder, "generate " + name + " --out r_" + name + " --quiet");
    EXPECT_EQ(run.exit_code, code) << name << "\n" << run.err;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
    EXPECT_THAT(run.err, ::testing::StartsWith("sbog: ")) << name;
    EXPECT_FALSE(std::filesystem::exists(folder.file("r_" + name))) << name;
  }
}

TEST(GenerateSeries, a_collapsed_encoder_is_exit_1_with_a_sentence) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(
      folder,
      "generate demo:series --width 48 --stride 3 --epochs 1 --out run");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("has collapsed"));
  EXPECT_EQ(read_json(folder, "run/manifest.json")["produced"], 0);
}

TEST(GenerateSeries, wrong_use_is_exit_2) {
  const TemporaryFolder folder;
  const std::string series = "generate demo:series --quiet --epochs 1 --out x ";
  for (const std::string& line :
       {series + "--kind latent", series + "--kind series --rule knn",
        series + "--kinds magic", series + "--channels nine",
        series + "--classes 0", series + "--classes 0=smooth",
        series + "--law sideways", series + "--decoder magic",
        series + "--decoder vae --law edit-first", series + "--count 0",
        series + "--width 20", series + "--sigma 0",
        std::string("generate demo:bank --out x --kinds level")}) {
    const ToolResult run = run_tool(folder, line);
    EXPECT_EQ(run.exit_code, 2) << line << "\n" << run.err;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
    std::filesystem::remove_all(folder.file("x"));
  }
}

TEST(GenerateSeries, points_in_a_table_are_still_points) {
  const TemporaryFolder folder;
  std::ostringstream points;
  for (int i = 0; i < 200; ++i) {
    points << std::cos(0.1 * i) << "," << std::sin(0.13 * i) << "," << 2.0
           << "\n";
  }
  write_text(folder.file("bank.csv"), points.str());
  for (const char* extra : {"--kind latent", "--precision double"}) {
    const ToolResult run = run_tool(
        folder, std::string("generate bank.csv --count 5 --out r ") + extra);
    EXPECT_LE(run.exit_code, 1) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder.file("r/decoded")));
    std::filesystem::remove_all(folder.file("r"));
  }
}

TEST(GenerateSeries, points_of_windows_can_be_evaluated_and_certified) {
  const TemporaryFolder folder;
  // Windows outside are kept wherever they lie, so that there are some.
  ASSERT_LE(run_tool(folder, std::string(kQuick) + "--outside-only --out run")
                .exit_code,
            1);
  const json before = read_json(folder, "run/metrics.json");
  ASSERT_GT(before["kept"], 0);
  const ToolResult evaluated = run_tool(folder, "evaluate run --json --quiet");
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  const json metrics = json::parse(evaluated.out);
  EXPECT_EQ(metrics["outlier_rows"], before["kept"]);
  EXPECT_EQ(metrics["bank_rows"], before["windows"]);
  // The threshold is that of the run, up to how its energies are refined.
  EXPECT_NEAR(metrics["thresholds"][0]["value"].get<double>(),
              before["threshold"].get<double>(), 1e-3);
  // What the scenarios said is still there, and the report shows both.
  EXPECT_EQ(read_json(folder, "run/metrics.json")["mean_reached"],
            before["mean_reached"]);
  const ToolResult certified = run_tool(folder, "certify run --json --quiet");
  ASSERT_EQ(certified.exit_code, 0) << certified.err;
  EXPECT_EQ(json::parse(certified.out)["totals"]["outliers"], before["kept"]);
  EXPECT_EQ(json::parse(certified.out)["certified"], false);
  const ToolResult reported = run_tool(folder, "report run --quiet");
  ASSERT_EQ(reported.exit_code, 0) << reported.err;
}

TEST(GenerateSeries, an_autoencoder_can_draw_the_windows) {
  const TemporaryFolder folder;
  const std::string line =
      std::string(kQuick) + "--decoder vae --decoder-epochs 3 --outside-only ";
  const ToolResult run = run_tool(folder, line + "--out run");
  if (SBOG_HAS_TORCH == 0) {
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_NE(run.err.find("--decoder vae needs the library"),
              std::string::npos)
        << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder.file("run")));
    return;
  }
  ASSERT_LE(run.exit_code, 1) << run.err;
  const json edits = read_json(folder, "run/decoded/edits.json");
  ASSERT_EQ(edits.size(), 4u);
  for (const json& entry : edits) {
    EXPECT_TRUE(entry["edits"].empty());
    EXPECT_TRUE(entry.contains("changes"));
    if (!entry.contains("window")) continue;
    EXPECT_THAT(entry["sentence"].get<std::string>(),
                HasSubstr("A drawn window: "));
  }
  EXPECT_TRUE(std::filesystem::exists(folder.file("run/decoder.safetensors")));
  // The trained decoder is taken up, and threads change nothing.
  json manifest = read_json(folder, "run/manifest.json");
  manifest["state"] = "running";
  write_text(folder.file("run/manifest.json"), manifest.dump());
  const std::string first = results_of(folder, "run");
  EXPECT_EQ(run_tool(folder, line + "--out run --resume --threads 3").exit_code,
            run.exit_code);
  EXPECT_EQ(results_of(folder, "run"), first);
}

}  // namespace generate_series_test
}  // namespace sbog::testing_support
