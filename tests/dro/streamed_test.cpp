// SPDX-License-Identifier: Apache-2.0
// Problems of points, streamed: the same as dense to rounding, the same bits
// for any number of threads and with or without a cache, progress and cancel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "dro/support.h"
#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "sbog/base/thread_pool.h"
#include "sbog/dro/sinkhorn_dro.h"

namespace sbog {
namespace streamed_test {

using oracle::EnergyProblem;
using testing_support::bits_of;

// Nominal points are the queries, reference points the bank.
template <typename T>
struct Streamed {
  EnergyProblem<T> points;
  std::vector<double> losses;
  std::vector<double> mu;

  Streamed(GroundCost cost, const oracle::Shape& shape)
      : points(oracle::random_problem<T>(cost, shape)) {
    dro_oracle::Draws draws(shape.seed);
    losses = draws.normals(shape.n);
    mu = draws.uniforms(shape.queries, 0.1, 1.0);
    if (shape.queries > 4) mu[4] = 0.0;
  }
  SinkhornDro dro(std::size_t cache_bytes = 0) const {
    return SinkhornDro::from_points<T>({points.queries, mu, points.measure()},
                                       losses, points.options(), cache_bytes);
  }
  SinkhornDro dense() const {
    Matrix<double> costs(points.queries.rows(), points.bank.rows());
    for (std::size_t i = 0; i < costs.rows(); ++i) {
      const auto z = oracle::to_real(points.queries.row(i));
      const auto row = oracle::costs_of<T>(points, z);
      std::copy(row.begin(), row.end(), costs.row(i).begin());
    }
    return SinkhornDro::from_costs(costs, mu, points.weights, losses,
                                   points.epsilon);
  }
};

const std::vector<double> kRadii = {0.0, 1e-6, 0.01, 0.1, 5.0};

template <typename T>
void expect_streamed_is_dense(double tolerance) {
  for (const GroundCost cost : oracle::kAllCosts) {
    for (const bool is_weighted : {false, true}) {
      const Streamed<T> problem(cost, {.n = 700,
                                       .dim = 5,
                                       .queries = 61,
                                       .epsilon = 0.2,
                                       .is_weighted = is_weighted,
                                       .seed = 11});
      SinkhornDro streamed = problem.dro(), dense = problem.dense();
      EXPECT_NEAR(streamed.mean_energy(), dense.mean_energy(), tolerance);
      const auto got = streamed.solve(kRadii), truth = dense.solve(kRadii);
      for (std::size_t r = 0; r < kRadii.size(); ++r) {
        EXPECT_EQ(got[r].kind, truth[r].kind);
        EXPECT_EQ(got[r].status, SolveStatus::kDone);
        EXPECT_NEAR(got[r].value, truth[r].value, tolerance);
        EXPECT_NEAR(got[r].nominal_value, truth[r].nominal_value, tolerance);
        EXPECT_NEAR(got[r].largest_radius, truth[r].largest_radius, tolerance);
        // The float path too: all that follows the costs is double.
        EXPECT_LE(std::abs(got[r].duality_gap), 1e-12);
        double mass = 0.0, mean = 0.0;
        for (std::size_t j = 0; j < problem.losses.size(); ++j) {
          EXPECT_NEAR(got[r].worst_case[j], truth[r].worst_case[j], tolerance);
          mass += got[r].worst_case[j];
          mean += got[r].worst_case[j] * problem.losses[j];
        }
        EXPECT_NEAR(mass, 1.0, 1e-12);
        EXPECT_NEAR(mean, got[r].primal_value, 1e-11);
        const auto law = streamed.nominal_law(7, got[r].theta);
        const auto other = dense.nominal_law(7, truth[r].theta);
        for (std::size_t j = 0; j < law.size(); ++j) {
          EXPECT_NEAR(law[j], other[j], tolerance);
        }
        if (got[r].lambda > 0.0 && std::isfinite(got[r].lambda)) {
          EXPECT_NEAR(got[r].lambda / truth[r].lambda, 1.0, 100 * tolerance);
          const auto terms =
              streamed.dual_decomposition(got[r].lambda, kRadii[r]);
          EXPECT_NEAR(terms.total(), got[r].value, 1e-11);
        }
      }
    }
  }
}

TEST(StreamedDro, is_the_dense_problem_to_rounding_in_double) {
  expect_streamed_is_dense<double>(1e-11);
}

// Costs of order 1 over epsilon 0.2, rounded to float.
TEST(StreamedDro, is_the_dense_problem_to_float_costs_in_float) {
  expect_streamed_is_dense<float>(1e-5);
}

// Everything of every result, as bits.
std::vector<std::uint64_t> all_bits(SinkhornDro& dro, const Context& context) {
  std::vector<double> all = {dro.mean_energy(context)};
  for (const DroResult& result : dro.solve(kRadii, {}, context)) {
    for (const double x :
         {result.value, result.primal_value, result.lambda, result.theta,
          result.duality_gap, result.constraint_residual, result.nominal_value,
          result.largest_radius, double(result.evaluations)}) {
      all.push_back(x);
    }
    all.insert(all.end(), result.worst_case.begin(), result.worst_case.end());
  }
  return bits_of(all);
}

// Few rows and many blocks, many rows and few blocks, one block.
const oracle::Shape kShapes[] = {
    {.n = 9000, .dim = 12, .queries = 3, .epsilon = 0.05, .seed = 21},
    {.n = 600, .dim = 12, .queries = 900, .epsilon = 0.05, .seed = 22},
    {.n = 31, .dim = 3, .queries = 49, .epsilon = 0.05, .seed = 23}};

TEST(StreamedDro, threads_do_not_change_a_bit) {
  ThreadPool two(2), five(5);
  for (const oracle::Shape& shape : kShapes) {
    const Streamed<float> problem(GroundCost::kCosine, shape);
    SinkhornDro first = problem.dro(), second = problem.dro(),
                third = problem.dro();
    const auto alone = all_bits(first, {});
    EXPECT_EQ(alone, all_bits(second, {&two, nullptr}));
    EXPECT_EQ(alone, all_bits(third, {&five, nullptr}));
  }
}

TEST(StreamedDro, a_cache_does_not_change_a_bit) {
  ThreadPool pool(3);
  for (const oracle::Shape& shape : kShapes) {
    const Streamed<double> problem(GroundCost::kSquaredEuclidean, shape);
    SinkhornDro plain = problem.dro(0), cached = problem.dro(kDroCacheBytes);
    EXPECT_EQ(all_bits(plain, {}), all_bits(cached, {&pool, nullptr}));
  }
}

TEST(StreamedDro, chosen_atoms_are_the_problem_of_their_rows) {
  const Streamed<double> problem(GroundCost::kEuclidean,
                                 {.n = 40, .queries = 5, .epsilon = 0.3});
  const std::vector<std::size_t> atoms = {3, 9, 10, 22, 39, 1};
  const Matrix<double> few = oracle::gather<double>(problem.points.bank, atoms);
  std::vector<double> losses;
  for (const std::size_t row : atoms) losses.push_back(problem.losses[row]);
  SinkhornDro chosen = SinkhornDro::from_points<double>(
      {problem.points.queries, problem.mu, {problem.points.bank, {}, atoms}},
      problem.losses, problem.points.options());
  SinkhornDro alone = SinkhornDro::from_points<double>(
      {problem.points.queries, problem.mu, {few, {}, {}}}, losses,
      problem.points.options());
  const DroResult got = chosen.solve(0.05), truth = alone.solve(0.05);
  EXPECT_EQ(got.value, truth.value);
  ASSERT_EQ(got.worst_case.size(), 40u);
  double mass = 0.0;
  for (const double p : got.worst_case) mass += p;
  EXPECT_NEAR(mass, 1.0, 1e-13);
  const auto law = chosen.nominal_law(2, got.theta);
  const auto other = alone.nominal_law(2, got.theta);
  for (std::size_t j = 0; j < atoms.size(); ++j) {
    EXPECT_EQ(got.worst_case[atoms[j]], truth.worst_case[j]);
    EXPECT_EQ(law[atoms[j]], other[j]);
  }
}

TEST(StreamedDro, tiny_epsilon_underflows_nowhere) {
  // Weights of exp(-1000 ...): the best atom of the loss is far from all rows.
  Streamed<double> problem(GroundCost::kSquaredEuclidean,
                           {.n = 300, .queries = 6, .epsilon = 1e-3});
  SinkhornDro streamed = problem.dro(), dense = problem.dense();
  const double top = streamed.solve(0.0).largest_radius;
  EXPECT_GT(top / 1e-3, 745.0);
  for (const double share : {1e-9, 0.1, 0.9, 1.0 - 1e-9}) {
    const DroResult got = streamed.solve(share * top);
    EXPECT_EQ(got.kind, DroCase::kInterior);
    EXPECT_LE(std::abs(got.duality_gap), 1e-12);
    EXPECT_NEAR(got.value, dense.solve(share * top).value, 1e-9);
  }
}

TEST(StreamedDro, an_observer_sees_progress_and_may_stop_it) {
  const Streamed<float> problem(GroundCost::kCosine, kShapes[1]);
  testing_support::Watch watch;
  SinkhornDro dro = problem.dro();
  EXPECT_EQ(dro.solve(0.05, {}, {nullptr, &watch}).status, SolveStatus::kDone);
  EXPECT_TRUE(watch.is_in_range);
  EXPECT_EQ(watch.last_done, watch.last_total);
  testing_support::CancelAtOnce cancel;
  SinkhornDro fresh = problem.dro();
  EXPECT_EQ(fresh.solve(0.05, {}, {nullptr, &cancel}).status,
            SolveStatus::kCancelled);
  EXPECT_TRUE(std::isnan(problem.dro().mean_energy({nullptr, &cancel})));
  EXPECT_TRUE(std::isnan(
      fresh.dual_decomposition(1.0, 0.1, {nullptr, &cancel}).total()));
  // A cancelled problem can be solved afterwards.
  EXPECT_EQ(fresh.solve(0.05).value, dro.solve(0.05).value);
}

TEST(StreamedDro, a_law_that_is_not_wanted_is_not_made) {
  const Streamed<float> problem(GroundCost::kCosine, kShapes[2]);
  SinkhornDro dro = problem.dro();
  DroOptions options;
  options.wants_worst_case = false;
  EXPECT_TRUE(dro.solve(0.05, options).worst_case.empty());
}

TEST(StreamedDro, bad_points_are_named) {
  using testing::HasSubstr;
  Streamed<float> problem(GroundCost::kCosine, {.n = 20, .queries = 5});
  const auto message = [&] {
    return testing_support::invalid_argument_of([&] { problem.dro(); });
  };
  problem.losses.pop_back();
  EXPECT_THAT(message(), HasSubstr("losses: one per reference point (20)"));
  problem.losses.push_back(0.0);
  problem.mu.pop_back();
  EXPECT_THAT(message(), HasSubstr("nominal: one weight per point (5)"));
  problem.mu.push_back(1.0);
  std::fill(problem.points.queries.row(3).begin(),
            problem.points.queries.row(3).end(), 0.0f);
  EXPECT_THAT(message(), HasSubstr("nominal: row 3"));
  problem.points.queries = Matrix<float>(2, 3);
  EXPECT_THAT(message(), HasSubstr("nominal: dimension 5"));
}

}  // namespace streamed_test
}  // namespace sbog
