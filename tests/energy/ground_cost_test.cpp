// SPDX-License-Identifier: Apache-2.0
// The definitions of the costs: golden pairs, derivatives, metrics.
#include "sbog/energy/ground_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "oracle/golden.h"

namespace sbog {
namespace ground_cost_test {

using oracle::kAllCosts;
using testing::HasSubstr;
using testing_support::invalid_argument_of;

Matrix<double> matrix_of(std::vector<std::vector<double>> rows) {
  Matrix<double> out(rows.size(), rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), out.row(i).begin());
  }
  return out;
}

TEST(GroundCost, gives_the_golden_pairs) {
  const auto known = golden::entry("/core/pair_costs");
  const auto a = golden::to_vector(known.at("a"));
  const auto b = golden::to_vector(known.at("b"));
  const Matrix<double> factor =
      factor_metric(golden::to_matrix(known.at("W")).view());
  const auto expect = [&](GroundCost cost, const char* value,
                          const char* gradient) {
    const double expected = golden::to_double(known.at(value));
    EXPECT_NEAR(pair_cost(cost, a, b, factor), expected, 1e-12 * expected);
    if (gradient == nullptr) return;
    std::vector<double> found(3);
    pair_gradient(cost, a, b, found, factor);
    const auto wanted = golden::to_vector(known.at(gradient));
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(found[k], wanted[k], 1e-12 * std::abs(wanted[k]));
    }
  };
  expect(GroundCost::kCosine, "cosine", "cosine_grad_a");
  expect(GroundCost::kSquaredEuclidean, "sq_euclid", nullptr);
  expect(GroundCost::kEuclidean, "euclid", nullptr);
  expect(GroundCost::kSquaredMahalanobis, "mahalanobis_sq",
         "mahalanobis_sq_grad_a");
  expect(GroundCost::kMahalanobis, "mahalanobis", "mahalanobis_grad_a");
}

TEST(GroundCost, names_are_read_back) {
  for (const GroundCost cost : kAllCosts) {
    EXPECT_EQ(parse_ground_cost(to_string(cost)), cost);
  }
  const std::string message =
      invalid_argument_of([] { parse_ground_cost("cosin"); });
  EXPECT_THAT(message, HasSubstr("'cosin'"));
  for (const GroundCost cost : kAllCosts) {
    EXPECT_THAT(message, HasSubstr(to_string(cost)));
  }
}

TEST(GroundCost, kinds_are_told_apart) {
  EXPECT_TRUE(is_cosine(GroundCost::kUnitCosine));
  EXPECT_FALSE(is_cosine(GroundCost::kEuclidean));
  EXPECT_TRUE(is_rooted(GroundCost::kEuclidean));
  EXPECT_TRUE(is_rooted(GroundCost::kMahalanobis));
  EXPECT_FALSE(is_rooted(GroundCost::kSquaredMahalanobis));
  EXPECT_TRUE(is_mahalanobis(GroundCost::kSquaredMahalanobis));
  EXPECT_FALSE(is_mahalanobis(GroundCost::kSquaredEuclidean));
}

RC_GTEST_PROP(GroundCost, agrees_with_its_definition_and_its_chord, ()) {
  const GroundCost cost = *rc::gen::elementOf(kAllCosts);
  const auto problem = oracle::random_problem<double>(
      cost, {.n = 1,
             .dim = *rc::gen::inRange<std::size_t>(1, 20),
             .queries = 1,
             .seed = *rc::gen::arbitrary<std::uint32_t>()});
  const EnergyModel<double> model = problem.model();
  const auto z = problem.queries.row(0);
  const auto u = problem.bank.row(0);
  const double found = pair_cost(cost, z, u, model.metric_factor());
  const auto expected = static_cast<double>(
      oracle::pair_cost<double>(problem, oracle::to_real(z), u));
  RC_ASSERT(std::abs(found - expected) <= 1e-13 * (1.0 + expected));
  const double chord = chord_of_cost(cost, found);
  RC_ASSERT(std::abs(cost_of_chord(cost, chord) - found) <= 1e-14 * found);
}

RC_GTEST_PROP(GroundCost, derivatives_are_central_differences, ()) {
  const GroundCost cost = *rc::gen::elementOf(kAllCosts);
  const auto dim = *rc::gen::inRange<std::size_t>(2, 8);
  const auto problem = oracle::random_problem<double>(
      cost, {.n = 2,
             .dim = dim,
             .queries = 1,
             .seed = *rc::gen::arbitrary<std::uint32_t>()});
  const EnergyModel<double> model = problem.model();
  const auto z = oracle::to_real(problem.queries.row(0));
  const auto u = problem.bank.row(0);
  const auto p = problem.bank.row(1);  // any direction
  // Close pairs and short vectors have large higher derivatives.
  RC_PRE(oracle::pair_cost<double>(problem, z, u) > 0.05L);
  oracle::Real square = 0;
  for (const oracle::Real x : z) square += x * x;
  RC_PRE(square > 0.1L);
  std::vector<double> gradient(dim);
  std::vector<double> product(dim);
  pair_gradient(cost, problem.queries.row(0), u, gradient,
                model.metric_factor());
  pair_hessian_product(cost, problem.queries.row(0), u, p, product,
                       model.metric_factor());
  const auto value = [&](oracle::Real along_p, std::size_t k,
                         oracle::Real along_k) {
    auto moved = z;
    for (std::size_t i = 0; i < dim; ++i) moved[i] += along_p * p[i];
    moved[k] += along_k;
    return oracle::pair_cost<double>(problem, moved, u);
  };
  const oracle::Real h = 1e-5L;
  for (std::size_t k = 0; k < dim; ++k) {
    const auto slope =
        static_cast<double>((value(0, k, h) - value(0, k, -h)) / (2 * h));
    RC_ASSERT(std::abs(gradient[k] - slope) <= 1e-6 * (1 + std::abs(slope)));
    const auto bend = static_cast<double>((value(h, k, h) - value(h, k, -h) -
                                           value(-h, k, h) + value(-h, k, -h)) /
                                          (4 * h * h));
    RC_ASSERT(std::abs(product[k] - bend) <= 1e-4 * (1 + std::abs(bend)));
  }
}

TEST(GroundCost, the_unit_form_is_linear_in_the_query) {
  const std::vector<double> z = {0.6, 0.8};
  const std::vector<double> u = {0.0, 1.0};
  const std::vector<double> p = {1.0, 2.0};
  std::vector<double> out(2, 9.0);
  pair_gradient(GroundCost::kUnitCosine, z, u, out);
  EXPECT_EQ(out, (std::vector<double>{0.0, -1.0}));
  pair_hessian_product(GroundCost::kUnitCosine, z, u, p, out);
  EXPECT_EQ(out, (std::vector<double>{0.0, 0.0}));
}

TEST(GroundCost, rooted_costs_have_zero_derivatives_where_they_have_none) {
  const Matrix<double> factor = factor_metric(matrix_of({{2, 0}, {0, 1}}));
  const std::vector<double> z = {0.3, -0.7};
  const std::vector<double> p = {1.0, 2.0};
  for (const GroundCost cost :
       {GroundCost::kEuclidean, GroundCost::kMahalanobis}) {
    std::vector<double> out(2, 9.0);
    EXPECT_EQ(pair_cost(cost, z, z, factor), 0.0);
    pair_gradient(cost, z, z, out, factor);
    EXPECT_EQ(out, (std::vector<double>{0.0, 0.0}));
    out = {9.0, 9.0};
    pair_hessian_product(cost, z, z, p, out, factor);
    EXPECT_EQ(out, (std::vector<double>{0.0, 0.0}));
  }
}

RC_GTEST_PROP(GroundCost, a_point_is_at_no_negative_cost_from_itself, ()) {
  const auto dim = *rc::gen::inRange<std::size_t>(1, 40);
  auto points = oracle::normal_matrix<double>(
      1, dim, *rc::gen::arbitrary<std::uint32_t>());
  const auto cosine =
      pair_cost(GroundCost::kCosine, points.row(0), points.row(0));
  RC_ASSERT(cosine >= 0.0 && cosine < 1e-15);
  oracle::normalise_rows(points);
  const auto unit =
      pair_cost(GroundCost::kUnitCosine, points.row(0), points.row(0));
  RC_ASSERT(unit >= 0.0 && unit < 2e-15);
}

RC_GTEST_PROP(FactorMetric, reproduces_a_semidefinite_matrix, ()) {
  const auto dim = *rc::gen::inRange<std::size_t>(1, 12);
  const auto rank = *rc::gen::inRange<std::size_t>(1, dim + 1);
  const auto root = oracle::normal_matrix<double>(
      dim, rank, *rc::gen::arbitrary<std::uint32_t>());
  Matrix<double> metric(dim, dim);
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      for (std::size_t r = 0; r < rank; ++r) {
        metric(i, j) += root(i, r) * root(j, r);
      }
    }
  }
  const Matrix<double> factor = factor_metric(metric);
  RC_ASSERT(factor.rows() == dim);
  RC_ASSERT(factor.cols() <= rank);
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      double product = 0.0;
      for (std::size_t r = 0; r < factor.cols(); ++r) {
        product += factor(i, r) * factor(j, r);
      }
      const double scale = std::sqrt(metric(i, i) * metric(j, j));
      RC_ASSERT(std::abs(product - metric(i, j)) <= 1e-10 * scale);
    }
  }
}

TEST(FactorMetric, the_units_of_a_coordinate_do_not_decide_whether_it_counts) {
  const Matrix<double> factor =
      factor_metric(matrix_of({{1.0, 0.0}, {0.0, 1e-20}}));
  const std::vector<double> zero = {0.0, 0.0};
  const std::vector<double> far = {0.0, 3e10};
  EXPECT_NEAR(pair_cost(GroundCost::kMahalanobis, zero, far, factor), 3.0,
              1e-12);
}

RC_GTEST_PROP(FactorMetric, a_matrix_with_a_negative_direction_is_refused, ()) {
  const auto dim = *rc::gen::inRange<std::size_t>(2, 12);
  const auto v = oracle::normal_matrix<double>(
      1, dim, *rc::gen::arbitrary<std::uint32_t>());
  double norm2 = 0.0;
  for (const double x : v.elements()) norm2 += x * x;
  Matrix<double> metric(dim, dim);  // I - 1.001 v v' / |v|^2
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      metric(i, j) = (i == j ? 1.0 : 0.0) - 1.001 * v(0, i) * v(0, j) / norm2;
    }
  }
  RC_ASSERT_THROWS_AS(factor_metric(metric), InvalidArgument);
}

TEST(FactorMetric, a_zero_matrix_has_a_zero_factor) {
  const Matrix<double> factor = factor_metric(Matrix<double>(2, 2));
  for (const double x : factor.elements()) EXPECT_EQ(x, 0.0);
}

TEST(FactorMetric, refuses_what_is_no_metric_and_says_where) {
  const auto message = [](const Matrix<double>& metric) {
    return invalid_argument_of([&] { factor_metric(metric); });
  };
  EXPECT_THAT(message(Matrix<double>(2, 3)), HasSubstr("2 x 3"));
  EXPECT_THAT(message(Matrix<double>()), HasSubstr("square"));
  EXPECT_THAT(message(matrix_of({{1, 0}, {std::nan(""), 1}})),
              HasSubstr("row 1, column 0"));
  EXPECT_THAT(message(matrix_of({{1, 2}, {2.1, 9}})),
              HasSubstr("symmetric matrix is expected, but row 1, column 0"));
  EXPECT_THAT(message(matrix_of({{1, 2}, {2, 1}})),
              HasSubstr("semidefinite matrix is expected, but row 1"));
  EXPECT_THAT(message(matrix_of({{-1, 0}, {0, 1}})), HasSubstr("row 0"));
  EXPECT_THAT(message(matrix_of({{0, 1}, {1, 5}})), HasSubstr("row 0"));
  // All 2 x 2 minors are fine, the whole is not.
  EXPECT_THAT(message(matrix_of({{1, .9, .9}, {.9, 1, -.9}, {.9, -.9, 1}})),
              HasSubstr("row 2"));
  EXPECT_THAT(message(matrix_of({{1, 0, 0}, {0, 1e-8, 1e-7}, {0, 1e-7, 1e-8}})),
              HasSubstr("row 2"));
}

}  // namespace ground_cost_test
}  // namespace sbog
