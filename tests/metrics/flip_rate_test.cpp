// SPDX-License-Identifier: Apache-2.0
// Flip rate against energies by the plain loop on the same subsets.
#include "sbog/metrics/flip_rate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "metrics/support.h"
#include "sbog/metrics/detail/streams.h"

namespace sbog::testing_support {
namespace flip_rate_test {

using Labels = std::vector<std::int64_t>;
using Rows = std::vector<std::size_t>;

constexpr double kEpsilon = 0.1;

// Cosine energy against rows of the bank but for `self`.
double plain_energy(const Matrix<double>& bank, const Rows& rows,
                    std::span<const double> point, std::size_t self) {
  double sum = 0.0;
  double count = 0.0;
  for (const std::size_t row : rows) {
    if (row == self) continue;
    sum += std::exp((plain_cosine(bank.row(row), point) - 1.0) / kEpsilon);
    count += 1.0;
  }
  return -kEpsilon * std::log(sum / count);
}

std::vector<bool> plain_decisions(const Matrix<double>& bank, const Rows& rows,
                                  const Matrix<double>& points,
                                  const ThresholdOptions& threshold) {
  std::vector<double> own;
  for (const std::size_t row : rows) {
    own.push_back(plain_energy(bank, rows, bank.row(row), row));
  }
  const double tau = calibrate_threshold(own, threshold).value;
  std::vector<bool> decisions;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    decisions.push_back(plain_energy(bank, rows, points.row(i), bank.rows()) >=
                        tau);
  }
  return decisions;
}

Rows all_rows(std::size_t count) {
  Rows rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

class FlipRateTest : public ::testing::Test {
 protected:
  ScoreProblem<double> problem() const {
    return {bank.view(), {}, {}, points.view(), {}};
  }
  FlipRate run(const ScoreProblem<double>& scored, const FlipRateOptions& flips,
               const Context& context = {}) {
    return flip_rate(scored, options, score_bank(scored, options), flips,
                     context);
  }
  void SetUp() override {
    options.energy.epsilon = kEpsilon;
    options.threshold.level = 0.8;
    options.threshold.margin = 0.001;
  }

  Matrix<double> bank = random_points(150, 4, 1);
  Matrix<double> points = random_points(80, 4, 2);
  ScoreOptions options;
};

TEST_F(FlipRateTest, agrees_with_the_plain_loops) {
  const FlipRateOptions flips{40, 5, 11};
  const std::vector<bool> full =
      plain_decisions(bank, all_rows(150), points, options.threshold);
  const FlipRate found = run(problem(), flips);
  ASSERT_EQ(found.rates.size(), 5u);
  double sum = 0.0;
  for (std::uint32_t b = 0; b < 5; ++b) {
    const std::vector<bool> small = plain_decisions(
        bank, draw_subset(150, 40, 11, detail::kFlipPurpose + b), points,
        options.threshold);
    double flipped = 0.0;
    for (std::size_t i = 0; i < 80; ++i) {
      if (small[i] != full[i]) flipped += 1.0 / 80.0;
    }
    EXPECT_NEAR(found.rates[b], flipped, 1e-12) << b;
    sum += flipped;
  }
  EXPECT_GT(sum, 0.0);
  EXPECT_NEAR(found.value.value(), sum / 5.0, 1e-12);
}

TEST_F(FlipRateTest, of_deep_points_is_zero) {
  Matrix<double> bank_of_one(200, 2);
  for (std::size_t i = 0; i < 200; ++i) {
    bank_of_one(i, 0) = 1.0;
    bank_of_one(i, 1) = 0.001 * static_cast<double>(i % 17);
  }
  Matrix<double> far(1, 2);
  far(0, 0) = -1.0;
  const ScoreProblem<double> easy{
      bank_of_one.view(), {}, {}, std::as_const(far).view(), {}};
  EXPECT_EQ(run(easy, {20, 10, 0}).value, 0.0);
}

TEST_F(FlipRateTest, per_class_is_the_mixture_of_the_classes) {
  const Labels labels = cyclic_labels(150, 2);
  const Labels sources = cyclic_labels(80, 2);
  const FlipRateOptions flips{30, 4, 3};
  const auto part = [](const Matrix<double>& all, std::size_t offset) {
    Matrix<double> rows(all.rows() / 2, all.cols());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      std::copy_n(all.row(2 * i + offset).data(), all.cols(),
                  rows.row(i).data());
    }
    return rows;
  };
  double expected = 0.0;
  for (const std::size_t c : {0, 1}) {
    const Matrix<double> class_bank = part(bank, c);
    const Matrix<double> class_points = part(points, c);
    expected += run({class_bank.view(), {}, {}, class_points.view(), {}}, flips)
                    .value.value();
  }
  options.is_per_class = true;
  const ScoreProblem<double> both{
      bank.view(), {}, labels, points.view(), sources};
  EXPECT_NEAR(run(both, flips).value.value(), expected / 2.0, 1e-12);
}

TEST_F(FlipRateTest, points_of_zero_weight_are_as_if_absent) {
  Matrix<double> more(160, 4);
  std::copy(bank.elements().begin(), bank.elements().end(),
            more.elements().begin());
  for (std::size_t i = 150; i < 160; ++i) more(i, 0) = 1.0;
  std::vector<double> weights(160, 1.0);
  std::fill(weights.begin() + 150, weights.end(), 0.0);
  // Without the weights the ten points would be drawn too. The calibration of
  // the full bank still sees them, so only the subsets are compared.
  const FlipRateOptions flips{149, 3, 5};
  const ScoreProblem<double> weighted{
      std::as_const(more).view(), weights, {}, points.view(), {}};
  ScoreResult full = score_bank(problem(), options);
  EXPECT_EQ(flip_rate(weighted, options, full, flips).rates,
            flip_rate(problem(), options, full, flips).rates);
}

TEST_F(FlipRateTest, a_bank_that_is_no_larger_than_a_subset_has_no_rate) {
  EXPECT_EQ(run(problem(), {150, 3, 0}).value, std::nullopt);
  EXPECT_TRUE(run(problem(), {149, 3, 0}).value.has_value());
  const Labels labels = cyclic_labels(150, 3);
  const Labels sources(80, 2);
  options.is_per_class = true;
  const ScoreProblem<double> classes{
      bank.view(), {}, labels, points.view(), sources};
  EXPECT_EQ(run(classes, {50, 3, 0}).value, std::nullopt);
  EXPECT_TRUE(run(classes, {49, 3, 0}).value.has_value());
}

TEST_F(FlipRateTest, trim_and_quantile_rule_apply_to_the_subsets_too) {
  options.trim = 0.08;
  options.threshold.quantile_rule = QuantileRule::kHigher;
  const ScoreResult full = score_bank(problem(), options);
  const FlipRate found = run(problem(), {60, 3, 0});
  ASSERT_EQ(found.rates.size(), 3u);
  for (std::uint32_t b = 0; b < 3; ++b) {
    const Rows rows = draw_subset(150, 60, 0, detail::kFlipPurpose + b);
    Matrix<double> part(60, 4);
    for (std::size_t i = 0; i < 60; ++i) {
      std::copy_n(bank.row(rows[i]).data(), 4, part.row(i).data());
    }
    const ScoreResult small = score_bank<double>(
        {std::as_const(part).view(), {}, {}, points.view(), {}}, options);
    EXPECT_EQ(small.classes[0].reference_count, 56u);  // 60 - floor(4.8)
    double flipped = 0.0;
    for (std::size_t i = 0; i < 80; ++i) {
      const bool before = full.energies[i] >= full.classes[0].threshold.value;
      const bool after = small.energies[i] >= small.classes[0].threshold.value;
      if (before != after) flipped += 1.0 / 80.0;
    }
    EXPECT_NEAR(found.rates[b], flipped, 1e-12) << b;
  }
}

TEST_F(FlipRateTest, threads_do_not_change_a_bit) {
  expect_same_bits([&](const Context& context) {
    return run(problem(), {64, 5, 1}, context).rates;
  });
}

TEST_F(FlipRateTest, can_be_cancelled) {
  CancelAtOnce cancel;
  const FlipRate found = run(problem(), {64, 5, 1}, {nullptr, &cancel});
  EXPECT_EQ(found.status, SolveStatus::kCancelled);
  EXPECT_EQ(found.value, std::nullopt);
}

TEST_F(FlipRateTest, bad_input_is_named) {
  const auto message = [&](const FlipRateOptions& flips) {
    return invalid_argument_of([&] { run(problem(), flips); });
  };
  EXPECT_THAT(message({1, 3, 0}), ::testing::HasSubstr("subset size"));
  EXPECT_THAT(message({10, 0, 0}), ::testing::HasSubstr("subsets"));
  const ScoreProblem<double> empty{bank.view(), {}, {}, {}, {}};
  EXPECT_THAT(invalid_argument_of(
                  [&] { (void)flip_rate(empty, options, ScoreResult{}); }),
              ::testing::HasSubstr("at least one query"));
  EXPECT_THAT(invalid_argument_of(
                  [&] { (void)flip_rate(problem(), options, ScoreResult{}); }),
              ::testing::HasSubstr("same queries"));
  const ScoreResult scored = score_bank(problem(), options);
  options.includes_self = true;
  EXPECT_THAT(
      invalid_argument_of([&] { (void)flip_rate(problem(), options, scored); }),
      ::testing::HasSubstr("leave-one-out"));
}

}  // namespace flip_rate_test
}  // namespace sbog::testing_support
