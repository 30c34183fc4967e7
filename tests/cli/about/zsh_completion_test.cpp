// SPDX-License-Identifier: Apache-2.0
// What zsh offers, where it is installed; the text of its script everywhere.
#include <gmock/gmock.h>

#include "cli/about/completion_support.h"

namespace sbog::testing_support {
namespace zsh_completion_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ZshCompletion : public CompletionTest {};

TEST_F(ZshCompletion, gives_the_same) {
  EXPECT_THAT(script("zsh"), StartsWith("#compdef sbog\n"));
  EXPECT_THAT(script("zsh"), HasSubstr("' demo:--kind') compadd -- 'latent'"));
  EXPECT_THAT(script("zsh"), HasSubstr("' score:--queries') _files"));
  if (!has_program("zsh")) return;
  EXPECT_THAT(in_zsh("sbog ''"),
              Contains(HasSubstr("score:Energies of a bank")));
  EXPECT_THAT(in_zsh("sbog demo --kind ''"),
              ElementsAre("latent", "series", "image"));
  EXPECT_THAT(in_zsh("sbog detect train --"),
              Contains(HasSubstr("--causal:A score looks")));
  EXPECT_THAT(in_zsh("sbog detect train --"),
              Contains(HasSubstr("--threads:Worker threads")));
  EXPECT_THAT(in_zsh("sbog score --queries ''"), Contains("bank.npy"));
}

}  // namespace zsh_completion_test
}  // namespace sbog::testing_support
