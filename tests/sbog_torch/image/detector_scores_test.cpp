// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/detector_scores.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image {
namespace detector_scores_test {

using namespace testing_support;

Matrix<float> points(std::int64_t count, std::uint64_t index) {
  return nn::to_matrix(unit(normals({count, 5}, index)));
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += double{a[k]} * b[k];
  return sum;
}

TEST(DetectorScores, scores_of_logits_are_the_plain_sums) {
  const torch::Tensor logits = 30.0 * normals({4, 3}, 1);
  const auto lse = lse_scores(logits);
  const auto msp = msp_scores(logits);
  for (std::int64_t i = 0; i < 4; ++i) {
    long double sum = 0.0L;
    long double most = 0.0L;
    for (std::int64_t c = 0; c < 3; ++c) {
      const long double e =
          std::exp(static_cast<long double>(logits[i][c].item<double>()));
      sum += e;
      most = std::max(most, e);
    }
    const auto row = static_cast<std::size_t>(i);
    EXPECT_NEAR(lse[row], static_cast<double>(std::log(sum)), 1e-12);
    EXPECT_NEAR(msp[row], static_cast<double>(most / sum), 1e-12);
  }
  EXPECT_EQ(logit_scores(LogitScore::kLogSumExp, logits), lse);
  EXPECT_EQ(logit_scores(LogitScore::kProbability, logits), msp);
  EXPECT_THROW(lse_scores(logits / 0.0), InvalidArgument);
  EXPECT_THROW(msp_scores(logits[0]), InvalidArgument);
}

TEST(DetectorScores, the_kth_neighbour_is_that_of_a_sorted_list) {
  const Matrix<float> bank = points(30, 2);
  const Matrix<float> queries = points(7, 3);
  ThreadPool pool(3);
  for (const std::size_t k : {1u, 4u, 30u}) {
    const auto found = knn_scores(bank, queries, k);
    EXPECT_EQ(found, knn_scores(bank, queries, k, {&pool, nullptr}));
    for (std::size_t i = 0; i < 7; ++i) {
      std::vector<double> distances;
      for (std::size_t j = 0; j < 30; ++j) {
        distances.push_back(1.0 - cosine(queries.row(i), bank.row(j)));
      }
      std::sort(distances.begin(), distances.end());
      EXPECT_NEAR(found[i], -distances[k - 1], 1e-12);
    }
  }
  EXPECT_THROW(knn_scores(bank, queries, 0), InvalidArgument);
  EXPECT_THROW(knn_scores(bank, queries, 31), InvalidArgument);
}

TEST(DetectorScores, the_energy_is_minus_the_log_of_the_mean_kernel) {
  const Matrix<float> bank = points(20, 2);
  const Matrix<float> queries = points(3, 3);
  const auto found = soe_scores(bank, queries, 0.1);
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < 20; ++j) {
      sum += std::exp(-(1.0 - cosine(queries.row(i), bank.row(j))) / 0.1);
    }
    EXPECT_NEAR(found[i], 0.1 * std::log(sum / 20.0), 1e-5);
  }
}

TEST(DetectorScores, the_threshold_keeps_at_least_the_share) {
  std::vector<double> scores;
  for (int i = 1; i <= 40; ++i) scores.push_back(i);
  EXPECT_EQ(score_threshold(scores), 3.0);  // 38 of 40 are 3 or more
  EXPECT_EQ(score_threshold(scores, 1.0), 1.0);
  EXPECT_EQ(score_threshold(std::vector<double>(5, 2.0)), 2.0);
  EXPECT_THROW(score_threshold({}), InvalidArgument);
  EXPECT_THROW(score_threshold(std::vector<double>{1.0, std::nan("")}),
               InvalidArgument);
  EXPECT_THROW(score_threshold(scores, 0.0), InvalidArgument);
}

// The definitions, by going through all pairs and all thresholds.
DetectionQuality slow_quality(const std::vector<double>& in,
                              const std::vector<double>& out) {
  DetectionQuality quality;
  for (const double a : in) {
    for (const double b : out) {
      quality.auroc += a > b ? 1.0 : (a == b ? 0.5 : 0.0);
    }
  }
  const auto n = static_cast<double>(in.size());
  const auto m = static_cast<double>(out.size());
  quality.auroc /= n * m;
  const auto share = [](const std::vector<double>& scores, double threshold) {
    double count = 0.0;
    for (const double s : scores) count += s >= threshold ? 1.0 : 0.0;
    return count / static_cast<double>(scores.size());
  };
  double best = -1e300, nearest = 2.0;
  for (const double t : in) {
    if (share(in, t) >= 0.95 - 1e-12 && t > best) {
      best = t;
      quality.fpr95 = share(out, t);
    }
    const double gap = std::abs(share(in, t) - 0.95);
    const bool is_tie = std::abs(gap - nearest) < 1e-12;
    if (gap < nearest - 1e-12 ||
        (is_tie && share(out, t) > quality.fpr95_closest)) {
      nearest = gap;
      quality.fpr95_closest = share(out, t);
    }
  }
  for (const double t : in) {
    const double hits = share(in, t) * n;
    quality.aupr += hits / (hits + share(out, t) * m) / n;
  }
  return quality;
}

TEST(DetectorScores, quality_is_the_brute_force_one_with_ties) {
  nn::Draws draws = draws_of(50);
  for (int run = 0; run < 30; ++run) {
    std::vector<double> in, out;
    for (int i = 0; i < 23; ++i) {
      in.push_back(static_cast<double>(draws.below(12)) + 3.0);
    }
    for (int i = 0; i < 17; ++i) {
      out.push_back(static_cast<double>(draws.below(12)));
    }
    const DetectionQuality found = detection_quality(in, out);
    const DetectionQuality slow = slow_quality(in, out);
    EXPECT_NEAR(found.auroc, slow.auroc, 1e-12);
    EXPECT_NEAR(found.fpr95, slow.fpr95, 1e-12);
    EXPECT_NEAR(found.fpr95_closest, slow.fpr95_closest, 1e-12);
    EXPECT_NEAR(found.aupr, slow.aupr, 1e-12);
  }
}

TEST(DetectorScores, one_side_alone_and_nan_are_refused) {
  const std::vector<double> some = {1.0, 2.0};
  EXPECT_THROW(detection_quality(some, {}), InvalidArgument);
  EXPECT_THROW(detection_quality({}, some), InvalidArgument);
  EXPECT_THROW(detection_quality(some, std::vector<double>{std::nan("")}),
               InvalidArgument);
}

TEST(DetectorScores, accuracy_counts_the_largest_logit) {
  const torch::Tensor logits =
      torch::tensor({{1.0F, 2.0F}, {3.0F, 1.0F}, {0.0F, 5.0F}, {9.0F, 8.0F}});
  EXPECT_EQ(
      classifier_accuracy(logits, torch::tensor({1, 0, 0, 0}, torch::kInt64)),
      0.75);
  EXPECT_THROW(classifier_accuracy(logits, no_classes(3)), InvalidArgument);
}

TEST(DetectorScores, equal_images_have_an_artifact_auroc_of_one_half) {
  EncoderOptions options;
  options.shape = {1, 8, 8};
  options.widths = {4};
  options.latent = 2;
  const Detector detector(options, 1);
  const torch::Tensor x = make_bars(10, 1).images;
  EXPECT_EQ(artifact_auroc(detector, x, x), 0.5);
}

}  // namespace detector_scores_test
}  // namespace sbog::image
