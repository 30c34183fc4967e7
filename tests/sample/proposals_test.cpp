// SPDX-License-Identifier: Apache-2.0
// Ambient proposals against the stream they are drawn from.
#include "sbog/sample/proposals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oracle/energy_oracle.h"
#include "sample/support.h"

namespace sbog {
namespace proposals_test {

using testing_support::plain_cosine;
using testing_support::unit;

SamplerOptions projected(Projection projection) {
  SamplerOptions options = profile_options("coverage");
  options.projection = projection;
  options.box_low = {-0.5, 0.0, 0.25};
  options.box_high = {0.5, 0.0, 1.0};
  options.sigma = 0.3;
  return options;
}

TEST(Proposals, project_normalises_clips_or_leaves_alone) {
  std::vector<double> x = {3.0, 0.0, -4.0};
  EXPECT_TRUE(project(projected(Projection::kIdentity), x));
  EXPECT_EQ(x, (std::vector<double>{3.0, 0.0, -4.0}));
  EXPECT_TRUE(project(projected(Projection::kSphere), x));
  EXPECT_NEAR(x[0], 0.6, 1e-15);
  EXPECT_NEAR(x[2], -0.8, 1e-15);
  EXPECT_TRUE(project(projected(Projection::kBox), x));
  EXPECT_EQ(x, (std::vector<double>{0.5, 0.0, 0.25}));
  std::vector<double> zero(3, 0.0);
  EXPECT_FALSE(project(projected(Projection::kSphere), zero));
}

template <typename T>
void expect_drawn_from_the_stream(Projection projection) {
  const SamplerOptions options = projected(projection);
  const std::vector<double> anchor = unit({1.0, 2.0, -0.5});
  const PhiloxStream stream(5, 3, 2, 9);
  Matrix<T> out(17, 3);
  std::vector<bool> is_valid;
  draw_proposals(stream, std::span<const double>(anchor), options, out.view(),
                 is_valid);
  ASSERT_EQ(is_valid, std::vector<bool>(17, true));
  for (std::uint32_t j = 0; j < 17; ++j) {
    std::vector<double> v(3);
    stream.normals(j, std::span<double>(v));
    for (std::size_t k = 0; k < 3; ++k) v[k] = anchor[k] + 0.3 * v[k];
    project(options, v);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(out(j, k), static_cast<T>(v[k])) << j;
    }
  }
}

TEST(Proposals, are_anchor_plus_the_noise_of_their_stream) {
  for (const Projection projection :
       {Projection::kSphere, Projection::kIdentity, Projection::kBox}) {
    expect_drawn_from_the_stream<double>(projection);
    expect_drawn_from_the_stream<float>(projection);
  }
}

TEST(Proposals, one_that_cannot_be_projected_is_marked) {
  SamplerOptions options = projected(Projection::kSphere);
  options.sigma = 0.0;
  const std::vector<double> anchor(3, 0.0);
  Matrix<double> out(2, 3);
  std::vector<bool> is_valid;
  draw_proposals(PhiloxStream(1, 0, 0, 0), std::span<const double>(anchor),
                 options, out.view(), is_valid);
  EXPECT_EQ(is_valid, (std::vector<bool>{false, false}));
}

TEST(Proposals, inner_products_and_cosines_equal_the_plain_sums) {
  for (std::size_t dim = 1; dim <= 40; ++dim) {
    const auto x = oracle::normal_matrix<double>(2, dim, dim);
    long double sum = 0;
    for (std::size_t k = 0; k < dim; ++k) {
      sum += static_cast<long double>(x(0, k)) * x(1, k);
    }
    const std::span<const double> a = std::as_const(x).row(0);
    const std::span<const double> b = std::as_const(x).row(1);
    EXPECT_NEAR((inner_product<double, double>(a, b)), static_cast<double>(sum),
                1e-13);
    EXPECT_NEAR((cosine_of<double, double>(a, b)), plain_cosine(a, b), 1e-14);
  }
  const std::vector<double> zero(3, 0.0);
  EXPECT_EQ((cosine_of<double, double>(zero, zero)), 0.0);
}

}  // namespace proposals_test
}  // namespace sbog
