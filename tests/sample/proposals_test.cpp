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

// Whole numbers, and the first one of the anchor.
class WholeNumbers : public PointRules {
 public:
  bool settle(std::span<double> point,
              std::span<const double> anchor) const override {
    for (double& x : point) x = std::round(x);
    if (!anchor.empty()) point[0] = anchor[0];
    return point[1] <= 3.0;
  }
};

TEST(Proposals, all_are_held_to_the_rules) {
  const WholeNumbers rules;
  SamplerOptions options = projected(Projection::kIdentity);
  options.rules = &rules;
  std::vector<double> x = {1.2, -0.6, 2.5};
  EXPECT_TRUE(project(options, x));
  EXPECT_EQ(x, (std::vector<double>{1.0, -1.0, 3.0}));
  const std::vector<double> anchor = {0.25, 2.0, 0.0};
  Matrix<double> out(60, 3);
  std::vector<bool> is_valid;
  draw_proposals({5, 3, 2, 9}, {anchor, {2.0, 2.0}}, options, out.view(),
                 is_valid);
  bool is_any_refused = false;
  for (std::size_t j = 0; j < 60; ++j) {
    EXPECT_EQ(out(j, 0), 0.25);
    EXPECT_EQ(out(j, 1), std::round(out(j, 1)));
    EXPECT_LE(out(j, 1), 3.0);
    is_any_refused = is_any_refused || !is_valid[j];
  }
  EXPECT_TRUE(is_any_refused);
}

template <typename T>
void expect_drawn_from_the_stream(Projection projection) {
  const SamplerOptions options = projected(projection);
  const std::vector<double> anchor = unit({1.0, 2.0, -0.5});
  const PhiloxStream stream(5, 3, 2, 9);
  Matrix<T> out(17, 3);
  std::vector<bool> is_valid;
  draw_proposals({5, 3, 2, 9}, {anchor, {0.3, 0.3}}, options, out.view(),
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

// By the text of TangentLaw.
std::vector<double> plain_tangent(const PhiloxStream& stream, std::uint32_t j,
                                  const std::vector<double>& anchor,
                                  const TangentLaw& law) {
  std::vector<double> xi(law.weights.size());
  stream.normals(j, std::span<double>(xi));
  std::vector<double> step(anchor.size(), 0.0);
  for (std::size_t b = 0; b < xi.size(); ++b) {
    for (std::size_t k = 0; k < step.size(); ++k) {
      step[k] += law.weights[b] * xi[b] * law.directions(b, k);
    }
  }
  step = unit(step);
  const double length = law.longest * std::max(0.2, stream.uniform(j));
  std::vector<double> point = anchor;
  for (std::size_t k = 0; k < step.size(); ++k) point[k] += length * step[k];
  return point;
}

TEST(Proposals, tangent_steps_stay_in_their_span_and_below_their_length) {
  const SamplerOptions options = projected(Projection::kIdentity);
  const std::vector<double> anchor = {1.0, 0.5, -0.25, 2.0};
  TangentLaw law;
  law.directions = Matrix<double>(2, 4);
  law.directions(0, 1) = 1.0;
  law.directions(1, 2) = 1.0;
  law.weights = {1.0, 0.25};
  const PhiloxStream stream(5, 3, 2, 9);
  Matrix<double> out(400, 4);
  std::vector<bool> is_valid;
  draw_proposals({5, 3, 2, 9}, {anchor, {}, nullptr, &law}, options, out.view(),
                 is_valid);
  double first = 0.0;
  double second = 0.0;
  double shortest = 1.0;
  for (std::uint32_t j = 0; j < 400; ++j) {
    ASSERT_TRUE(is_valid[j]);
    const std::vector<double> truth = plain_tangent(stream, j, anchor, law);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(out(j, k), truth[k], 1e-15);
    }
    EXPECT_EQ(out(j, 0), anchor[0]);
    EXPECT_EQ(out(j, 3), anchor[3]);
    const double a = out(j, 1) - anchor[1];
    const double b = out(j, 2) - anchor[2];
    first += a * a;
    second += b * b;
    shortest = std::min(shortest, std::hypot(a, b));
    EXPECT_LE(std::hypot(a, b), 0.2 + 1e-12);
  }
  EXPECT_NEAR(shortest, 0.04, 1e-9);  // a fifth of them are of this length
  EXPECT_GT(first, 4.0 * second);
}

TEST(Proposals, a_tangent_law_without_direction_gives_invalid_proposals) {
  const std::vector<double> anchor = {1.0, 0.0};
  TangentLaw law;
  law.directions = Matrix<double>(1, 2);
  law.weights = {0.0};
  Matrix<double> out(1, 2);
  std::vector<bool> is_valid;
  draw_proposals({1, 0, 0, 0}, {anchor, {}, nullptr, &law},
                 projected(Projection::kSphere), out.view(), is_valid);
  EXPECT_FALSE(is_valid[0]);
  EXPECT_EQ(out(0, 0), 1.0);
}

TEST(Proposals, a_range_of_radii_is_drawn_uniformly_for_each) {
  const SamplerOptions options = projected(Projection::kIdentity);
  const std::vector<double> anchor(50, 0.0);
  const RoundKey key{5, 3, 2, 9};
  const StepScale scale{0.5, 2.0};
  Matrix<double> out(4000, 50);
  std::vector<bool> is_valid;
  draw_proposals(key, {anchor, scale}, options, out.view(), is_valid);
  const PhiloxStream stream(5, 3, 2, 9);
  double mean = 0.0;
  for (std::uint32_t j = 0; j < 4000; ++j) {
    std::vector<double> xi(50);
    stream.normals(j, std::span<double>(xi));
    const double sigma = scale.at(key, j);
    EXPECT_EQ(sigma, 0.5 + 1.5 * stream.uniform(j));
    EXPECT_EQ(out(j, 7), sigma * xi[7]);
    mean += sigma / 4000.0;
  }
  EXPECT_NEAR(mean, 1.25, 0.03);
  EXPECT_EQ((StepScale{0.3, 0.3}.at(key, 5)), 0.3);
}

// A bank that is long in its first coordinate.
Matrix<double> long_bank() {
  Matrix<double> bank = oracle::normal_matrix<double>(200, 6, 3);
  for (std::size_t i = 0; i < bank.rows(); ++i) bank(i, 0) *= 5.0;
  return bank;
}

TEST(Proposals, shaped_ones_are_anchor_plus_steps_of_the_shape) {
  const Matrix<double> bank = long_bank();
  const std::vector<std::uint32_t> labels(bank.rows(), 0);
  const StepShape shape(WithinClass<double>(bank.view(), labels, 1, false), 1);
  const RoundKey key{5, 3, 2, 9};
  const std::vector<double> anchor = unit({1.0, 2.0, -0.5, 0.1, 0.0, 3.0});
  for (const Projection projection :
       {Projection::kSphere, Projection::kIdentity}) {
    const SamplerOptions options = projected(projection);
    Matrix<double> out(70, 6);
    std::vector<bool> is_valid;
    draw_proposals(key, {anchor, {0.2, 0.4}, &shape}, options, out.view(),
                   is_valid);
    EXPECT_EQ(is_valid, std::vector<bool>(70, true));
    const Matrix<double> steps = draw_steps(key, &shape, 6, 70);
    for (std::uint32_t j = 0; j < 70; ++j) {
      std::vector<double> v = anchor;
      const double sigma = StepScale{0.2, 0.4}.at(key, j);
      for (std::size_t k = 0; k < 6; ++k) v[k] += sigma * steps(j, k);
      project(options, v);
      for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(out(j, k), v[k]);
    }
  }
}

TEST(Proposals, the_number_of_shaped_steps_changes_none_of_them) {
  const Matrix<double> bank = long_bank();
  const std::vector<std::uint32_t> labels(bank.rows(), 0);
  const StepShape shape(WithinClass<double>(bank.view(), labels, 1, false), 1);
  const Matrix<double> all = draw_steps({1, 2, 3, 4}, &shape, 6, 131);
  for (const std::size_t count : {1u, 15u, 16u, 17u, 48u, 49u, 130u}) {
    const Matrix<double> some = draw_steps({1, 2, 3, 4}, &shape, 6, count);
    EXPECT_TRUE(std::equal(some.elements().begin(), some.elements().end(),
                           all.elements().begin()))
        << count;
  }
}

TEST(Proposals, one_that_cannot_be_projected_is_marked) {
  const SamplerOptions options = projected(Projection::kSphere);
  const std::vector<double> anchor(3, 0.0);
  Matrix<double> out(2, 3);
  std::vector<bool> is_valid;
  draw_proposals({1, 0, 0, 0}, {anchor}, options, out.view(), is_valid);
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
