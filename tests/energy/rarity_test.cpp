// SPDX-License-Identifier: Apache-2.0
// How rare a score is: shares, tails, intervals, bands, words.
#include "sbog/energy/rarity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "sbog/base/philox.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace rarity_test {

using testing::HasSubstr;
using testing_support::bits_of;
using testing_support::invalid_argument_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> exponentials(std::size_t n, std::uint64_t seed) {
  std::vector<double> values = oracle::uniforms(n, seed);
  for (double& value : values) value = -std::log(value);
  return values;
}

std::vector<double> normals(std::size_t n, std::uint64_t seed) {
  std::vector<double> values(n);
  PhiloxStream(seed, 1, 2, 3).normals(0, std::span<double>(values));
  return values;
}

TEST(Rarity, the_bound_counts_ties_and_the_point_itself) {
  const std::vector<double> scores = {1.0, 2.0,       2.0,
                                      3.0, kInfinity, std::nan("")};
  const TailModel model(scores);
  EXPECT_EQ(model.count(), 4u);
  EXPECT_EQ(model.rarity(2.0).bound, 0.8);
  EXPECT_EQ(model.rarity(9.0).bound, 0.2);
  EXPECT_EQ(model.rarity(kInfinity).bound, 0.2);
  EXPECT_EQ(model.rarity(-kInfinity).bound, 1.0);
}

TEST(Rarity, few_scores_give_a_bound_and_no_estimate) {
  const TailModel model(exponentials(240, 1));
  EXPECT_FALSE(model.has_fit());
  for (const double score : {0.1, 2.0, 50.0}) {
    const RarityEstimate found = model.rarity(score);
    EXPECT_FALSE(found.probability);
    EXPECT_EQ(found.low, 0.0);
    EXPECT_EQ(found.high, 1.0);
    EXPECT_FALSE(found.is_beyond);
  }
  EXPECT_EQ(model.highest_severity(), 1);  // 1 in 100 of 240, by counting
  EXPECT_EQ(TailModel(exponentials(98, 1)).highest_severity(), 0);
  EXPECT_EQ(TailModel(exponentials(99, 1)).highest_severity(), 1);
  EXPECT_EQ(model.probability(1e9), 1.0 / 241.0);
}

TEST(Rarity, no_scores_say_nothing) {
  const TailModel model({});
  EXPECT_EQ(model.rarest(), 1.0);
  EXPECT_EQ(model.highest_severity(), 0);
  EXPECT_EQ(model.severity(3.0), 0);
  EXPECT_EQ(model.probability(3.0), 1.0);
  EXPECT_EQ(model.rarity(3.0).bound, 1.0);
  EXPECT_THAT(invalid_argument_of([&] { model.score_at(0.5); }),
              HasSubstr("at least one score"));
  EXPECT_THAT(invalid_argument_of([&] { model.band(1); }),
              HasSubstr("severity"));
}

TEST(Rarity, the_tail_starts_where_fifty_scores_are_left) {
  const auto start_of = [](std::size_t n) {
    const std::vector<double> scores = exponentials(n, 4);
    const TailModel model(scores);
    EXPECT_TRUE(model.has_fit());
    return std::pair(model.tail_start(), scores);
  };
  const auto [high, many] = start_of(500);  // 50 above the 0.90 quantile
  EXPECT_EQ(high, quantile(many, 0.90));
  const auto [low, fewer] = start_of(480);
  EXPECT_EQ(low, quantile(fewer, 0.80));
  EXPECT_EQ(start_of(250).first, quantile(exponentials(250, 4), 0.80));
}

TEST(Rarity, below_the_tail_start_it_is_the_share_of_scores) {
  const std::vector<double> scores = exponentials(1000, 5);
  const TailModel model(scores);
  for (const double q : {0.0, 0.2, 0.5, 0.85}) {
    const double score = quantile(scores, q);
    EXPECT_NEAR(model.probability(score), 1.0 - q, 1e-12);
    EXPECT_NEAR(model.score_at(1.0 - q), score, 1e-12);
    const RarityEstimate found = model.rarity(score);
    EXPECT_EQ(*found.probability, model.probability(score));
    EXPECT_LE(found.low, *found.probability);
    EXPECT_GE(found.high, *found.probability);
    EXPECT_LT(found.high - found.low, 0.08);  // of 1,000 draws
  }
  EXPECT_EQ(model.probability(-1.0), 1.0);
  EXPECT_EQ(model.severity(-kInfinity), 0);
}

TEST(Rarity, far_out_an_exponential_law_is_recognised) {
  const TailModel model(exponentials(40000, 6));
  for (const double p : {0.05, 1e-2, 1e-3, 1e-4}) {
    const double score = -std::log(p);
    EXPECT_NEAR(std::log(model.probability(score) / p), 0.0, 0.4) << p;
    EXPECT_NEAR(model.score_at(p), score, 0.4) << p;
  }
}

TEST(Rarity, the_probability_falls_and_is_inverted_by_its_score) {
  for (const std::size_t n : {30u, 150u, 300u, 3000u}) {
    std::vector<double> scores = normals(n, 7);
    for (std::size_t i = 0; i < n; i += 3) {  // ties
      scores[i] = std::round(2.0 * scores[i]) / 2.0;
    }
    const TailModel model(scores);
    double last = 1.0;
    for (double score = -4.0; score < 9.0; score += 0.01) {
      const double p = model.probability(score);
      EXPECT_LE(p, last);
      last = p;
      if (p > 0.0 && p < 0.5 && model.has_fit() && score > model.tail_start()) {
        EXPECT_NEAR(model.score_at(p), score, 1e-7 * std::abs(score));
      }
    }
  }
}

TEST(Rarity, nothing_rarer_than_one_in_five_n_is_stated) {
  const TailModel model(exponentials(2000, 8));
  EXPECT_EQ(model.rarest(), 1e-4);
  const RarityEstimate beyond = model.rarity(model.score_at(0.9e-4));
  EXPECT_TRUE(beyond.is_beyond);
  EXPECT_EQ(*beyond.probability, 1e-4);
  EXPECT_EQ(beyond.low, 1e-4);
  EXPECT_GT(beyond.high, 1e-4);
  const RarityEstimate inside = model.rarity(model.score_at(1.1e-4));
  EXPECT_FALSE(inside.is_beyond);
  EXPECT_NEAR(*inside.probability, 1.1e-4, 1e-12);
  EXPECT_TRUE(model.rarity(kInfinity).is_beyond);
  EXPECT_EQ(model.highest_severity(), 3);
  EXPECT_EQ(TailModel(exponentials(1999, 8)).highest_severity(), 2);
}

TEST(Rarity, a_score_of_a_band_has_its_severity) {
  for (const std::size_t n : {120u, 400u, 2500u}) {
    const TailModel model(exponentials(n, 9));
    const int highest = model.highest_severity();
    ASSERT_GE(highest, 1);
    for (int s = 1; s <= highest + 1; ++s) {
      const auto [low, high] = model.band(s);
      ASSERT_LT(low, high);
      EXPECT_EQ(model.severity(low), s);
      EXPECT_EQ(model.severity(std::nextafter(low, -kInfinity)), s - 1);
      EXPECT_EQ(model.severity(std::nextafter(high, -kInfinity)), s);
      if (!model.has_fit()) continue;
      EXPECT_NEAR(std::log10(model.probability(low)), -s, 0.01);
    }
    EXPECT_EQ(model.severity(kInfinity), highest + 1);
    EXPECT_THAT(invalid_argument_of([&] { model.band(0); }),
                HasSubstr("got 0"));
    EXPECT_THAT(invalid_argument_of([&] { model.band(highest + 2); }),
                HasSubstr("support"));
  }
}

TEST(Rarity, the_same_seed_and_stream_give_the_same_bits) {
  const std::vector<double> scores = normals(1500, 10);
  const auto bits = [&](const TailOptions& options,
                        std::vector<double> shuffled) {
    const TailModel model(shuffled, options);
    std::vector<double> found;
    for (const double score : {1.5, 2.5, 3.0}) {
      const RarityEstimate r = model.rarity(score);
      found.insert(found.end(), {*r.probability, r.low, r.high});
    }
    return bits_of(found);
  };
  const auto first = bits({.seed = 3, .stream = 4}, scores);
  std::vector<double> reversed(scores.rbegin(), scores.rend());
  EXPECT_EQ(first, bits({.seed = 3, .stream = 4}, reversed));
  EXPECT_NE(first, bits({.seed = 4, .stream = 4}, scores));
  EXPECT_NE(first, bits({.seed = 3, .stream = 5}, scores));
}

TEST(Rarity, more_confidence_is_a_wider_interval) {
  const std::vector<double> scores = normals(2000, 11);
  const TailModel wide(scores, {.confidence = 0.99});
  const TailModel usual(scores);
  const TailModel none(scores, {.draws = 0});
  const double score = usual.score_at(1e-3);
  EXPECT_LT(wide.rarity(score).low, usual.rarity(score).low);
  EXPECT_GT(wide.rarity(score).high, usual.rarity(score).high);
  EXPECT_LT(usual.rarity(score).low, 1e-3);
  EXPECT_GT(usual.rarity(score).high, 1e-3);
  EXPECT_EQ(none.rarity(score).low, none.rarity(score).high);
}

TEST(Rarity, equal_scores_are_no_trouble) {
  std::vector<double> scores(900, 1.0);
  const TailModel flat(scores);
  EXPECT_FALSE(flat.has_fit());  // nothing exceeds the start
  EXPECT_EQ(flat.probability(1.0), 1.0 / 901.0);
  EXPECT_EQ(flat.probability(0.5), 1.0);
  scores.insert(scores.end(), 100, 2.0);
  scores.insert(scores.begin(), 10, 0.0);
  const TailModel two(scores);
  EXPECT_GE(two.probability(1.5), two.probability(2.0));
}

TEST(Rarity, refuses_bad_options_and_nan) {
  const std::vector<double> scores = exponentials(300, 12);
  EXPECT_THAT(
      invalid_argument_of([&] { TailModel(scores, {.confidence = 1.0}); }),
      HasSubstr("confidence in (0, 1)"));
  const TailModel model(scores);
  EXPECT_THAT(invalid_argument_of([&] { model.rarity(std::nan("")); }),
              HasSubstr("NaN"));
  EXPECT_THAT(invalid_argument_of([&] { model.severity(std::nan("")); }),
              HasSubstr("NaN"));
  EXPECT_THAT(invalid_argument_of([&] { model.score_at(0.0); }),
              HasSubstr("(0, 1]"));
}

TEST(Rarity, words_say_no_more_than_is_known) {
  EXPECT_EQ(one_in(1.0), "1 in 1");
  EXPECT_EQ(one_in(0.3), "1 in 3.3");
  EXPECT_EQ(one_in(1.0 / 349.0), "1 in 350");
  EXPECT_EQ(one_in(1.0 / 12345.0), "1 in 12,000");
  EXPECT_EQ(one_in(1.0 / 9.96), "1 in 10");
  EXPECT_EQ(one_in(1.0 / 99.7), "1 in 100");
  const TailModel model(exponentials(1000, 13));
  EXPECT_EQ(
      words_of({0.01, 1.0 / 349.0, 1.0 / 902.0, 1.0 / 181.0, false}, model),
      "about 1 in 350 (95 %: 1 in 180 to 1 in 900)");
  EXPECT_EQ(words_of({0.01, 1e-3, model.rarest(), 5e-3, false}, model),
            "about 1 in 1,000 (95 %: 1 in 200 to 1 in 5,000 or rarer)");
  EXPECT_EQ(words_of(model.rarity(kInfinity), model), "rarer than 1 in 5,000");
  EXPECT_EQ(words_of({1.0 / 40.0, std::nullopt, 0.0, 1.0, false}, model),
            "at most about 1 in 40");
}

struct Coverage {
  double share = 0.0;         // of repetitions whose interval covers
  double median_width = 0.0;  // high over low
};

// 200 repetitions of n scores each, judged at the score that is exceeded with
// probability 1 / n.
Coverage coverage_of(const std::vector<double>& scores, std::size_t n,
                     double score) {
  constexpr std::size_t kRepetitions = 200;
  EXPECT_GE(scores.size(), kRepetitions * n);
  Coverage found;
  std::vector<double> widths;
  for (std::size_t r = 0; r < kRepetitions; ++r) {
    const std::span<const double> all(scores);
    const TailModel model(all.subspan(r * n, n), {.seed = 1, .stream = r});
    const RarityEstimate rarity = model.rarity(score);
    const double truth = 1.0 / static_cast<double>(n);
    found.share += rarity.low <= truth && truth <= rarity.high ? 1.0 : 0.0;
    widths.push_back(rarity.high / rarity.low);
  }
  found.share /= kRepetitions;
  found.median_width = quantile(widths, 0.5);
  return found;
}

void expect_coverage(const Coverage& found, const std::string& law) {
  EXPECT_GE(found.share, 0.90) << law;
  EXPECT_LT(found.median_width, 10.0) << law;
}

// Energies of points of a mixture of three Gaussians on the sphere, to a fixed
// sample of it.
std::vector<double> mixture_energies(std::size_t count, std::size_t dim,
                                     double spread) {
  constexpr std::size_t kComponents = 3;
  constexpr std::size_t kReference = 300;
  constexpr std::size_t kAtOnce = 10000;
  const auto draw = [&](std::size_t n, std::uint32_t part,
                        const Matrix<double>& means) {
    Matrix<float> points(n, dim);
    const PhiloxStream stream(77, static_cast<std::uint32_t>(dim), 1, part);
    std::vector<double> z(dim);
    for (std::size_t i = 0; i < n; ++i) {
      stream.normals(static_cast<std::uint32_t>(i), std::span<double>(z));
      double square = 0.0;
      for (std::size_t k = 0; k < dim; ++k) {
        z[k] = means(i % kComponents, k) +
               spread / std::sqrt(static_cast<double>(dim)) * z[k];
        square += z[k] * z[k];
      }
      for (std::size_t k = 0; k < dim; ++k) {
        points(i, k) = static_cast<float>(z[k] / std::sqrt(square));
      }
    }
    return points;
  };
  Matrix<double> means(kComponents, dim);
  const PhiloxStream stream(78, static_cast<std::uint32_t>(dim), 0, 0);
  for (std::size_t c = 0; c < kComponents; ++c) {
    stream.normals(static_cast<std::uint32_t>(c), means.row(c));
    double square = 0.0;
    for (const double v : means.row(c)) square += v * v;
    for (double& v : means.row(c)) v /= std::sqrt(square);
  }
  const Matrix<float> reference = draw(kReference, 0, means);
  const EnergyModel<float> model(
      ReferenceMeasure<float>{reference.view(), {}, {}},
      EnergyOptions{GroundCost::kCosine, 0.05, {}});
  std::vector<double> energies;
  for (std::uint32_t part = 1; energies.size() < count; ++part) {
    const Matrix<float> points = draw(kAtOnce, part, means);
    const auto found = model.evaluate(points.view()).energies;
    energies.insert(energies.end(), found.begin(), found.end());
  }
  return energies;
}

TEST(RarityCoverage, holds_on_mixtures_on_the_sphere) {
  for (const std::size_t dim : {4u, 16u}) {
    const std::vector<double> energies = mixture_energies(800000, dim, 0.5);
    for (const std::size_t n : {1000u, 4000u}) {
      // The truth, to about 6 % at n = 4,000.
      const double score =
          quantile(energies, 1.0 - 1.0 / static_cast<double>(n));
      expect_coverage(coverage_of(energies, n, score),
                      "dimension " + std::to_string(dim));
    }
  }
}

TEST(RarityCoverage, holds_on_the_exponential_law) {
  const double share =
      coverage_of(exponentials(200000, 14), 1000, std::log(1000.0)).share;
  EXPECT_GE(share, 0.90);
}

}  // namespace rarity_test
}  // namespace sbog
