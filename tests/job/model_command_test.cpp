// SPDX-License-Identifier: Apache-2.0
// Commands as models: the good way in both formats, and hostile ones.
#include "sbog/job/model_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "job/made_runs.h"
#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::job {
namespace model_command_test {

using ::testing::HasSubstr;
using ::testing::Not;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;

// Points 0 .. 5 as 3 x 2.
Array points(const TemporaryFolder& folder) {
  testing_support::write_values(folder.file("points.npy"),
                                ElementType::kFloat32, {3, 2},
                                std::vector<float>{0, 1, 2, 3, 4, 5});
  return read_npy(folder.file("points.npy"));
}

Array windows(const TemporaryFolder& folder) {
  testing_support::write_values(folder.file("windows.npy"),
                                ElementType::kFloat64, {2, 3, 2},
                                std::vector<double>{0, 1, 2, 3, 4, 5,  //
                                                    6, 7, 8, 9, 10, 11.5});
  return read_npy(folder.file("windows.npy"));
}

ModelCommand command_of(const TemporaryFolder& folder,
                        const std::string& text) {
  ModelCommand command;
  command.text = text;
  command.folder = folder.path().string();
  command.log = folder.file("log");
  command.timeout_seconds = 60.0;
  command.channels = {"flow", "a,b"};
  return command;
}

// A script with the cases as $1 and the answers as $2.
std::string script(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder.file("model.sh")) << text << '\n';
  return "sh '" + folder.file("model.sh") + "' {cases} {out}";
}

std::string table_script(const TemporaryFolder& folder,
                         const std::string& text) {
  std::ofstream(folder.file("model.sh")) << text << '\n';
  return "sh '" + folder.file("model.sh") + "' {cases.csv} {out.csv}";
}

TEST(ModelCommand, arrays_go_there_and_back) {
  const TemporaryFolder folder;
  Events events;
  const Matrix<double> answers = run_model_command(
      command_of(folder, "cp {cases} {out}"), points(folder), events);
  ASSERT_EQ(answers.rows(), 3u);
  ASSERT_EQ(answers.cols(), 2u);
  EXPECT_EQ(answers(2, 1), 5.0);
  EXPECT_FALSE(std::filesystem::exists(folder.file("cases.npy")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("out.npy")));
}

TEST(ModelCommand, tables_name_windows_rows_and_channels) {
  const TemporaryFolder folder;
  Events events;
  // The sum of a row is its score.
  const ModelCommand command = command_of(
      folder, table_script(folder,
                           "cp $1 $1.kept\n"
                           "awk -F, 'NR > 1 { print $3 + $4 }' $1 >$2"));
  const Matrix<double> scores =
      run_model_command(command, windows(folder), events);
  ASSERT_EQ(scores.rows(), 2u);
  ASSERT_EQ(scores.cols(), 3u);
  EXPECT_EQ(scores(0, 0), 1.0);
  EXPECT_EQ(scores(1, 2), 21.5);
  EXPECT_EQ(read_bytes(folder.file("cases.csv.kept")),
            "window,row,flow,\"a,b\"\n0,0,0,1\n0,1,2,3\n0,2,4,5\n1,0,6,7\n"
            "1,1,8,9\n1,2,10,11.5\n");
  const Matrix<double> sums = run_model_command(
      command_of(
          folder,
          table_script(folder, "awk -F, 'NR > 1 { print $1 + $2 }' $1 >$2")),
      points(folder), events);
  ASSERT_EQ(sums.cols(), 1u);
  EXPECT_EQ(sums(2, 0), 9.0);
}

// What a hostile command does, and what the one sentence says.
struct Hostile {
  const char* name;
  const char* text;
  const char* words;
};

class HostileCommands : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileCommands, end_in_one_sentence) {
  const TemporaryFolder folder;
  Events events;
  ModelCommand command =
      command_of(folder, std::string(GetParam().text).find("awk") == 0
                             ? table_script(folder, GetParam().text)
                             : script(folder, GetParam().text));
  const bool hangs =
      std::string(GetParam().words).find("time limit") != std::string::npos;
  command.timeout_seconds = hangs ? 2.0 : 60.0;
  try {
    run_model_command(command, points(folder), events);
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().words));
    EXPECT_THAT(error.what(), HasSubstr("--model 'sh "));
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
  }
}

INSTANTIATE_TEST_SUITE_P(
    ModelCommand, HostileCommands,
    ::testing::Values(
        Hostile{"hangs", "echo thinking; sleep 600",
                "time limit of 2 s (--timeout); its last line: thinking"},
        Hostile{"forks_and_hangs", "sleep 600 & sleep 600 & wait",
                "time limit of 2 s"},
        Hostile{"crashes", "echo no module >&2; exit 4",
                "exit code 4; its last line: no module"},
        Hostile{"is_killed", "kill -9 $$", "ended by signal 9"},
        Hostile{"leaves_nothing", "true", "left no file of answers at {out}"},
        Hostile{"leaves_rubbish", "echo rubbish >$2", "cannot be read"},
        Hostile{"leaves_nothing_to_read", ": >$2", "cannot be read"},
        Hostile{"prints_a_gigabyte", "head -c 1000000000 /dev/zero; exit 5",
                "exit code 5"},
        Hostile{"moves_the_cursor", "printf '\\033[2Jgone\\n'; exit 6",
                "exit code 6"},
        Hostile{"answers_nan", "awk 'NR > 1 { print \"nan\" }' $1 >$2",
                "cannot be read"},
        Hostile{"answers_too_few", "awk 'NR > 2 { print 1 }' $1 >$2",
                "shape 2 x 1; one row for each of 3 cases is expected"},
        Hostile{"answers_too_many", "awk '{ print 1 }' $1 >$2",
                "shape 4 x 1; one row for each of 3"}),
    [](const auto& hostile) { return std::string(hostile.param.name); });

TEST(ModelCommand, nan_in_an_array_is_named) {
  const TemporaryFolder folder;
  testing_support::write_values(folder.file("nan.npy"), ElementType::kFloat64,
                                {3}, std::vector<double>{1, NAN, 2});
  Events events;
  try {
    run_model_command(
        command_of(folder,
                   script(folder, "cp '" + folder.file("nan.npy") + "' $2")),
        points(folder), events);
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("answered case 1 with NaN"));
  }
}

TEST(ModelCommand, answers_of_an_earlier_call_are_not_taken) {
  const TemporaryFolder folder;
  Events events;
  std::filesystem::copy_file((points(folder), folder.file("points.npy")),
                             folder.file("out.npy"));
  EXPECT_THROW(run_model_command(command_of(folder, "true {cases} {out}"),
                                 points(folder), events),
               IoError);
}

TEST(ModelCommand, the_log_of_a_gigabyte_is_short) {
  const TemporaryFolder folder;
  Events events;
  run_model_command(
      command_of(folder, script(folder, "yes | head -c 1000000000; cp $1 $2")),
      points(folder), events);
  EXPECT_LE(std::filesystem::file_size(folder.file("log")), 1u << 20);
}

TEST(ModelCommand, the_stop_button_gives_no_answers) {
  const TemporaryFolder folder;
  Events events;
  events.stop();
  EXPECT_EQ(run_model_command(command_of(folder, script(folder, "sleep 600")),
                              points(folder), events)
                .rows(),
            0u);
}

TEST(ModelCommand, a_text_without_placeholders_is_refused) {
  const TemporaryFolder folder;
  for (const char* text :
       {"", "python predict.py", "cp {cases} out", "cp in {out}",
        "cp {cases} {cases.csv} {out}", "cp '{cases} {out}"}) {
    EXPECT_THROW(check_command(command_of(folder, text)), InvalidArgument)
        << text;
  }
  ModelCommand command = command_of(folder, "cp {cases.csv} {out}");
  check_command(command);
  command.timeout_seconds = 0.0;
  EXPECT_THROW(check_command(command), InvalidArgument);
}

TEST(ModelCommand, a_program_that_is_not_there_is_named) {
  const TemporaryFolder folder;
  Events events;
  try {
    run_model_command(command_of(folder, "no-such-model {cases} {out}"),
                      points(folder), events);
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no-such-model: cannot be started"));
  }
}

}  // namespace model_command_test
}  // namespace sbog::job
