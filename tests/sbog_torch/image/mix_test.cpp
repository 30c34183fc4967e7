// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/mix.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::image {
namespace mix_test {

using namespace testing_support;

// Image k is the constant (k + 1) x 40 / 255; latents are orthogonal.
MixBank greys() {
  nn::use_one_torch_thread();
  const torch::Tensor levels =
      torch::tensor({40.0F, 80.0F, 120.0F, 160.0F}) / 255.0;
  return {levels.reshape({4, 1, 1, 1}).expand({4, 1, 8, 8}).contiguous(),
          torch::eye(4), torch::tensor({0, 0, 1, 1}, torch::kInt64)};
}

torch::Tensor one_class(std::int64_t c) {
  return torch::full({1}, c, torch::kInt64);
}

// Nearest of class 0 is image 1, of the others image 2.
torch::Tensor point() {
  return unit(torch::tensor({{0.1F, 0.9F, 0.5F, 0.2F}}));
}

TEST(Mix, weights_lie_between_low_and_high) {
  MixOptions options;
  options.patch_share = 0.0;
  const MixDecoder decoder(greys(), options);
  double least = 1.0, most = 0.0;
  for (std::uint64_t id = 0; id < 200; ++id) {
    const torch::Tensor image =
        decoder.decode(point(), one_class(0), std::vector<std::uint64_t>{id});
    const double grey = image[0][0][0][0].item<double>() * 255.0;
    EXPECT_NEAR(image.max().item<double>() * 255.0, grey, 1e-4);
    const double weight = (grey - 80.0) / (120.0 - 80.0);
    least = std::min(least, weight);
    most = std::max(most, weight);
  }
  EXPECT_GE(least, 0.35 - 1e-5);
  EXPECT_LT(least, 0.37);
  EXPECT_LE(most, 0.65 + 1e-5);
  EXPECT_GT(most, 0.63);
}

TEST(Mix, a_rectangle_of_the_second_image_lies_in_the_first) {
  MixOptions options;
  options.patch_share = 1.0;
  const MixDecoder decoder(greys(), options);
  for (std::uint64_t id = 0; id < 20; ++id) {
    const torch::Tensor image = decoder.decode(
        point(), one_class(0), std::vector<std::uint64_t>{id})[0][0];
    const torch::Tensor inside = (image * 255.0 - 120.0).abs() < 1e-3;
    const torch::Tensor outside = (image * 255.0 - 80.0).abs() < 1e-3;
    EXPECT_TRUE((inside | outside).all().item<bool>());
    const auto rows = inside.any(1).sum().item<std::int64_t>();
    const auto cols = inside.any(0).sum().item<std::int64_t>();
    EXPECT_EQ(inside.sum().item<std::int64_t>(), rows * cols);
    for (const std::int64_t side : {rows, cols}) {
      EXPECT_GE(side, 3);  // 0.35 x 8 rounded
      EXPECT_LE(side, 5);
    }
  }
}

TEST(Mix, the_class_of_the_point_chooses_the_first_image) {
  MixOptions options;
  options.patch_share = 0.0;
  options.low = options.high = 0.25;
  const MixDecoder decoder(greys(), options);
  const auto grey = [&](std::int64_t c) {
    return decoder.decode(point(), one_class(c), number_ids(1))[0][0][0][0]
               .item<double>() *
           255.0;
  };
  EXPECT_NEAR(grey(0), 0.75 * 80.0 + 0.25 * 120.0, 1e-3);
  EXPECT_NEAR(grey(1), 0.75 * 120.0 + 0.25 * 80.0, 1e-3);
  // A class that the bank does not have: the nearest image of all.
  EXPECT_NEAR(grey(5), 0.75 * 80.0 + 0.25 * 120.0, 1e-3);
}

TEST(Mix, equally_near_images_give_way_to_the_first) {
  MixOptions options;
  options.patch_share = 0.0;
  options.low = options.high = 0.5;
  const MixDecoder decoder(greys(), options);
  const torch::Tensor even = torch::full({1, 4}, 0.5F);
  EXPECT_NEAR(decoder.decode(even, one_class(0), number_ids(1))[0][0][0][0]
                      .item<double>() *
                  255.0,
              80.0, 1e-3);  // images 0 and 2
}

TEST(Mix, an_image_depends_on_its_point_and_id_alone) {
  const Bars bars = make_bars(20, 1);
  const MixDecoder decoder(
      {bars.images, linear_embed(64, 6)(bars.images), bars.classes}, {});
  const torch::Tensor v = unit(normals({36, 6}, 3));
  const torch::Tensor all = decoder.decode(v, no_classes(36), number_ids(36));
  EXPECT_TRUE(same_bits(
      decoder.decode(v.narrow(0, 35, 1), no_classes(1), number_ids(1, 35)),
      all.narrow(0, 35, 1)));
}

TEST(Mix, a_file_gives_the_same_decoder_back_and_damage_is_refused) {
  const sbog::testing_support::TemporaryFolder folder;
  const std::string path = folder.file("mix");
  MixOptions options;
  options.low = 0.3;
  options.seed = 5;
  const MixDecoder decoder(greys(), options);
  decoder.save(path);
  const MixDecoder loaded = MixDecoder::load(path);
  EXPECT_TRUE(same_bits(loaded.decode(point(), one_class(0), number_ids(1)),
                        decoder.decode(point(), one_class(0), number_ids(1))));
  const std::string bytes = sbog::testing_support::read_bytes(path);
  const auto refused = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    return !message_of<IoError>([&] { MixDecoder::load(path); }).empty();
  };
  EXPECT_FALSE(refused(bytes));
  EXPECT_TRUE(refused(bytes.substr(0, bytes.size() - 1)));
  std::string lie = bytes;
  lie.replace(lie.find("\"rows\":\"4\""), 10, "\"rows\":\"5\"");
  EXPECT_TRUE(refused(lie));
  lie = bytes;
  const std::size_t at = lie.find("\"low_bits\":\"") + 12;
  lie[at] = '9';  // the sign bit: a weight below 0
  EXPECT_TRUE(refused(lie));
}

TEST(Mix, banks_and_options_out_of_range_are_refused) {
  const auto refused = [](auto change) {
    MixBank bank = greys();
    MixOptions options;
    change(bank, options);
    return !message_of<InvalidArgument>([&] {
              MixDecoder(bank, options);
            }).empty();
  };
  EXPECT_FALSE(refused([](MixBank&, MixOptions&) {}));
  EXPECT_TRUE(
      refused([](MixBank& b, MixOptions&) { b.classes = no_classes(4); }));
  EXPECT_TRUE(
      refused([](MixBank& b, MixOptions&) { b.classes = no_classes(3); }));
  EXPECT_TRUE(
      refused([](MixBank& b, MixOptions&) { b.latents = b.latents / 0.0; }));
  EXPECT_TRUE(
      refused([](MixBank& b, MixOptions&) { b.images = torch::Tensor(); }));
  EXPECT_TRUE(refused([](MixBank&, MixOptions& o) { o.high = 1.0; }));
  EXPECT_TRUE(refused([](MixBank&, MixOptions& o) { o.low = 0.0; }));
  EXPECT_TRUE(refused([](MixBank&, MixOptions& o) { o.patch_share = 1.5; }));
}

}  // namespace mix_test
}  // namespace sbog::image
