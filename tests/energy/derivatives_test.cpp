// SPDX-License-Identifier: Apache-2.0
// Gibbs weights, gradients and Hessian products against golden numbers and
// differences of the oracle's energy.
#include "sbog/energy/derivatives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "oracle/golden.h"

namespace sbog {
namespace derivatives_test {

using oracle::kAllCosts;
using oracle::Real;
using testing::Each;
using testing::HasSubstr;
using testing_support::invalid_argument_of;

Matrix<double> row_of(const std::vector<double>& values) {
  Matrix<double> out(1, values.size());
  std::copy(values.begin(), values.end(), out.row(0).begin());
  return out;
}

void expect_near(std::span<const double> found,
                 const std::vector<double>& expected, double relative) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(found[k], expected[k], relative * std::abs(expected[k]) + 1e-15)
        << k;
  }
}

TEST(Derivatives, give_the_golden_cosine_values) {
  const auto a = golden::entry("/core/A_cosine");
  const Matrix<double> bank = golden::to_matrix(a.at("bank"));
  const Matrix<double> query = row_of(golden::to_vector(a.at("query")));
  const double epsilon = golden::to_double(a.at("eps"));
  const EnergyModel<double> unit({bank.view(), {}, {}},
                                 {GroundCost::kUnitCosine, epsilon, {}});
  const auto w = gibbs_weights(unit, query.view().row(0));
  expect_near(w, golden::to_vector(a.at("w")), 1e-12);
  expect_near(energy_gradient(unit, query.view()).row(0),
              golden::to_vector(a.at("grad_inner_product_form")), 1e-12);
  const auto riemannian = golden::to_vector(a.at("grad_riemannian"));
  // 0.005 is what remains of parts of size 0.7.
  expect_near(energy_gradient(unit, query.view(), Surface::kSphere).row(0),
              riemannian, 1e-12);
  // The general form has no radial part: its gradient is the tangent one.
  const EnergyModel<double> general({bank.view(), {}, {}},
                                    {GroundCost::kCosine, epsilon, {}});
  expect_near(energy_gradient(general, query.view()).row(0), riemannian, 1e-12);
  // dE/depsilon = KL(w || nu), and the mean of f under w.
  double divergence = 0.0;
  double mean = 0.0;
  const auto task = golden::entry("/core/A_task_aware");
  const auto f = golden::to_vector(task.at("f"));
  for (std::size_t i = 0; i < 3; ++i) {
    divergence += w[i] * std::log(w[i] * 3.0);
    mean += w[i] * f[i];
  }
  EXPECT_NEAR(divergence, golden::to_double(a.at("dE_deps_equals_KL")), 1e-12);
  EXPECT_NEAR(mean, golden::to_double(task.at("mean_f_under_w")), 1e-12);
}

TEST(Derivatives, give_the_golden_weighted_values) {
  const auto b = golden::entry("/core/B_sqeuclid_weighted");
  const Matrix<double> bank = golden::to_matrix(b.at("bank"));
  const auto weights = golden::to_vector(b.at("weights"));
  const Matrix<double> query = row_of(golden::to_vector(b.at("query")));
  const EnergyModel<double> model(
      {bank.view(), weights, {}},
      {GroundCost::kSquaredEuclidean, golden::to_double(b.at("eps")), {}});
  expect_near(gibbs_weights(model, query.view().row(0)),
              golden::to_vector(b.at("w")), 1e-12);
  expect_near(energy_gradient(model, query.view()).row(0),
              golden::to_vector(b.at("grad")), 1e-12);
  const Matrix<double> along = row_of(golden::to_vector(b.at("hvp_direction")));
  expect_near(energy_hessian_product(model, query.view(), along.view()).row(0),
              golden::to_vector(b.at("hvp")), 1e-12);
}

oracle::EnergyProblem<double> any_problem(GroundCost cost) {
  return oracle::random_problem<double>(
      cost, {.n = *rc::gen::inRange<std::size_t>(2, 30),
             .dim = *rc::gen::inRange<std::size_t>(2, 7),
             .queries = 2,
             .epsilon = *rc::gen::element(0.3, 1.0),
             .is_weighted = *rc::gen::arbitrary<bool>(),
             .seed = *rc::gen::arbitrary<std::uint32_t>()});
}

// Where differences do not see the derivative: near the kink of a rooted cost
// at 0 or of 1 - <z,u>, which is clamped below 0, and at short queries, whose
// direction turns within a step.
bool is_rough(const oracle::EnergyProblem<double>& problem) {
  for (std::size_t q = 0; q < problem.queries.rows(); ++q) {
    const auto z = oracle::to_real(problem.queries.view().row(q));
    Real square = 0;
    for (const Real x : z) square += x * x;
    if (problem.cost == GroundCost::kCosine && square < 0.1L) return true;
    const auto costs = oracle::costs_of<double>(problem, z);
    for (const Real cost : costs) {
      const bool has_kink =
          is_rooted(problem.cost) || problem.cost == GroundCost::kUnitCosine;
      if (has_kink && cost < 0.05L) return true;
    }
  }
  return false;
}

RC_GTEST_PROP(Derivatives, are_differences_of_the_energy, ()) {
  const auto problem = any_problem(*rc::gen::elementOf(kAllCosts));
  RC_PRE(!is_rough(problem));
  const EnergyModel<double> model = problem.model();
  const std::size_t dim = model.dim();
  const auto directions = oracle::normal_matrix<double>(2, dim, 5);
  const auto queries = std::as_const(problem.queries).view();
  const auto gradient = energy_gradient(model, queries);
  const auto product =
      energy_hessian_product(model, queries, directions.view());
  const Real h = 1e-5L;
  for (std::size_t q = 0; q < 2; ++q) {
    const auto z = oracle::to_real(queries.row(q));
    const auto value = [&](Real along_p, std::size_t k, Real along_k) {
      auto moved = z;
      for (std::size_t i = 0; i < dim; ++i) {
        moved[i] += along_p * directions(q, i);
      }
      moved[k] += along_k;
      return oracle::energy<double>(problem, moved);
    };
    for (std::size_t k = 0; k < dim; ++k) {
      const auto slope =
          static_cast<double>((value(0, k, h) - value(0, k, -h)) / (2 * h));
      RC_ASSERT(std::abs(gradient(q, k) - slope) <=
                1e-6 * (1 + std::abs(slope)));
      const auto bend =
          static_cast<double>((value(h, k, h) - value(h, k, -h) -
                               value(-h, k, h) + value(-h, k, -h)) /
                              (4 * h * h));
      RC_ASSERT(std::abs(product(q, k) - bend) <= 1e-4 * (1 + std::abs(bend)));
    }
  }
}

RC_GTEST_PROP(Derivatives, on_the_sphere_are_those_along_geodesics, ()) {
  auto problem = any_problem(*rc::gen::elementOf(kAllCosts));
  RC_PRE(!is_rough(problem));
  oracle::normalise_rows(problem.queries);
  RC_PRE(!is_rough(problem));
  const EnergyModel<double> model = problem.model();
  const std::size_t dim = model.dim();
  const auto queries = std::as_const(problem.queries).view();
  auto tangent = oracle::normal_matrix<double>(2, dim, 6);
  for (std::size_t q = 0; q < 2; ++q) {
    double along = 0.0;
    for (std::size_t k = 0; k < dim; ++k)
      along += queries(q, k) * tangent(q, k);
    for (std::size_t k = 0; k < dim; ++k)
      tangent(q, k) -= along * queries(q, k);
  }
  oracle::normalise_rows(tangent);
  const auto gradient = energy_gradient(model, queries, Surface::kSphere);
  const auto product = energy_hessian_product(
      model, queries, std::as_const(tangent).view(), Surface::kSphere);
  const Real h = 1e-4L;
  for (std::size_t q = 0; q < 2; ++q) {
    // E(cos(t) z + sin(t) p): its derivatives at 0 are <grad, p>, <Hess p, p>.
    const auto value = [&](Real t) {
      std::vector<Real> at(dim);
      for (std::size_t k = 0; k < dim; ++k) {
        at[k] = std::cos(t) * queries(q, k) + std::sin(t) * tangent(q, k);
      }
      return oracle::energy<double>(problem, at);
    };
    double slope = 0.0;
    double bend = 0.0;
    double radial = 0.0;
    for (std::size_t k = 0; k < dim; ++k) {
      slope += gradient(q, k) * tangent(q, k);
      bend += product(q, k) * tangent(q, k);
      radial += gradient(q, k) * queries(q, k);
    }
    const auto expected_slope =
        static_cast<double>((value(h) - value(-h)) / (2 * h));
    const auto expected_bend =
        static_cast<double>((value(h) - 2 * value(0) + value(-h)) / (h * h));
    RC_ASSERT(std::abs(slope - expected_slope) <=
              1e-5 * (1 + std::abs(expected_slope)));
    RC_ASSERT(std::abs(bend - expected_bend) <=
              1e-3 * (1 + std::abs(expected_bend)));
    RC_ASSERT(std::abs(radial) <= 1e-12);
  }
}

TEST(Derivatives, excluded_and_weightless_atoms_have_no_weight) {
  const auto problem = oracle::random_problem<float>(
      GroundCost::kCosine, {.n = 20, .is_weighted = true});
  const EnergyModel<float> model = problem.model();
  const auto w = gibbs_weights(model, problem.bank.view().row(5), 5);
  EXPECT_EQ(w[3], 0.0);
  EXPECT_EQ(w[5], 0.0);
  double sum = 0.0;
  for (const double x : w) sum += x;
  EXPECT_NEAR(sum, 1.0, 1e-14);
}

TEST(Derivatives, weights_are_all_zero_where_nothing_supports) {
  const auto problem =
      oracle::random_problem<double>(GroundCost::kCosine, {.n = 1});
  const EnergyModel<double> model = problem.model();
  EXPECT_THAT(gibbs_weights(model, problem.queries.view().row(0), 0),
              Each(0.0));
  EXPECT_THAT(gibbs_weights(model, problem.queries.view().row(0)), Each(1.0));
}

TEST(Derivatives, no_queries_give_no_rows) {
  const auto problem =
      oracle::random_problem<double>(GroundCost::kCosine, {.queries = 0});
  EXPECT_EQ(energy_gradient(problem.model(), problem.queries.view()).rows(),
            0u);
}

TEST(Derivatives, refuse_bad_input_and_say_where) {
  auto problem = oracle::random_problem<double>(GroundCost::kCosine, {});
  const EnergyModel<double> model = problem.model();
  const Matrix<double> narrow(1, 3);
  const auto queries = std::as_const(problem.queries).view();
  EXPECT_THAT(
      invalid_argument_of([&] { energy_gradient(model, narrow.view()); }),
      HasSubstr("dimension 5 of the bank is expected, got 3"));
  EXPECT_THAT(invalid_argument_of([&] {
                energy_hessian_product(model, queries, narrow.view());
              }),
              HasSubstr("directions"));
  EXPECT_THAT(
      invalid_argument_of([&] { gibbs_weights(model, queries.row(0), 50); }),
      HasSubstr("self: 50 is not a row of the bank"));
  problem.queries(4, 2) = std::nan("");
  EXPECT_THAT(invalid_argument_of([&] { energy_gradient(model, queries); }),
              HasSubstr("queries: row 4, column 2 is NaN"));
}

TEST(Derivatives, rows_stay_zero_after_a_cancel) {
  const auto problem = oracle::random_problem<double>(GroundCost::kCosine, {});
  testing_support::CancelAtOnce cancel;
  const auto gradient = energy_gradient(problem.model(), problem.queries.view(),
                                        Surface::kAmbient, {nullptr, &cancel});
  EXPECT_THAT(
      std::vector<double>(gradient.row(8).begin(), gradient.row(8).end()),
      Each(0.0));
}

}  // namespace derivatives_test
}  // namespace sbog
