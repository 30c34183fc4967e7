// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/series_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/base/thread_pool.h"
#include "series/window_support.h"

namespace sbog::series {
namespace series_model_test {

using namespace testing_support;
using ::testing::HasSubstr;

SeriesTraining short_training() {
  SeriesTraining training;
  training.windows = {32, 1, false};
  training.pretext.epochs = 3;
  training.pretext.batch = 20;
  return training;
}

Series waves(std::size_t rows = 140, std::size_t channels = 5) {
  return make_series("waves", make_waves(rows, channels, 2));
}

std::string refusal(const Series& series, const SeriesTraining& training) {
  try {
    train_series_model(series, training);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(SeriesModel, holds_what_it_was_trained_on) {
  const Series series = waves();
  SeriesTraining training = short_training();
  training.windows.stride = 2;
  PretextHistory history;
  const auto model = train_series_model(series, training, {}, &history);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->channels, series.channels);
  EXPECT_EQ(model->windows.width, 32u);
  EXPECT_EQ(model->windows.stride, 2u);
  EXPECT_EQ(model->diagnostics.windows, 54u);
  EXPECT_EQ(history.losses.size(), 6u);
  const ChannelStatistics truth = channel_statistics(series.values);
  EXPECT_EQ(model->statistics.means, truth.means);
  EXPECT_EQ(model->statistics.deviations, truth.deviations);
}

TEST(SeriesModel, diagnostics_are_those_of_the_plainest_loops) {
  const Series series = waves();
  const SeriesTraining training = short_training();
  const auto model = train_series_model(series, training);
  const WindowSource source(series.values, training.windows);
  const Triplets triplets(
      source, {training.pretext.seed, true, InjectionSpace::kStandardised, 0});
  double positive = 0.0, negative = 0.0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    Matrix<float> windows(3, 5 * 32);
    const auto rows = [&](std::size_t k) {
      return MatrixView<float>(windows.row(k).data(), 5, 32);
    };
    triplets.fill_anchor(i, rows(0));
    triplets.fill_positive(i, rows(1));
    triplets.fill_negative(i, rows(2));
    const Matrix<float> z = model->encoder.embed(windows);
    positive += 1.0 - inner_product<float, float>(z.row(0), z.row(1));
    negative += 1.0 - inner_product<float, float>(z.row(0), z.row(2));
  }
  const auto n = static_cast<double>(source.size());
  const SeriesDiagnostics& told = model->diagnostics;
  EXPECT_NEAR(told.positive_distance, positive / n, 1e-9);
  EXPECT_NEAR(told.negative_distance, negative / n, 1e-9);
  const Matrix<float> points = model->encoder.embed(source);
  double apart = 0.0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      apart += 1.0 - inner_product<float, float>(points.row(i), points.row(j));
    }
  }
  EXPECT_NEAR(told.spread.pair_distance, apart / (n * (n - 1.0) / 2.0), 1e-6);
  EXPECT_EQ(told.spread.is_collapsed, told.spread.pair_distance < 0.01);
  EXPECT_EQ(told.identical_share, 0.0);
}

TEST(SeriesModel, training_and_points_have_the_same_bits_for_any_threads) {
  const Series series = waves();
  const auto alone = train_series_model(series, short_training());
  ThreadPool pool(3);
  const Context context{&pool, nullptr};
  const auto together = train_series_model(series, short_training(), context);
  EXPECT_EQ(largest_difference(alone->encoder.parameters().flat(),
                               together->encoder.parameters().flat()),
            0.0);
  EXPECT_EQ(alone->diagnostics.spread.pair_distance,
            together->diagnostics.spread.pair_distance);
  const SeriesEmbedding a = embed_series(*alone, series);
  const SeriesEmbedding b = embed_series(*together, series, context);
  EXPECT_EQ(largest_difference(a.points.elements(), b.points.elements()), 0.0);
  // A tail window comes on top of the training windows and ends at the end.
  EXPECT_EQ(a.starts.size(), alone->diagnostics.windows + 1);
  EXPECT_EQ(a.starts.back(), series.rows() - 32);
}

TEST(SeriesModel, the_units_of_the_channels_do_not_matter) {
  const Series series = waves();
  Series other = waves();
  // Powers of two, so that every rounding stays what it was.
  for (std::size_t t = 0; t < other.rows(); ++t) {
    other.values(t, 0) *= 1048576.0;
    other.values(t, 2) *= 1.0 / 4096.0;
  }
  const auto a = train_series_model(series, short_training());
  const auto b = train_series_model(other, short_training());
  EXPECT_EQ(largest_difference(a->encoder.parameters().flat(),
                               b->encoder.parameters().flat()),
            0.0);
}

TEST(SeriesModel, one_channel_is_enough) {
  const auto model = train_series_model(waves(140, 1), short_training());
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(embed_series(*model, waves(80, 1)).points.rows(), 49u);
}

class StopAtOnce : public Observer {
 public:
  bool on_progress(std::uint64_t, std::uint64_t) override { return false; }
};

TEST(SeriesModel, a_cancelled_training_gives_no_model) {
  StopAtOnce stop;
  PretextHistory history;
  EXPECT_FALSE(
      train_series_model(waves(), short_training(), {nullptr, &stop}, &history)
          .has_value());
  EXPECT_EQ(history.status, SolveStatus::kCancelled);
  EXPECT_EQ(history.losses.size(), 1u);
}

TEST(SeriesModel, the_automatic_stride_is_the_smallest_that_gives_few_windows) {
  for (const std::size_t rows :
       {0u, 200u, 201u, 5200u, 5201u, 10199u, 10200u, 10202u, 496800u}) {
    const std::size_t stride = automatic_stride(rows, 200);
    const auto windows = [&](std::size_t s) {
      return rows < 200 ? 0 : (rows - 200) / s;
    };
    EXPECT_GE(stride, 1u);
    EXPECT_LE(windows(stride), 5000u) << rows;
    if (stride > 1) {
      EXPECT_GT(windows(stride - 1), 5000u) << rows;
    }
  }
}

TEST(SeriesModel,
     a_series_that_cannot_be_learnt_from_is_refused_in_a_sentence) {
  const SeriesTraining training = short_training();
  EXPECT_THAT(refusal(waves(51), training),
              HasSubstr("has 51 rows, which give 19 windows"));
  EXPECT_THAT(refusal(waves(20), training), HasSubstr("give 0 windows"));
  Series still = waves();
  for (double& x : still.values.elements()) x = 3.0;
  EXPECT_THAT(refusal(still, training), HasSubstr("constant"));
  EXPECT_THAT(refusal(make_series("wide", Matrix<double>(60, 1025)), training),
              HasSubstr("1025 channels; at most 1024"));
  Series broken = waves();
  broken.values(7, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal(broken, training), HasSubstr("row 7, column 3"));
  EXPECT_THAT(refusal(make_series("none", {}), training), HasSubstr("no rows"));
  SeriesTraining narrow = training;
  narrow.windows.width = 9;
  EXPECT_THAT(refusal(waves(), narrow), HasSubstr("at least 10 rows"));
}

TEST(SeriesModel, another_series_must_have_the_same_channels) {
  const auto model = train_series_model(waves(), short_training());
  EXPECT_THROW(embed_series(*model, waves(100, 4)), InvalidArgument);
  Series renamed = waves();
  renamed.channels[2] = "pressure";
  try {
    embed_series(*model, renamed);
    FAIL() << "accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("channel 2 is 'pressure'"));
  }
  EXPECT_THROW(embed_series(*model, waves(20)), InvalidArgument);
}

TEST(SeriesModel, names_of_losses_and_spaces_are_read_back) {
  for (const ContrastiveLoss loss :
       {ContrastiveLoss::kInfoNce, ContrastiveLoss::kHinge,
        ContrastiveLoss::kPullPush}) {
    EXPECT_EQ(parse_loss(to_string(loss)), loss);
  }
  EXPECT_THROW(parse_loss("cross"), InvalidArgument);
  EXPECT_EQ(parse_space("raw"), InjectionSpace::kRaw);
  EXPECT_EQ(parse_space("standard"), InjectionSpace::kStandardised);
  EXPECT_THROW(parse_space("outer"), InvalidArgument);
}

}  // namespace series_model_test
}  // namespace sbog::series
