// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/flow.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::image {
namespace flow_test {

using namespace testing_support;

constexpr FlowShape kShape{{1, 8, 8}, 6, 4, 5, 3};

TEST(Flow, an_image_depends_on_its_latent_and_id_alone) {
  const FlowDecoder decoder(kShape, 3);
  const torch::Tensor v = unit(normals({35, 6}, 1));
  const auto ids = number_ids(35, 100);
  const torch::Tensor all = decoder.decode(v, no_classes(35), ids);
  EXPECT_EQ(all.sizes(), at::IntArrayRef({35, 1, 8, 8}));
  EXPECT_GE(all.min().item<double>(), 0.0);
  EXPECT_LE(all.max().item<double>(), 1.0);
  for (const std::int64_t row : {0, 34}) {
    EXPECT_TRUE(same_bits(decoder.decode(v.narrow(0, row, 1), no_classes(1),
                                         std::span(ids).subspan(
                                             static_cast<std::size_t>(row), 1)),
                          all.narrow(0, row, 1)));
  }
  EXPECT_FALSE(
      same_bits(decoder.decode(v, no_classes(35), number_ids(35)), all));
}

TEST(Flow, a_field_of_zeros_leaves_the_noise_of_the_id) {
  FlowDecoder decoder(kShape, 3);
  decoder.parameters().set_zero();
  const torch::Tensor v = unit(normals({2, 6}, 1));
  const std::vector<std::uint64_t> ids = {9, 9};
  const torch::Tensor images = decoder.decode(v, no_classes(2), ids);
  EXPECT_TRUE(same_bits(images[0], images[1]));
}

TEST(Flow, a_file_gives_the_same_decoder_back_and_damage_is_refused) {
  const sbog::testing_support::TemporaryFolder folder;
  const std::string path = folder.file("decoder.safetensors");
  const FlowDecoder decoder(kShape, 77);
  decoder.save(path);
  const FlowDecoder loaded = FlowDecoder::load(path);
  const torch::Tensor v = unit(normals({2, 6}, 1));
  EXPECT_TRUE(same_bits(loaded.decode(v, no_classes(2), number_ids(2)),
                        decoder.decode(v, no_classes(2), number_ids(2))));
  const std::string bytes = sbog::testing_support::read_bytes(path);
  for (const auto& [from, to] : {std::pair<std::string, std::string>{
                                     "\"steps\":\"3\"", "\"steps\":\"0\""},
                                 {"\"filters\":\"4\"", "\"filters\":\"8\""},
                                 {"\"width\":\"8\"", "\"width\":\"7\""}}) {
    std::string changed = bytes;
    changed.replace(changed.find(from), from.size(), to);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
    EXPECT_THROW(FlowDecoder::load(path), IoError) << to;
  }
}

TEST(Flow, shapes_out_of_range_are_refused) {
  EXPECT_THROW(FlowDecoder({{1, 8, 8}, 6, 6, 5, 3}, 1), InvalidArgument);
  EXPECT_THROW(FlowDecoder({{1, 8, 8}, 6, 4, 5, 0}, 1), InvalidArgument);
  EXPECT_THROW(FlowDecoder({{1, 9, 8}, 6, 4, 5, 3}, 1), InvalidArgument);
  EXPECT_THROW(FlowDecoder({{1, 8, 8}, 0, 4, 5, 3}, 1), InvalidArgument);
}

}  // namespace flow_test
}  // namespace sbog::image
