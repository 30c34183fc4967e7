// SPDX-License-Identifier: Apache-2.0
// Generated latents: unit length, independent parts, the promised law.
#include "paper/latents.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"

namespace sbog::paper {
namespace latents_test {

TEST(Latents, have_unit_length_and_the_same_start_for_any_count) {
  const LatentLaw law{3, 7, 5, 0.5};
  const auto many = draw_latents<double>(law, LatentPart::kBank, 50);
  const auto few = draw_latents<double>(law, LatentPart::kBank, 10);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_NEAR(norm_of<double>(many.points.row(i)), 1.0, 1e-15);
  }
  for (std::size_t i = 0; i < few.points.size(); ++i) {
    EXPECT_EQ(few.points.elements()[i], many.points.elements()[i]);
  }
}

TEST(Latents, of_other_parts_and_seeds_are_other_points) {
  const auto first = [](std::uint64_t seed, LatentPart part) {
    return draw_latents<double>({seed, 4, 5, 0.35}, part, 1).points(0, 0);
  };
  EXPECT_NE(first(1, LatentPart::kBank), first(1, LatentPart::kFresh));
  EXPECT_NE(first(1, LatentPart::kBank), first(2, LatentPart::kBank));
}

TEST(Latents, of_one_component_have_the_cosine_of_their_spread) {
  // In many dimensions |noise| = spread, so two points of a component have the
  // cosine 1 / (1 + spread^2), and labels say which component it was.
  const auto sample =
      draw_latents<double>({5, 5000, 3, 0.8}, LatentPart::kBank, 30);
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double cosine =
          cosine_of<double, double>(sample.points.row(i), sample.points.row(j));
      const bool is_same = sample.labels[i] == sample.labels[j];
      EXPECT_NEAR(cosine, is_same ? 1.0 / 1.64 : 0.0, 0.07);
    }
  }
}

TEST(Latents, perturbed_copies_stay_near_their_row) {
  const auto sample =
      draw_latents<double>({5, 1000, 2, 0.8}, LatentPart::kBank, 4);
  const std::vector<std::size_t> rows = {3, 1};
  const Matrix<double> copies =
      perturb_rows<double>(sample.points, rows, 3, 0.01, 9);
  ASSERT_EQ(copies.rows(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    // |noise| = 0.01 sqrt(1000), nearly orthogonal to the row.
    const double cosine = cosine_of<double, double>(
        copies.row(i), sample.points.row(rows[i / 3]));
    EXPECT_NEAR(cosine, 1.0 / std::sqrt(1.1), 0.01);
  }
  EXPECT_NE(copies(0, 0), copies(1, 0));
}

TEST(Latents, a_law_without_sense_is_refused) {
  for (const LatentLaw& law :
       {LatentLaw{1, 1, 5, 0.3}, LatentLaw{1, 4, 0, 0.3},
        LatentLaw{1, 4, 5, 0.0}, LatentLaw{1, 4, 5, HUGE_VAL}}) {
    EXPECT_THROW(draw_latents<float>(law, LatentPart::kBank, 1),
                 InvalidArgument);
  }
}

}  // namespace latents_test
}  // namespace sbog::paper
