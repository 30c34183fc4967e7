// SPDX-License-Identifier: Apache-2.0
// Settings for latents of images; see image_profile.h.
#include "sbog/sample/image_profile.h"

#include <cmath>

#include "sbog/base/errors.h"

namespace sbog {

SamplerOptions image_profile(std::string_view profile, std::size_t width) {
  if (width == 0) throw InvalidArgument("image profile: the width is 0");
  SamplerOptions options = profile_options(profile);
  options.anchor_count = 0;
  // What is looked at or learnt from asks for variety.
  const bool is_varied = profile == "balanced" || profile == "exposure";
  options.anchor_share = is_varied ? 0.3 : 0.05;
  if (profile == "exposure") return options;
  options.seed_eligibility = 0.7;
  options.seed_floor = 0.7;
  options.semantic_quantile = 0.05;
  options.semantic = true;
  options.local = 128;
  options.proposal_count = 256;
  options.sigma = (is_varied ? 2.0 : 1.0) * kNoiseLength /
                  std::sqrt(static_cast<double>(width));
  return options;
}

}  // namespace sbog
