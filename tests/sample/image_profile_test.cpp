// SPDX-License-Identifier: Apache-2.0
// The profiles for latents of images.
#include "sbog/sample/image_profile.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog {
namespace image_profile_test {

TEST(ImageProfile, the_noise_shrinks_with_the_width) {
  EXPECT_NEAR(image_profile("paper-image", 768).sigma, 0.012, 1e-5);
  EXPECT_DOUBLE_EQ(image_profile("coverage", 64).sigma, kNoiseLength / 8.0);
}

TEST(ImageProfile, the_default_has_more_anchors_and_goes_farther) {
  const SamplerOptions ours = image_profile("balanced", 64);
  EXPECT_DOUBLE_EQ(ours.sigma, kNoiseLength / 4.0);
  EXPECT_DOUBLE_EQ(ours.anchor_share, 0.3);
  EXPECT_DOUBLE_EQ(image_profile("coverage", 64).anchor_share, 0.05);
}

TEST(ImageProfile, exposure_steps_as_far_as_for_points) {
  const SamplerOptions ours = image_profile("exposure", 64);
  const SamplerOptions points = profile_options("exposure");
  EXPECT_EQ(ours.radius, points.radius);
  EXPECT_EQ(ours.semantic, points.semantic);
  EXPECT_EQ(ours.seed_floor, points.seed_floor);
  EXPECT_EQ(ours.local, points.local);
  EXPECT_DOUBLE_EQ(ours.anchor_share, 0.3);
}

TEST(ImageProfile, at_768_numbers_the_papers_profile_is_itself) {
  const SamplerOptions ours = image_profile("paper-image", 768);
  const SamplerOptions paper = profile_options("paper-image");
  EXPECT_EQ(ours.quantile, paper.quantile);
  EXPECT_EQ(ours.anchor_count, paper.anchor_count);
  EXPECT_EQ(ours.anchor_share, paper.anchor_share);
  EXPECT_EQ(ours.anchor_rule, paper.anchor_rule);
  EXPECT_EQ(ours.local, paper.local);
  EXPECT_EQ(ours.proposal_count, paper.proposal_count);
  EXPECT_EQ(ours.max_rounds, paper.max_rounds);
  EXPECT_EQ(ours.seed_floor, paper.seed_floor);
  EXPECT_EQ(ours.seed_eligibility, paper.seed_eligibility);
  EXPECT_EQ(ours.semantic_quantile, paper.semantic_quantile);
  EXPECT_EQ(ours.pick, paper.pick);
}

TEST(ImageProfile, every_profile_is_valid_and_keeps_its_own_choices) {
  for (const std::string_view name : profile_names()) {
    const SamplerOptions options = image_profile(name, 64);
    EXPECT_NO_THROW(check_sampler_options(options, 64)) << name;
    EXPECT_EQ(options.quantile, profile_options(name).quantile) << name;
    EXPECT_EQ(options.anchor_rule, profile_options(name).anchor_rule) << name;
    EXPECT_EQ(options.pick, profile_options(name).pick) << name;
  }
  EXPECT_THROW(image_profile("none", 64), InvalidArgument);
  EXPECT_THROW(image_profile("balanced", 0), InvalidArgument);
}

}  // namespace image_profile_test
}  // namespace sbog
