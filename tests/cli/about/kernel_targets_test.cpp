// SPDX-License-Identifier: Apache-2.0
// Instruction sets, and the choice of one.
#include "about/kernel_targets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sbog/energy/energy_model.h"

namespace sbog::cli {
namespace kernel_targets_test {

TEST(KernelTargets, are_those_that_the_kernels_really_use) {
  const std::vector<KernelTarget> targets = kernel_targets();
  ASSERT_TRUE(std::any_of(
      targets.begin(), targets.end(),
      [](const KernelTarget& target) { return target.is_supported; }));
  const std::string own_choice = simd_target();
  for (const KernelTarget& target : targets) {
    if (!target.is_supported) continue;
    const UseKernelTarget use(target);
    EXPECT_EQ(simd_target(), target.name);
  }
  EXPECT_EQ(simd_target(), own_choice);
}

}  // namespace kernel_targets_test
}  // namespace sbog::cli
