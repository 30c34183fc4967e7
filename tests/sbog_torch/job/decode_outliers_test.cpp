// SPDX-License-Identifier: Apache-2.0
// Decoded outliers: which ones, from which images, and what is measured.
#include "sbog_torch/job/decode_outliers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "sbog/sample/image_profile.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace decode_outliers_test {

using namespace testing_support;

class DecodeOutliers : public ::testing::Test {
 protected:
  DecodeOutliers()
      : model_(image::load_image_model(small_model())),
        images_(small_images()),
        options_(image_profile("balanced", 8)) {
    options_.count = 3;
    options_.seed = 3;
    outliers_ = draw_latent_outliers(model_.bank, model_.anchors, options_, {});
    image::DecoderTraining training;
    training.kind = image::DecoderKind::kMix;
    decoder_ = train_decoder(model_, images_, training, {}).decoder;
    scorer_ = std::make_unique<LatentScorer>(model_.bank, options_);
  }

  DecodedOutliers decode(std::size_t per_class) const {
    DecodingOptions how;
    how.per_class = per_class;
    return decode_outliers({*decoder_, model_, images_, *scorer_}, outliers_,
                           how);
  }

  image::ImageModel model_;
  ImageSet images_;
  SamplerOptions options_;
  image::LatentOutliers outliers_;
  std::unique_ptr<image::Decoder> decoder_;
  std::unique_ptr<LatentScorer> scorer_;
};

TEST_F(DecodeOutliers, the_first_of_each_class_are_decoded) {
  ASSERT_GT(outliers_.classes.size(), 8u);
  const DecodedOutliers some = decode(2);
  std::map<std::int64_t, std::size_t> counts;
  for (const std::size_t row : some.rows) ++counts[outliers_.classes[row]];
  for (const auto& [label, count] : counts) EXPECT_LE(count, 2u) << label;
  EXPECT_TRUE(std::ranges::is_sorted(some.rows));
  EXPECT_EQ(some.images.count(), some.rows.size());
  for (std::size_t i = 0; i < some.rows.size(); ++i) {
    EXPECT_EQ(some.images.labels[i], outliers_.classes[some.rows[i]]);
  }
  EXPECT_GT(decode(3).rows.size(), some.rows.size());
}

TEST_F(DecodeOutliers, sources_are_the_images_behind_the_bank) {
  const DecodedOutliers decoded = decode(3);
  for (std::size_t i = 0; i < decoded.rows.size(); ++i) {
    const auto source = static_cast<std::size_t>(
        model_.bank.sources[outliers_.bank_rows[decoded.rows[i]]]);
    EXPECT_TRUE(std::ranges::equal(decoded.sources.pixels.row(i),
                                   images_.pixels.row(source)));
  }
}

TEST_F(DecodeOutliers, the_nearest_image_is_that_of_the_plainest_loop) {
  const DecodedOutliers decoded = decode(1);
  for (std::size_t i = 0; i < decoded.rows.size(); ++i) {
    double least = 1e9;
    for (const std::int64_t source : model_.bank.sources) {
      double sum = 0.0;
      for (std::size_t k = 0; k < images_.shape.size(); ++k) {
        const double step = (static_cast<double>(decoded.images.pixels(i, k)) -
                             static_cast<double>(images_.pixels(
                                 static_cast<std::size_t>(source), k))) /
                            255.0;
        sum += step * step;
      }
      least = std::min(
          least, std::sqrt(sum / static_cast<double>(images_.shape.size())));
    }
    EXPECT_NEAR(decoded.distance[i], least, 1e-5);
  }
  EXPECT_EQ(decoded.unseen_distance.size(), 40u);
}

TEST_F(DecodeOutliers, scores_are_those_of_points_and_of_embedded_images) {
  const DecodedOutliers decoded = decode(3);
  ASSERT_EQ(decoded.class_energy.size(), decoded.rows.size());
  ASSERT_EQ(decoded.energy.size(), decoded.rows.size());
  const Matrix<float> seen =
      image::embed_images(model_.embed, decoded.images).latents;
  for (std::size_t i = 0; i < decoded.rows.size(); ++i) {
    const std::size_t row = decoded.rows[i];
    const std::int64_t label = outliers_.classes[row];
    EXPECT_EQ(
        decoded.class_energy[i],
        scorer_->score(
            label, std::as_const(outliers_.latents).view().subrows(row, 1))[0]);
    EXPECT_NEAR(decoded.energy[i],
                scorer_->score(label, seen.view().subrows(i, 1))[0], 1e-6);
    EXPECT_LE(std::abs(decoded.consistency[i]), 1.0001);
  }
}

}  // namespace decode_outliers_test
}  // namespace sbog::torch_jobs
