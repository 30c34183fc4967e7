// SPDX-License-Identifier: Apache-2.0
// k-NN and KDE scores and bandwidths against their definitions.
#include "sbog/sample/support_score.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "oracle/energy_oracle.h"
#include "sample/support.h"

namespace sbog {
namespace support_score_test {

using testing_support::invalid_argument_of;
using testing_support::plain_cosine;
using testing_support::sphere_bank;

double distance2(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return sum;
}

SamplerOptions rule_options(Rule rule, GroundCost cost = GroundCost::kCosine) {
  SamplerOptions options = profile_options("coverage");
  options.rule = rule;
  options.energy.cost = cost;
  options.energy.epsilon = 0.1;
  if (!is_cosine(cost)) options.projection = Projection::kIdentity;
  return options;
}

// The mean Gaussian kernel with bandwidth h, without row `self`.
double mean_kernel(const Matrix<double>& bank, std::span<const double> v,
                   double h, std::size_t self) {
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    if (i == self) continue;
    sum += std::exp(-distance2(bank.row(i), v) / (2.0 * h * h));
    count += 1.0;
  }
  return sum / count;
}

TEST(SupportScore, each_rule_has_its_score) {
  EXPECT_EQ(score_kind(Rule::kKnn), ScoreKind::kKnn);
  EXPECT_EQ(score_kind(Rule::kKdeScott), ScoreKind::kKde);
  EXPECT_EQ(score_kind(Rule::kKdeMedian), ScoreKind::kKde);
  EXPECT_EQ(score_kind(Rule::kKdeMatched), ScoreKind::kKde);
  for (const Rule rule : {Rule::kSbog, Rule::kRandom, Rule::kNoTop,
                          Rule::kNoThreshold, Rule::kNoArgmax, Rule::kVos}) {
    EXPECT_EQ(score_kind(rule), ScoreKind::kEnergy);
  }
}

TEST(SupportScore, knn_is_the_cost_to_the_kth_nearest_atom) {
  const Matrix<double> bank = sphere_bank<double>(40, 4, 3);
  SamplerOptions options = rule_options(Rule::kKnn);
  for (const std::size_t k : {1u, 5u, 39u}) {
    options.knn = k;
    const SupportScore<double> score({bank.view(), {}, {}}, options);
    const std::vector<double> got = score.score(bank.view(), oracle::iota(40));
    for (std::size_t i = 0; i < 40; ++i) {
      std::vector<double> costs;
      for (std::size_t j = 0; j < 40; ++j) {
        if (j != i) {
          costs.push_back(1.0 - plain_cosine(bank.row(i), bank.row(j)));
        }
      }
      std::sort(costs.begin(), costs.end());
      EXPECT_NEAR(got[i], costs[k - 1], 1e-12);
    }
  }
}

TEST(SupportScore, knn_refuses_more_neighbours_than_there_are) {
  const Matrix<double> bank = sphere_bank<double>(3, 4, 3);
  EXPECT_EQ(
      invalid_argument_of([&] {
        SupportScore<double>({bank.view(), {}, {}}, rule_options(Rule::kKnn));
      }),
      "knn: 5 neighbours are more than a reference of 3 has");
}

TEST(SupportScore, scotts_bandwidth_follows_its_formula) {
  const Matrix<double> bank = oracle::normal_matrix<double>(50, 3, 9);
  Matrix<double> mapped = bank.clone();
  const std::vector<std::size_t> atoms = oracle::iota(50);
  for (const GroundCost cost :
       {GroundCost::kSquaredEuclidean, GroundCost::kCosine}) {
    if (is_cosine(cost)) oracle::normalise_rows(mapped);
    double variance = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      double mean = 0.0;
      double square = 0.0;
      for (std::size_t i = 0; i < 50; ++i) {
        mean += mapped(i, k) / 50.0;
        square += mapped(i, k) * mapped(i, k) / 50.0;
      }
      variance += (square - mean * mean) / 3.0;
    }
    const double dim = is_cosine(cost) ? 2.0 : 3.0;
    const double expected =
        std::sqrt(variance) * std::pow(50.0, -1.0 / (dim + 4.0));
    EXPECT_NEAR(kde_bandwidth<double>(Rule::kKdeScott, bank.view(), atoms,
                                      {cost, 0.1, {}}),
                expected, 1e-12);
  }
}

TEST(SupportScore, the_median_bandwidth_is_the_median_distance) {
  const Matrix<double> bank = oracle::normal_matrix<double>(31, 3, 9);
  std::vector<double> distances;
  for (std::size_t i = 0; i < 31; ++i) {
    for (std::size_t j = i + 1; j < 31; ++j) {
      distances.push_back(std::sqrt(distance2(bank.row(i), bank.row(j))));
    }
  }
  ASSERT_EQ(distances.size() % 2, 1u);
  std::sort(distances.begin(), distances.end());
  EXPECT_NEAR(
      kde_bandwidth<double>(Rule::kKdeMedian, bank.view(), oracle::iota(31),
                            {GroundCost::kEuclidean, 0.1, {}}),
      distances[distances.size() / 2], 1e-12);
}

TEST(SupportScore, kde_is_minus_the_scaled_log_of_the_kernel_mean) {
  Matrix<double> bank = sphere_bank<double>(40, 4, 3);
  for (const Rule rule :
       {Rule::kKdeScott, Rule::kKdeMedian, Rule::kKdeMatched}) {
    for (const GroundCost cost :
         {GroundCost::kCosine, GroundCost::kSquaredEuclidean}) {
      const SamplerOptions options = rule_options(rule, cost);
      const SupportScore<double> score({bank.view(), {}, {}}, options);
      const double h = kde_bandwidth<double>(rule, std::as_const(bank).view(),
                                             oracle::iota(40), options.energy);
      if (rule == Rule::kKdeMatched) {
        EXPECT_EQ(h, std::sqrt(0.1));
      }
      const std::vector<double> got =
          score.score(bank.view(), oracle::iota(40));
      const double factor = is_cosine(cost) ? h * h : 2.0 * h * h;
      for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_NEAR(got[i],
                    -factor * std::log(mean_kernel(
                                  bank, std::as_const(bank).row(i), h, i)),
                    1e-11);
      }
    }
  }
}

TEST(SupportScore, coinciding_points_have_no_bandwidth) {
  Matrix<float> bank(5, 2);
  for (std::size_t i = 0; i < 5; ++i) bank(i, 0) = 1.0f;
  for (const Rule rule : {Rule::kKdeScott, Rule::kKdeMedian}) {
    EXPECT_EQ(invalid_argument_of([&] {
                SupportScore<float>({bank.view(), {}, {}}, rule_options(rule));
              }),
              "kde: the bandwidth is 0 because the points coincide");
  }
  EXPECT_NO_THROW(SupportScore<float>({bank.view(), {}, {}},
                                      rule_options(Rule::kKdeMatched)));
}

}  // namespace support_score_test
}  // namespace sbog
