// SPDX-License-Identifier: Apache-2.0
// sbog generate from the outside: the run folder, its independence of threads,
// pieces and interruptions, and what it says when it cannot deliver.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/tool.h"
#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/data/array.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace generate_test {

nlohmann::json manifest_of(const TemporaryFolder& folder,
                           const std::string& run) {
  return nlohmann::json::parse(read_bytes(folder.file(run + "/manifest.json")));
}

std::string outliers_of(const TemporaryFolder& folder, const std::string& run) {
  return read_bytes(folder.file(run + "/outliers.npy")) +
         read_bytes(folder.file(run + "/outliers.csv"));
}

constexpr const char* kBase =
    "generate demo:bank --labels demo:labels --seed 5 --count 60 ";

TEST(Generate, threads_and_pieces_do_not_change_a_byte) {
  const TemporaryFolder folder;
  std::string expected;
  int number = 0;
  for (const char* extra :
       {"--threads 1", "--threads 2", "--threads 7", "--part 7", "--part 60"}) {
    const std::string run = "run" + std::to_string(number++);
    const ToolResult result =
        run_tool(folder, kBase + std::string(extra) + " --out " + run);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    if (expected.empty()) expected = outliers_of(folder, run);
    EXPECT_EQ(outliers_of(folder, run), expected) << extra;
  }
}

// Starts the tool without waiting for it.
pid_t start(const TemporaryFolder& folder,
            const std::vector<std::string>& arguments) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (chdir(folder.path().c_str()) != 0) _exit(99);
  const int sink = open("/dev/null", O_RDWR);
  dup2(sink, 0);
  dup2(sink, 1);
  dup2(sink, 2);
  std::vector<char*> argv;
  std::string tool = SBOG_TOOL;
  argv.push_back(tool.data());
  std::vector<std::string> copy = arguments;
  for (std::string& argument : copy) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(SBOG_TOOL, argv.data());
  _exit(98);
}

TEST(Generate, a_killed_run_resumes_to_the_same_bytes) {
  const TemporaryFolder folder;
  const std::string options =
      "--labels demo:labels --seed 9 --count 400 --part 40 --proposal-count "
      "512 ";
  ASSERT_EQ(run_tool(folder, "generate demo:bank " + options + "--out whole")
                .exit_code,
            0);
  const std::string expected = outliers_of(folder, "whole");
  int kills = 0;
  for (int run = 0; kills < 20 && run < 40; ++run) {
    const std::string out = "run" + std::to_string(run);
    std::vector<std::string> arguments = {"generate", "demo:bank"};
    std::istringstream words(options + "--resume --out " + out);
    for (std::string word; words >> word;) arguments.push_back(word);
    // A few kills at moments spread over the run, then let it finish.
    for (int attempt = 0; attempt < 3; ++attempt) {
      const pid_t child = start(folder, arguments);
      std::this_thread::sleep_for(
          std::chrono::milliseconds(3 + (run * 37 + attempt * 53) % 90));
      kill(child, SIGKILL);
      int status = 0;
      waitpid(child, &status, 0);
      kills += WIFSIGNALED(status) ? 1 : 0;
      if (!WIFSIGNALED(status)) break;
    }
    const ToolResult last = run_tool(
        folder, "generate demo:bank " + options + "--resume --out " + out);
    ASSERT_EQ(last.exit_code, 0) << last.err;
    ASSERT_EQ(outliers_of(folder, out), expected);
    EXPECT_EQ(manifest_of(folder, out)["state"], "complete");
    std::filesystem::remove_all(folder.file(out));
  }
  EXPECT_GE(kills, 20);
}

TEST(Generate, a_damaged_piece_is_made_again) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder, std::string(kBase) + "--out whole").exit_code, 0);
  // Keep the pieces of an interrupted run by taking them from a killed one.
  std::vector<std::string> arguments = {
      "generate", "demo:bank", "--labels", "demo:labels", "--seed", "5",
      "--count",  "60",        "--part",   "5",           "--out",  "run"};
  bool has_piece = false;
  // Slow builds need longer; a run that is over has no pieces any more.
  for (int wait = 5; wait < 30000 && !has_piece; wait += 1 + wait / 6) {
    std::filesystem::remove_all(folder.file("run"));
    const pid_t child = start(folder, arguments);
    std::this_thread::sleep_for(std::chrono::milliseconds(wait));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    has_piece =
        std::filesystem::exists(folder.file("run/parts/class0-0.safetensors"));
  }
  ASSERT_TRUE(has_piece);
  const std::string path = folder.file("run/parts/class0-0.safetensors");
  std::string bytes = read_bytes(path);
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 4);
  std::ofstream(path, std::ios::binary) << bytes;
  const ToolResult result =
      run_tool(folder, std::string(kBase) + "--part 5 --resume --out run");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(outliers_of(folder, "run"), outliers_of(folder, "whole"));
}

// E in long double from the files of a run alone.
long double energy_of(std::span<const float> v, const Matrix<double>& bank,
                      const std::vector<std::size_t>& atoms, double epsilon,
                      long double mass) {
  long double sum = 0;
  for (const std::size_t i : atoms) {
    long double vb = 0, vv = 0, bb = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      const long double a = v[k], b = bank(i, k);
      vb += a * b;
      vv += a * a;
      bb += b * b;
    }
    sum += std::exp((vb / std::sqrt(vv * bb) - 1) / epsilon);
  }
  return -epsilon * std::log(sum / mass);
}

TEST(Generate, every_outlier_meets_its_constraints) {
  const TemporaryFolder folder;
  Matrix<float> bank(300, 5);
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    PhiloxStream(3, 0, 0, i).normals(0, bank.row(i));
    bank(i, i % 2) += 6.0f;
  }
  write_npy(folder.file("bank.npy"), bank.view());
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    labels.push_back(static_cast<std::int64_t>(i % 2));
  }
  write_npy(folder.file("labels.npy"), std::span<const std::int64_t>(labels));
  const ToolResult result =
      run_tool(folder,
               "generate bank.npy --labels labels.npy --profile paper-series "
               "--margin 0.001 --trim 0 --semantic true --semantic-floor 0.5 "
               "--epsilon 0.05 --count 50 --out run --json");
  ASSERT_LE(result.exit_code, 1) << result.err;
  const LoadedMatrix<float> points =
      to_matrix<float>(read_npy(folder.file("run/outliers.npy")));
  CsvOptions csv;
  csv.columns = {"class",  "anchor_row",   "energy",
                 "margin", "class_cosine", "anchor_cosine"};
  const CsvTable table = read_csv(folder.file("run/outliers.csv"), csv);
  ASSERT_GT(points.rows(), 20u);
  ASSERT_EQ(table.values.rows(), points.rows());
  Matrix<double> exact(bank.rows(), bank.cols());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    exact.elements()[i] = bank.elements()[i];
  }
  const nlohmann::json manifest = manifest_of(folder, "run");
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto cls = static_cast<std::size_t>(table.values(i, 0));
    std::vector<std::size_t> atoms;
    for (std::size_t r = cls; r < bank.rows(); r += 2) atoms.push_back(r);
    const double threshold = manifest["classes"][cls]["threshold"];
    const auto energy =
        static_cast<double>(energy_of(points.view().row(i), exact, atoms, 0.05,
                                      static_cast<long double>(atoms.size())));
    EXPECT_NEAR(energy, table.values(i, 2), 1e-12);
    EXPECT_NEAR(energy - threshold, table.values(i, 3), 1e-12);
    EXPECT_GE(energy, threshold - 1e-12);
    EXPECT_GE(table.values(i, 4), 0.5);
    // The cosines once more, from the points alone.
    double vv = 0, zz = 0, vz = 0;
    const auto row = static_cast<std::size_t>(table.values(i, 1));
    EXPECT_EQ(row % 2, cls);
    for (std::size_t k = 0; k < 5; ++k) {
      const double v = points.view()(i, k), z = exact(row, k);
      vv += v * v;
      zz += z * z;
      vz += v * z;
    }
    EXPECT_NEAR(vz / std::sqrt(vv * zz), table.values(i, 5), 1e-12);
  }
}

TEST(Generate, what_cannot_be_reached_is_said_with_the_binding_test) {
  const TemporaryFolder folder;
  const ToolResult energy = run_tool(
      folder,
      "generate demo:bank --profile paper-series --margin 1.5 --out a --json");
  EXPECT_EQ(energy.exit_code, 1);
  EXPECT_THAT(energy.err, ::testing::HasSubstr("the energy test binds"));
  EXPECT_EQ(manifest_of(folder, "a")["classes"][0]["binding"], "energy");
  EXPECT_EQ(manifest_of(folder, "a")["state"], "partial");
  const ToolResult semantic =
      run_tool(folder,
               "generate demo:bank --labels demo:labels --splitting false "
               "--max-rounds 3 --semantic-floor 0.99999 --out b");
  EXPECT_EQ(semantic.exit_code, 1);
  EXPECT_THAT(semantic.err, ::testing::HasSubstr("the semantic test binds"));
}

TEST(Generate, odd_banks_end_with_a_clear_status) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, std::size_t rows, std::size_t cols,
                         bool is_constant) {
    Matrix<float> bank(rows, cols);
    for (std::size_t i = 0; i < rows; ++i) {
      PhiloxStream(1, 0, 0, is_constant ? 0 : i).normals(0, bank.row(i));
    }
    write_npy(folder.file(name), bank.view());
  };
  write("three.npy", 3, 4, false);
  write("same.npy", 50, 4, true);
  write("one.npy", 1, 4, false);
  write("line.npy", 50, 1, false);
  for (const char* name : {"three.npy", "same.npy", "one.npy", "line.npy"}) {
    for (const char* profile : {"balanced", "coverage", "max-coverage",
                                "paper-series", "paper-image"}) {
      const ToolResult result = run_tool(
          folder, std::string("generate ") + name + " --profile " + profile +
                      " --count 3 --max-rounds 4 --out " + name + profile);
      EXPECT_LE(result.exit_code, 2) << name << profile << result.err;
      if (result.exit_code == 1) {
        EXPECT_THAT(result.err, ::testing::HasSubstr("test binds"))
            << name << profile;
      }
    }
  }
  const ToolResult none =
      run_tool(folder, "generate demo:bank --count 0 --out none");
  EXPECT_EQ(none.exit_code, 0) << none.err;
  EXPECT_EQ(to_matrix<float>(read_npy(folder.file("none/outliers.npy"))).rows(),
            0u);
}

TEST(Generate, a_folder_with_something_else_is_left_alone) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("mine"));
  std::ofstream(folder.file("mine/thesis.txt")) << "years of work";
  const ToolResult result =
      run_tool(folder, "generate demo:bank --count 2 --out mine");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(read_bytes(folder.file("mine/thesis.txt")), "years of work");
  ASSERT_EQ(run_tool(folder, "generate demo:bank --count 2 --out r").exit_code,
            0);
  EXPECT_EQ(run_tool(folder, "generate demo:bank --count 2 --out r").exit_code,
            3);
  EXPECT_EQ(run_tool(folder, "generate demo:bank --count 3 --resume --out r")
                .exit_code,
            3);
}

TEST(Generate, the_written_configuration_repeats_the_run) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder,
                     "generate demo:bank --count 9 --sigma 0.03 --seed 4 "
                     "--pick level --out first")
                .exit_code,
            0);
  const ToolResult again = run_tool(
      folder, "generate demo:bank --config first/config.toml --out second");
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(outliers_of(folder, "first"), outliers_of(folder, "second"));
}

TEST(Generate, every_rule_delivers) {
  const TemporaryFolder folder;
  for (const char* rule :
       {"sbog", "random", "no-top", "no-threshold", "no-argmax", "knn",
        "kde-scott", "kde-median", "kde-matched", "vos", "bood"}) {
    const ToolResult result = run_tool(
        folder, std::string("generate demo:bank --labels demo:labels --count 5 "
                            "--bood-step 0.05 --rule ") +
                    rule + " --out " + rule);
    EXPECT_EQ(result.exit_code, 0) << rule << ": " << result.err;
  }
  EXPECT_EQ(read_bytes(folder.file("sbog/outliers.npy")),
            read_bytes(folder.file("kde-matched/outliers.npy")));
}

TEST(Generate, severities_are_filled_or_refused_in_one_sentence) {
  const TemporaryFolder folder;
  const std::string base = "generate demo:bank --labels demo:labels --count 5 ";
  const ToolResult result =
      run_tool(folder, base + "--no-report --severity 2,1 --out graded");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, testing::HasSubstr("30 of 30 outliers in graded"));
  EXPECT_THAT(result.out, testing::HasSubstr("of severities 1,2"));
  EXPECT_THAT(result.out, testing::HasSubstr("void when they drift"));
  EXPECT_EQ(manifest_of(folder, "graded")["classes"][0]["severities"].size(),
            2u);
  for (const char* wrong :
       {"--severity 0", "--severity 9", "--severity 2,2", "--severity x",
        "--severity 8", "--severity 1 --ceiling 0.1",
        "--severity 1 --margin 0.1", "--severity 1 --rule vos",
        "--severity 1 --rule random"}) {
    const ToolResult refused =
        run_tool(folder, base + wrong + " --out refused");
    EXPECT_EQ(refused.exit_code, 2) << wrong;
    EXPECT_THAT(refused.err, testing::HasSubstr("severit")) << wrong;
    EXPECT_FALSE(std::filesystem::exists(folder.file("refused"))) << wrong;
  }
}

}  // namespace generate_test
}  // namespace sbog::testing_support
