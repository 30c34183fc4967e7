// SPDX-License-Identifier: Apache-2.0
// What bash offers with the script of sbog completion bash.
#include <gmock/gmock.h>

#include "cli/about/completion_support.h"

namespace sbog::testing_support {
namespace bash_completion_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class BashCompletion : public CompletionTest {};

TEST_F(BashCompletion, completes_commands) {
  EXPECT_THAT(in_bash("sbog sc"), ElementsAre("score"));
  EXPECT_THAT(in_bash("sbog de"), ElementsAre("detect", "demo"));
  EXPECT_THAT(in_bash("sbog --threads 2 detect t"), ElementsAre("train"));
  EXPECT_THAT(in_bash("sbog detect ''"), ElementsAre("train", "score"));
}

TEST_F(BashCompletion, completes_options_of_the_command_and_of_all) {
  EXPECT_THAT(in_bash("sbog report --"), Contains("--sample"));
  EXPECT_THAT(in_bash("sbog report --"), Contains("--threads"));
  EXPECT_THAT(in_bash("sbog report --"), Not(Contains("--epsilon")));
  EXPECT_THAT(in_bash("sbog detect train --cau"), ElementsAre("--causal"));
  EXPECT_THAT(in_bash("sbog --ver"), ElementsAre("--version"));
}

TEST_F(BashCompletion, completes_the_values_that_an_option_takes) {
  EXPECT_THAT(in_bash("sbog demo --kind ''"),
              ElementsAre("latent", "series", "image"));
  EXPECT_THAT(in_bash("sbog demo --kind = se"), ElementsAre("series"));
  EXPECT_THAT(in_bash("sbog demo --kind ="),
              ElementsAre("latent", "series", "image"));
  EXPECT_THAT(in_bash("sbog completion f"), ElementsAre("fish"));
  EXPECT_THAT(in_bash("sbog generate --rule kde"),
              ElementsAre("kde-scott", "kde-median", "kde-matched"));
  EXPECT_THAT(in_bash("sbog generate --cost unit"), ElementsAre("unit-cosine"));
}

TEST_F(BashCompletion, completes_files_where_a_path_is_due) {
  EXPECT_THAT(in_bash("sbog score ba"), ElementsAre("bank.npy"));
  EXPECT_THAT(in_bash("sbog score --queries two"),
              ElementsAre("two words.npy"));
  EXPECT_THAT(in_bash("sbog score --config ba"), ElementsAre("bank.npy"));
  EXPECT_THAT(in_bash("sbog score --epsilon ''"), IsEmpty());
  EXPECT_THAT(in_bash("sbog doctor ''"), IsEmpty());
}

}  // namespace bash_completion_test
}  // namespace sbog::testing_support
