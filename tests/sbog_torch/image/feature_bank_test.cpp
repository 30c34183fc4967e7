// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/feature_bank.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "encoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace feature_bank_test {

using namespace testing_support;
using sbog::testing_support::read_bytes;
using sbog::testing_support::TemporaryFolder;

/// 21 shapes of 8 classes: three of the first five, two of the others.
struct World {
  ImageSet images = small_shapes(21);
  Encoder encoder = Encoder(small_options(images), 2);
  Embed embed = encoder.embedding();
};

double difference(const FeatureBank& bank, std::size_t row,
                  const torch::Tensor& latent) {
  const torch::Tensor rows =
      nn::to_tensor(bank.latents.view(), torch::kFloat32);
  return distance(rows[static_cast<std::int64_t>(row)], latent);
}

TEST(FeatureBank, rows_are_the_first_images_of_each_class) {
  const World world;
  FeatureBankOptions options;
  options.per_class = 2;
  options.batch = 5;
  const FeatureBank bank =
      build_feature_bank(world.embed, world.images, options).bank;
  ASSERT_EQ(bank.latents.rows(), 16u);
  const torch::Tensor truth =
      world.encoder.embed(to_tensor(world.images)).detach();
  for (std::size_t i = 0; i < 16; ++i) {
    // Classes come in turn in the set.
    const auto source = static_cast<std::int64_t>(i / 2 + 8 * (i % 2));
    EXPECT_EQ(bank.labels[i], static_cast<std::int64_t>(i / 2));
    EXPECT_EQ(bank.sources[i], source);
    EXPECT_LT(difference(bank, i, truth[source]), 1e-6);
  }
  EXPECT_EQ(bank.counts, std::vector<std::int64_t>(8, 2));
}

TEST(FeatureBank, short_classes_are_counted) {
  const World world;
  const FeatureBank bank =
      build_feature_bank(world.embed, world.images, {}).bank;
  EXPECT_EQ(bank.latents.rows(), 21u);
  EXPECT_EQ(bank.counts, (std::vector<std::int64_t>{3, 3, 3, 3, 3, 2, 2, 2}));
}

TEST(FeatureBank, features_make_the_bank_that_their_images_make) {
  const World world;
  FeatureBankOptions options;
  options.per_class = 2;
  const FeatureBank bank =
      build_feature_bank(world.embed, world.images, options).bank;
  const Matrix<float> features =
      nn::to_matrix(world.encoder.embed(to_tensor(world.images)).detach());
  FeatureBank other = bank_of_features(features, world.images.labels, 2);
  EXPECT_EQ(other.labels, bank.labels);
  EXPECT_EQ(other.sources, bank.sources);
  EXPECT_EQ(other.counts, bank.counts);
  EXPECT_LT(distance(nn::to_tensor(other.latents.view(), torch::kFloat32),
                     nn::to_tensor(bank.latents.view(), torch::kFloat32)),
            1e-6);
  std::vector<std::int32_t> labels = world.images.labels;
  labels[3] = -1;
  EXPECT_THROW(bank_of_features(features, labels, 2), InvalidArgument);
  labels.pop_back();
  EXPECT_THROW(bank_of_features(features, labels, 2), InvalidArgument);
}

TEST(FeatureBank, the_released_way_shuffles_and_changes_the_images) {
  const World world;
  FeatureBankOptions options;
  options.is_augmented = true;
  options.per_class = 2;
  const FeatureBank bank =
      build_feature_bank(world.embed, world.images, options).bank;
  const FeatureBank again =
      build_feature_bank(world.embed, world.images, options).bank;
  EXPECT_EQ(bank.sources, again.sources);
  EXPECT_TRUE(
      std::ranges::equal(bank.latents.elements(), again.latents.elements()));
  EXPECT_EQ(
      std::set<std::int64_t>(bank.sources.begin(), bank.sources.end()).size(),
      16u);
  const torch::Tensor plain =
      world.encoder.embed(to_tensor(world.images)).detach();
  int changed = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    const std::int64_t source = bank.sources[i];
    EXPECT_EQ(world.images.labels[static_cast<std::size_t>(source)],
              bank.labels[i]);
    changed += difference(bank, i, plain[source]) > 1e-4 ? 1 : 0;
  }
  EXPECT_GT(changed, 8);
  options.seed = 2;
  EXPECT_NE(build_feature_bank(world.embed, world.images, options).bank.sources,
            bank.sources);
}

TEST(FeatureBank, comes_back_from_its_file) {
  const TemporaryFolder folder;
  const World world;
  const FeatureBank bank =
      build_feature_bank(world.embed, world.images, {}).bank;
  save_feature_bank(folder.file("b"), bank);
  const FeatureBank back = load_feature_bank(folder.file("b"));
  EXPECT_EQ(back.labels, bank.labels);
  EXPECT_EQ(back.sources, bank.sources);
  EXPECT_EQ(back.counts, bank.counts);
  EXPECT_TRUE(
      std::ranges::equal(back.latents.elements(), bank.latents.elements()));
}

TEST(FeatureBank, files_that_lie_are_refused) {
  const TemporaryFolder folder;
  const World world;
  const auto refuses = [&](auto change) {
    FeatureBank bank = build_feature_bank(world.embed, world.images, {}).bank;
    change(bank);
    save_feature_bank(folder.file("b"), bank);
    EXPECT_THROW(load_feature_bank(folder.file("b")), IoError);
  };
  refuses([](FeatureBank& b) { b.labels[0] = 5; });
  refuses([](FeatureBank& b) { b.labels.pop_back(); });
  refuses([](FeatureBank& b) { b.sources.pop_back(); });
  refuses([](FeatureBank& b) { b.counts[7] = 3; });
  refuses([](FeatureBank& b) { b.counts[7] = -1; });
  refuses([](FeatureBank& b) { b.counts.pop_back(); });
  refuses([](FeatureBank& b) { b.latents(3, 1) = 7.0F; });
  refuses([](FeatureBank& b) { b.latents(3, 1) = std::nanf(""); });
  save_feature_bank(folder.file("b"),
                    build_feature_bank(world.embed, world.images, {}).bank);
  const std::string bytes = read_bytes(folder.file("b"));
  for (std::size_t size = 0; size < bytes.size(); size += 61) {
    std::ofstream(folder.file("cut"), std::ios::binary)
        << bytes.substr(0, size);
    EXPECT_THROW(load_feature_bank(folder.file("cut")), IoError) << size;
  }
}

TEST(FeatureBank, a_set_without_classes_is_refused) {
  World world;
  EXPECT_THROW(build_feature_bank(world.embed, world.images, {.per_class = 0}),
               InvalidArgument);
  world.images.labels.clear();
  EXPECT_THROW(build_feature_bank(world.embed, world.images, {}),
               InvalidArgument);
}

}  // namespace feature_bank_test
}  // namespace sbog::image
