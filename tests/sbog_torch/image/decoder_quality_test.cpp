// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/decoder_quality.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/mix.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace decoder_quality_test {

using namespace testing_support;

TEST(DecoderQuality, images_of_their_own_latents_are_consistent) {
  const Embed embed = linear_embed(64, 6);
  const torch::Tensor x = quantise(make_bars(5, 1).images);
  const torch::Tensor z = embed(x);
  for (const double cosine : consistencies(embed, x, z)) {
    EXPECT_NEAR(cosine, 1.0, 1e-5);
  }
  for (const double cosine : consistencies(embed, x, -z)) {
    EXPECT_NEAR(cosine, -1.0, 1e-5);
  }
  EXPECT_THROW(consistencies(embed, x, z.narrow(0, 0, 3)), InvalidArgument);
}

TEST(DecoderQuality, the_nearest_image_is_that_of_the_plain_loop) {
  const torch::Tensor bank = normals({20, 1, 8, 8}, 1).sigmoid();
  const torch::Tensor x = normals({6, 1, 8, 8}, 2).sigmoid();
  const NearestImages found = nearest_images(x, bank);
  for (std::int64_t i = 0; i < 6; ++i) {
    double best = 1e300;
    std::size_t row = 0;
    for (std::int64_t j = 0; j < 20; ++j) {
      const double d = std::sqrt(
          (x[i] - bank[j]).to(torch::kFloat64).square().mean().item<double>());
      if (d < best) {
        best = d;
        row = static_cast<std::size_t>(j);
      }
    }
    EXPECT_EQ(found.rows[static_cast<std::size_t>(i)], row);
    EXPECT_NEAR(found.distances[static_cast<std::size_t>(i)], best, 1e-6);
  }
  EXPECT_EQ(nearest_images(bank, bank).distances, std::vector<double>(20, 0.0));
  EXPECT_THROW(nearest_images(x, bank.narrow(0, 0, 0)), InvalidArgument);
  EXPECT_THROW(nearest_images(x, torch::zeros({3, 1, 8, 4})), InvalidArgument);
}

TEST(DecoderQuality, a_decoder_is_measured_on_its_8_bit_images) {
  const Bars bars = make_bars(20, 1);
  const Embed embed = linear_embed(64, 6);
  const torch::Tensor z = embed(bars.images);
  const MixDecoder decoder({bars.images, z, bars.classes}, {});
  const auto ids = number_ids(20);
  const torch::Tensor held_out = make_bars(9, 2).images;
  const DecoderQuality quality = measure_decoder(
      decoder, embed, z, bars.classes, ids, bars.images, held_out);
  const torch::Tensor made = quantise(decoder.decode(z, bars.classes, ids));
  EXPECT_NEAR(quality.consistency,
              (embed(made) * z).sum(1).mean().item<double>(), 1e-5);
  EXPECT_NEAR(quality.least_consistency,
              (embed(made) * z).sum(1).min().item<double>(), 1e-5);
  const auto distances = nearest_images(made, bars.images).distances;
  EXPECT_EQ(quality.least_nearest,
            *std::min_element(distances.begin(), distances.end()));
  EXPECT_GT(quality.nearest_distance, quality.least_nearest);
  const auto real = nearest_images(held_out, bars.images).distances;
  double sum = 0.0;
  for (const double d : real) sum += d / 9.0;
  EXPECT_NEAR(quality.held_out_distance, sum, 1e-12);
}

TEST(DecoderQuality, the_reconstruction_error_is_the_mean_gap) {
  const torch::Tensor x = torch::full({2, 1, 8, 8}, 0.5F);
  EXPECT_NEAR(reconstruction_error(x, x + 0.125), 0.125, 1e-12);
  EXPECT_THROW(reconstruction_error(x, x.narrow(0, 0, 1)), InvalidArgument);
}

}  // namespace decoder_quality_test
}  // namespace sbog::image
