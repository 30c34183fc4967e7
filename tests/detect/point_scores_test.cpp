// SPDX-License-Identifier: Apache-2.0
#include "sbog/detect/point_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detect/support.h"
#include "sbog/base/inner_product.h"
#include "sbog/detect/class_span.h"
#include "sbog/energy/perplexity.h"

namespace sbog::detect {
namespace point_scores_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::CancelAtOnce;
using testing_support::clustered_bank;
using testing_support::clustered_points;
using testing_support::invalid_argument_of;

constexpr std::size_t kDim = 6;

struct Fitted {
  LabelledBank bank = clustered_bank(90, kDim, 3);
  ClassGaussians gaussians = fit_gaussians(bank, 0.01);
  LinearHead exposed = head(100);
  LinearHead plain = head(0);
  Matrix<float> points =
      unit_rows(clustered_points(40, kDim, 5, 0.4, 11), "points");

  LinearHead head(std::size_t outliers) const {
    HeadOptions options;
    options.epochs = 2;
    options.batch = 16;
    options.outliers = outliers;
    return *train_head(bank, options, 1);
  }
  std::vector<double> epsilons = *soe_epsilons(bank, {});
  PointScoreParts parts() const {
    return {bank, gaussians, &exposed, &plain, epsilons};
  }
  std::vector<double> score(PointScore kind,
                            const PointScoreOptions& options = {},
                            const Context& context = {}) const {
    PointScoreParts all = parts();
    const std::vector<double> wanted = *soe_epsilons(bank, options);
    all.epsilons = wanted;
    return *score_points(kind, all, options, points, context);
  }
  double cosine(std::size_t i, std::size_t row) const {
    return cosine_of<float, float>(points.row(i), bank.points.row(row));
  }
};

TEST(PointScores, mean_is_minus_the_best_cosine_to_a_mean) {
  const Fitted fitted;
  const Matrix<double> means = class_means(fitted.bank);
  const std::vector<double> scores = fitted.score(PointScore::kMean);
  for (std::size_t i = 0; i < fitted.points.rows(); ++i) {
    double best = -1.0;
    for (std::size_t c = 0; c < 3; ++c) {
      best = std::max(
          best, cosine_of<float, double>(fitted.points.row(i), means.row(c)));
    }
    // Stored rows are unit to the rounding of float.
    EXPECT_NEAR(scores[i], -best, 1e-6) << i;
  }
}

TEST(PointScores, knn_is_the_cost_of_the_kth_neighbour) {
  const Fitted fitted;
  PointScoreOptions options;
  options.neighbours = 4;
  const std::vector<double> scores = fitted.score(PointScore::kKnn, options);
  for (std::size_t i = 0; i < fitted.points.rows(); ++i) {
    std::vector<double> costs;
    for (std::size_t row = 0; row < fitted.bank.rows(); ++row) {
      costs.push_back(1.0 - fitted.cosine(i, row));
    }
    std::ranges::sort(costs);
    EXPECT_NEAR(scores[i], costs[3], 1e-6) << i;
  }
}

TEST(PointScores, soe_is_the_least_energy_of_a_class) {
  const Fitted fitted;
  const auto energy = [&](std::size_t i, std::size_t cls, bool is_global) {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t row = 0; row < fitted.bank.rows(); ++row) {
      if (!is_global && fitted.bank.classes[row] != cls) continue;
      sum += std::exp(-(1.0 - fitted.cosine(i, row)) / 0.1);
      count += 1.0;
    }
    return -0.1 * std::log(sum / count);
  };
  PointScoreOptions options;
  options.epsilon = 0.1;
  const std::vector<double> scores = fitted.score(PointScore::kSoe, options);
  options.is_soe_per_class = false;
  const std::vector<double> global = fitted.score(PointScore::kSoe, options);
  for (std::size_t i = 0; i < fitted.points.rows(); ++i) {
    const double least = std::min(
        {energy(i, 0, false), energy(i, 1, false), energy(i, 2, false)});
    EXPECT_NEAR(scores[i], least, 1e-5) << i;
    EXPECT_NEAR(global[i], energy(i, 0, true), 1e-5) << i;
  }
}

TEST(PointScores, soe_finds_the_temperature_of_each_class) {
  const Fitted fitted;
  PointScoreOptions options;
  const std::vector<double> found = *soe_epsilons(fitted.bank, options);
  ASSERT_EQ(found.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < fitted.bank.rows(); ++i) {
      if (fitted.bank.classes[i] == c) rows.push_back(i);
    }
    EXPECT_EQ(found[c],
              find_epsilon<float>({fitted.bank.points.view(), {}, rows}, {}));
  }
  options.is_soe_per_class = false;
  EXPECT_THAT(*soe_epsilons(fitted.bank, options),
              ElementsAre(find_epsilon<float>(
                  {fitted.bank.points.view(), {}, {}}, {})));
  options.epsilon = 0.3;
  EXPECT_THAT(*soe_epsilons(fitted.bank, options), ElementsAre(0.3));
  CancelAtOnce stop;
  EXPECT_FALSE(soe_epsilons(fitted.bank, {}, {nullptr, &stop}));
}

TEST(PointScores, classes_of_equal_rows_take_the_temperature_of_the_others) {
  LabelledBank bank = clustered_bank(30, 4, 3);
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    if (bank.classes[i] != 1) continue;
    std::ranges::copy(bank.points.row(1), bank.points.row(i).begin());
  }
  const std::vector<double> found = *soe_epsilons(bank, {});
  EXPECT_EQ(found[1], std::max(found[0], found[2]));
  EXPECT_EQ(*soe_epsilons(clustered_bank(3, 4, 3), {}),
            std::vector<double>(3, 0.05));
}

TEST(PointScores, heads_give_probability_log_sum_exp_and_energy) {
  const Fitted fitted;
  const std::vector<double> msp = fitted.score(PointScore::kMsp);
  const std::vector<double> lse = fitted.score(PointScore::kLse);
  const std::vector<double> head = fitted.score(PointScore::kHead);
  const auto logits_of = [&](const LinearHead& from, std::size_t i) {
    std::vector<double> logits(from.bias.begin(), from.bias.end());
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t j = 0; j < kDim; ++j) {
        logits[c] += double{fitted.points(i, j)} * from.weights(j, c);
      }
    }
    return logits;
  };
  const auto sum_of = [](const std::vector<double>& logits) {
    double sum = 0.0;
    for (const double x : logits) sum += std::exp(x);
    return sum;
  };
  for (std::size_t i = 0; i < fitted.points.rows(); ++i) {
    const std::vector<double> plain = logits_of(fitted.plain, i);
    const double top = *std::ranges::max_element(plain);
    EXPECT_NEAR(msp[i], -std::exp(top) / sum_of(plain), 1e-12);
    EXPECT_NEAR(lse[i], -std::log(sum_of(plain)), 1e-12);
    const double exposed = std::log(sum_of(logits_of(fitted.exposed, i)));
    EXPECT_NEAR(
        head[i],
        -(std::log(1.0 + std::exp(double{fitted.exposed.slope})) * exposed +
          fitted.exposed.offset),
        1e-12);
  }
}

TEST(PointScores, rmd_is_that_of_the_gaussians) {
  const Fitted fitted;
  EXPECT_EQ(fitted.score(PointScore::kRmd),
            fitted.gaussians.score(fitted.points).scores);
}

TEST(PointScores, span_is_that_of_the_class_means) {
  const Fitted fitted;
  EXPECT_EQ(fitted.score(PointScore::kSpan),
            ClassSpan(class_means(fitted.bank)).score(fitted.points));
}

TEST(PointScores, every_score_is_the_same_for_any_number_of_threads) {
  const Fitted fitted;
  ThreadPool pool(3);
  for (const std::string& name : point_score_names()) {
    const PointScore kind = parse_point_score(name);
    EXPECT_EQ(fitted.score(kind, {}, {&pool, nullptr}), fitted.score(kind))
        << name;
  }
}

// A linear head promises nothing about a single direction.
TEST(PointScores, scores_of_geometry_find_a_point_far_away_unusual) {
  const Fitted fitted;
  Matrix<float> far(1, kDim);
  far(0, kDim - 1) = -1.0F;
  for (const char* name : {"rmd", "mean", "knn", "soe"}) {
    const PointScore kind = parse_point_score(name);
    const double there = (*score_points(kind, fitted.parts(), {}, far))[0];
    const std::vector<double> usual =
        *score_points(kind, fitted.parts(), {}, fitted.bank.points);
    std::size_t below = 0;
    for (const double score : usual) below += score < there ? 1 : 0;
    EXPECT_GT(below, usual.size() * 9 / 10) << name;
  }
}

TEST(PointScores, names_are_read_back) {
  for (const std::string& name : point_score_names()) {
    EXPECT_EQ(to_string(parse_point_score(name)), name);
  }
  EXPECT_THAT(invalid_argument_of([] { (void)parse_point_score("odin"); }),
              HasSubstr("got 'odin'"));
}

TEST(PointScores, what_does_not_fit_is_refused) {
  const Fitted fitted;
  const Matrix<float> wide(2, kDim + 1);
  EXPECT_THAT(invalid_argument_of([&] {
                (void)score_points(PointScore::kRmd, fitted.parts(), {}, wide);
              }),
              HasSubstr("6 columns are expected"));
  const PointScoreParts headless{fitted.bank, fitted.gaussians};
  EXPECT_THAT(invalid_argument_of([&] {
                (void)score_points(PointScore::kHead, headless, {},
                                   fitted.points);
              }),
              HasSubstr("trained without it"));
  PointScoreOptions options;
  options.neighbours = 91;
  EXPECT_THAT(
      invalid_argument_of([&] { fitted.score(PointScore::kKnn, options); }),
      HasSubstr("from 1 to the 90 rows"));
}

TEST(PointScores, energies_can_be_stopped) {
  const Fitted fitted;
  CancelAtOnce stop;
  EXPECT_FALSE(score_points(PointScore::kSoe, fitted.parts(), {}, fitted.points,
                            {nullptr, &stop}));
}

}  // namespace point_scores_test
}  // namespace sbog::detect
