// SPDX-License-Identifier: Apache-2.0
// Highway's targets; compiled with the same list of disabled ones as the
// kernels, so that HWY_TARGETS means what it means there.
#include "about/kernel_targets.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

namespace sbog::cli {

std::vector<KernelTarget> kernel_targets() {
  std::vector<KernelTarget> targets;
  const auto compiled = static_cast<std::uint64_t>(HWY_TARGETS);
  // The smaller the bit, the better the target. What every CPU of the kind has
  // is always there, whether the CPU is asked for it or not.
  for (unsigned shift = 0; shift < 63; ++shift) {
    const std::uint64_t bit = std::uint64_t{1} << shift;
    if ((compiled & bit) == 0) continue;
    const auto target = static_cast<std::int64_t>(bit);
    const bool is_supported =
        target == HWY_STATIC_TARGET || (hwy::SupportedTargets() & target) != 0;
    targets.push_back({target, hwy::TargetName(target), is_supported});
  }
  return targets;
}

UseKernelTarget::UseKernelTarget(const KernelTarget& target) {
  hwy::GetChosenTarget().Update(target.bit);
}

UseKernelTarget::~UseKernelTarget() {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace sbog::cli
