// SPDX-License-Identifier: Apache-2.0
// Numbers that keep the random draws of the certificates apart, in the streams
// of the reserved class 65535.
#pragma once

#include <cstdint>

namespace sbog::detail {

/// The `purpose` of draw_subset for the calibration half of a bank: the one
/// that score_bank uses, so that both split a bank in the same way.
inline constexpr std::uint32_t kSplitPurpose = 1;
/// Resampled references.
inline constexpr std::uint32_t kBootstrapPurpose = 0x43000001;

}  // namespace sbog::detail
