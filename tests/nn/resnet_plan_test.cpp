// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/resnet_plan.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::series {
namespace resnet_plan_test {

std::size_t backbone_size(std::size_t channels) {
  EncoderOptions options;
  options.channels = channels;
  nn::ParameterSet set;
  add_backbone(make_plan(options), set);
  return set.size();
}

TEST(ResnetPlan, parameter_counts_are_those_of_the_method) {
  EXPECT_EQ(backbone_size(38), 3536u);
  EXPECT_EQ(backbone_size(55), 4148u);
  EXPECT_EQ(backbone_size(25), 3068u);
  EXPECT_EQ(backbone_size(51), 4004u);
  nn::ParameterSet projection;
  add_projection({}, projection);
  EXPECT_EQ(projection.size(), 108u);
  nn::ParameterSet cluster;
  add_cluster_head(8, 10, cluster);
  EXPECT_EQ(cluster.size(), 90u);
}

TEST(ResnetPlan, layers_have_the_kernels_zeros_and_widths_of_the_method) {
  EncoderOptions options;
  options.channels = 38;
  const ResnetPlan plan = make_plan(options);
  ASSERT_EQ(plan.layers.size(), 11u);
  const auto zeros = [](const ConvLayer& layer) {
    return std::pair(layer.left, layer.kernel - 1 - layer.left);
  };
  EXPECT_EQ(zeros(plan.layers[0]), std::pair(std::size_t{3}, std::size_t{4}));
  EXPECT_EQ(zeros(plan.layers[1]), std::pair(std::size_t{2}, std::size_t{2}));
  EXPECT_EQ(zeros(plan.layers[2]), std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_EQ(zeros(plan.layers[3]), std::pair(std::size_t{0}, std::size_t{0}));
  EXPECT_EQ(plan.layers[3].inputs, 38u);
  EXPECT_EQ(plan.layers[4].outputs, 8u);
  EXPECT_TRUE(plan.blocks[0].has_shortcut);
  EXPECT_TRUE(plan.blocks[1].has_shortcut);
  EXPECT_FALSE(plan.blocks[2].has_shortcut);
  EXPECT_FALSE(plan.blocks[2].has_identity);
  options.has_block3_identity = true;
  EXPECT_TRUE(make_plan(options).blocks[2].has_identity);
}

TEST(ResnetPlan, initialisation_follows_the_law_and_the_seed) {
  EncoderOptions options;
  options.channels = 38;
  nn::ParameterSet first;
  add_backbone(make_plan(options), first);
  nn::ParameterSet second = first;
  nn::ParameterSet other = first;
  initialise(first, 4);
  initialise(second, 4);
  initialise(other, 5);
  EXPECT_TRUE(std::equal(first.flat().begin(), first.flat().end(),
                         second.flat().begin()));
  EXPECT_FALSE(std::equal(first.flat().begin(), first.flat().end(),
                          other.flat().begin()));
  const double bound = 1.0 / std::sqrt(38.0 * 8.0);
  double largest = 0.0;
  for (const float w : first.values("block1.conv1.weight")) {
    largest = std::max(largest, std::abs(double{w}));
  }
  EXPECT_LE(largest, bound);
  EXPECT_GT(largest, 0.99 * bound);
  for (const float w : first.values("block2.norm1.weight")) EXPECT_EQ(w, 1.0F);
  for (const float w : first.values("block2.norm1.bias")) EXPECT_EQ(w, 0.0F);
}

TEST(ResnetPlan, running_variances_start_at_one) {
  const nn::ParameterSet buffers = make_buffers(make_plan({}));
  EXPECT_EQ(buffers.values("block3.norm2.running_var")[0], 1.0F);
  EXPECT_EQ(buffers.values("block3.norm2.running_mean")[0], 0.0F);
}

TEST(ResnetPlan, sizes_of_zero_are_refused) {
  EXPECT_THROW(make_plan({0, 200, 4, 4, {}, false}), InvalidArgument);
  EXPECT_THROW(make_plan({3, 0, 4, 4, {}, false}), InvalidArgument);
  EXPECT_THROW(make_plan({3, 200, 0, 4, {}, false}), InvalidArgument);
  EXPECT_THROW(make_plan({3, 200, 4, 1, {}, false}), InvalidArgument);
}

}  // namespace resnet_plan_test
}  // namespace sbog::series
