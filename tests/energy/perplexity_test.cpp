// SPDX-License-Identifier: Apache-2.0
// Perplexity and the temperature found from it: closed forms, plain loops in
// long double, small and degenerate references.
#include "sbog/energy/perplexity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace perplexity_test {

using oracle::Real;
using testing::HasSubstr;
using testing_support::invalid_argument_of;
using testing_support::simd_targets;
using testing_support::UseTarget;

constexpr PerplexityOptions kDefaults;

// exp(entropy) of the weights of all rows but `self`, by its definition.
double plain_perplexity(const std::vector<Real>& costs,
                        const std::vector<double>& weights, Real epsilon,
                        std::size_t self) {
  std::vector<Real> p;
  Real lowest = 1e300L;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (i != self) lowest = std::min(lowest, costs[i]);
  }
  Real total = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Real a = weights.empty() ? 1 : weights[i];
    p.push_back(i == self ? 0 : a * std::exp((lowest - costs[i]) / epsilon));
    total += p.back();
  }
  Real entropy = 0;
  for (const Real value : p) {
    if (value > 0) entropy -= value / total * std::log(value / total);
  }
  return static_cast<double>(std::exp(entropy));
}

// Of every row of positive weight.
template <typename T>
std::vector<double> plain_perplexities(const oracle::EnergyProblem<T>& problem,
                                       double epsilon) {
  std::vector<double> all;
  for (std::size_t i = 0; i < problem.bank.rows(); ++i) {
    if (problem.weight(i) == 0.0) continue;
    const auto z = oracle::to_real<T>(std::as_const(problem.bank).row(i));
    all.push_back(plain_perplexity(oracle::costs_of<T>(problem, z),
                                   problem.weights, epsilon, i));
  }
  return all;
}

// One column of positions, squared Euclidean.
struct Line {
  Matrix<double> points;
  explicit Line(const std::vector<double>& xs) : points(xs.size(), 1) {
    for (std::size_t i = 0; i < xs.size(); ++i) points(i, 0) = xs[i];
  }
  double epsilon(const PerplexityOptions& options = {}) const {
    return find_epsilon<double>({points.view(), {}, {}},
                                {GroundCost::kSquaredEuclidean, 1.0, {}},
                                options);
  }
};

TEST(Perplexity, median_is_that_of_plain_loops_for_every_cost) {
  for (const GroundCost cost : oracle::kAllCosts) {
    for (const bool is_weighted : {false, true}) {
      const auto problem = oracle::random_problem<double>(
          cost, {.n = 70, .dim = 5, .is_weighted = is_weighted, .seed = 3});
      for (const double epsilon : {0.01, 0.1, 2.0}) {
        const double expected =
            quantile(plain_perplexities(problem, epsilon), 0.5);
        EXPECT_NEAR(median_perplexity(problem.measure(),
                                      {cost, epsilon, problem.metric.view()}),
                    expected, 1e-9 * expected)
            << to_string(cost) << " " << epsilon;
      }
    }
  }
}

TEST(Perplexity, found_epsilon_has_the_wanted_median_for_every_cost) {
  for (const GroundCost cost : oracle::kAllCosts) {
    const auto problem =
        oracle::random_problem<float>(cost, {.n = 301, .dim = 12, .seed = 4});
    const double epsilon = find_epsilon(problem.measure(), problem.options());
    // Four digits of epsilon are about four digits of perplexity.
    EXPECT_NEAR(quantile(plain_perplexities(problem, epsilon), 0.5), 15.0, 0.02)
        << to_string(cost);
    EXPECT_NEAR(median_perplexity(problem.measure(),
                                  {cost, epsilon, problem.metric.view()}),
                15.0, 0.02);
  }
}

TEST(Perplexity, weights_stand_for_the_mass_of_atoms) {
  auto problem = oracle::random_problem<double>(
      GroundCost::kCosine, {.n = 200, .dim = 6, .is_weighted = true});
  const double epsilon = find_epsilon(problem.measure(), problem.options());
  EXPECT_NEAR(quantile(plain_perplexities(problem, epsilon), 0.5), 15.0, 0.1);
  // Atoms of weight 0 are not there.
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < 200; ++i) {
    if (problem.weights[i] > 0.0) kept.push_back(i);
  }
  const ReferenceMeasure<double> fewer{problem.bank.view(), problem.weights,
                                       kept};
  EXPECT_EQ(find_epsilon(fewer, problem.options()), epsilon);
  // Weights of any unit.
  for (double& weight : problem.weights) weight *= 1e6;
  EXPECT_EQ(find_epsilon(problem.measure(), problem.options()), epsilon);
}

TEST(Perplexity, two_distances_have_the_closed_form) {
  // A point at 0 with k others at distance 1 and one far away would need more
  // than a line; the ends of a path of three do: costs 1 and 4, weights 1 and
  // q = exp(-3 / eps), target (1 + 2) / 2.
  const double epsilon = Line({0.0, 1.0, 2.0}).epsilon();
  const double q = std::exp(-3.0 / epsilon);
  const double p = 1.0 / (1.0 + q);
  EXPECT_NEAR(std::exp(-p * std::log(p) - (1 - p) * std::log(1 - p)), 1.5,
              1e-3);
}

TEST(Perplexity, grows_with_epsilon_from_1_to_all_others) {
  const auto problem = oracle::random_problem<double>(
      GroundCost::kEuclidean, {.n = 40, .dim = 3, .seed = 8});
  double last = 0.0;
  for (const double epsilon : {1e-6, 0.02, 0.05, 0.1, 0.5, 1e6}) {
    const double now =
        median_perplexity(problem.measure(), {problem.cost, epsilon, {}});
    EXPECT_GT(now, last);
    last = now;
  }
  EXPECT_NEAR(last, 39.0, 1e-3);
  EXPECT_NEAR(median_perplexity(problem.measure(), {problem.cost, 1e-6, {}}),
              1.0, 1e-9);
}

TEST(Perplexity, epsilon_scales_with_the_cost) {
  auto problem = oracle::random_problem<double>(
      GroundCost::kSquaredEuclidean, {.n = 150, .dim = 4, .seed = 9});
  const double epsilon = find_epsilon(problem.measure(), problem.options());
  for (const double factor : {1e-9, 1e12}) {
    Matrix<double> scaled = problem.bank.clone();
    for (std::size_t i = 0; i < scaled.rows(); ++i) {
      for (double& x : scaled.row(i)) x *= factor;
    }
    EXPECT_NEAR(
        find_epsilon<double>({scaled.view(), {}, {}}, problem.options()) /
            (factor * factor),
        epsilon, 2e-4 * epsilon);
  }
}

TEST(Perplexity, small_references_have_a_smaller_target) {
  // An odd number of points, so that the median is one of them.
  const auto problem = oracle::random_problem<double>(
      GroundCost::kEuclidean, {.n = 11, .dim = 3, .seed = 2});
  const double epsilon = find_epsilon(problem.measure(), problem.options());
  EXPECT_NEAR(quantile(plain_perplexities(problem, epsilon), 0.5), 5.5, 0.01);
  const double lower =
      find_epsilon(problem.measure(), problem.options(), {.target = 3.0});
  EXPECT_NEAR(quantile(plain_perplexities(problem, lower), 0.5), 3.0, 0.01);
}

TEST(Perplexity, two_points_have_their_cost) {
  EXPECT_DOUBLE_EQ(Line({1.0, 1.5}).epsilon(), 0.25);
}

TEST(Perplexity, equidistant_points_have_their_cost) {
  Matrix<double> simplex(20, 20);
  for (std::size_t i = 0; i < 20; ++i) simplex(i, i) = 1.0;
  EXPECT_DOUBLE_EQ(find_epsilon<double>({simplex.view(), {}, {}},
                                        {GroundCost::kCosine, 1.0, {}}),
                   1.0);
}

TEST(Perplexity, copies_count_as_support_at_any_temperature) {
  // Most points have 20 copies: the others decide.
  std::vector<double> xs(60, 0.0);
  std::fill(xs.begin() + 30, xs.end(), 5.0);
  for (int i = 0; i < 20; ++i) xs.push_back(10.0 + i);
  const double epsilon = Line(xs).epsilon();
  EXPECT_GT(epsilon, 1.0);
  EXPECT_LT(epsilon, 400.0);
  // Two heaps only: the cost between them.
  xs.resize(60);
  EXPECT_DOUBLE_EQ(Line(xs).epsilon(), 25.0);
}

TEST(Perplexity, copies_in_float_are_copies_under_cosine) {
  // Products of equal rows in float are 1 up to rounding only.
  auto rows = oracle::normal_matrix<float>(2, 384, 7);
  Matrix<float> heaps(80, 384);
  for (std::size_t i = 0; i < 80; ++i) {
    for (std::size_t k = 0; k < 384; ++k) heaps(i, k) = rows(i / 40, k);
  }
  const double cosine =
      pair_cost(GroundCost::kCosine,
                std::vector<double>(rows.row(0).begin(), rows.row(0).end()),
                std::vector<double>(rows.row(1).begin(), rows.row(1).end()));
  EXPECT_NEAR(find_epsilon<float>({heaps.view(), {}, {}},
                                  {GroundCost::kCosine, 1.0, {}}),
              cosine, 1e-3 * cosine);
}

TEST(Perplexity, a_narrow_cone_in_float_is_resolved) {
  // Cosine costs of about 1e-7, far below the rounding of a product.
  auto problem = oracle::random_problem<float>(
      GroundCost::kCosine, {.n = 100, .dim = 20, .seed = 5});
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t k = 0; k < 20; ++k) {
      problem.bank(i, k) = 1.0f + 5e-4f * problem.bank(i, k);
    }
  }
  const double epsilon = find_epsilon(problem.measure(), problem.options());
  EXPECT_LT(epsilon, 1e-7);
  EXPECT_NEAR(quantile(plain_perplexities(problem, epsilon), 0.5), 15.0, 0.5);
}

TEST(Perplexity, result_has_four_digits) {
  EXPECT_EQ(four_digits(0.0208349), 0.02083);
  EXPECT_EQ(four_digits(123456.0), 123500.0);
  EXPECT_EQ(four_digits(5e-11), 5e-11);
  const auto problem = oracle::random_problem<float>(
      GroundCost::kCosine, {.n = 100, .dim = 20, .seed = 5});
  const double epsilon = find_epsilon(problem.measure(), problem.options());
  EXPECT_EQ(epsilon, four_digits(epsilon));
}

TEST(Perplexity, is_the_same_for_any_threads_and_targets) {
  const auto problem = oracle::random_problem<float>(
      GroundCost::kCosine, {.n = 700, .dim = 33, .seed = 6});
  const PerplexityOptions options{.sample = 200, .seed = 3};
  const double epsilon =
      find_epsilon(problem.measure(), problem.options(), options);
  const double perplexity =
      median_perplexity(problem.measure(), problem.options(), options);
  for (const std::size_t threads : {2u, 5u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(find_epsilon(
                  problem.measure(), problem.options(), options, {&pool})),
              std::bit_cast<std::uint64_t>(epsilon));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(median_perplexity(
                  problem.measure(), problem.options(), options, {&pool})),
              std::bit_cast<std::uint64_t>(perplexity));
  }
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    EXPECT_EQ(find_epsilon(problem.measure(), problem.options(), options),
              epsilon);
  }
}

TEST(Perplexity, sample_is_keyed_by_the_seed) {
  const auto problem = oracle::random_problem<double>(
      GroundCost::kCosine, {.n = 300, .dim = 5, .seed = 6});
  const auto with = [&](std::size_t sample, std::uint64_t seed) {
    return find_epsilon(problem.measure(), problem.options(),
                        {.sample = sample, .seed = seed});
  };
  EXPECT_EQ(with(20, 1), with(20, 1));
  EXPECT_NE(with(20, 1), with(20, 2));
  EXPECT_EQ(with(300, 1), with(2000, 2));  // all points, drawn or not
}

TEST(Perplexity, what_cannot_be_answered_is_refused) {
  EXPECT_THAT(invalid_argument_of([] { (void)Line({1.0}).epsilon(); }),
              HasSubstr("at least 2 points"));
  EXPECT_THAT(invalid_argument_of([] {
                (void)Line({1.0, 1.0, 1.0}).epsilon();
              }),
              HasSubstr("all points of the reference are equal"));
  EXPECT_THAT(
      invalid_argument_of([] {
        const Line one({1.0});
        (void)median_perplexity<double>({one.points.view(), {}, {}}, {});
      }),
      HasSubstr("at least 2 points"));
  const auto problem = oracle::random_problem<double>(GroundCost::kCosine, {});
  for (const double target : {1.0, -2.0, std::nan("")}) {
    EXPECT_THAT(invalid_argument_of([&] {
                  (void)find_epsilon(problem.measure(), problem.options(),
                                     {.target = target});
                }),
                HasSubstr("above 1 is expected"));
  }
  EXPECT_THAT(invalid_argument_of([&] {
                (void)find_epsilon(problem.measure(), problem.options(),
                                   {.sample = 0});
              }),
              HasSubstr("a sample of at least 1"));
  EXPECT_THAT(invalid_argument_of([&] {
                (void)median_perplexity(problem.measure(),
                                        {GroundCost::kCosine, 0.0, {}});
              }),
              HasSubstr("epsilon: a finite number above 0"));
  Matrix<double> broken = problem.bank.clone();
  broken(7, 2) = std::nan("");
  EXPECT_THAT(
      invalid_argument_of([&] {
        (void)find_epsilon<double>({broken.view(), {}, {}}, problem.options());
      }),
      HasSubstr("row 7, column 2 is NaN"));
}

TEST(Perplexity, nothing_is_found_where_nothing_differs) {
  const auto found = [](const Line& line) {
    return find_epsilon_if_any<double>(
        {line.points.view(), {}, {}}, {GroundCost::kSquaredEuclidean, 1.0, {}});
  };
  EXPECT_FALSE(found(Line({1.0})));
  EXPECT_FALSE(found(Line({1.0, 1.0, 1.0})));
  EXPECT_EQ(found(Line({1.0, 1.5})), 0.25);
}

TEST(Perplexity, stops_when_asked) {
  const auto problem = oracle::random_problem<double>(GroundCost::kCosine, {});
  testing_support::CancelAtOnce cancel;
  const Context context{nullptr, &cancel};
  EXPECT_TRUE(std::isnan(
      find_epsilon(problem.measure(), problem.options(), kDefaults, context)));
  EXPECT_TRUE(std::isnan(median_perplexity(problem.measure(), problem.options(),
                                           kDefaults, context)));
}

}  // namespace perplexity_test
}  // namespace sbog
