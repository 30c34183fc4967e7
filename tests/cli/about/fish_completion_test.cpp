// SPDX-License-Identifier: Apache-2.0
// What fish offers, where it is installed; the text of its script everywhere.
#include <gmock/gmock.h>

#include "cli/about/completion_support.h"

namespace sbog::testing_support {
namespace fish_completion_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FishCompletion : public CompletionTest {};

TEST_F(FishCompletion, gives_the_same) {
  EXPECT_THAT(script("fish"), HasSubstr("-l kind -x -a 'latent series image'"));
  EXPECT_THAT(script("fish"), HasSubstr("-l queries -r -F"));
  if (!has_program("fish")) return;
  EXPECT_THAT(in_fish("sbog sc"),
              ElementsAre(HasSubstr("score\tEnergies of a bank")));
  EXPECT_THAT(in_fish("sbog demo --kind "),
              ElementsAre(StartsWith("image\t"), StartsWith("latent\t"),
                          StartsWith("series\t")));
  EXPECT_THAT(in_fish("sbog detect train --cau"),
              ElementsAre(HasSubstr("--causal\tA score looks")));
  EXPECT_THAT(in_fish("sbog detect train --thr"),
              ElementsAre(HasSubstr("--threads\tWorker threads")));
  EXPECT_THAT(in_fish("sbog score --queries ba"), ElementsAre("bank.npy"));
}

}  // namespace fish_completion_test
}  // namespace sbog::testing_support
