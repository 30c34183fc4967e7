// SPDX-License-Identifier: Apache-2.0
// What an attack on the tool, a full disk, a closed pipe, a signal or a slip of
// the hand must not do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace safety_test {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(Safety, a_link_under_the_old_temporary_name_is_not_followed) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("victim")) << "dear";
  fs::create_symlink(folder.file("victim"), folder.file("e.npy.tmp"));
  ASSERT_EQ(run_tool(folder, "score demo:bank --out e.npy").exit_code, 0);
  EXPECT_EQ(read_bytes(folder.file("victim")), "dear");
  EXPECT_TRUE(fs::is_symlink(folder.file("e.npy.tmp")));
}

TEST(Safety, what_cannot_be_printed_is_exit_3) {
  const TemporaryFolder folder;
  for (const char* line :
       {"score demo:bank --json", "score demo:bank", "--version", "--help",
        "score --help", "man", "completion bash", "doctor",
        "dro --losses demo:losses --bank demo:bank --radius 0.1 --json",
        "generate demo:bank --count 3 --no-report --out run --json"}) {
    const ToolResult run = run_tool(folder, std::string(line) + " >/dev/full");
    EXPECT_EQ(run.exit_code, 3) << line << "\n" << run.err;
    EXPECT_THAT(run.err, HasSubstr("standard output")) << line;
  }
  // The run itself was complete before anything was printed.
  EXPECT_EQ(read_json(folder, "run/manifest.json")["state"], "complete");
}

TEST(Safety, a_reader_that_goes_away_ends_nothing_early) {
  const TemporaryFolder folder;
  const ToolResult run = run_line(
      folder,
      "{ sbog generate demo:bank --count 5 --out run --json; echo $? >code; } "
      "| true");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_json(folder, "run/manifest.json")["state"], "complete");
  EXPECT_TRUE(fs::exists(folder.file("run/report.html")));
  EXPECT_THAT(read_bytes(folder.file("code")),
              ::testing::AnyOf("0\n", "3\n"));  // by who was faster
}

TEST(Safety, an_output_that_is_an_input_is_refused_before_any_work) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder, "score demo:bank --out e.npy").exit_code, 0);
  const std::string before = read_bytes(folder.file("e.npy"));
  fs::create_hard_link(folder.file("e.npy"), folder.file("hard.npy"));
  fs::create_symlink(folder.file("e.npy"), folder.file("soft.npy"));
  fs::create_directory(folder.file("sub"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"score e.npy --out e.npy", "--out: e.npy is read by BANK"},
      {"score e.npy --out hard.npy", "is read by BANK"},
      {"score e.npy --out soft.npy", "is read by BANK"},
      {"score demo:bank --queries e.npy --out sub/../e.npy",
       "is read by --queries"},
      {"certify demo:bank --out c --table c",
       "--table: c is the output of --out already"},
      {"certify demo:bank --out c --table ./sub/../c",
       "is the output of --out already"}};
  for (const auto& [line, hint] : cases) {
    const ToolResult run = run_tool(folder, line);
    EXPECT_EQ(run.exit_code, 2) << line << "\n" << run.err;
    EXPECT_THAT(run.err, HasSubstr(hint)) << line;
    EXPECT_EQ(read_bytes(folder.file("e.npy")), before);
  }
  EXPECT_FALSE(fs::exists(folder.file("c")));
  // The name of a score that is also the name of a file is no input.
  std::ofstream(folder.file("knn")) << "old";
  EXPECT_EQ(run_tool(folder, "detect train demo:bank --score knn --out knn")
                .exit_code,
            0);
}

// Starts a command that takes long, sends a signal and tells how it ended.
ToolResult signalled(const TemporaryFolder& folder, const std::string& command,
                     const char* signal) {
  return run_line(folder, "'" SBOG_TOOL "' " + command +
                              " & sleep 0.6; kill -" + signal + " $!; wait $!");
}

TEST(Safety, signals_end_every_command_with_their_code_and_a_sentence) {
  const TemporaryFolder folder;
  const std::vector<std::string> commands = {
      // Four million points against each other: hours.
      "score q.npy --epsilon 0.1",
      "generate demo:bank --count 3000000 --part 3000000 --out run",
      "certify demo:bank --count 2000000 --epsilon 0.1",
      "train series demo:series --epochs 100000 --out model",
      "detect train demo:series --detector carla --epochs 100000 --out d"};
  ASSERT_EQ(run_line(folder,
                     "python3 -c \"import struct;"
                     "h=\\\"{'descr': '<f4', 'fortran_order': False, "
                     "'shape': (4000000, 4), }\\\".ljust(117)+chr(10);"
                     "f=open('q.npy','wb');"
                     "f.write(b'\\x93NUMPY\\x01\\x00'+struct.pack('<H',118)+"
                     "h.encode());"
                     "f.write(struct.pack('<4f',1,2,3,4)*4000000)\"")
                .exit_code,
            0);
  for (const std::string& command : commands) {
    SCOPED_TRACE(command.substr(0, 60));
    for (const auto& [signal, code] :
         {std::pair{"INT", 130}, std::pair{"TERM", 143}}) {
      fs::remove_all(folder.file("run"));
      fs::remove(folder.file("model.checkpoint"));
      const ToolResult run = signalled(folder, command, signal);
      EXPECT_EQ(run.exit_code, code) << run.err;
      EXPECT_THAT(run.err, HasSubstr("interrupted"));
      EXPECT_EQ(told_lines(run.err), 1u) << run.err;
      EXPECT_EQ(run.out, "");
    }
  }
  EXPECT_FALSE(fs::exists(folder.file("model")));
  EXPECT_FALSE(fs::exists(folder.file("d")));
}

// Splitting in 20,000 dimensions is the slowest step between two looks at the
// stop button.
TEST(Safety, a_signal_ends_a_run_in_many_dimensions_within_a_second) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_line(folder,
                     "python3 -c \"import random,struct;"
                     "h=\\\"{'descr': '<f4', 'fortran_order': False, "
                     "'shape': (120, 20000), }\\\".ljust(117)+chr(10);"
                     "random.seed(1);f=open('wide.npy','wb');"
                     "f.write(b'\\x93NUMPY\\x01\\x00'+struct.pack('<H',118)+"
                     "h.encode());"
                     "f.write(struct.pack('<2400000f',"
                     "*[random.random() for _ in range(2400000)]))\"")
                .exit_code,
            0);
  const ToolResult run = run_line(
      folder,
      "'" SBOG_TOOL
      "' generate wide.npy --profile balanced --count 100000 --out run & "
      "sleep 1; begin=$(date +%s%N); kill -INT $!; wait $!; code=$?; "
      "echo $((($(date +%s%N) - begin) / 1000000)); exit $code");
  EXPECT_EQ(run.exit_code, 130) << run.err;
  EXPECT_THAT(run.err, HasSubstr("interrupted"));
  // A second, and as much again for a machine that does other work.
  EXPECT_LT(std::stoi(run.out), 2000);
}

TEST(Safety, limits_of_the_system_are_told_in_a_sentence) {
  const TemporaryFolder folder;
  // Too little for threads or for the job; enough for one of them or both.
  for (const char* kilobytes : {"24000", "30000", "40000", "60000"}) {
    fs::remove_all(folder.file("run"));
    const ToolResult run = run_line(
        folder, std::string("ulimit -v ") + kilobytes +
                    "; '" SBOG_TOOL "' generate demo:bank --count 5 --out run");
    SCOPED_TRACE(std::string(kilobytes) + "\n" + run.err);
    if (run.exit_code == 0) continue;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    continue;  // a sanitizer needs terabytes of addresses
#endif
    if (run.exit_code == 127) continue;  // not enough for the loader
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_THAT(run.err, HasSubstr("memory"));
  }
  const ToolResult run =
      run_line(folder, "ulimit -f 8; '" SBOG_TOOL
                       "' generate demo:bank --count 900 --out small");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("cannot write the file (File too large)"));
  // What is there is whole, and the run goes on where there is room.
  EXPECT_EQ(run_tool(folder,
                     "generate demo:bank --count 900 --out small "
                     "--resume")
                .exit_code,
            0);
}

TEST(Safety, a_finished_run_that_is_resumed_tells_its_result) {
  const TemporaryFolder folder;
  const std::string line =
      "generate demo:bank --count 5 --no-report --out run --json";
  const auto first = nlohmann::json::parse(run_tool(folder, line).out);
  const ToolResult again = run_tool(folder, line + " --resume");
  EXPECT_EQ(again.exit_code, 0);
  auto told = nlohmann::json::parse(again.out, nullptr, false);
  ASSERT_TRUE(told.is_object()) << again.out;
  EXPECT_EQ(told["produced"], 5);
  EXPECT_EQ(told["classes"], first["classes"]);
  EXPECT_EQ(told["distance_ratio"], first["distance_ratio"]);
  EXPECT_FALSE(told.contains("seconds"));
  EXPECT_EQ(run_tool(folder,
                     "generate demo:bank --count 5 --no-report --out run "
                     "--resume")
                .out,
            "5 of 5 outliers in run\n");
}

TEST(Safety, a_configuration_of_another_form_is_refused) {
  const TemporaryFolder folder;
  for (const auto& [text, hint] :
       {std::pair{"[genrate]\ncount = 3\n",
                  "[genrate] is no command; did you mean [generate]?"},
        std::pair{"[generate]\ncuont = 3\n", "did you mean 'count'?"},
        std::pair{"[generate.inner]\ncount = 3\n",
                  "[generate.inner] is no command"},
        std::pair{"sede = 3\n", "did you mean 'seed'?"}}) {
    std::ofstream(folder.file("c.toml")) << text;
    const ToolResult run =
        run_tool(folder, "generate demo:bank --config c.toml --out run");
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(hint));
    EXPECT_FALSE(fs::exists(folder.file("run")));
  }
}

TEST(Safety, two_processes_do_not_share_a_run) {
  const TemporaryFolder folder;
  const ToolResult run = run_line(
      folder, "'" SBOG_TOOL
              "' generate demo:bank --count 3000000 --part 3000000 --out run & "
              "while ! test -e run/manifest.json; do sleep 0.01; done; "
              "sbog generate demo:bank --count 3000000 --part 3000000 --resume "
              "--out run; echo $? >code; kill -KILL $!; wait $!");
  EXPECT_EQ(read_bytes(folder.file("code")), "3\n");
  EXPECT_THAT(run.err, HasSubstr("run: is in use by another process"));
}

TEST(Safety, names_that_are_no_utf8_are_taken_and_come_back) {
  const TemporaryFolder folder;
  // A header in Latin-1, and a file and a folder of such names.
  std::ofstream table(folder.file("t\xE9.csv"), std::ios::binary);
  table << "T \xB0\x43,p\n";
  for (int i = 0; i < 1200; ++i) {
    table << std::sin(i / 5.0) + 0.1 * std::sin(i * 1.7) << ','
          << std::cos(i / 9.0) + 0.1 * std::sin(i * 2.3) << '\n';
  }
  table.close();
  const ToolResult made = run_tool(
      folder,
      "generate t\xE9.csv --width 40 --epochs 8 --count 2 --out r\xE9 --json");
  ASSERT_LE(made.exit_code, 1) << made.err;
  const auto told = nlohmann::json::parse(made.out, nullptr, false);
  ASSERT_FALSE(told.is_discarded()) << made.out;
  EXPECT_EQ(told["channels"][0], "T \xEF\xBF\xBD\x43");
  const ToolResult report = run_tool(folder, "report r\xE9");
  EXPECT_EQ(report.exit_code, 0) << report.err;
  const ToolResult detector =
      run_tool(folder, "detect train t\xE9.csv --out d\xE9.safetensors");
  EXPECT_EQ(detector.exit_code, 0) << detector.err;
  const ToolResult scores = run_tool(
      folder, "detect score d\xE9.safetensors t\xE9.csv --out s.csv --json");
  EXPECT_EQ(scores.exit_code, 0) << scores.err;
}

}  // namespace safety_test
}  // namespace sbog::testing_support
