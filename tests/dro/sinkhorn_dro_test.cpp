// SPDX-License-Identifier: Apache-2.0
// Golden values, closed forms, every case of the solver, and bad input.
#include "sbog/dro/sinkhorn_dro.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "dro/support.h"
#include "energy/support.h"
#include "oracle/golden.h"

namespace sbog {
namespace sinkhorn_dro_test {

using golden::entry;
using golden::to_double;
using golden::to_vector;
using testing_support::invalid_argument_of;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Matrix<double> column(const std::vector<double>& values) {
  Matrix<double> out(values.size(), 1);
  std::copy(values.begin(), values.end(), out.elements().begin());
  return out;
}
Matrix<double> row(const std::vector<double>& values) {
  Matrix<double> out(1, values.size());
  std::copy(values.begin(), values.end(), out.elements().begin());
  return out;
}

void expect_close(double got, double expected, double relative = 1e-12) {
  EXPECT_NEAR(got, expected, relative * std::max(1e-3, std::abs(expected)));
}

// Every invariant that a converged interior result has.
void expect_consistent(const DroResult& result) {
  EXPECT_EQ(result.status, SolveStatus::kDone);
  const double size = 1.0 + std::abs(result.value);
  EXPECT_LE(std::abs(result.duality_gap), 1e-10 * size);
  EXPECT_LE(std::abs(result.value - result.primal_value), 1e-10 * size);
  EXPECT_LE(result.constraint_residual, 1e-10 * std::max(1.0, result.radius));
  EXPECT_GE(result.value, result.nominal_value - 1e-12 * size);
  EXPECT_LE(result.value, result.essential_supremum + 1e-12 * size);
}

TEST(SinkhornDro, two_point_golden) {
  const auto golden = entry("/dro/two_point");
  SinkhornDro dro = SinkhornDro::from_kernel(row(to_vector(golden["Q"])), {},
                                             to_vector(golden["f"]),
                                             to_double(golden["eps"]));
  const DroResult result = dro.solve(to_double(golden["rho"]));
  expect_consistent(result);
  expect_close(result.value, to_double(golden["value"]));
  expect_close(result.lambda, to_double(golden["lambda_star"]));
  expect_close(result.theta, to_double(golden["theta_star"]));
  expect_close(result.largest_radius, to_double(golden["rho_max"]));
  expect_close(result.nominal_value, to_double(golden["value_rho_0"]));
  EXPECT_EQ(dro.solve(1.0).value, 1.0);
  EXPECT_EQ(dro.solve(0.0).value, result.nominal_value);
}

TEST(SinkhornDro, two_point_geometry_golden) {
  const auto golden = entry("/dro/two_point_geometry");
  const Matrix<double> points = column(to_vector(golden["points"]));
  const std::vector<double> nu = to_vector(golden["nu"]);
  const Matrix<double> nominal = column({0.0});
  const double epsilon = to_double(golden["eps"]);
  SinkhornDro dro = SinkhornDro::from_points<double>(
      {nominal, {}, {points, nu, {}}}, to_vector(golden["f"]),
      {GroundCost::kEuclidean, epsilon, {}});
  const DroResult result = dro.solve(to_double(golden["rho"]));
  expect_consistent(result);
  expect_close(result.value, to_double(golden["value"]));
  expect_close(result.lambda, to_double(golden["lambda_star"]));
  expect_close(dro.mean_energy(), to_double(golden["E"]));
  expect_close(dro.nominal_law(0, 0.0)[1], to_double(golden["Q"][1]));
}

// A normal law on a fine grid: the trapezoidal rule is exact to rounding.
struct Grid {
  Matrix<double> weights;
  std::vector<double> points;
};
Grid normal_grid(double mean, double variance, double reach) {
  constexpr int kHalf = 400;
  Grid grid{Matrix<double>(1, 2 * kHalf + 1), {}};
  for (int i = -kHalf; i <= kHalf; ++i) {
    const double z = reach * i / kHalf;
    grid.points.push_back(mean + std::sqrt(variance) * z);
    grid.weights(0, static_cast<std::size_t>(i + kHalf)) =
        std::exp(-0.5 * z * z);
  }
  return grid;
}

TEST(SinkhornDro, gaussian_linear_golden) {
  const auto golden = entry("/dro/gaussian_linear");
  const auto a = to_vector(golden["a"]);
  const auto m = to_vector(golden["mbar"]);
  const auto s = golden::to_matrix(golden["Sigma"]);
  const double variance = a[0] * (s(0, 0) * a[0] + s(0, 1) * a[1]) +
                          a[1] * (s(1, 0) * a[0] + s(1, 1) * a[1]);
  expect_close(variance, to_double(golden["aSa"]));
  const double mean = a[0] * m[0] + a[1] * m[1] + to_double(golden["b"]);
  const Grid grid = normal_grid(mean, variance, 14.0);
  SinkhornDro dro = SinkhornDro::from_kernel(grid.weights, {}, grid.points,
                                             to_double(golden["eps"]));
  const DroResult result = dro.solve(to_double(golden["rho"]));
  expect_consistent(result);
  expect_close(result.value, to_double(golden["value"]));
  expect_close(result.lambda, to_double(golden["lambda_star"]));
}

TEST(SinkhornDro, gaussian_quadratic_golden) {
  const auto golden = entry("/dro/gaussian_quadratic");
  const Grid grid =
      normal_grid(to_double(golden["m"]), to_double(golden["s2"]), 20.0);
  std::vector<double> losses;
  for (const double u : grid.points) losses.push_back(0.5 * u * u);
  SinkhornDro dro = SinkhornDro::from_kernel(grid.weights, {}, losses,
                                             to_double(golden["eps"]));
  const DroResult result = dro.solve(to_double(golden["rho"]));
  expect_consistent(result);
  expect_close(result.value, to_double(golden["value"]));
  expect_close(result.lambda, to_double(golden["lambda_star"]));
  expect_close(result.theta, to_double(golden["theta_star"]));
}

TEST(SinkhornDro, discrete_golden_dense_and_streamed) {
  const auto golden = entry("/dro/discrete_3x5");
  const std::vector<double> u = to_vector(golden["nu_points"]);
  const std::vector<double> x = to_vector(golden["mu_points"]);
  const std::vector<double> nu = to_vector(golden["nu"]);
  const std::vector<double> mu = to_vector(golden["mu"]);
  const std::vector<double> f = to_vector(golden["f"]);
  const Matrix<double> reference = column(u), nominal = column(x);
  Matrix<double> costs(x.size(), u.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < u.size(); ++j) {
      costs(i, j) = (x[i] - u[j]) * (x[i] - u[j]);
    }
  }
  for (const auto& one : golden["cases"]) {
    const double epsilon = to_double(one["eps"]);
    std::vector<SinkhornDro> both;
    both.push_back(SinkhornDro::from_costs(costs, mu, nu, f, epsilon));
    both.push_back(SinkhornDro::from_points<double>(
        {nominal, mu, {reference, nu, {}}}, f,
        {GroundCost::kSquaredEuclidean, epsilon, {}}));
    for (SinkhornDro& dro : both) {
      const double radius = to_double(one["rho"]);
      const DroResult result = dro.solve(radius);
      expect_consistent(result);
      expect_close(result.value, to_double(one["value"]));
      expect_close(result.lambda, to_double(one["lambda_star"]));
      expect_close(result.theta, to_double(one["theta_star"]));
      expect_close(result.largest_radius, to_double(one["rho_max"]));
      expect_close(result.nominal_value, to_double(one["nominal_value_rho0"]));
      for (std::size_t j = 0; j < u.size(); ++j) {
        const double expected = to_double(one["worst_case_marginal"][j]);
        EXPECT_NEAR(result.worst_case[j], expected, 1e-12);
      }
      const auto& energies = one["energies_at_mu_points"];
      double mean_energy = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        mean_energy += mu[i] * to_double(energies[i]);
      }
      expect_close(dro.mean_energy(), mean_energy);
      const double lambda = to_double(one["decomposition_lambda"]);
      const DualDecomposition terms = dro.dual_decomposition(lambda, radius);
      const auto& expected = one["decomposition_terms"];
      expect_close(terms.radius_term, to_double(expected["lambda_rho"]));
      expect_close(terms.integral_term,
                   to_double(expected["gibbs_integral_term"]));
      expect_close(terms.energy_term,
                   to_double(expected["lambda_mean_energy"]));
      expect_close(terms.total(), to_double(one["VD_at_1p7"]));
    }
  }
  const auto& top = golden["rho_at_or_above_rho_max"];
  SinkhornDro dro =
      SinkhornDro::from_costs(costs, mu, nu, f, to_double(top["eps"]));
  const DroResult result = dro.solve(to_double(top["rho"]));
  EXPECT_EQ(result.kind, DroCase::kSaturated);
  EXPECT_EQ(result.value, to_double(top["value"]));
  EXPECT_EQ(result.lambda, 0.0);
}

TEST(SinkhornDro, the_task_aware_potential_is_the_dual_at_radius_0) {
  const auto golden = entry("/core/A_task_aware");
  const auto base = entry("/core/A_cosine");
  const Matrix<double> bank = golden::to_matrix(base["bank"]);
  const Matrix<double> z = row(to_vector(base["query"]));
  const std::vector<double> nu(bank.rows(), 1.0);
  SinkhornDro dro = SinkhornDro::from_points<double>(
      {z, {}, {bank, nu, {}}}, to_vector(golden["f"]),
      {GroundCost::kCosine, to_double(base["eps"]), {}});
  const auto terms = dro.dual_decomposition(to_double(golden["lambda"]), 0.0);
  expect_close(terms.total(), to_double(golden["Phi"]));
  expect_close(terms.integral_term, to_double(golden["gibbs_integral"]));
  expect_close(dro.solve(0.0).value, to_double(golden["mean_f_under_w"]));
}

// A small random problem, dense.
struct Random {
  explicit Random(std::uint64_t seed, std::size_t m = 3, std::size_t n = 12)
      : draws(seed),
        costs(draws.uniform_matrix(m, n, 0.0, 2.0)),
        mu(draws.uniforms(m, 0.1, 1.0)),
        nu(draws.uniforms(n, 0.1, 1.0)),
        f(draws.normals(n)) {}
  SinkhornDro dro() const {
    return SinkhornDro::from_costs(costs, mu, nu, f, epsilon);
  }
  dro_oracle::Problem oracle() const {
    return dro_oracle::from_costs(costs, mu, nu, f, epsilon);
  }
  dro_oracle::Draws draws;
  Matrix<double> costs;
  std::vector<double> mu, nu, f;
  double epsilon = 0.3;
};

TEST(SinkhornDro, agrees_with_bisection_in_long_double) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Random random(seed);
    SinkhornDro dro = random.dro();
    const dro_oracle::Problem oracle = random.oracle();
    for (const double radius : {1e-6, 1e-3, 0.05, 0.3}) {
      const DroResult result = dro.solve(radius);
      if (result.kind != DroCase::kInterior) continue;
      const auto truth = dro_oracle::solve(oracle, radius);
      expect_consistent(result);
      EXPECT_NEAR(result.value, double(truth.value), 1e-12);
      expect_close(result.theta, double(truth.theta), 1e-10);
      for (std::size_t i = 0; i < random.mu.size(); ++i) {
        const auto p = dro_oracle::tilted(oracle, i, truth.theta);
        const auto got = dro.nominal_law(i, result.theta);
        for (std::size_t j = 0; j < p.size(); ++j) {
          EXPECT_NEAR(got[j], double(p[j]), 1e-10);
        }
      }
    }
  }
}

TEST(SinkhornDro, radius_0_is_the_nominal_mean) {
  const Random random(3);
  SinkhornDro dro = random.dro();
  const DroResult result = dro.solve(0.0);
  EXPECT_EQ(result.kind, DroCase::kNominal);
  EXPECT_EQ(result.lambda, kInf);
  EXPECT_EQ(result.theta, 0.0);
  const auto oracle = random.oracle();
  dro_oracle::Real mean = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    mean += oracle.mu[i] *
            dro_oracle::mean(oracle, dro_oracle::tilted(oracle, i, 0));
  }
  expect_close(result.value, double(mean));
  double law_mean = 0.0, mass = 0.0;
  for (std::size_t j = 0; j < random.f.size(); ++j) {
    law_mean += result.worst_case[j] * random.f[j];
    mass += result.worst_case[j];
  }
  expect_close(law_mean, double(mean));
  EXPECT_NEAR(mass, 1.0, 1e-14);
}

TEST(SinkhornDro, beyond_the_largest_radius_mass_is_on_the_maxima) {
  Random random(4);
  random.f[2] = random.f[7] = 5.0;  // a tie
  SinkhornDro dro = random.dro();
  for (const double radius : {100.0, kInf}) {
    const DroResult result = dro.solve(radius);
    EXPECT_EQ(result.kind, DroCase::kSaturated);
    EXPECT_EQ(result.value, 5.0);
    EXPECT_EQ(result.lambda, 0.0);
    EXPECT_EQ(result.theta, kInf);
    EXPECT_NEAR(result.worst_case[2] + result.worst_case[7], 1.0, 1e-14);
    EXPECT_EQ(result.worst_case[0], 0.0);
    const auto law = dro.nominal_law(1, result.theta);
    const auto q = dro.nominal_law(1, 0.0);
    expect_close(law[2] / law[7], q[2] / q[7]);
  }
  const double top = dro.solve(0.0).largest_radius;
  EXPECT_EQ(dro.solve(top).kind, DroCase::kSaturated);
  EXPECT_EQ(dro.solve(std::nextafter(top, 0.0)).kind, DroCase::kInterior);
}

TEST(SinkhornDro, equal_losses_give_that_loss_at_any_radius) {
  Random random(5);
  for (const double loss : {0.0, -3.25, 1e7}) {
    std::fill(random.f.begin(), random.f.end(), loss);
    SinkhornDro dro = random.dro();
    for (const double radius : {0.0, 0.1, 50.0}) {
      const DroResult result = dro.solve(radius);
      EXPECT_EQ(result.kind, DroCase::kConstant);
      EXPECT_EQ(result.value, loss);
      EXPECT_EQ(result.nominal_value, loss);
      EXPECT_EQ(result.largest_radius, 0.0);
      EXPECT_EQ(result.status, SolveStatus::kDone);
    }
  }
}

TEST(SinkhornDro, infinite_losses_on_the_support_are_infinite) {
  Random random(6);
  random.f[4] = kInf;
  for (const double radius : {0.0, 0.2}) {
    SinkhornDro dro = random.dro();
    const DroResult result = dro.solve(radius);
    EXPECT_EQ(result.kind, DroCase::kPlusInfinity);
    EXPECT_EQ(result.value, kInf);
    EXPECT_TRUE(std::isnan(result.lambda));
    EXPECT_TRUE(result.worst_case.empty());
    EXPECT_EQ(dro.dual_decomposition(1.0, radius).total(), kInf);
    EXPECT_GT(dro.mean_energy(), 0.0);
  }
  // Without mass it does not count.
  random.nu[4] = 0.0;
  const DroResult result = random.dro().solve(0.2);
  EXPECT_EQ(result.kind, DroCase::kInterior);
  expect_consistent(result);
  EXPECT_EQ(result.worst_case[4], 0.0);
}

TEST(SinkhornDro, losses_of_minus_infinity_are_left_out_at_their_price) {
  Random random(7);
  random.f[0] = random.f[5] = -kInf;
  const Matrix<double> nominal = column({0.0, 0.4, 1.0});
  const Matrix<double> reference = column(random.draws.uniforms(12, 0.0, 1.0));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 12; ++j) {
      random.costs(i, j) = std::pow(nominal(i, 0) - reference(j, 0), 2);
    }
  }
  std::vector<SinkhornDro> both;
  both.push_back(random.dro());
  both.push_back(SinkhornDro::from_points<double>(
      {nominal, random.mu, {reference, random.nu, {}}}, random.f,
      {GroundCost::kSquaredEuclidean, random.epsilon, {}}));
  const auto oracle = random.oracle();
  for (SinkhornDro& dro : both) {
    const DroResult nominal_result = dro.solve(0.0);
    EXPECT_EQ(nominal_result.kind, DroCase::kMinusInfinity);
    EXPECT_EQ(nominal_result.value, -kInf);
    const double price = nominal_result.smallest_radius;
    EXPECT_GT(price, 0.0);
    EXPECT_EQ(dro.solve(0.99 * price).value, -kInf);
    const double radius = price + 0.1;
    const DroResult result = dro.solve(radius);
    EXPECT_EQ(result.kind, DroCase::kInterior);
    EXPECT_LE(std::abs(result.duality_gap), 1e-12);
    const auto truth = dro_oracle::solve(oracle, radius);
    EXPECT_NEAR(result.value, double(truth.value), 1e-12);
    EXPECT_EQ(result.worst_case[0], 0.0);
    EXPECT_EQ(result.worst_case[5], 0.0);
    EXPECT_NEAR(dro.dual_decomposition(result.lambda, radius).total(),
                result.value, 1e-12);
    EXPECT_NEAR(double(dro_oracle::dual(oracle, 1.7L, radius)),
                dro.dual_decomposition(1.7, radius).total(), 1e-12);
  }
  std::fill(random.f.begin(), random.f.end(), -kInf);
  const DroResult all = random.dro().solve(1.0);
  EXPECT_EQ(all.kind, DroCase::kMinusInfinity);
  EXPECT_EQ(all.value, -kInf);
}

TEST(SinkhornDro, infinite_costs_cut_the_support_of_a_row) {
  Random random(8);
  // Row 0 sees atoms 0 and 1 only, so that tops differ between rows.
  for (std::size_t j = 2; j < 12; ++j) random.costs(0, j) = kInf;
  SinkhornDro dro = random.dro();
  const auto oracle = random.oracle();
  for (const double radius : {1e-4, 0.05, 0.2}) {
    const DroResult result = dro.solve(radius);
    expect_consistent(result);
    EXPECT_NEAR(result.value, double(dro_oracle::solve(oracle, radius).value),
                1e-12);
    const auto law = dro.nominal_law(0, result.theta);
    for (std::size_t j = 2; j < 12; ++j) EXPECT_EQ(law[j], 0.0);
  }
  const double all = *std::max_element(random.f.begin(), random.f.end());
  const double first = std::max(random.f[0], random.f[1]);
  const double share =
      random.mu[0] / (random.mu[0] + random.mu[1] + random.mu[2]);
  expect_close(dro.solve(kInf).value, share * first + (1 - share) * all);
  EXPECT_NEAR(dro.solve(0.1).worst_case.size(), 12, 0);
}

TEST(SinkhornDro, value_is_concave_and_grows_with_the_radius) {
  const Random random(9);
  SinkhornDro dro = random.dro();
  std::vector<double> radii;
  for (int i = 0; i <= 60; ++i) radii.push_back(0.02 * i);
  const std::vector<DroResult> curve = dro.solve(radii);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    EXPECT_GE(curve[i].value, curve[i - 1].value - 1e-13);
    EXPECT_LE(curve[i].lambda, curve[i - 1].lambda * (1 + 1e-9));
    if (i + 1 == curve.size()) break;
    EXPECT_GE(2.0 * curve[i].value,
              curve[i - 1].value + curve[i + 1].value - 1e-12);
  }
}

TEST(SinkhornDro, a_curve_has_the_values_of_its_radii_alone) {
  const Random random(10);
  const std::vector<double> radii = {0.3, 0.0, 1e-9, 0.01, 100.0, 0.3, 1e-4};
  SinkhornDro dro = random.dro();
  const std::vector<DroResult> curve = dro.solve(radii);
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const DroResult alone = dro.solve(radii[i]);
    EXPECT_EQ(curve[i].kind, alone.kind);
    EXPECT_NEAR(curve[i].value, alone.value, 1e-14);
    EXPECT_NEAR(curve[i].duality_gap, 0.0, 1e-13);
    if (alone.kind == DroCase::kInterior) {
      expect_close(curve[i].lambda, alone.lambda, 1e-11);
    }
    for (std::size_t j = 0; j < 12; ++j) {
      EXPECT_NEAR(curve[i].worst_case[j], alone.worst_case[j], 1e-12);
    }
  }
}

TEST(SinkhornDro, small_radii_follow_the_square_root_law) {
  const Random random(11);
  SinkhornDro dro = random.dro();
  const auto oracle = random.oracle();
  dro_oracle::Real variance = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto q = dro_oracle::tilted(oracle, i, 0);
    const auto mean = dro_oracle::mean(oracle, q);
    for (std::size_t j = 0; j < q.size(); ++j) {
      variance +=
          oracle.mu[i] * q[j] * (oracle.f[j] - mean) * (oracle.f[j] - mean);
    }
  }
  for (const double radius : {1e-8, 1e-12, 1e-20, 1e-200, 1e-306}) {
    const DroResult result = dro.solve(radius);
    expect_consistent(result);
    const double lambda =
        std::sqrt(double(variance) / (2.0 * radius * random.epsilon));
    expect_close(result.lambda, lambda, 10 * std::sqrt(radius) + 1e-13);
    EXPECT_NEAR(result.value - result.nominal_value,
                std::sqrt(2.0 * radius * double(variance) / random.epsilon),
                20 * radius + 1e-15);
  }
}

TEST(SinkhornDro, shifts_and_scales_of_the_loss_carry_over) {
  const Random random(12);
  const DroResult plain = random.dro().solve(0.07);
  Random other(12);
  for (double& f : other.f) f = 250.0 * f - 1000.0;
  const DroResult moved = other.dro().solve(0.07);
  EXPECT_NEAR(moved.value, 250.0 * plain.value - 1000.0, 1e-10);
  expect_close(moved.lambda, 250.0 * plain.lambda, 1e-11);
  for (std::size_t j = 0; j < 12; ++j) {
    EXPECT_NEAR(moved.worst_case[j], plain.worst_case[j], 1e-11);
  }
}

TEST(SinkhornDro, rows_and_atoms_of_weight_0_are_absent) {
  const Random random(13);
  Random more(13);
  Matrix<double> costs(4, 13);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 13; ++j) {
      costs(i, j) = i < 3 && j < 12 ? random.costs(i, j) : kInf;
    }
  }
  more.mu.push_back(0.0);
  more.nu.push_back(0.0);
  more.f.push_back(1e9);
  SinkhornDro dro =
      SinkhornDro::from_costs(costs, more.mu, more.nu, more.f, more.epsilon);
  const DroResult with = dro.solve(0.05);
  const DroResult without = random.dro().solve(0.05);
  EXPECT_EQ(with.value, without.value);
  EXPECT_EQ(with.lambda, without.lambda);
  EXPECT_EQ(with.worst_case[12], 0.0);
}

TEST(SinkhornDro, nearly_tied_maxima_and_extreme_losses_end) {
  for (const std::vector<double>& f :
       {std::vector<double>{1.0, 1.0 - 1e-15, 0.0},
        {0.0, -1e-300, -1.0},
        {1e300, -1e300, 0.0},
        {5e-324, 0.0, 0.0}}) {
    SinkhornDro dro =
        SinkhornDro::from_kernel(row({0.2, 0.3, 0.5}), {}, f, 0.5);
    const double top = dro.solve(0.0).largest_radius;
    for (const double share : {1e-10, 0.3, 0.7, 1 - 1e-9}) {
      const DroResult result = dro.solve(share * top);
      EXPECT_EQ(result.status, SolveStatus::kDone);
      const double size = *std::max_element(f.begin(), f.end()) -
                          *std::min_element(f.begin(), f.end());
      EXPECT_LE(std::abs(result.duality_gap), 1e-12 * size);
    }
  }
}

TEST(SinkhornDro, a_limit_of_evaluations_is_a_status) {
  const Random random(14);
  DroOptions options;
  options.max_evaluations = 1;
  const DroResult result = random.dro().solve(0.2, options);
  EXPECT_EQ(result.status, SolveStatus::kNotConverged);
  EXPECT_GT(result.constraint_residual, 0.0);
}

TEST(SinkhornDro, radii_convert_between_the_two_conventions) {
  const Random random(15);
  const double energy = random.dro().mean_energy();
  EXPECT_EQ(unnormalised_radius(0.25, energy), 0.25 + energy);
  EXPECT_NEAR(*normalised_radius(0.25 + energy, energy), 0.25, 1e-15);
  EXPECT_EQ(normalised_radius(0.5 * energy, energy), std::nullopt);
  EXPECT_THROW(normalised_radius(kNaN, energy), InvalidArgument);
  EXPECT_THROW(unnormalised_radius(-1.0, energy), InvalidArgument);
}

TEST(SinkhornDro, bad_input_is_named) {
  Random random(16);
  SinkhornDro dro = random.dro();
  for (const double radius : {-1e-300, -kInf, kNaN}) {
    EXPECT_NE(
        invalid_argument_of([&] { (void)dro.solve(radius); }).find("radius"),
        std::string::npos);
  }
  const auto message = [&](const Random& bad) {
    return invalid_argument_of([&] { bad.dro(); });
  };
  const auto broken = [&](const auto& change) {
    Random bad(16);
    change(bad);
    return message(bad);
  };
  using testing::HasSubstr;
  EXPECT_THAT(broken([](Random& r) { r.f.pop_back(); }),
              HasSubstr("losses: one per reference point (12)"));
  EXPECT_THAT(broken([](Random& r) { r.f[3] = kNaN; }), HasSubstr("entry 3"));
  EXPECT_THAT(broken([](Random& r) { r.f[3] = 1e301; }), HasSubstr("1e300"));
  EXPECT_THAT(broken([](Random& r) { r.mu.pop_back(); }), HasSubstr("nominal"));
  EXPECT_THAT(broken([](Random& r) { r.mu[1] = -1.0; }), HasSubstr("weight 1"));
  EXPECT_THAT(broken([](Random& r) { r.nu.assign(12, 0.0); }),
              HasSubstr("all weights are 0"));
  EXPECT_THAT(broken([](Random& r) { r.nu.pop_back(); }),
              HasSubstr("reference"));
  EXPECT_THAT(broken([](Random& r) { r.epsilon = 0.0; }), HasSubstr("epsilon"));
  EXPECT_THAT(broken([](Random& r) { r.costs(1, 2) = -1.0; }),
              HasSubstr("row 1, column 2"));
  EXPECT_THAT(broken([](Random& r) {
                for (std::size_t j = 0; j < 12; ++j) r.costs(2, j) = kInf;
              }),
              HasSubstr("row 2 has positive weight and no support"));
  EXPECT_THAT(broken([](Random& r) { r.costs = Matrix<double>(); }),
              HasSubstr("no values"));
  const Matrix<double> kernel = row({0.5, kNaN});
  EXPECT_THAT(invalid_argument_of([&] {
                SinkhornDro::from_kernel(kernel, {}, std::vector{0.0, 1.0}, 1);
              }),
              HasSubstr("row 0, column 1"));
  const Matrix<double> zero = row({0.0, 0.0});
  EXPECT_THAT(invalid_argument_of([&] {
                SinkhornDro::from_kernel(zero, {}, std::vector{0.0, 1.0}, 1);
              }),
              HasSubstr("no support"));
  const Matrix<double> half = row({0.5, 0.5});
  SinkhornDro given =
      SinkhornDro::from_kernel(half, {}, std::vector{0.0, 1.0}, 1.0);
  EXPECT_THROW(given.mean_energy(), InvalidArgument);
  EXPECT_THROW(dro.nominal_law(3, 1.0), InvalidArgument);
  EXPECT_THROW(dro.nominal_law(0, -1.0), InvalidArgument);
  EXPECT_THROW((void)dro.dual_decomposition(0.0, 0.1), InvalidArgument);
  EXPECT_THROW((void)dro.dual_decomposition(kInf, 0.1), InvalidArgument);
  random.f[2] = kInf;
  EXPECT_THROW(random.dro().nominal_law(0, 1.0), InvalidArgument);
}

TEST(SinkhornDro, cases_have_names) {
  EXPECT_STREQ(to_string(DroCase::kInterior), "interior");
  EXPECT_STREQ(to_string(DroCase::kMinusInfinity), "minus-infinity");
}

}  // namespace sinkhorn_dro_test
}  // namespace sbog
