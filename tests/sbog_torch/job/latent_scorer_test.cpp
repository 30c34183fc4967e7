// SPDX-License-Identifier: Apache-2.0
// Scores and thresholds are those of the sampler.
#include "sbog_torch/job/latent_scorer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/sample/image_profile.h"
#include "sbog_torch/image/latent_outliers.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace latent_scorer_test {

using namespace testing_support;

SamplerOptions options_of(const char* profile) {
  SamplerOptions options = image_profile(profile, 8);
  options.count = 4;
  options.seed = 3;
  options.local = 0;
  options.splitting = false;
  return options;
}

TEST(LatentScorer, outputs_score_what_the_sampler_says_of_them) {
  const image::ImageModel model = image::load_image_model(small_model());
  for (const char* profile : {"balanced", "exposure"}) {
    const SamplerOptions options = options_of(profile);
    const image::LatentOutliers outliers =
        draw_latent_outliers(model.bank, model.anchors, options, {});
    const LatentScorer scorer(model.bank, options);
    ASSERT_GT(outliers.outputs.size(), 8u) << profile;
    for (std::size_t i = 0; i < outliers.outputs.size(); ++i) {
      const std::int64_t label = outliers.classes[i];
      const double score = scorer.score(
          label, std::as_const(outliers.latents).view().subrows(i, 1))[0];
      EXPECT_NEAR(score, outliers.outputs[i].score, 1e-6) << profile;
      EXPECT_TRUE(scorer.is_outside(label, score + 1e-6));
    }
    for (const ClassReport& report : outliers.reports) {
      EXPECT_EQ(scorer.threshold(report.label), report.plan.threshold);
    }
  }
}

TEST(LatentScorer, rarities_are_told_by_the_scores_of_the_bank) {
  const image::ImageModel model = image::load_image_model(graded_model());
  const SamplerOptions options = options_of("balanced");
  const image::LatentOutliers outliers =
      draw_latent_outliers(model.bank, model.anchors, options, {});
  const LatentScorer scorer(model.bank, options);
  std::vector<double> own;  // of class 0
  for (std::size_t i = 0; i < model.bank.labels.size(); ++i) {
    if (model.bank.labels[i] == 0) own.push_back(outliers.bank_scores[i]);
  }
  for (const double score : {own[0], own[3], 1e3}) {
    std::size_t as_high = 0;
    for (const double other : own) as_high += other >= score ? 1 : 0;
    EXPECT_NEAR(
        scorer.rarity(0, score).estimate.bound,
        static_cast<double>(1 + as_high) / static_cast<double>(own.size() + 1),
        1e-12);
  }
  // 168 scores of all classes support one severity, and what lies beyond it.
  EXPECT_EQ(scorer.rarity(0, 1e3).severity, 2);
  EXPECT_EQ(scorer.rarity(0, -1e3).severity, 0);
}

TEST(LatentScorer, settings_that_are_for_proposals_alone_change_nothing) {
  const image::ImageModel model = image::load_image_model(small_model());
  const SamplerOptions plain = options_of("balanced");
  SamplerOptions other = plain;
  other.local = 16;
  other.splitting = true;
  const LatentScorer a(model.bank, plain);
  const LatentScorer b(model.bank, other);
  for (const std::int64_t label : {0, 3, 7}) {
    EXPECT_EQ(a.threshold(label), b.threshold(label));
  }
  EXPECT_THROW(a.threshold(8), InvalidArgument);
}

}  // namespace latent_scorer_test
}  // namespace sbog::torch_jobs
