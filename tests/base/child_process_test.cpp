// SPDX-License-Identifier: Apache-2.0
// Other programs: words, ends, limits, and children that must not stay.
#include "sbog/base/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace child_process_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::TemporaryFolder;

ChildOptions shell(const std::string& script) {
  ChildOptions options;
  options.words = {"sh", "-c", script};
  return options;
}

TEST(ChildProcess, words_are_split_as_a_shell_would) {
  EXPECT_THAT(split_words("python  predict.py\t{cases} {out}"),
              ElementsAre("python", "predict.py", "{cases}", "{out}"));
  EXPECT_THAT(split_words(R"(a 'b c' "d 'e" f\ g '' h"i"j '\n')"),
              ElementsAre("a", "b c", "d 'e", "f g", "", "hij", "\\n"));
  EXPECT_THAT(split_words("  "), ElementsAre());
  EXPECT_THROW(split_words("a 'b"), InvalidArgument);
}

TEST(ChildProcess, a_shell_does_not_see_the_words) {
  const TemporaryFolder folder;
  ChildOptions options;
  options.words = {"echo", "$HOME;", "`id`"};
  options.log = folder.file("log");
  EXPECT_EQ(run_child(options).code, 0);
  EXPECT_EQ(testing_support::read_bytes(options.log), "$HOME; `id`\n");
}

TEST(ChildProcess, exit_codes_signals_and_the_last_line_are_told) {
  const ChildResult failed = run_child(shell("echo one; echo two >&2; exit 7"));
  EXPECT_EQ(failed.end, ChildEnd::kExited);
  EXPECT_EQ(failed.code, 7);
  EXPECT_EQ(failed.last_line, "two");
  EXPECT_EQ(failed.printed, 8u);
  const ChildResult killed = run_child(shell("kill -SEGV $$"));
  EXPECT_EQ(killed.end, ChildEnd::kSignal);
  EXPECT_EQ(killed.code, SIGSEGV);
}

TEST(ChildProcess, a_program_that_is_not_there_is_an_error_of_one_sentence) {
  ChildOptions options;
  options.words = {"no-such-program-of-sbog"};
  try {
    run_child(options);
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("no-such-program-of-sbog: cannot be started: No"));
  }
  options.words.clear();
  EXPECT_THROW(run_child(options), InvalidArgument);
  options.words = {"true"};
  options.log = "/no/such/folder/log";
  EXPECT_THROW(run_child(options), IoError);
}

TEST(ChildProcess, a_gigabyte_of_output_is_counted_and_cut) {
  const TemporaryFolder folder;
  ChildOptions options = shell("head -c 1000000000 /dev/zero; echo; echo end");
  options.log = folder.file("log");
  options.log_limit = 1000;
  const ChildResult result = run_child(options);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.printed, 1'000'000'005u);
  EXPECT_EQ(result.last_line, "end");
  EXPECT_EQ(testing_support::read_bytes(options.log).size(), 1000u);
}

TEST(ChildProcess,
     the_time_limit_holds_while_it_prints_and_while_it_is_silent) {
  for (const char* script :
       {"sleep 600", "yes", "trap '' TERM INT; sleep 600"}) {
    ChildOptions options = shell(script);
    options.timeout_seconds = 0.2;
    const ChildResult result = run_child(options);
    EXPECT_EQ(result.end, ChildEnd::kTimedOut) << script;
    EXPECT_LT(result.seconds, 60.0) << script;
  }
}

TEST(ChildProcess, the_stop_button_kills_it) {
  ChildOptions options = shell("sleep 600");
  std::size_t asked = 0;
  options.is_stopped = [&] { return ++asked > 3; };
  EXPECT_EQ(run_child(options).end, ChildEnd::kStopped);
}

// Whether a process runs; a zombie that nobody has fetched yet does not.
bool is_running(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(status, text)) return false;
  return text.substr(text.rfind(')') + 2, 1) != "Z";
}

void expect_gone(const std::string& file) {
  const pid_t process = std::stoi(testing_support::read_bytes(file));
  for (int i = 0; i < 500 && is_running(process); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(is_running(process));
}

TEST(ChildProcess, children_do_not_outlive_it) {
  const TemporaryFolder folder;
  // One that holds the output open after the program has ended well, and one
  // of a program that hangs.
  const std::string own = folder.file("own");
  ChildOptions options =
      shell("sleep 600 & echo $! > " + own + "; echo started");
  const ChildResult result = run_child(options);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.last_line, "started");
  EXPECT_LT(result.seconds, 60.0);
  expect_gone(own);
  options = shell("sleep 600 & echo $! > " + own + "; wait");
  options.timeout_seconds = 0.3;
  EXPECT_EQ(run_child(options).end, ChildEnd::kTimedOut);
  expect_gone(own);
}

}  // namespace child_process_test
}  // namespace sbog
