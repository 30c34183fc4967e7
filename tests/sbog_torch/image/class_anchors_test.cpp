// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/class_anchors.h"

#include <gtest/gtest.h>

#include <limits>

#include "encoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image {
namespace class_anchors_test {

using namespace testing_support;
using sbog::testing_support::TemporaryFolder;

double dot(const Matrix<float>& rows, std::size_t i, std::size_t k) {
  double sum = 0.0;
  for (std::size_t j = 0; j < rows.cols(); ++j) {
    sum += double{rows(i, j)} * rows(k, j);
  }
  return sum;
}

Matrix<float> random_rows(std::size_t rows, std::size_t cols,
                          std::uint64_t seed) {
  return nn::to_matrix(double_normals(
      {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(cols)},
      seed));
}

TEST(ClassAnchors, a_frame_is_orthonormal_also_when_it_is_full) {
  for (const std::size_t classes : {1u, 10u, 64u}) {
    const Matrix<float> frame = orthonormal_anchors(classes, 64, 7);
    for (std::size_t i = 0; i < classes; ++i) {
      for (std::size_t k = 0; k < classes; ++k) {
        EXPECT_NEAR(dot(frame, i, k), i == k ? 1.0 : 0.0, 1e-6);
      }
    }
  }
}

TEST(ClassAnchors, a_simplex_has_equal_cosines_also_when_it_is_full) {
  for (const std::size_t classes : {2u, 5u, 9u}) {
    const Matrix<float> simplex = simplex_anchors(classes, 8, 7);
    const double cosine = -1.0 / (static_cast<double>(classes) - 1.0);
    for (std::size_t i = 0; i < classes; ++i) {
      for (std::size_t k = 0; k < classes; ++k) {
        EXPECT_NEAR(dot(simplex, i, k), i == k ? 1.0 : cosine, 1e-6);
      }
    }
  }
}

TEST(ClassAnchors, the_seed_decides_and_fewer_classes_are_the_first_ones) {
  const Matrix<float> five = orthonormal_anchors(5, 16, 1);
  const Matrix<float> three = orthonormal_anchors(3, 16, 1);
  const Matrix<float> other = orthonormal_anchors(3, 16, 2);
  for (std::size_t j = 0; j < 16; ++j) EXPECT_EQ(five(2, j), three(2, j));
  EXPECT_NE(three(0, 0), other(0, 0));
}

TEST(ClassAnchors, rows_of_the_right_width_are_only_scaled) {
  const Matrix<float> rows = random_rows(4, 6, 3);
  const Matrix<float> anchors = user_anchors(rows, 6, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    const double length = std::sqrt(dot(rows, i, i));
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(anchors(i, j), rows(i, j) / length, 1e-6);
    }
  }
}

TEST(ClassAnchors, a_wider_space_keeps_every_cosine) {
  const Matrix<float> rows = random_rows(5, 6, 3);
  const Matrix<float> before = user_anchors(rows, 6, 1);
  const Matrix<float> after = user_anchors(rows, 20, 1);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(dot(before, i, k), dot(after, i, k), 1e-6);
    }
  }
}

TEST(ClassAnchors, a_narrower_space_keeps_cosines_roughly) {
  const Matrix<float> rows = random_rows(4, 768, 3);
  const Matrix<float> after = user_anchors(rows, 64, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(dot(after, i, i), 1.0, 1e-6);
    for (std::size_t k = 0; k < i; ++k) {
      // Independent directions: the deviation in 64 dimensions is 1/8.
      EXPECT_LT(std::abs(dot(after, i, k)), 0.5);
    }
  }
}

TEST(ClassAnchors, a_file_gives_one_row_per_class) {
  const TemporaryFolder folder;
  const Matrix<float> rows = random_rows(4, 10, 3);
  write_npy(folder.file("a.npy"), rows.view());
  const Matrix<float> anchors = read_anchors(folder.file("a.npy"), 4, 6, 1);
  const Matrix<float> direct = user_anchors(rows, 6, 1);
  EXPECT_TRUE(std::ranges::equal(anchors.elements(), direct.elements()));
  EXPECT_THROW(read_anchors(folder.file("a.npy"), 5, 6, 1), InvalidArgument);
  const Matrix<float> made =
      make_anchors({AnchorKind::kFile, folder.file("a.npy"), 1}, 4, 6);
  EXPECT_TRUE(std::ranges::equal(made.elements(), direct.elements()));
  EXPECT_THROW(read_anchors(folder.file("b.npy"), 4, 6, 1), IoError);
}

TEST(ClassAnchors, the_kind_chooses_the_function) {
  const auto same = [](const Matrix<float>& a, const Matrix<float>& b) {
    return std::ranges::equal(a.elements(), b.elements());
  };
  EXPECT_TRUE(same(make_anchors({AnchorKind::kOrthonormal, "", 3}, 4, 8),
                   orthonormal_anchors(4, 8, 3)));
  EXPECT_TRUE(same(make_anchors({AnchorKind::kSimplex, "", 3}, 4, 8),
                   simplex_anchors(4, 8, 3)));
}

TEST(ClassAnchors, what_gives_no_direction_is_refused) {
  EXPECT_THROW(orthonormal_anchors(9, 8, 1), InvalidArgument);
  EXPECT_THROW(orthonormal_anchors(0, 8, 1), InvalidArgument);
  EXPECT_THROW(simplex_anchors(1, 8, 1), InvalidArgument);
  EXPECT_THROW(simplex_anchors(10, 8, 1), InvalidArgument);
  Matrix<float> rows(2, 3);
  rows(0, 1) = 1.0F;
  EXPECT_THROW(user_anchors(rows, 3, 1), InvalidArgument);
  rows(1, 0) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(user_anchors(rows, 3, 1), InvalidArgument);
}

TEST(ClassMeans, follow_the_formula_and_leave_absent_classes) {
  const torch::Tensor start = torch::eye(3, torch::kFloat64);
  ClassMeans means(start, 0.75);
  const torch::Tensor latents =
      torch::nn::functional::normalize(double_normals({4, 3}, 5));
  means.update(latents, torch::tensor({0, 2, 0, 0}, torch::kInt64));
  const auto expected = [&](std::int64_t c, const torch::Tensor& mean) {
    const torch::Tensor moved = 0.75 * start[c] + 0.25 * mean;
    return moved / moved.norm();
  };
  EXPECT_LT(distance(means.anchors()[0],
                     expected(0, (latents[0] + latents[2] + latents[3]) / 3.0)),
            1e-14);
  EXPECT_TRUE(torch::equal(means.anchors()[1], start[1]));
  EXPECT_LT(distance(means.anchors()[2], expected(2, latents[1])), 1e-14);
  EXPECT_THROW(ClassMeans(start, 1.0), InvalidArgument);
}

}  // namespace class_anchors_test
}  // namespace sbog::image
