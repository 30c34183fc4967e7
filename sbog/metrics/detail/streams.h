// SPDX-License-Identifier: Apache-2.0
// Numbers that keep the random draws of the metrics apart: the `purpose` of
// draw_subset, in the streams of the reserved class 65535.
#pragma once

#include <cstdint>

namespace sbog::detail {

inline constexpr std::uint32_t kBandwidthPurpose = 0x4D000001;
inline constexpr std::uint32_t kFirstSamplePurpose = 0x4D000002;
inline constexpr std::uint32_t kSecondSamplePurpose = 0x4D000003;
inline constexpr std::uint32_t kDirectionPurpose = 0x4D000004;
inline constexpr std::uint32_t kRatioOutliersPurpose = 0x4D000005;
inline constexpr std::uint32_t kRatioBankPurpose = 0x4D000006;
/// Plus the number of the class.
inline constexpr std::uint32_t kPurityPurpose = 0x4D100000;
/// Plus the number of the subset.
inline constexpr std::uint32_t kFlipPurpose = 0x4D200000;

}  // namespace sbog::detail
