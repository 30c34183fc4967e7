// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/encoder.h"

#include <gtest/gtest.h>

#include <limits>

#include "encoder_support.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/tensors.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image {
namespace encoder_test {

using namespace testing_support;

/// All tests of this program use LibTorch with one thread.
class OneThread : public ::testing::Environment {
 public:
  void SetUp() override { nn::use_one_torch_thread(); }
};
const auto* const kOneThread =
    ::testing::AddGlobalTestEnvironment(new OneThread);

// The plainest convolution with zero padding, one image in double.
torch::Tensor slow_convolution(const torch::Tensor& in,
                               const torch::Tensor& weight,
                               std::int64_t stride) {
  const std::int64_t pad = weight.size(2) / 2;
  const std::int64_t rows = (in.size(1) - 1) / stride + 1;
  const std::int64_t cols = (in.size(2) - 1) / stride + 1;
  torch::Tensor out =
      torch::zeros({weight.size(0), rows, cols}, torch::kFloat64);
  const auto a = in.accessor<double, 3>();
  const auto w = weight.accessor<double, 4>();
  auto o = out.accessor<double, 3>();
  for (std::int64_t f = 0; f < weight.size(0); ++f) {
    for (std::int64_t y = 0; y < rows; ++y) {
      for (std::int64_t x = 0; x < cols; ++x) {
        for (std::int64_t c = 0; c < in.size(0); ++c) {
          for (std::int64_t i = 0; i < weight.size(2); ++i) {
            for (std::int64_t j = 0; j < weight.size(3); ++j) {
              const std::int64_t v = y * stride + i - pad;
              const std::int64_t u = x * stride + j - pad;
              if (v < 0 || u < 0 || v >= in.size(1) || u >= in.size(2)) {
                continue;
              }
              o[f][y][x] += w[f][c][i][j] * a[c][v][u];
            }
          }
        }
      }
    }
  }
  return out;
}

torch::Tensor slow_layer(const Encoder& encoder, const std::string& layer,
                         const torch::Tensor& in, std::int64_t stride) {
  const auto column = [&](const nn::TensorMap& map, const char* part) {
    return map.at(layer + ".norm." + part).detach().reshape({-1, 1, 1});
  };
  const torch::Tensor out = slow_convolution(
      in, encoder.parameters().at(layer + ".weight").detach(), stride);
  return (out - column(encoder.buffers(), "mean")) /
             (column(encoder.buffers(), "variance") + 1e-5).sqrt() *
             column(encoder.parameters(), "weight") +
         column(encoder.parameters(), "bias");
}

// One image through two blocks.
torch::Tensor slow_forward(const Encoder& encoder, const torch::Tensor& image) {
  const auto& buffers = encoder.buffers();
  torch::Tensor x = (image - buffers.at("input.mean").reshape({-1, 1, 1})) /
                    buffers.at("input.deviation").reshape({-1, 1, 1});
  x = slow_layer(encoder, "stem", x, 1).relu();
  x = (x + slow_layer(encoder, "block0.second",
                      slow_layer(encoder, "block0.first", x, 1).relu(), 1))
          .relu();
  x = (slow_layer(encoder, "block1.shortcut", x, 2) +
       slow_layer(encoder, "block1.second",
                  slow_layer(encoder, "block1.first", x, 2).relu(), 1))
          .relu();
  return torch::matmul(encoder.parameters().at("head.weight").detach(),
                       x.mean({1, 2})) +
         encoder.parameters().at("head.bias").detach();
}

TEST(Encoder, equals_the_network_written_as_loops) {
  const ImageSet images = small_shapes(3);
  Encoder encoder(small_options(images), 5);
  // Running statistics away from their first values.
  encoder.train_forward(to_tensor(small_shapes(32)));
  const Encoder reference = encoder.clone(torch::kFloat64);
  const torch::Tensor in = to_tensor(images);
  const torch::Tensor fast = encoder.forward(in);
  const torch::Tensor exact = reference.forward(in.to(torch::kFloat64));
  for (std::int64_t i = 0; i < 3; ++i) {
    const torch::Tensor slow =
        slow_forward(reference, in[i].to(torch::kFloat64));
    EXPECT_LT(distance(exact[i], slow), 1e-12);
    EXPECT_LT(distance(fast[i], slow), 1e-4);
  }
}

TEST(Encoder, odd_sizes_and_colours_work) {
  EncoderOptions options;
  options.shape = {3, 7, 9};
  options.widths = {4, 6};
  options.latent = 5;
  const Encoder encoder(options, 1);
  const Encoder reference = encoder.clone(torch::kFloat64);
  const torch::Tensor in = double_normals({2, 3, 7, 9}, 4);
  const torch::Tensor out = reference.forward(in);
  for (std::int64_t i = 0; i < 2; ++i) {
    EXPECT_LT(distance(out[i], slow_forward(reference, in[i])), 1e-12);
  }
}

TEST(Encoder, the_default_has_81_thousand_parameters) {
  EncoderOptions options;
  options.shape = {1, 28, 28};
  std::size_t count = 0;
  // Stem, blocks, shortcuts and head, with two numbers per normalised channel.
  count += 9 * 16 + 2 * 16;
  count += 2 * (9 * 16 * 16 + 2 * 16);
  count += 9 * 16 * 32 + 9 * 32 * 32 + 16 * 32 + 6 * 32;
  count += 9 * 32 * 64 + 9 * 64 * 64 + 32 * 64 + 6 * 64;
  count += 64 * 64 + 64;
  EXPECT_EQ(Encoder(options, 1).parameter_set().size(), count);
  EXPECT_EQ(parameter_count(options), count);
  EXPECT_NEAR(static_cast<double>(count), 81e3, 1e3);
  const EncoderOptions small = small_options(small_shapes(8), 5);
  EXPECT_EQ(Encoder(small, 1).parameter_set().size(), parameter_count(small));
}

TEST(Encoder, latents_have_length_one_and_do_not_depend_on_the_batch) {
  const ImageSet images = small_shapes(9);
  const Encoder encoder(small_options(images), 2);
  const torch::Tensor in = to_tensor(images);
  const torch::Tensor all = encoder.embed(in);
  EXPECT_LT(distance(all.norm(2, 1), torch::ones({9})), 1e-6);
  EXPECT_LT(distance(all.narrow(0, 4, 1), encoder.embed(in.narrow(0, 4, 1))),
            1e-6);
}

TEST(Encoder, a_latent_does_not_depend_on_its_place_in_the_batch) {
  const ImageSet images = small_shapes(40);
  EncoderOptions options = small_options(images, 64);
  options.widths = {16, 32};
  const Embed embed = Encoder(options, 2).embedding();
  const torch::Tensor in = to_tensor(images);
  EXPECT_TRUE(torch::equal(embed(in.flip(0)).flip(0), embed(in)));
}

TEST(Encoder, the_seed_decides_the_weights) {
  const EncoderOptions options = small_options(small_shapes(4));
  const auto weights = [&](std::uint64_t seed) {
    const nn::ParameterSet set = Encoder(options, seed).parameter_set();
    return std::vector<float>(set.flat().begin(), set.flat().end());
  };
  EXPECT_EQ(weights(3), weights(3));
  EXPECT_NE(weights(3), weights(4));
}

TEST(Encoder, gradients_reach_the_images_of_a_frozen_copy) {
  const ImageSet images = small_shapes(2);
  Encoder encoder(small_options(images), 2);
  const Embed embed = encoder.clone(torch::kFloat64).embedding();
  torch::Tensor in =
      to_tensor(images).to(torch::kFloat64).set_requires_grad(true);
  const torch::Tensor direction = double_normals({2, 8}, 9);
  const auto value = [&] {
    return (embed(in) * direction).sum().item<double>();
  };
  (embed(in) * direction).sum().backward();
  for (const std::int64_t i : {40, 75, 200}) {
    EXPECT_NEAR(in.grad().reshape({-1})[i].item<double>(),
                slope(value, in.detach(), i, 1e-6), 1e-6);
  }
  EXPECT_FALSE(encoder.parameters().at("head.bias").grad().defined());
}

// Fewer channels than a vector has lanes, where libraries go wrong.
TEST(Encoder, gradients_of_narrow_networks_agree_in_float_and_double) {
  const ImageSet images = small_shapes(16);
  for (const std::vector<std::size_t>& widths :
       {std::vector<std::size_t>{4, 8}, {1, 3}, {8, 16}, {12, 20}}) {
    EncoderOptions options = small_options(images);
    options.widths = widths;
    Encoder single(options, 2);
    Encoder twice = single.clone(torch::kFloat64);
    const torch::Tensor direction = double_normals({16, 8}, 9);
    for (Encoder* encoder : {&single, &twice}) {
      const auto type = encoder->parameters().at("head.bias").scalar_type();
      (encoder->train_forward(to_tensor(images).to(type)) * direction.to(type))
          .sum()
          .backward();
    }
    for (const auto& [name, tensor] : single.parameters()) {
      const torch::Tensor truth = twice.parameters().at(name).grad();
      const double scale = 1.0 + truth.abs().max().item<double>();
      EXPECT_LT(distance(tensor.grad(), truth), 1e-4 * scale)
          << name << " of width " << widths[0];
    }
  }
}

TEST(Encoder, a_clone_and_an_embedding_have_their_own_memory) {
  const ImageSet images = small_shapes(8);
  Encoder encoder(small_options(images), 2);
  const Encoder copy = encoder.clone();
  const Embed embed = encoder.embedding();
  const torch::Tensor in = to_tensor(images);
  const torch::Tensor before = encoder.embed(in);
  encoder.train_forward(in);
  EXPECT_GT(distance(encoder.embed(in), before), 1e-6);
  EXPECT_TRUE(torch::equal(copy.embed(in), before));
  EXPECT_TRUE(torch::equal(embed(in), before));
}

TEST(Encoder, moments_of_a_set_are_those_of_its_pixels) {
  ImageSet set;
  set.shape = {3, 1, 2};
  set.pixels = Matrix<std::uint8_t>(2, 6);
  const std::uint8_t values[2][6] = {{0, 255, 7, 7, 10, 20},
                                     {0, 255, 7, 7, 30, 40}};
  for (std::size_t i = 0; i < 2; ++i) {
    std::copy_n(values[i], 6, set.pixels.row(i).data());
  }
  const EncoderOptions options = options_for(set);
  EXPECT_FLOAT_EQ(options.mean[0], 0.5F);
  EXPECT_FLOAT_EQ(options.deviation[0], 0.5F);
  EXPECT_FLOAT_EQ(options.mean[1], 7.0F / 255.0F);
  EXPECT_FLOAT_EQ(options.deviation[1], 1.0F);
  EXPECT_FLOAT_EQ(options.mean[2], 25.0F / 255.0F);
  EXPECT_FLOAT_EQ(options.deviation[2], std::sqrt(125.0F) / 255.0F);
}

TEST(Encoder, what_no_network_can_have_is_refused) {
  const auto refuses = [](auto change) {
    EncoderOptions options;
    options.shape = {1, 12, 12};
    change(options);
    EXPECT_THROW(check_options(options), InvalidArgument);
  };
  refuses([](EncoderOptions& o) { o.shape.height = 0; });
  refuses([](EncoderOptions& o) { o.shape.channels = 17; });
  refuses([](EncoderOptions& o) { o.widths.clear(); });
  refuses([](EncoderOptions& o) { o.widths = {16, 0}; });
  refuses([](EncoderOptions& o) { o.widths = {100000}; });
  refuses([](EncoderOptions& o) { o.latent = 0; });
  refuses([](EncoderOptions& o) { o.mean = {0.1F, 0.1F}; });
  refuses([](EncoderOptions& o) { o.deviation = {0.0F}; });
  refuses([](EncoderOptions& o) {
    o.mean = {std::numeric_limits<float>::quiet_NaN()};
  });
}

TEST(Encoder, images_of_another_shape_are_refused) {
  Encoder encoder(small_options(small_shapes(4)), 1);
  EXPECT_THROW(encoder.forward(torch::zeros({2, 1, 12, 13})), InvalidArgument);
  EXPECT_THROW(encoder.forward(torch::zeros({2, 144})), InvalidArgument);
  EXPECT_THROW(encoder.train_forward(torch::zeros({1, 1, 12, 12})),
               InvalidArgument);
}

TEST(Encoder, values_of_another_network_are_refused) {
  const EncoderOptions options = small_options(small_shapes(4));
  EncoderOptions wider = options;
  wider.latent = 9;
  const Encoder other(wider, 1);
  Encoder encoder(options, 1);
  EXPECT_THROW(encoder.set_values(other.parameter_set(), other.buffer_set()),
               InvalidArgument);
}

}  // namespace encoder_test
}  // namespace sbog::image
