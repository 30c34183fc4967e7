// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/series/window_vae.h"

#include <gtest/gtest.h>

#include <fstream>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "series/window_support.h"

namespace sbog::series {
namespace window_vae_test {

using namespace testing_support;
using sbog::testing_support::read_bytes;
using sbog::testing_support::TemporaryFolder;

const VaeShape kShape{3, 24, 4, 5, 6, 7};

Encoder make_encoder() {
  Encoder encoder({3, 24, 4, 4, WindowLayout::kTranspose, false}, 3);
  shake(encoder.parameters(), 4, 0.2);
  return encoder;
}

TEST(WindowVae, the_seed_fixes_every_bit) {
  const WindowVae a(kShape, 1);
  const WindowVae b(kShape, 1);
  const WindowVae c(kShape, 2);
  EXPECT_EQ(largest_difference(a.parameters().flat(), b.parameters().flat()),
            0.0);
  EXPECT_GT(largest_difference(a.parameters().flat(), c.parameters().flat()),
            0.0);
}

TEST(WindowVae, a_row_does_not_depend_on_the_others) {
  const WindowVae vae(kShape, 1);
  const Matrix<float> windows = normals(37, 72, 5);
  const Matrix<float> points = normals(37, 4, 6);
  const Matrix<float> all = vae.reconstruct(windows, points);
  for (const std::size_t i : {0u, 15u, 16u, 36u}) {
    const Matrix<float> one = vae.reconstruct(windows.view().subrows(i, 1),
                                              points.view().subrows(i, 1));
    EXPECT_EQ(largest_difference(one.row(0), all.row(i)), 0.0) << i;
  }
}

TEST(WindowVae, the_point_of_the_source_decodes_to_the_source) {
  const WindowVae vae(kShape, 1);
  const Encoder encoder = make_encoder();
  const Matrix<float> sources = normals(4, 72, 7);
  const WindowLimits limits{{-9.0F, -9.0F, -9.0F}, {9.0F, 9.0F, 9.0F}};
  const Matrix<float> points = encoder.embed(sources);
  const DecodedWindows same = vae.decode(encoder, points, sources, limits);
  EXPECT_EQ(largest_difference(same.windows.elements(), sources.elements()),
            0.0);
  EXPECT_EQ(same.ratios, std::vector<double>(4, 0.0));
}

TEST(WindowVae, ratios_are_measured_on_the_windows_that_are_given_back) {
  const WindowVae vae(kShape, 1);
  const Encoder encoder = make_encoder();
  const Matrix<float> sources = normals(6, 72, 7);
  const Matrix<float> targets = encoder.embed(normals(6, 72, 8));
  const WindowLimits limits{{-9.0F, -9.0F, -9.0F}, {9.0F, 9.0F, 9.0F}};
  const DecodedWindows found = vae.decode(encoder, targets, sources, limits);
  const Matrix<float> from = encoder.embed(sources);
  const Matrix<float> reached = encoder.embed(found.windows);
  EXPECT_EQ(largest_difference(reached.elements(), found.points.elements()),
            0.0);
  for (std::size_t i = 0; i < 6; ++i) {
    double left = 0.0, whole = 0.0;
    for (std::size_t k = 0; k < 4; ++k) {
      left += std::pow(double{reached(i, k)} - double{targets(i, k)}, 2);
      whole += std::pow(double{from(i, k)} - double{targets(i, k)}, 2);
    }
    EXPECT_NEAR(found.ratios[i], std::sqrt(left / whole), 1e-9);
    EXPECT_GE(found.gains[i], 0.5);
  }
}

TEST(WindowVae, decoded_windows_stay_within_the_limits) {
  WindowVae vae(kShape, 1);
  shake(vae.parameters(), 2, 1.0);
  const Encoder encoder = make_encoder();
  Matrix<float> sources(2, 72);
  sources(0, 30) = 5.0F;  // outside already: may stay, but not move on
  const Matrix<float> targets = encoder.embed(normals(2, 72, 8));
  const WindowLimits limits{{-0.001F, -0.001F, -0.001F},
                            {0.001F, 0.001F, 0.001F}};
  const DecodedWindows found = vae.decode(encoder, targets, sources, limits);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < 72; ++k) {
      EXPECT_GE(found.windows(i, k), -0.001F);
      EXPECT_LE(found.windows(i, k), i == 0 && k == 30 ? 5.0F : 0.001F);
    }
    EXPECT_GT(found.clipped_shares[i], 0.0);
    EXPECT_LE(found.clipped_shares[i], 1.0);
  }
}

TEST(WindowVae, limits_are_those_of_the_training_windows) {
  Matrix<double> series(40, 1);
  for (std::size_t t = 0; t < 40; ++t) series(t, 0) = t % 2 == 0 ? 1.0 : 3.0;
  const WindowSource source(series, WindowOptions{10, 1, false});
  const WindowLimits limits = training_limits(source);
  EXPECT_NEAR(limits.low[0], -1.2, 1e-6);
  EXPECT_NEAR(limits.high[0], 1.2, 1e-6);
}

TEST(WindowVae, a_file_gives_the_same_windows_and_damage_is_refused) {
  const TemporaryFolder folder;
  const WindowVae vae(kShape, 1);
  vae.save(folder.file("vae"));
  const WindowVae read = WindowVae::load(folder.file("vae"));
  EXPECT_EQ(read.shape().latent, 5u);
  const Matrix<float> latents = normals(3, 5, 9);
  const Matrix<float> points = normals(3, 4, 10);
  EXPECT_EQ(largest_difference(vae.generate(latents, points).elements(),
                               read.generate(latents, points).elements()),
            0.0);
  const std::string bytes = read_bytes(folder.file("vae"));
  const auto refuse = [&](const std::string& content) {
    std::ofstream(folder.file("bad"), std::ios::binary) << content;
    EXPECT_THROW(WindowVae::load(folder.file("bad")), IoError);
  };
  refuse(bytes.substr(0, bytes.size() - 1));
  for (const auto& [before, after] :
       std::vector<std::pair<std::string, std::string>>{
           {"sbog-window-vae-1", "sbog-window-vae-9"},
           {"\"latent\":\"5\"", "\"latent\":\"6\""},
           {"\"width\":\"24\"", "\"width\":\"07\""},
           {"\"hidden\":\"7\"", "\"hidden\":\"x\""}}) {
    std::string other = bytes;
    other.replace(other.find(before), before.size(), after);
    refuse(other);
  }
}

TEST(WindowVae, shapes_that_disagree_are_refused) {
  const WindowVae vae(kShape, 1);
  EXPECT_THROW(vae.infer(normals(2, 71, 1), normals(2, 4, 1)), InvalidArgument);
  EXPECT_THROW(vae.infer(normals(2, 72, 1), normals(1, 4, 1)), InvalidArgument);
  EXPECT_THROW(vae.generate(normals(2, 5, 1), normals(2, 3, 1)),
               InvalidArgument);
  EXPECT_THROW(vae.decode(make_encoder(), normals(2, 4, 1), normals(2, 72, 1),
                          WindowLimits{{0.0F}, {1.0F}}),
               InvalidArgument);
  VaeShape narrow = kShape;
  narrow.width = 7;
  EXPECT_THROW(WindowVae(narrow, 1), InvalidArgument);
  VaeShape huge = kShape;
  huge.hidden = 1048576;
  huge.width = 1048576;
  EXPECT_THROW(WindowVae(huge, 1), InvalidArgument);
}

}  // namespace window_vae_test
}  // namespace sbog::series
