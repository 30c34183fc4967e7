// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/embedding.h"

#include <gtest/gtest.h>

#include "encoder_support.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace embedding_test {

using namespace testing_support;

TEST(Embedding, batches_give_what_each_image_gives) {
  const ImageSet images = small_shapes(11);
  const Encoder encoder(small_options(images), 2);
  const EmbeddingResult result = embed_images(encoder.embedding(), images, 4);
  ASSERT_EQ(result.status, SolveStatus::kDone);
  const torch::Tensor truth = encoder.embed(to_tensor(images));
  EXPECT_LT(distance(nn::to_tensor(result.latents.view(), torch::kFloat32),
                     truth.detach()),
            1e-6);
}

TEST(Embedding, can_be_cancelled) {
  class Stop : public Observer {
   public:
    bool on_progress(std::uint64_t done, std::uint64_t total) override {
      EXPECT_EQ(total, 11u);
      return done < 8;
    }
  } stop;
  const ImageSet images = small_shapes(11);
  const Encoder encoder(small_options(images), 2);
  EXPECT_EQ(
      embed_images(encoder.embedding(), images, 4, {nullptr, &stop}).status,
      SolveStatus::kCancelled);
}

TEST(Embedding, an_encoder_without_unit_rows_is_refused) {
  const ImageSet images = small_shapes(4);
  const auto constant = [](double value, std::int64_t cols) {
    return [value, cols](const torch::Tensor& in) {
      return torch::full({in.size(0), cols}, value);
    };
  };
  EXPECT_NO_THROW(embed_images(constant(0.5, 4), images));
  EXPECT_THROW(embed_images(constant(0.6, 4), images), InvalidArgument);
  EXPECT_THROW(embed_images(constant(std::nan(""), 4), images),
               InvalidArgument);
  EXPECT_THROW(embed_images(constant(0.5, 0), images), InvalidArgument);
  EXPECT_THROW(embed_images(constant(0.5, 4), images, 0), InvalidArgument);
  const auto growing = [](const torch::Tensor& in) {
    const std::int64_t width = in.size(0) == 3 ? 4 : 1;
    return torch::full({in.size(0), width}, 1.0 / std::sqrt(double(width)));
  };
  EXPECT_THROW(embed_images(growing, images, 3), InvalidArgument);
}

TEST(Embedding, the_nearest_anchor_has_the_largest_cosine) {
  Matrix<float> anchors(2, 2);
  anchors(0, 0) = anchors(1, 1) = 1.0F;
  Matrix<float> latents(3, 2);
  latents(0, 1) = 1.0F;
  latents(1, 0) = 0.8F;
  latents(1, 1) = 0.6F;
  latents(2, 0) = latents(2, 1) = std::sqrt(0.5F);
  EXPECT_EQ(nearest_anchors(latents, anchors),
            (std::vector<std::int32_t>{1, 0, 0}));
  EXPECT_DOUBLE_EQ(accuracy({1, 0, 0}, {1, 0, 1}), 2.0 / 3.0);
  EXPECT_THROW(accuracy({}, {}), InvalidArgument);
  EXPECT_THROW(nearest_anchors(Matrix<float>(1, 3), anchors), InvalidArgument);
}

}  // namespace embedding_test
}  // namespace sbog::image
