// SPDX-License-Identifier: Apache-2.0
// Outliers among latents: the settings for images, and what is accepted.
#include "sbog_torch/image/latent_outliers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/sample/image_profile.h"
#include "sbog_torch/image/class_anchors.h"
#include "sbog_torch/image/encoder_support.h"

namespace sbog::image {
namespace latent_outliers_test {

constexpr std::size_t kWidth = 16;
constexpr std::size_t kPerClass = 120;

// Points around orthonormal anchors; class 1 of three has none.
struct Made {
  Matrix<float> anchors = orthonormal_anchors(3, kWidth, 5);
  FeatureBank bank;

  Made() {
    bank.counts = {kPerClass, 0, kPerClass};
    bank.latents = Matrix<float>(2 * kPerClass, kWidth);
    nn::Draws draws(8, nn::Purpose::kPairs, 1);
    for (std::size_t i = 0; i < bank.latents.rows(); ++i) {
      const std::size_t label = i < kPerClass ? 0 : 2;
      bank.labels.push_back(static_cast<std::int64_t>(label));
      bank.sources.push_back(static_cast<std::int64_t>(i));
      double square = 0.0;
      for (std::size_t k = 0; k < kWidth; ++k) {
        const double value = anchors(label, k) + 0.1 * draws.normal();
        bank.latents(i, k) = static_cast<float>(value);
        square += value * value;
      }
      for (float& value : bank.latents.row(i)) {
        value = static_cast<float>(value / std::sqrt(square));
      }
    }
  }
};

TEST(LatentOutliers, what_is_accepted_passes_every_test) {
  const Made made;
  for (const char* profile : {"balanced", "paper-image"}) {
    SamplerOptions options = image_profile(profile, kWidth);
    options.count = 12;
    const LatentOutliers found =
        draw_latent_outliers(made.bank, made.anchors, options);
    ASSERT_EQ(found.reports.size(), 2u);
    ASSERT_GT(found.latents.rows(), 0u) << profile;
    ASSERT_EQ(found.classes.size(), found.latents.rows());
    EXPECT_EQ(found.status == SolveStatus::kDone, found.latents.rows() == 24u);
    EXPECT_EQ(found.class_anchors.rows(), 2u);
    ASSERT_EQ(found.bank_scores.size(), made.bank.latents.rows());
    // The threshold is a quantile of the scores of its class.
    for (std::size_t c = 0; c < 2; ++c) {
      const auto first = found.bank_scores.begin() +
                         static_cast<std::ptrdiff_t>(c * kPerClass);
      const auto below =
          std::count_if(first, first + kPerClass, [&](double score) {
            return score < found.reports[c].plan.quantile_value;
          });
      EXPECT_NEAR(static_cast<double>(below) / kPerClass, options.quantile,
                  0.02);
    }
    for (std::size_t i = 0; i < found.latents.rows(); ++i) {
      const ClassReport& report = found.reports[found.classes[i] == 0 ? 0 : 1];
      EXPECT_EQ(report.label, found.classes[i]);
      EXPECT_EQ(made.bank.labels[found.bank_rows[i]], found.classes[i]);
      EXPECT_GE(found.outputs[i].energy, report.plan.threshold);
      double square = 0.0;
      double cosine = 0.0;
      for (std::size_t k = 0; k < kWidth; ++k) {
        const double value = found.latents(i, k);
        square += value * value;
        cosine +=
            value * made.anchors(static_cast<std::size_t>(found.classes[i]), k);
      }
      EXPECT_NEAR(square, 1.0, 1e-5);
      EXPECT_GE(cosine, report.plan.semantic_floor - 1e-5);
    }
  }
}

TEST(LatentOutliers, threads_change_nothing) {
  const Made made;
  SamplerOptions options = image_profile("balanced", kWidth);
  options.count = 8;
  ThreadPool pool(3);
  const LatentOutliers one =
      draw_latent_outliers(made.bank, made.anchors, options);
  const LatentOutliers three =
      draw_latent_outliers(made.bank, made.anchors, options, {&pool, nullptr});
  ASSERT_EQ(one.latents.rows(), three.latents.rows());
  for (std::size_t i = 0; i < one.latents.size(); ++i) {
    EXPECT_EQ(one.latents.data()[i], three.latents.data()[i]);
  }
}

TEST(LatentOutliers, anchors_that_do_not_fit_are_refused) {
  const Made made;
  const Matrix<float> two = orthonormal_anchors(2, kWidth, 5);
  EXPECT_THROW(
      draw_latent_outliers(made.bank, two, image_profile("balanced", kWidth)),
      InvalidArgument);
}

}  // namespace latent_outliers_test
}  // namespace sbog::image
