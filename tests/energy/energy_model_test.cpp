// SPDX-License-Identifier: Apache-2.0
// Energies against the oracle: golden numbers, all shapes, all costs, float and
// double, every SIMD target of this CPU.
#include "sbog/energy/energy_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "oracle/golden.h"
#include "sbog/energy/detail/tile_kernel.h"

namespace sbog {
namespace energy_model_test {

using oracle::kAllCosts;
using oracle::Shape;
using testing::StartsWith;
using testing_support::invalid_argument_of;
using testing_support::simd_targets;
using testing_support::UseTarget;

// Float: 1e-6 under cosine, whose costs are at most 2; otherwise 1e-6 of the
// largest cost and of epsilon. Double: 1e-12 relative, and under cosine a few
// rounding units of the 1 in 1 - dot.
struct Tolerance {
  double relative = 0.0;
  double absolute = 0.0;
};

template <typename T>
Tolerance tolerance_of(const oracle::EnergyProblem<T>& problem) {
  if (sizeof(T) == 8) return {1e-12, is_cosine(problem.cost) ? 1e-15 : 0.0};
  if (is_cosine(problem.cost)) return {0.0, 1e-6};
  return {0.0, 1e-6 * (oracle::largest_cost(problem) + problem.epsilon)};
}

template <typename T>
void expect_agreement(GroundCost cost, const Shape& shape) {
  const auto problem = oracle::random_problem<T>(cost, shape);
  const std::vector<double> expected =
      oracle::energies<T>(problem, problem.queries);
  const Tolerance tolerance = tolerance_of(problem);
  const EnergyModel<T> model = problem.model();
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    const EnergyResult result = model.evaluate(problem.queries);
    ASSERT_EQ(result.status, SolveStatus::kDone);
    ASSERT_EQ(result.energies.size(), expected.size());
    for (std::size_t q = 0; q < expected.size(); ++q) {
      ASSERT_NEAR(result.energies[q], expected[q],
                  tolerance.relative * expected[q] + tolerance.absolute)
          << to_string(cost) << ", n " << shape.n << ", dim " << shape.dim
          << ", query " << q << " of " << shape.queries << ", epsilon "
          << shape.epsilon << (shape.is_weighted ? ", weighted" : "") << ", "
          << sizeof(T) << " bytes, " << detail::simd_target();
    }
  }
}

void expect_agreement_everywhere(const Shape& shape) {
  for (const GroundCost cost : kAllCosts) {
    expect_agreement<float>(cost, shape);
    expect_agreement<double>(cost, shape);
  }
}

// One after the other, so that every list meets every temperature.
double epsilon_of(std::size_t i) {
  const std::array<double, 7> values = {1.0,  0.05, 0.02, 0.01,
                                        1e-3, 5e-4, 1e-5};
  return values[i % values.size()];
}

TEST(EnergyModel, every_simd_target_is_met_and_has_its_own_name) {
  std::set<std::string> names;
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    names.insert(detail::simd_target());
  }
  EXPECT_EQ(names.size(), simd_targets().size());
}

TEST(EnergyModel, agrees_with_the_oracle_in_every_dimension) {
  std::size_t i = 0;
  for (const std::size_t dim :
       {1,  2,  3,  4,  5,  6,  7,  8,   9,   15,  16,  17,  31,  32,
        33, 47, 48, 49, 63, 64, 65, 127, 128, 129, 255, 256, 257, 768}) {
    expect_agreement_everywhere({.n = 70,
                                 .dim = dim,
                                 .queries = 19,
                                 .epsilon = epsilon_of(i),
                                 .is_weighted = i % 2 == 1,
                                 .seed = 10 + i});
    ++i;
  }
}

TEST(EnergyModel, agrees_with_the_oracle_around_block_borders) {
  std::size_t i = 0;
  for (const std::size_t n :
       {1, 2, 31, 32, 33, 255, 256, 257, 511, 513, 1000}) {
    for (const std::size_t dim : {3, 20}) {
      expect_agreement_everywhere({.n = n,
                                   .dim = dim,
                                   .queries = 17,
                                   .epsilon = epsilon_of(i),
                                   .is_weighted = i % 4 == 1 && n > 4,
                                   .seed = 50 + i});
      ++i;
    }
  }
}

TEST(EnergyModel, agrees_with_the_oracle_around_group_widths) {
  std::size_t i = 0;
  for (const std::size_t queries : {1, 15, 16, 17, 47, 48, 49, 97, 1000}) {
    for (const std::size_t dim : {5, 12}) {
      expect_agreement_everywhere({.n = 60,
                                   .dim = dim,
                                   .queries = queries,
                                   .epsilon = epsilon_of(i),
                                   .is_weighted = i % 2 == 1,
                                   .seed = 90 + i});
      ++i;
    }
  }
}

TEST(EnergyModel, agrees_with_the_oracle_at_every_temperature) {
  for (std::size_t i = 0; i < 7; ++i) {
    for (const std::size_t dim : {2, 4, 8, 24}) {
      for (const bool is_weighted : {false, true}) {
        expect_agreement_everywhere({.n = 300,
                                     .dim = dim,
                                     .queries = 20,
                                     .epsilon = epsilon_of(i),
                                     .is_weighted = is_weighted,
                                     .seed = 130 + i});
      }
    }
  }
}

TEST(EnergyModel, near_duplicates_keep_their_digits_at_small_epsilon) {
  // Queries 1e-4 from an atom: the cost 5e-9 is below the rounding of 1 - dot.
  auto problem = oracle::random_problem<float>(
      GroundCost::kUnitCosine,
      {.n = 100, .dim = 16, .queries = 100, .epsilon = 1e-5, .seed = 3});
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t k = 0; k < 16; ++k) {
      problem.queries(i, k) =
          problem.bank(i, k) + 2.5e-5f * (k % 2 == 0 ? 1.0f : -1.0f);
    }
  }
  oracle::normalise_rows(problem.queries);
  // Against |z-u|^2 / 2, which does not depend on the rounding of lengths.
  auto chords = oracle::random_problem<float>(
      GroundCost::kSquaredEuclidean,
      {.n = 100, .dim = 16, .queries = 100, .epsilon = 2e-5, .seed = 3});
  chords.bank = problem.bank.clone();
  const auto expected = oracle::energies<float>(chords, problem.queries);
  const auto found = problem.model().evaluate(problem.queries).energies;
  for (std::size_t i = 0; i < 100; ++i) {
    ASSERT_NEAR(found[i], 0.5 * expected[i], 1e-10);
  }
}

template <typename T>
void expect_golden_energies(double relative, double absolute) {
  const auto a = golden::entry("/core/A_cosine");
  const Matrix<T> bank = golden::to_matrix<T>(a.at("bank"));
  const std::vector<double> z = golden::to_vector(a.at("query"));
  Matrix<T> query(1, z.size());
  std::copy(z.begin(), z.end(), query.row(0).begin());
  const double epsilon = golden::to_double(a.at("eps"));
  for (const GroundCost cost : {GroundCost::kCosine, GroundCost::kUnitCosine}) {
    const EnergyModel<T> model({bank.view(), {}, {}}, {cost, epsilon, {}});
    const double expected = golden::to_double(a.at("E"));
    EXPECT_NEAR(model.evaluate(query).energies[0], expected,
                relative * expected + absolute);
    const auto self = golden::entry("/core/A_self_energies");
    const auto with = golden::to_vector(self.at("with_self"));
    const auto without = golden::to_vector(self.at("leave_one_out"));
    const auto included = model.evaluate_bank(true).energies;
    const auto excluded = model.evaluate_bank().energies;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(included[i], with[i], relative * with[i] + absolute);
      EXPECT_NEAR(excluded[i], without[i], relative * without[i] + absolute);
      EXPECT_LE(included[i], golden::to_double(self.at("cap_eps_log_n")));
    }
  }
  const auto b = golden::entry("/core/B_sqeuclid_weighted");
  const Matrix<T> points = golden::to_matrix<T>(b.at("bank"));
  const std::vector<double> weights = golden::to_vector(b.at("weights"));
  const std::vector<double> at = golden::to_vector(b.at("query"));
  Matrix<T> queries(1, at.size());
  std::copy(at.begin(), at.end(), queries.row(0).begin());
  const double eps = golden::to_double(b.at("eps"));
  const EnergyModel<T> model({points.view(), weights, {}},
                             {GroundCost::kSquaredEuclidean, eps, {}});
  const double energy = model.evaluate(queries).energies[0];
  const double expected = golden::to_double(b.at("E"));
  EXPECT_NEAR(energy, expected, relative * expected + absolute);
  EXPECT_NEAR(std::exp(-energy / eps), golden::to_double(b.at("K")),
              10 * relative + 10 * absolute);
  const double density = golden::to_double(b.at("kde_density"));
  EXPECT_NEAR(energy,
              -eps * std::log(density * std::pow(std::acos(-1.0) * eps, 1.5)),
              relative * expected + absolute);
}

TEST(EnergyModel, gives_the_golden_energies) {
  expect_golden_energies<double>(1e-12, 0.0);
  expect_golden_energies<float>(0.0, 1e-6);
}

TEST(EnergyModel, a_sample_of_a_gaussian_comes_near_its_closed_form) {
  const auto known = golden::entry("/core/gaussian_population");
  const std::size_t n = 40000;
  const double s2 = golden::to_double(known.at("s2"));
  const auto bank = oracle::normal_matrix<double>(n, 3, 77, std::sqrt(s2));
  const double epsilon = golden::to_double(known.at("eps"));
  Matrix<double> query(1, 3);
  query(0, 0) = std::sqrt(golden::to_double(known.at("query_norm_sq")));
  const EnergyModel<double> model({bank.view(), {}, {}},
                                  {GroundCost::kSquaredEuclidean, epsilon, {}});
  // K is a mean of n values in [0, 1]: its deviation is at most
  // sqrt(K (1-K) / n), and E moves by epsilon / K times that. Five of them.
  const double k = golden::to_double(known.at("K"));
  const double deviation = epsilon / k * std::sqrt(k * (1 - k) / n);
  EXPECT_NEAR(model.evaluate(query).energies[0],
              golden::to_double(known.at("E")), 5 * deviation);
}

TEST(EnergyModel, strided_views_and_chosen_atoms_are_read_in_place) {
  const auto problem = oracle::random_problem<float>(
      GroundCost::kCosine, {.n = 300, .dim = 20, .queries = 21});
  const MatrixView<const float> odd(problem.bank.row(1).data(), 150, 20, 40);
  std::vector<std::size_t> rows;
  for (std::size_t i = 1; i < 300; i += 2) rows.push_back(i);
  const EnergyModel<float> strided({odd, {}, {}}, problem.options());
  const EnergyModel<float> chosen({problem.bank.view(), {}, rows},
                                  problem.options());
  EXPECT_EQ(chosen.atom_count(), 150u);
  EXPECT_EQ(strided.evaluate(problem.queries).energies,
            chosen.evaluate(problem.queries).energies);
}

TEST(EnergyModel, no_queries_give_no_energies) {
  const auto problem =
      oracle::random_problem<double>(GroundCost::kCosine, {.queries = 0});
  const EnergyResult result = problem.model().evaluate(problem.queries);
  EXPECT_EQ(result.status, SolveStatus::kDone);
  EXPECT_TRUE(result.energies.empty());
  const EnergyStateResult state =
      problem.model().evaluate_state(problem.queries, {}, 0);
  EXPECT_EQ(state.status, SolveStatus::kDone);
  EXPECT_EQ(state.state.query_count(), 0u);
}

TEST(EnergyModel, says_what_it_was_made_of) {
  const auto problem =
      oracle::random_problem<double>(GroundCost::kMahalanobis, {.n = 6});
  EnergyModel<double> model = problem.model();
  const EnergyModel<double> moved = std::move(model);
  EXPECT_EQ(moved.dim(), 5u);
  EXPECT_EQ(moved.atom_count(), 6u);
  EXPECT_EQ(moved.cost(), GroundCost::kMahalanobis);
  EXPECT_EQ(moved.epsilon(), 0.05);
  EXPECT_EQ(moved.metric_factor().rows(), 5u);
  EXPECT_EQ(moved.reference().points.data(), problem.bank.data());
}

TEST(EnergyModel, refuses_bad_options_and_says_which) {
  const auto problem = oracle::random_problem<double>(GroundCost::kCosine, {});
  const auto message = [&](const EnergyOptions& options) {
    return invalid_argument_of(
        [&] { EnergyModel<double>(problem.measure(), options); });
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double epsilon : {0.0, -0.1, infinity, std::nan("")}) {
    EXPECT_THAT(message({GroundCost::kCosine, epsilon, {}}),
                StartsWith("epsilon: a finite number above 0"));
  }
  const Matrix<double> small(2, 2);
  EXPECT_THAT(message({GroundCost::kMahalanobis, 0.1, small.view()}),
              StartsWith("metric: 2 rows for points of dimension 5"));
  EXPECT_THAT(message({GroundCost::kMahalanobis, 0.1, {}}),
              StartsWith("metric: a square matrix"));
  EXPECT_THAT(message({GroundCost::kUnitCosine, 0.1, {}}),
              StartsWith("bank: row 0 has length"));
}

TEST(EnergyModel, refuses_bad_banks_and_says_where) {
  auto problem = oracle::random_problem<float>(GroundCost::kCosine, {});
  problem.weights.assign(50, 1.0);
  problem.weights[7] = -1.0;
  const auto message = [&] {
    return invalid_argument_of([&] { problem.model(); });
  };
  EXPECT_THAT(message(), StartsWith("weights: entry 7"));
  problem.weights.clear();
  problem.bank(31, 4) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message(), StartsWith("bank: row 31, column 4 is NaN"));
  for (float& x : problem.bank.row(31)) x = 0.0f;
  EXPECT_THAT(message(), StartsWith("bank: row 31 is a zero vector"));
  problem.bank = Matrix<float>();
  EXPECT_THAT(message(), StartsWith("bank: no values"));
}

TEST(EnergyModel, refuses_bad_queries_and_says_where) {
  auto problem = oracle::random_problem<double>(GroundCost::kCosine, {});
  const EnergyModel<double> model = problem.model();
  const auto message = [&](MatrixView<const double> queries,
                           const std::vector<std::size_t>& self) {
    return invalid_argument_of(
        [&] { static_cast<void>(model.evaluate(queries, self)); });
  };
  const Matrix<double> wide(2, 6);
  EXPECT_THAT(
      message(wide, {}),
      StartsWith("queries: dimension 5 of the bank is expected, got 6"));
  EXPECT_THAT(message(problem.queries, {1, 2}), StartsWith("self: one"));
  std::vector<std::size_t> self(9, kNoAtom);
  self[3] = 50;
  EXPECT_THAT(message(problem.queries, self),
              StartsWith("self: 50 is not a row of the bank"));
  for (double& x : problem.queries.row(8)) x = 0.0;
  EXPECT_THAT(message(problem.queries, {}),
              StartsWith("queries: row 8 is a zero vector"));
  problem.queries(2, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THAT(message(problem.queries, {}),
              StartsWith("queries: row 2, column 1 is infinite"));
}

// Sums of exponentials alone lose all digits above epsilon 1e8 and overflow
// below 1e-38 in float.
template <typename T>
void expect_energies_at(double epsilon, double size, double bound) {
  oracle::Shape shape;
  shape.epsilon = epsilon;
  shape.queries = 5;
  auto problem =
      oracle::random_problem<T>(GroundCost::kSquaredEuclidean, shape);
  for (T& x : problem.bank.elements()) x *= static_cast<T>(size);
  for (T& x : problem.queries.elements()) x *= static_cast<T>(size);
  const auto found = problem.model().evaluate(problem.queries);
  for (std::size_t q = 0; q < shape.queries; ++q) {
    const auto row = problem.queries.row(q);
    const std::vector<oracle::Real> z(row.begin(), row.end());
    const auto expected = static_cast<double>(oracle::energy<T>(problem, z));
    EXPECT_NEAR(found.energies[q] / (size * size), expected / (size * size),
                bound)
        << epsilon << " " << size;
  }
}

TEST(EnergyModel, energies_are_right_at_the_edges_of_numbers) {
  for (const double epsilon : {1e-300, 1e-40, 1e-30, 10.0, 1e4, 1e8}) {
    // Costs are of order 4; the oracle has 64 bits behind the point.
    expect_energies_at<float>(epsilon, 1.0, 4e-6 + 1e-18 * epsilon);
    expect_energies_at<double>(epsilon, 1.0, 1e-12 + 1e-18 * epsilon);
  }
  expect_energies_at<float>(1.0, 1e15, 4e-6);
  expect_energies_at<float>(1e31, 1e15, 4e-6);
  expect_energies_at<double>(1.0, 1e100, 1e-12);
}

}  // namespace energy_model_test
}  // namespace sbog
