// SPDX-License-Identifier: Apache-2.0
// The atoms of the robust loss: neighbours, points around a latent, copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "encoder_support.h"
#include "sbog_torch/image/alignment.h"
#include "sbog_torch/image/class_anchors.h"
#include "sbog_torch/image/robust_alignment.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace robust_atoms_test {

using namespace testing_support;

RobustAlignmentOptions with_atoms(std::size_t count) {
  RobustAlignmentOptions options;
  options.atom_count = count;
  return options;
}

TEST(RobustAtoms, neighbours_are_the_nearest_of_the_class) {
  const torch::Tensor anchors =
      nn::to_tensor(orthonormal_anchors(4, 8, 1), torch::kFloat64);
  RobustAlignmentOptions options = with_atoms(3);
  const torch::Tensor latents = unit_rows(double_normals({9, 8}, 6));
  const torch::Tensor labels =
      torch::tensor({0, 0, 0, 0, 0, 1, 1, 2, 0}, torch::kInt64);
  const Atoms atoms = neighbour_atoms(latents, labels, options);
  for (std::int64_t i = 0; i < 9; ++i) {
    std::vector<std::pair<double, std::int64_t>> others;
    for (std::int64_t k = 0; k < 9; ++k) {
      if (k == i || !torch::equal(labels[k], labels[i])) continue;
      others.emplace_back(1.0 - latents[i].dot(latents[k]).item<double>(), k);
    }
    std::sort(others.begin(), others.end());
    EXPECT_TRUE(torch::equal(atoms.latents[i][0], latents[i]));
    EXPECT_EQ(atoms.costs[i][0].item<double>(), 0.0);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto at = static_cast<std::int64_t>(k) + 1;
      const double cost = atoms.costs[i][at].item<double>();
      if (k < others.size()) {
        EXPECT_NEAR(cost, others[k].first, 1e-12);
        EXPECT_TRUE(
            torch::equal(atoms.latents[i][at], latents[others[k].second]));
      } else {
        EXPECT_TRUE(std::isinf(cost));
      }
    }
  }
  // The only one of its class is left with its plain logit.
  const torch::Tensor values =
      robust_class_logits(atoms, anchors, labels, 0.1, 0.3, options);
  EXPECT_LT(distance(values[7], class_logits(latents, anchors, 0.1)[7]), 1e-12);
}

TEST(RobustAtoms, latent_atoms_lie_at_the_distance_asked_for) {
  const torch::Tensor latents = unit_rows(double_normals({50, 64}, 6));
  std::vector<std::uint64_t> streams(50);
  for (std::size_t i = 0; i < 50; ++i) streams[i] = i;
  const Atoms atoms = latent_atoms(latents, streams, {}, 1);
  EXPECT_LT(
      distance(atoms.latents.norm(2, 2), torch::ones({50, 8}, torch::kFloat64)),
      1e-12);
  // |noise| is 0.3326 u: the cosines lie around (1 + |noise|^2)^(-1/2).
  const double mean = atoms.costs.narrow(1, 1, 7).mean().item<double>();
  EXPECT_GT(mean, 1.0 - 1.0 / std::sqrt(1.0 + 0.3326 * 0.3326 * 0.25));
  EXPECT_LT(mean, 1.0 - 1.0 / std::sqrt(1.0 + 0.3326 * 0.3326));
}

TEST(RobustAtoms, copies_of_the_input_do_not_depend_on_the_batch) {
  RobustAlignmentOptions options = with_atoms(3);
  const torch::Tensor images = to_tensor(small_shapes(4));
  const std::vector<std::size_t> all = {0, 1, 2, 3};
  const std::vector<std::size_t> one = {2};
  const torch::Tensor copies = input_copies(images, all, 5, options, 1);
  ASSERT_EQ(copies.size(0), 12);
  EXPECT_TRUE(torch::equal(copies[6], images[2]));
  EXPECT_TRUE(
      torch::equal(copies.narrow(0, 6, 3),
                   input_copies(images.narrow(0, 2, 1), one, 5, options, 1)));
  EXPECT_FALSE(torch::equal(copies[7], copies[8]));
  EXPECT_GE(copies.min().item<double>(), 0.0);
  EXPECT_LE(copies.max().item<double>(), 1.0);
}

TEST(RobustAtoms, pixel_costs_follow_the_formula) {
  RobustAlignmentOptions options = with_atoms(2);
  options.input_cost = InputCost::kPixel;
  const torch::Tensor copies = double_normals({4, 1, 3, 2}, 1);
  const torch::Tensor latents = unit_rows(double_normals({4, 5}, 2));
  const Atoms atoms = input_atoms(copies, latents, options);
  for (std::int64_t b = 0; b < 2; ++b) {
    const double square =
        (copies[2 * b] - copies[2 * b + 1]).square().sum().item<double>();
    EXPECT_EQ(atoms.costs[b][0].item<double>(), 0.0);
    EXPECT_NEAR(atoms.costs[b][1].item<double>(),
                square / (2.0 * 6.0 * 0.05 * 0.05), 1e-9);
  }
}

TEST(RobustAtoms, kappa_warms_up) {
  RobustAlignmentOptions options;
  EXPECT_EQ(warmed_kappa(options, 0, 100), 0.0);
  EXPECT_DOUBLE_EQ(warmed_kappa(options, 10, 100), 0.05);
  EXPECT_EQ(warmed_kappa(options, 20, 100), 0.1);
  EXPECT_EQ(warmed_kappa(options, 99, 100), 0.1);
  options.warm_up = 0.0;
  EXPECT_EQ(warmed_kappa(options, 0, 100), 0.1);
}

}  // namespace robust_atoms_test
}  // namespace sbog::image
