// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/resample.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/decoder.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace resample_test {

using namespace testing_support;

torch::Tensor noise_images(std::int64_t count) {
  return normals({count, 1, 8, 8}, 3).sigmoid();
}

TEST(Resample, a_share_of_0_only_rounds_to_8_bits) {
  const torch::Tensor x = noise_images(5);
  const torch::Tensor found =
      resample(x, number_ids(5), {0.0, 0.7}, 1, Purpose::kResample);
  EXPECT_TRUE(same_bits(found, quantise(x)));
  EXPECT_FALSE(same_bits(found, x));
}

TEST(Resample, a_constant_image_stays_as_it_is) {
  const torch::Tensor x = torch::full({6, 3, 8, 12}, 51.0F / 255.0F);
  EXPECT_LT((resample(x, number_ids(6), {1.0, 0.5}, 1, Purpose::kResample) - x)
                .abs()
                .max()
                .item<double>(),
            1e-6);
}

TEST(Resample, about_the_share_of_the_images_changes_and_detail_is_lost) {
  const torch::Tensor x = quantise(noise_images(400));
  const torch::Tensor found =
      resample(x, number_ids(400), {0.5, 0.6}, 1, Purpose::kResample);
  const auto changed =
      (found - x).abs().flatten(1).sum(1).gt(1e-4).sum().item<std::int64_t>();
  // Sides of 8 are not shrunk when the drawn one rounds to 8.
  EXPECT_GT(changed, 120);
  EXPECT_LT(changed, 240);
  EXPECT_GE(found.min().item<double>(), 0.0);
  EXPECT_LE(found.max().item<double>(), 1.0);
}

TEST(Resample, an_image_depends_on_its_stream_alone) {
  const torch::Tensor x = noise_images(6);
  const ResampleOptions options{1.0, 0.5};
  const torch::Tensor all =
      resample(x, number_ids(6), options, 1, Purpose::kResample);
  EXPECT_TRUE(same_bits(resample(x.narrow(0, 4, 1), number_ids(1, 4), options,
                                 1, Purpose::kResample),
                        all.narrow(0, 4, 1)));
  EXPECT_FALSE(same_bits(
      resample(x, number_ids(6), options, 2, Purpose::kResample), all));
}

TEST(Resample, what_does_not_fit_is_refused) {
  const torch::Tensor x = noise_images(2);
  const auto refused = [](const torch::Tensor& images, std::size_t streams,
                          ResampleOptions options) {
    return !message_of<InvalidArgument>([&] {
              resample(images, number_ids(streams), options, 1,
                       Purpose::kResample);
            }).empty();
  };
  EXPECT_FALSE(refused(x, 2, {}));
  EXPECT_TRUE(refused(x, 3, {}));
  EXPECT_TRUE(refused(x[0], 1, {}));
  EXPECT_TRUE(refused(x, 2, {1.5, 0.5}));
  EXPECT_TRUE(refused(x, 2, {0.5, 0.0}));
}

}  // namespace resample_test
}  // namespace sbog::image
