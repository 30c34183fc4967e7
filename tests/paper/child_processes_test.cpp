// SPDX-License-Identifier: Apache-2.0
// Children: all run, failures say why, giving up kills the rest.
#include "paper/child_processes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::paper {
namespace child_processes_test {

using Command = std::vector<std::string>;

Command shell(const std::string& line) { return {"/bin/sh", "-c", line}; }

ChildEnd end_of(const Command& command) {
  ChildEnd found;
  EXPECT_TRUE(run_children({command}, 1, [&](const ChildEnd* end) {
    if (end != nullptr) found = *end;
    return true;
  }));
  return found;
}

TEST(Children, all_run_whatever_the_number_of_jobs) {
  for (const std::size_t jobs : {1, 3, 100}) {
    const testing_support::TemporaryFolder folder;
    std::vector<Command> commands;
    for (int i = 0; i < 7; ++i) {
      commands.push_back({"touch", folder.file(std::to_string(i))});
    }
    std::set<std::size_t> ended;
    EXPECT_TRUE(run_children(commands, jobs, [&](const ChildEnd* end) {
      if (end != nullptr) {
        EXPECT_TRUE(end->is_success);
        ended.insert(end->index);
      }
      return true;
    }));
    EXPECT_EQ(ended.size(), 7u);
    for (int i = 0; i < 7; ++i) {
      EXPECT_TRUE(std::filesystem::exists(folder.file(std::to_string(i))));
    }
  }
}

TEST(Children, a_failure_is_told_with_its_first_line) {
  const ChildEnd end = end_of(shell("echo 'sbog-paper: no disk' >&2; exit 3"));
  EXPECT_FALSE(end.is_success);
  EXPECT_EQ(end.reason, "no disk");
  EXPECT_EQ(end_of(shell("exit 4")).reason, "it ended with status 4");
  EXPECT_EQ(end_of(shell("kill -9 $$")).reason, "it was ended by signal 9");
  EXPECT_TRUE(end_of(shell("echo words >&2")).is_success);
}

TEST(Children, many_words_do_not_block) {
  const ChildEnd end =
      end_of(shell("head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1"));
  EXPECT_FALSE(end.is_success);
  EXPECT_LT(end.reason.size(), 1001u);
}

TEST(Children, giving_up_kills_those_that_run) {
  // The second child would wait for ever.
  EXPECT_FALSE(
      run_children({shell("exit 0"), shell("exec sleep 100000")}, 2,
                   [](const ChildEnd* end) { return end == nullptr; }));
}

TEST(Children, an_exception_of_the_listener_kills_them_as_well) {
  EXPECT_THROW(run_children({shell("exit 1"), shell("exec sleep 100000")}, 2,
                            [](const ChildEnd* end) -> bool {
                              if (end != nullptr)
                                throw IoError("a child failed");
                              return true;
                            }),
               IoError);
}

TEST(Children, what_cannot_be_started_is_told) {
  const auto listener = [](const ChildEnd*) { return true; };
  EXPECT_THROW(run_children({{"/no/such/program"}}, 1, listener), IoError);
  EXPECT_THROW(run_children({{}}, 1, listener), InvalidArgument);
  EXPECT_THROW(run_children({shell("true")}, 0, listener), InvalidArgument);
  EXPECT_TRUE(run_children({}, 1, listener));
}

}  // namespace child_processes_test
}  // namespace sbog::paper
