// SPDX-License-Identifier: Apache-2.0
// The named profiles with the settings that latents of images ask for.
#pragma once

#include <cstddef>
#include <string_view>

#include "sbog/sample/sampler_options.h"

namespace sbog {

/// Length of the noise of a proposal on the unit sphere: sigma = kNoiseLength /
/// sqrt(m), which is 0.012 at m = 768.
inline constexpr double kNoiseLength = 0.3326;

/// The options of a profile for latents of `width` numbers. Quantile, trim,
/// choice of anchors, pick, rounds and splitting are those of the profile; for
/// all of them anchors are 5 % of a class, a seed needs a cosine of 0.7 to its
/// class anchor (lowered to the class's median where too few have it), a
/// proposal the same to its seed, the floor of the class cosine is automatic
/// (5 %), the reference is local (128 neighbours), and 256 proposals have the
/// noise above. "balanced", the default, has anchors of up to 30 % of a class
/// and noise twice as long, for outliers that differ more from each other.
/// "exposure" has as many anchors and is otherwise as for points: its steps are
/// far too long for tests of cosines.
/// Throws InvalidArgument for an unknown profile and width 0.
SamplerOptions image_profile(std::string_view profile, std::size_t width);

}  // namespace sbog
