// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/alignment_state.h"

#include <gtest/gtest.h>

#include <fstream>

#include "encoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/class_anchors.h"

namespace sbog::image {
namespace alignment_state_test {

using namespace testing_support;
using sbog::testing_support::read_bytes;
using sbog::testing_support::TemporaryFolder;

AlignmentState make_state(std::uint64_t seed) {
  const Encoder encoder(small_options(small_shapes(8)), seed);
  AlignmentState state{
      encoder,
      {},
      nn::to_tensor(orthonormal_anchors(3, 8, seed), torch::kFloat),
      seed,
      0.1 * static_cast<double>(seed),
      2.0,
      {0.5, 0.0},
      {0.25, 0.0}};
  for (const auto& [name, tensor] : encoder.parameters()) {
    state.velocities[name] = torch::full_like(tensor.detach(), 0.5 * seed);
  }
  return state;
}

TEST(AlignmentState, comes_back_with_the_same_bits) {
  const TemporaryFolder folder;
  const AlignmentState state = make_state(7);
  save_state(folder.file("s"), state, {{"a", "b"}});
  AlignmentState back = make_state(1);
  load_state(folder.file("s"), {{"a", "b"}}, back);
  EXPECT_EQ(back.step, 7u);
  EXPECT_EQ(back.loss_sum, state.loss_sum);
  EXPECT_EQ(back.right, state.right);
  EXPECT_EQ(back.losses, state.losses);
  EXPECT_EQ(back.correct, state.correct);
  EXPECT_TRUE(torch::equal(back.anchors, state.anchors));
  for (const auto& [name, tensor] : state.encoder.parameters()) {
    EXPECT_TRUE(torch::equal(tensor, back.encoder.parameters().at(name)));
    EXPECT_TRUE(
        torch::equal(state.velocities.at(name), back.velocities.at(name)));
  }
}

TEST(AlignmentState, files_of_other_runs_and_cut_files_are_refused) {
  const TemporaryFolder folder;
  save_state(folder.file("s"), make_state(7), {{"a", "b"}});
  AlignmentState back = make_state(1);
  EXPECT_THROW(load_state(folder.file("s"), {{"a", "c"}}, back), IoError);
  back.losses.push_back(0.0);
  EXPECT_THROW(load_state(folder.file("s"), {{"a", "b"}}, back), IoError);
  const std::string bytes = read_bytes(folder.file("s"));
  std::ofstream(folder.file("t"), std::ios::binary)
      << bytes.substr(0, bytes.size() - 8);
  EXPECT_THROW(load_state(folder.file("t"), {{"a", "b"}}, back), IoError);
}

TEST(AlignmentState, a_fingerprint_tells_every_setting_apart) {
  ImageSet images = small_shapes(8);
  const EncoderOptions encoder = small_options(images);
  Matrix<float> anchors = orthonormal_anchors(8, 8, 1);
  const AlignmentOptions base;
  const auto print = [&](const AlignmentOptions& options) {
    return fingerprint(images, encoder, anchors, options);
  };
  const auto first = print(base);
  EXPECT_EQ(first, print(base));
  const auto differs = [&](auto change) {
    AlignmentOptions options;
    change(options);
    EXPECT_NE(print(options), first);
  };
  differs([](AlignmentOptions& o) { o.temperature = 0.2; });
  differs([](AlignmentOptions& o) { o.epochs = 11; });
  differs([](AlignmentOptions& o) { o.sgd.momentum = 0.8; });
  differs([](AlignmentOptions& o) { o.augment.has_flips = false; });
  differs([](AlignmentOptions& o) { o.robust.emplace(); });
  differs([](AlignmentOptions& o) { o.seed = 9; });
  // Where the state is kept is no part of the run.
  AlignmentOptions elsewhere;
  elsewhere.checkpoint = "elsewhere";
  EXPECT_EQ(print(elsewhere), first);
  images.pixels(0, 0) ^= 1;
  EXPECT_NE(print(base), first);
}

}  // namespace alignment_state_test
}  // namespace sbog::image
