// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/faithful_decoding.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "sbog_torch/image/decoder_quality.h"

namespace sbog::image {
namespace faithful_decoding_test {

using namespace testing_support;

// Draws the sixteen numbers of a latent as the pixels of an image, pulled
// towards one usual point; every other row does not listen at all.
class PullingDecoder : public Decoder {
 public:
  DecoderKind kind() const override { return DecoderKind::kCvae; }
  ImageShape shape() const override { return {1, 4, 4}; }
  std::size_t latent_width() const override { return 16; }
  void save(const std::string& /*path*/) const override {}

 private:
  torch::Tensor decode_checked(
      const torch::Tensor& latents, const torch::Tensor& classes,
      std::span<const std::uint64_t> /*ids*/,
      const DecoderSources* /*sources*/) const override {
    const torch::Tensor usual = torch::full({1, 16}, 0.25F);
    const torch::Tensor strength =
        classes.to(torch::kFloat32).reshape({-1, 1}) * 0.6F;
    const torch::Tensor drawn = strength * latents + (1.0F - strength) * usual;
    return (0.5F + 0.4F * drawn).reshape({-1, 1, 4, 4});
  }
};

torch::Tensor embed_pixels(const torch::Tensor& images) {
  return unit(images.flatten(1) - 0.5F);
}

double mean_cosine(const torch::Tensor& images, const torch::Tensor& latents) {
  return (embed_pixels(images) * latents).sum(1).mean().item<double>();
}

TEST(FaithfulDecoding, images_come_closer_to_their_points) {
  const PullingDecoder decoder;
  const torch::Tensor latents = unit(normals({20, 16}, 4));
  const torch::Tensor classes = torch::ones({20}, torch::kInt64);
  const auto ids = number_ids(20);
  const ToDecode asked{latents, classes, ids};
  const double plain =
      mean_cosine(decode_faithfully(decoder, embed_pixels, asked, 0), latents);
  const double once =
      mean_cosine(decode_faithfully(decoder, embed_pixels, asked, 1), latents);
  const double often =
      mean_cosine(decode_faithfully(decoder, embed_pixels, asked, 8), latents);
  EXPECT_LT(plain, 0.9);
  EXPECT_GT(once, plain + 0.02);
  EXPECT_GT(often, 0.99);
}

TEST(FaithfulDecoding, no_image_gets_worse_and_rows_stand_alone) {
  const PullingDecoder decoder;
  const torch::Tensor latents = unit(normals({12, 16}, 5));
  const torch::Tensor classes = torch::arange(12, torch::kInt64).remainder(2);
  const auto ids = number_ids(12);
  const ToDecode asked{latents, classes, ids};
  const torch::Tensor plain =
      decode_faithfully(decoder, embed_pixels, asked, 0);
  const torch::Tensor all = decode_faithfully(decoder, embed_pixels, asked, 5);
  const auto before = consistencies(embed_pixels, plain, latents);
  const auto after = consistencies(embed_pixels, all, latents);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_GE(after[i], before[i] - 1e-6);
  for (std::int64_t i = 0; i < 12; ++i) {
    const auto one_id = number_ids(1, static_cast<std::uint64_t>(i));
    const ToDecode one{latents.narrow(0, i, 1), classes.narrow(0, i, 1),
                       one_id};
    EXPECT_TRUE(same_bits(decode_faithfully(decoder, embed_pixels, one, 5),
                          all.narrow(0, i, 1)));
  }
}

TEST(FaithfulDecoding, without_an_encoder_the_plain_image) {
  const PullingDecoder decoder;
  const torch::Tensor latents = unit(normals({3, 16}, 6));
  const torch::Tensor classes = torch::ones({3}, torch::kInt64);
  const auto ids = number_ids(3);
  const ToDecode asked{latents, classes, ids};
  EXPECT_TRUE(same_bits(decode_faithfully(decoder, {}, asked, 5),
                        decode_faithfully(decoder, embed_pixels, asked, 0)));
}

}  // namespace faithful_decoding_test
}  // namespace sbog::image
