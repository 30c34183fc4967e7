// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/latent_bank.h"

#include <gtest/gtest.h>

#include <set>

#include "latent_support.h"
#include "sbog/base/errors.h"
#include "sbog/energy/threshold.h"

namespace sbog::series {
namespace latent_bank_test {

using namespace testing_support;

// Leave-one-out energies against kept rows, by the definition.
std::vector<double> plain_energies(const Matrix<float>& points,
                                   const std::vector<bool>& is_kept,
                                   double epsilon) {
  std::vector<double> energies;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t j = 0; j < points.rows(); ++j) {
      if (!is_kept[j] || j == i) continue;
      const double cosine =
          cosine_of<float, float>(points.row(i), points.row(j));
      sum += std::exp(-(1.0 - cosine) / epsilon);
      count += 1.0;
    }
    energies.push_back(-epsilon * std::log(sum / count));
  }
  return energies;
}

TEST(LatentBank, energies_and_threshold_follow_the_definition) {
  const Matrix<float> points = cap_points(300, 4, 1);
  std::vector<bool> is_kept(300, true);
  const std::vector<double> raw = plain_energies(points, is_kept, 0.02);
  std::vector<std::size_t> order(300);
  for (std::size_t i = 0; i < 300; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return raw[a] > raw[b]; });
  for (std::size_t i = 0; i < 24; ++i) is_kept[order[i]] = false;  // 8 %
  const std::vector<double> truth = plain_energies(points, is_kept, 0.02);
  SamplerOptions options = bank_options();
  options.margin = 0.01;
  const LatentBank bank(points.clone(), options);
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_NEAR(bank.energies()[i], truth[i], 1e-5);
  }
  EXPECT_NEAR(bank.threshold(), quantile(truth, 0.95) + 0.01, 1e-5);
  EXPECT_NEAR(bank.rank(quantile(truth, 0.5)), 0.5, 0.01);
  EXPECT_EQ(bank.rank(-1.0), 0.0);
  EXPECT_EQ(bank.rank(1e9), 1.0);
}

TEST(LatentBank, a_point_of_the_bank_sees_itself_when_asked_as_any_point) {
  const Matrix<float> points = cap_points(300, 4, 1);
  const LatentBank bank(points.clone(), bank_options());
  std::size_t lower = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const std::vector<double> point(points.row(i).begin(), points.row(i).end());
    if (bank.energy(point) <= bank.energies()[i] + 1e-6) ++lower;
  }
  EXPECT_EQ(lower, 300u);
}

TEST(LatentBank, inner_anchors_are_weakly_supported_inside_and_spread_out) {
  const LatentBank bank(cap_points(800, 4, 2), bank_options(40));
  const double least = quantile(bank.energies(), 0.8);
  const auto few =
      LatentBank(cap_points(800, 4, 2), bank_options(10)).anchors();
  const auto& many = bank.anchors();
  ASSERT_EQ(many.size(), 40u);
  EXPECT_EQ(std::set<std::size_t>(many.begin(), many.end()).size(), 40u);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  for (const std::size_t row : many) {
    EXPECT_GE(bank.energies()[row], least);
    EXPECT_LT(bank.energies()[row], bank.threshold());
  }
  // Farthest points are farther apart than the first rows of the same set.
  const auto all =
      LatentBank(cap_points(800, 4, 2), bank_options(100000)).anchors();
  EXPECT_LT(all.size(), 800u * 2 / 10);
  const auto nearest_pair = [&](const std::vector<std::size_t>& rows) {
    double least_distance = 4.0;
    for (std::size_t a = 0; a < rows.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        least_distance = std::min(
            least_distance,
            squared_distance<float, float>(bank.points().row(rows[a]),
                                           bank.points().row(rows[b])));
      }
    }
    return least_distance;
  };
  std::vector<std::size_t> by_number = all;
  std::sort(by_number.begin(), by_number.end());
  by_number.resize(10);
  EXPECT_GT(nearest_pair(few), nearest_pair(by_number));
}

TEST(LatentBank, a_collapsed_encoder_is_named) {
  Matrix<float> points(50, 4);
  for (std::size_t i = 0; i < 50; ++i) points(i, 0) = 1.0F;
  try {
    const LatentBank bank(std::move(points), bank_options());
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("collapsed"), std::string::npos);
  }
}

TEST(LatentBank, options_out_of_range_are_refused) {
  const auto refuse = [](auto change) {
    SamplerOptions options = bank_options();
    change(options);
    EXPECT_THROW(LatentBank(cap_points(50, 4, 1), options), InvalidArgument);
  };
  refuse([](SamplerOptions& o) { o.energy.epsilon = 0.0; });
  refuse([](SamplerOptions& o) { o.quantile = 1.0; });
  refuse([](SamplerOptions& o) { o.margin = std::nan(""); });
  refuse([](SamplerOptions& o) { o.trim = 1.0; });
  refuse([](SamplerOptions& o) { o.inner_anchors = 1.0; });
  // No window lies between the 80 % quantile and a threshold below it.
  refuse([](SamplerOptions& o) { o.quantile = 0.3; });
}

}  // namespace latent_bank_test
}  // namespace sbog::series
