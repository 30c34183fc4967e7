// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/decoder.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/cvae.h"
#include "sbog_torch/image/flow.h"
#include "sbog_torch/image/mix.h"

namespace sbog::image {
namespace decoder_test {

using namespace testing_support;
using sbog::testing_support::TemporaryFolder;

TEST(Decoder, kinds_are_found_by_their_names) {
  for (const DecoderKind kind : {DecoderKind::kCvae, DecoderKind::kFlow,
                                 DecoderKind::kMix, DecoderKind::kNone}) {
    EXPECT_EQ(decoder_kind(to_string(kind)), kind);
  }
  EXPECT_NE(message_of<InvalidArgument>([] {
              decoder_kind("sd15");
            }).find("sd15 is not part of this version"),
            std::string::npos);
  EXPECT_NE(message_of<InvalidArgument>([] {
              decoder_kind("gan");
            }).find("cvae, flow, mix or none is expected, got gan"),
            std::string::npos);
}

TEST(Decoder, arguments_are_checked_before_decoding) {
  const CvaeDecoder decoder({{1, 8, 8}, 6, 3, 4, 5}, 1);
  const torch::Tensor v = unit(normals({2, 6}, 1));
  const auto refused = [&](const torch::Tensor& latents,
                           const torch::Tensor& classes,
                           std::vector<std::uint64_t> ids) {
    return !message_of<InvalidArgument>([&] {
              decoder.decode(latents, classes, ids);
            }).empty();
  };
  EXPECT_FALSE(refused(v, no_classes(2), {4, 4}));
  EXPECT_TRUE(refused(v, no_classes(2), {4}));
  EXPECT_TRUE(refused(v, no_classes(3), {4, 5}));
  EXPECT_TRUE(refused(v, torch::zeros({2}), {4, 5}));
  EXPECT_TRUE(refused(v.to(torch::kFloat64), no_classes(2), {4, 5}));
  EXPECT_TRUE(refused(normals({2, 5}, 1), no_classes(2), {4, 5}));
  EXPECT_TRUE(refused(v, no_classes(2), {4, std::uint64_t{1} << 48}));
  EXPECT_TRUE(refused(v / 0.0, no_classes(2), {4, 5}));
}

TEST(Decoder, nothing_to_decode_gives_no_images) {
  const CvaeDecoder decoder({{3, 8, 12}, 6, 3, 4, 5}, 1);
  EXPECT_EQ(decoder.decode(torch::empty({0, 6}), no_classes(0), {}).sizes(),
            at::IntArrayRef({0, 3, 8, 12}));
}

TEST(Decoder, none_keeps_latents_as_they_are) {
  const auto decoder = make_none_decoder(6);
  EXPECT_EQ(decoder->shape().size(), 0u);
  EXPECT_NE(
      message_of<InvalidArgument>([&] {
        decoder->decode(unit(normals({1, 6}, 1)), no_classes(1), number_ids(1));
      }).find("makes no images"),
      std::string::npos);
  EXPECT_EQ(decoder->decode(torch::empty({0, 6}), no_classes(0), {}).size(0),
            0);
}

TEST(Decoder, files_of_every_kind_are_loaded_through_one_door) {
  const TemporaryFolder folder;
  const std::string path = folder.file("decoder");
  const Bars bars = make_bars(6, 0);
  std::vector<std::unique_ptr<Decoder>> decoders;
  decoders.push_back(
      std::make_unique<CvaeDecoder>(CvaeShape{{1, 8, 8}, 6, 3, 4, 5}, 1));
  decoders.push_back(
      std::make_unique<FlowDecoder>(FlowShape{{1, 8, 8}, 6, 4, 5, 2}, 2));
  decoders.push_back(std::make_unique<MixDecoder>(
      MixBank{bars.images, linear_embed(64, 6)(bars.images), bars.classes},
      MixOptions{}));
  const torch::Tensor v = unit(normals({3, 6}, 1));
  for (const auto& decoder : decoders) {
    decoder->save(path);
    const auto loaded = load_decoder(path);
    EXPECT_EQ(loaded->kind(), decoder->kind());
    EXPECT_EQ(loaded->shape(), decoder->shape());
    EXPECT_TRUE(same_bits(loaded->decode(v, no_classes(3), number_ids(3, 5)),
                          decoder->decode(v, no_classes(3), number_ids(3, 5))));
  }
  make_none_decoder(6)->save(path);
  EXPECT_EQ(load_decoder(path)->kind(), DecoderKind::kNone);
  EXPECT_EQ(load_decoder(path)->latent_width(), 6u);
  EXPECT_THROW(load_decoder(folder.file("missing")), IoError);
}

TEST(Decoder, ids_are_numbered_from_the_first) {
  EXPECT_EQ(number_ids(3, 7), (std::vector<std::uint64_t>{7, 8, 9}));
}

}  // namespace decoder_test
}  // namespace sbog::image
