// SPDX-License-Identifier: Apache-2.0
// Outliers of rows at the small size: drawn, decoded, and what is told of them.
#include "paper/torch/row_outliers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "paper/image_data.h"
#include "paper/torch/image_parts.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::paper {
namespace row_outliers_test {

Json config_of(const char* rule) {
  return image_cells({Size::kSmall, {3}}, {{rule, rule, "balanced"}})[0]
      .configuration;
}

class RowOutliersTest : public ::testing::Test {
 protected:
  RowOutliersTest() { nn::use_one_torch_thread(); }

  RowOutliers draw(const char* rule) const {
    return draw_row(config_of(rule), model_, train_, {});
  }
  std::size_t asked() const {
    return config_.at("outliers_per_class").get<std::size_t>() *
           model_.bank.counts.size();
  }

  Json config_ = config_of("sbog");
  ImageBench bench_ = load_image_bench(config_, "");
  CellContext context_;
  ImageParts parts_{config_, bench_, context_};
  image::ImageModel model_ = parts_.model(false);
  torch::Tensor train_ = image::to_tensor(bench_.train);
};

TEST_F(RowOutliersTest, no_outliers_are_none) {
  const RowOutliers none = draw("none");
  EXPECT_EQ(none.latents.rows(), 0u);
  EXPECT_FALSE(none.images.defined());
  EXPECT_TRUE(none.facts.empty());
}

TEST_F(RowOutliersTest, noise_is_as_bright_as_the_training_images) {
  const RowOutliers noise = draw("noise");
  ASSERT_EQ(noise.images.size(0), static_cast<std::int64_t>(asked()));
  EXPECT_EQ(noise.latents.rows(), asked());
  EXPECT_GE(noise.images.min().item<float>(), 0.0F);
  EXPECT_LE(noise.images.max().item<float>(), 1.0F);
  // Of normals limited to [0, 1]: the mean by the closed form.
  const double mean = train_.to(torch::kFloat64).mean().item<double>();
  const double deviation =
      (train_.to(torch::kFloat64) - mean).square().mean().sqrt().item<double>();
  const auto below = [&](double x) {  // E max(0, x - value)
    const double t = (x - mean) / deviation;
    const double density = std::exp(-0.5 * t * t) / std::sqrt(2.0 * M_PI);
    return deviation * (t * 0.5 * std::erfc(-t / std::sqrt(2.0)) + density);
  };
  const double above_one = below(1.0) - (1.0 - mean);
  EXPECT_NEAR(noise.images.mean().item<double>(), mean + below(0.0) - above_one,
              0.01);
  // Decoding leaves it alone.
  RowOutliers decoded = draw("noise");
  decode_row(config_of("noise"), model_, *parts_.decoder(model_, false), train_,
             decoded);
  EXPECT_TRUE(torch::equal(decoded.images, noise.images));
}

TEST_F(RowOutliersTest, points_start_from_their_class_and_become_images) {
  RowOutliers drawn = draw("sbog");
  ASSERT_EQ(drawn.latents.rows(), drawn.facts["produced"]);
  EXPECT_EQ(drawn.facts["requested"], asked());
  EXPECT_FALSE(drawn.images.defined());
  ASSERT_EQ(drawn.bank_rows.size(), drawn.latents.rows());
  for (std::size_t i = 0; i < drawn.bank_rows.size(); ++i) {
    EXPECT_EQ(model_.bank.labels[drawn.bank_rows[i]], drawn.classes[i]);
  }
  EXPECT_FALSE(drawn.facts.contains("consistency"));
  decode_row(config_, model_, *parts_.decoder(model_, false), train_, drawn);
  EXPECT_EQ(drawn.images.size(0),
            static_cast<std::int64_t>(drawn.latents.rows()));
  EXPECT_LE(drawn.facts["consistency"], 1.0);
  EXPECT_GE(drawn.facts["nearest_distance"], 0.0);
}

TEST_F(RowOutliersTest, with_its_detail_a_decoded_known_image_is_the_image) {
  ASSERT_TRUE(keeps_detail(config_));
  const std::unique_ptr<image::Decoder> decoder = parts_.decoder(model_, false);
  const image::LabelledImages inside =
      decode_inside(*decoder, model_, train_, config_);
  const torch::Tensor first = train_[model_.bank.sources[0]];
  EXPECT_LE((inside.images[0] - first).abs().max().item<double>(), 1.0 / 255.0);
  EXPECT_EQ(inside.classes[0].item<std::int64_t>(), model_.bank.labels[0]);
  Json smooth = config_;
  smooth["decoder"]["variation"] = "source";
  EXPECT_FALSE(keeps_detail(smooth));
  EXPECT_GT((decode_inside(*decoder, model_, train_, smooth).images[0] - first)
                .abs()
                .max()
                .item<double>(),
            1.0 / 255.0);
}

}  // namespace row_outliers_test
}  // namespace sbog::paper
