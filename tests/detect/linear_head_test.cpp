// SPDX-License-Identifier: Apache-2.0
#include "sbog/detect/linear_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "detect/support.h"
#include "sbog/metrics/detection.h"

namespace sbog::detect {
namespace linear_head_test {

using testing::HasSubstr;
using testing_support::CancelAtOnce;
using testing_support::clustered_bank;
using testing_support::invalid_argument_of;
using testing_support::listed;

LinearHead made_head(std::size_t dim, std::size_t classes) {
  LinearHead head;
  head.weights = Matrix<float>(dim, classes);
  for (std::size_t i = 0; i < dim; ++i) {
    PhiloxStream(3, 0, 0, i).normals(0, head.weights.row(i));
  }
  head.bias.resize(classes);
  PhiloxStream(4, 0, 0, 0).normals(0, std::span<float>(head.bias));
  head.slope = 0.3F;
  head.offset = -0.7F;
  return head;
}

double log_one_plus_exp(double x) { return std::log(1.0 + std::exp(x)); }

// The loss of the formula, in double, row by row.
double slow_loss(const LinearHead& head, const Matrix<float>& points,
                 const std::vector<std::size_t>& classes, bool is_exposed) {
  const auto in = static_cast<double>(classes.size());
  const double out = static_cast<double>(points.rows()) - in;
  double loss = 0.0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    std::vector<double> logits(head.bias.begin(), head.bias.end());
    double sum = 0.0;
    for (std::size_t c = 0; c < logits.size(); ++c) {
      for (std::size_t j = 0; j < points.cols(); ++j) {
        logits[c] += double{points(i, j)} * head.weights(j, c);
      }
      sum += std::exp(logits[c]);
    }
    const double lse = std::log(sum);
    const double e = log_one_plus_exp(head.slope) * lse + head.offset;
    if (i < classes.size()) {
      loss += (lse - logits[classes[i]]) / in;
      if (is_exposed) loss += log_one_plus_exp(-e) / in;
    } else {
      loss += log_one_plus_exp(e) / out;
    }
  }
  return loss;
}

struct Batch {
  Matrix<float> points;
  std::vector<std::size_t> classes;
};

// 40 rows of three classes and ten outliers.
Batch made_batch() {
  const LabelledBank bank = clustered_bank(40, 5, 3);
  const Matrix<float> outliers = ExposureLaw(bank, {}).draw(10, 1, 0);
  Batch batch{Matrix<float>(50, 5), bank.classes};
  std::ranges::copy(bank.points.elements(), batch.points.elements().begin());
  std::ranges::copy(outliers.elements(), batch.points.row(40).begin());
  return batch;
}

TEST(LinearHead, the_loss_is_that_of_the_formula) {
  const Batch batch = made_batch();
  const LinearHead head = made_head(5, 3);
  EXPECT_NEAR(head_gradient(head, batch.points, batch.classes, true).loss,
              slow_loss(head, batch.points, batch.classes, true), 1e-5);
  Matrix<float> in(40, 5);
  std::copy_n(batch.points.data(), in.size(), in.data());
  EXPECT_NEAR(head_gradient(head, in, batch.classes, false).loss,
              slow_loss(head, in, batch.classes, false), 1e-5);
}

// Central differences of the slow loss, for every parameter.
TEST(LinearHead, the_gradient_is_that_of_the_loss) {
  const Batch batch = made_batch();
  LinearHead head = made_head(5, 3);
  const HeadGradient found =
      head_gradient(head, batch.points, batch.classes, true);
  const auto difference = [&](float& parameter) {
    const float kept = parameter;
    constexpr float kStep = 1.0F / 256.0F;
    parameter = kept + kStep;
    const double above = slow_loss(head, batch.points, batch.classes, true);
    const double up = parameter;
    parameter = kept - kStep;
    const double below = slow_loss(head, batch.points, batch.classes, true);
    const double width = up - parameter;
    parameter = kept;
    return (above - below) / width;
  };
  // The third derivative of the loss is of order 1: (1/256)^2 / 6 = 3e-6.
  for (std::size_t j = 0; j < 5; ++j) {
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(found.weights(j, c), difference(head.weights(j, c)), 1e-5);
    }
  }
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(found.bias[c], difference(head.bias[c]), 1e-5);
  }
  EXPECT_NEAR(found.slope, difference(head.slope), 1e-5);
  EXPECT_NEAR(found.offset, difference(head.offset), 1e-5);
}

TEST(LinearHead, without_outliers_slope_and_offset_do_not_move) {
  const LabelledBank bank = clustered_bank(40, 5, 3);
  const HeadGradient found =
      head_gradient(made_head(5, 3), bank.points, bank.classes, false);
  EXPECT_EQ(found.slope, 0.0);
  EXPECT_EQ(found.offset, 0.0);
}

// Equal logits: every class has probability 1/3 and lse = log 3 + bias.
TEST(LinearHead, a_head_of_zeros_has_the_closed_form) {
  LinearHead head;
  head.weights = Matrix<float>(5, 3);
  head.bias.assign(3, 0.5F);
  head.offset = 1.0F;
  const LabelledBank bank = clustered_bank(6, 5, 3);
  const Matrix<double> logits = head_logits(head, bank.points);
  const double lse = log_sum_exp_of(logits.row(0));
  EXPECT_NEAR(lse, std::log(3.0) + 0.5, 1e-12);
  EXPECT_NEAR(head.energy(lse), std::log(2.0) * lse + 1.0, 1e-12);
  EXPECT_NEAR(head_gradient(head, bank.points, bank.classes, false).loss,
              std::log(3.0), 1e-6);
}

std::vector<double> energies_of(const LinearHead& head,
                                MatrixView<const float> points) {
  const Matrix<double> logits = head_logits(head, points);
  std::vector<double> values;
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    values.push_back(head.energy(log_sum_exp_of(logits.row(i))));
  }
  return values;
}

double share_right(const LinearHead& head, const LabelledBank& bank) {
  const Matrix<double> logits = head_logits(head, bank.points);
  std::size_t right = 0;
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    const auto row = logits.row(i);
    const auto best = std::ranges::max_element(row) - row.begin();
    if (static_cast<std::size_t>(best) == bank.classes[i]) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(bank.rows());
}

TEST(LinearHead, outliers_teach_what_classes_alone_do_not) {
  const LabelledBank bank = clustered_bank(400, 30, 6, 0.05);
  const LabelledBank fresh = clustered_bank(120, 30, 6, 0.05, 7);
  const Matrix<float> outliers = ExposureLaw(bank, {}).draw(300, 99, 0);
  HeadOptions options;
  options.epochs = 20;
  options.batch = 32;
  options.outliers = 400;
  const LinearHead exposed = *train_head(bank, options, 1);
  options.outliers = 0;
  const LinearHead plain = *train_head(bank, options, 1);
  EXPECT_EQ(share_right(exposed, fresh), 1.0);
  EXPECT_EQ(share_right(plain, fresh), 1.0);
  const auto quality = [&](const LinearHead& head) {
    return *auroc(energies_of(head, fresh.points), energies_of(head, outliers));
  };
  EXPECT_GT(quality(exposed), 0.95);
  EXPECT_GT(quality(exposed), quality(plain) + 0.05);
}

// Constant inputs move every head by the same amount for all rows.
TEST(LinearHead, a_shift_of_the_bank_is_taken_up_by_the_bias) {
  LabelledBank bank = clustered_bank(60, 5, 3);
  HeadOptions options;
  options.epochs = 3;
  options.outliers = 0;
  const Matrix<double> before =
      head_logits(*train_head(bank, options, 1), bank.points);
  for (std::size_t i = 0; i < bank.rows(); ++i) bank.points(i, 2) += 0.5F;
  const Matrix<double> after =
      head_logits(*train_head(bank, options, 1), bank.points);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(after.elements()[i], before.elements()[i], 1e-4);
  }
}

TEST(LinearHead, the_result_is_the_same_for_any_number_of_threads) {
  const LabelledBank bank = clustered_bank(150, 40, 3);
  HeadOptions options;
  options.epochs = 2;
  options.outliers = 100;
  options.batch = 64;
  const LinearHead alone = *train_head(bank, options, 5);
  for (const std::size_t threads : {2u, 3u}) {
    ThreadPool pool(threads);
    const LinearHead head = *train_head(bank, options, 5, {&pool, nullptr});
    EXPECT_EQ(listed(head.weights), listed(alone.weights));
    EXPECT_EQ(head.bias, alone.bias);
    EXPECT_EQ(head.slope, alone.slope);
    EXPECT_EQ(head.offset, alone.offset);
    EXPECT_EQ(listed(head_logits(head, bank.points, {&pool, nullptr})),
              listed(head_logits(alone, bank.points)));
  }
  EXPECT_NE(listed(train_head(bank, options, 6)->weights),
            listed(alone.weights));
}

bool says_the_same(const LinearHead& a, const LinearHead& b) {
  return listed(a.weights) == listed(b.weights) && a.bias == b.bias &&
         a.slope == b.slope && a.offset == b.offset;
}

TEST(LinearHead, outliers_of_another_law_are_shown_epoch_by_epoch) {
  const LabelledBank bank = clustered_bank(90, 8, 3);
  HeadOptions options;
  options.epochs = 3;
  options.least_steps = 0;
  options.outliers = 50;
  const ExposureLaw law(bank, options.exposure);
  std::vector<std::size_t> epochs;
  const LinearHead given =
      *train_head(bank, options, 5, [&](std::size_t epoch) {
        epochs.push_back(epoch);
        return law.draw(50, 5, epoch);
      });
  EXPECT_EQ(epochs, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(says_the_same(given, *train_head(bank, options, 5)));
  options.outliers = 0;
  EXPECT_TRUE(says_the_same(*train_head(bank, options, 5, OutlierSource()),
                            *train_head(bank, options, 5)));
}

TEST(LinearHead, few_rows_are_gone_through_until_there_were_enough_steps) {
  const LabelledBank bank = clustered_bank(90, 4, 3);
  HeadOptions options;
  options.batch = 32;  // three steps per epoch
  options.epochs = 2;
  options.least_steps = 10;
  std::size_t epochs = 0;
  const auto count = [&](std::size_t) {
    ++epochs;
    return Matrix<float>();
  };
  (void)train_head(bank, options, 1, count);
  EXPECT_EQ(epochs, 4u);
  EXPECT_EQ(head_epochs(options, bank.rows()), 4u);
  options.least_steps = 6;
  epochs = 0;
  (void)train_head(bank, options, 1, count);
  EXPECT_EQ(epochs, 2u);
}

TEST(LinearHead, training_can_be_stopped) {
  CancelAtOnce stop;
  EXPECT_FALSE(train_head(clustered_bank(30, 4, 3), {}, 1, {nullptr, &stop}));
}

TEST(LinearHead, one_class_and_bad_options_are_refused) {
  EXPECT_THAT(invalid_argument_of(
                  [] { (void)train_head(clustered_bank(30, 4, 1), {}, 1); }),
              HasSubstr("labels of at least two classes"));
  const auto refused = [](auto change) {
    HeadOptions options;
    change(options);
    EXPECT_THROW(check_head(options), InvalidArgument);
  };
  refused([](HeadOptions& o) { o.epochs = 0; });
  refused([](HeadOptions& o) { o.batch = 0; });
  refused([](HeadOptions& o) { o.rate = 0.0; });
  refused([](HeadOptions& o) { o.decay = -1.0; });
  refused([](HeadOptions& o) { o.exposure.radius_to = 0.0; });
}

}  // namespace linear_head_test
}  // namespace sbog::detect
