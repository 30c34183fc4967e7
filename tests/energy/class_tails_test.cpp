// SPDX-License-Identifier: Apache-2.0
// Tails of classes: their own, or one for all on one scale.
#include "sbog/energy/class_tails.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/energy_oracle.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace class_tails_test {

// Exponential scores of a class that lies elsewhere and is wider.
std::vector<double> class_scores(std::size_t n, std::size_t c,
                                 std::uint64_t seed) {
  std::vector<double> values = oracle::uniforms(n, 1000 * seed + c);
  for (double& v : values) {
    v = static_cast<double>(c) - (0.1 + static_cast<double>(c)) * std::log(v);
  }
  return values;
}

std::vector<std::vector<double>> many_classes(std::size_t classes,
                                              std::size_t n,
                                              std::uint64_t seed) {
  std::vector<std::vector<double>> scores;
  for (std::size_t c = 0; c < classes; ++c) {
    scores.push_back(class_scores(n, c, seed));
  }
  return scores;
}

TEST(ClassTails, one_class_is_the_plain_model) {
  const std::vector<double> scores = class_scores(400, 2, 1);
  const ClassTails tails({scores}, {.seed = 5});
  const TailModel plain(scores, {.seed = 5});
  EXPECT_FALSE(tails.is_shared(0));
  for (const double score : {2.5, 8.0, 20.0}) {
    EXPECT_EQ(tails.rarity(0, score).low, plain.rarity(score).low);
    EXPECT_EQ(tails.probability(0, score), plain.probability(score));
    EXPECT_EQ(tails.severity(0, score), plain.severity(score));
  }
  EXPECT_EQ(tails.band(0, 2), plain.band(2));
}

TEST(ClassTails, large_classes_have_tails_of_their_own) {
  const ClassTails tails({class_scores(2000, 0, 2), class_scores(1999, 1, 2)});
  EXPECT_FALSE(tails.is_shared(0));
  EXPECT_TRUE(tails.is_shared(1));
  EXPECT_EQ(tails.model(0).count(), 2000u);
  EXPECT_EQ(tails.model(1).count(), 3999u);
}

TEST(ClassTails, the_scale_leaves_each_score_out) {
  const auto classes = many_classes(2, 30, 3);
  const ClassTails tails(classes);
  // The plain way: the values of the shared model, one by one.
  std::vector<double> plain;
  for (const auto& scores : classes) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      std::vector<double> others = scores;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const double middle = quantile(others, 0.5);
      plain.push_back((scores[i] - middle) / (quantile(others, 0.9) - middle));
    }
  }
  EXPECT_EQ(tails.model(0).count(), plain.size());
  for (const double q : {0.0, 0.3, 0.77, 0.99}) {
    EXPECT_NEAR(tails.model(1).score_at(1.0 - q), quantile(plain, q), 1e-12);
  }
  const double middle = quantile(classes[1], 0.5);
  const double unit = quantile(classes[1], 0.9) - middle;
  EXPECT_NEAR(tails.scaled(1, 4.0), (4.0 - middle) / unit, 1e-12);
  EXPECT_NEAR(tails.unscaled(1, tails.scaled(1, 4.0)), 4.0, 1e-12);
}

TEST(ClassTails, small_classes_of_one_shape_are_told_apart_from_one_tail) {
  const ClassTails tails(many_classes(100, 100, 4), {.draws = 0});
  EXPECT_EQ(tails.highest_severity(7), 3);  // of 10,000 together
  // Fresh scores of every class: how many are as rare as 1 in 100, 1 in 1,000.
  for (const double p : {1e-2, 1e-3}) {
    double found = 0.0;
    for (std::size_t c = 0; c < tails.size(); ++c) {
      const double score = tails.score_at(c, p);
      const auto at = static_cast<double>(c);
      found += std::exp(-(score - at) / (0.1 + at)) / 100.0;
    }
    EXPECT_NEAR(std::log(found / p), 0.0, std::log(1.6)) << p;
  }
}

TEST(ClassTails, bands_are_those_of_the_shared_tail_in_units_of_the_class) {
  const ClassTails tails(many_classes(40, 60, 5));
  for (const std::size_t c : {0u, 13u, 39u}) {
    for (int s = 1; s <= tails.highest_severity(c); ++s) {
      const auto [low, high] = tails.band(c, s);
      EXPECT_EQ(tails.severity(c, 0.5 * (low + high)), s);
      EXPECT_NEAR(tails.score_at(c, std::pow(10.0, -s)), low, 1e-9);
    }
    EXPECT_TRUE(
        std::isinf(tails.band(c, tails.highest_severity(c) + 1).second));
  }
}

TEST(ClassTails, the_bound_is_that_of_the_class_alone) {
  const auto classes = many_classes(30, 50, 6);
  const ClassTails tails(classes);
  EXPECT_EQ(tails.rarity(3, 1e9).bound, 1.0 / 51.0);
  EXPECT_TRUE(tails.rarity(3, 1e9).is_beyond);
  EXPECT_EQ(*tails.rarity(3, 1e9).probability, 1.0 / (5.0 * 30.0 * 50.0));
}

TEST(ClassTails, classes_without_width_or_scores_are_no_trouble) {
  auto classes = many_classes(5, 80, 7);
  classes.push_back({});
  classes.push_back(std::vector<double>(30, 2.0));
  classes.push_back({1.0, std::numeric_limits<double>::infinity()});
  const ClassTails tails(classes);
  for (std::size_t c = 5; c < 8; ++c) {
    EXPECT_LE(tails.probability(c, 2.5), 1.0);
    EXPECT_GE(tails.severity(c, 100.0), 1);
  }
  EXPECT_EQ(tails.rarity(5, 1.0).bound, 1.0);
}

}  // namespace class_tails_test
}  // namespace sbog
