// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/flush_denormals.h"

#include <gtest/gtest.h>

namespace sbog::nn {
namespace flush_denormals_test {

// At run time, in the unit that the class sets.
float tenth_of(float value) {
  volatile float hidden = value;
  return hidden * 0.1F;
}

TEST(FlushDenormals, tiny_results_are_zero_while_it_lives_and_only_then) {
  const float smallest = 1.2e-38F;
  EXPECT_GT(tenth_of(smallest), 0.0F);
#if defined(__SSE__)
  {
    const FlushDenormals outer;
    EXPECT_EQ(tenth_of(smallest), 0.0F);
    { const FlushDenormals inner; }
    EXPECT_EQ(tenth_of(smallest), 0.0F);
  }
#endif
  EXPECT_GT(tenth_of(smallest), 0.0F);
}

TEST(FlushDenormals, other_numbers_keep_their_bits) {
  const float before = tenth_of(1.0F);
  const FlushDenormals flush;
  EXPECT_EQ(tenth_of(1.0F), before);
}

}  // namespace flush_denormals_test
}  // namespace sbog::nn
