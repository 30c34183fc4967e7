// SPDX-License-Identifier: Apache-2.0
// Detectors of sbog as models: a window is scored as the whole recording with
// the window in it would be.
#include "sbog/job/stress_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/stress_world.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog/detect/point_detector_file.h"
#include "sbog/job/detect_train.h"
#include "sbog/series/detector_file.h"
#include "sbog/series/synthetic_plant.h"

namespace sbog::job {
namespace stress_model_test {

using ::testing::HasSubstr;
using testing_support::TemporaryFolder;

constexpr std::size_t kRows = 1500;
constexpr std::size_t kWidth = 60;

Series plant() { return synthetic_plant(kRows, 7); }

std::string detector_file(const TemporaryFolder& folder, bool is_causal,
                          DetectorKind kind = DetectorKind::kViews) {
  DetectorOptions options;
  options.is_causal = is_causal;
  options.kind = kind;
  options.joint_rows = 300;
  write_detector(folder.file("m.safetensors"),
                 train_detector(plant(), options));
  return folder.file("m.safetensors");
}

// The recorded window from `start` with a step in its second channel.
Matrix<double> edited(const Series& series, std::size_t start) {
  Matrix<double> window(kWidth, series.channel_count());
  for (std::size_t t = 0; t < kWidth; ++t) {
    const auto row = series.values.row(start + t);
    std::copy(row.begin(), row.end(), window.row(t).begin());
    if (t >= 20) window(t, 1) += 5.0 * std::abs(window(t, 1)) + 5.0;
  }
  return window;
}

StressBatch batch_of(const Series& series,
                     const std::vector<std::size_t>& starts) {
  const std::size_t each = kWidth * series.channel_count();
  const std::shared_ptr<double[]> values(new double[starts.size() * each]);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    std::copy_n(edited(series, starts[i]).data(), each,
                values.get() + i * each);
  }
  StressBatch batch;
  batch.values =
      Array("windows", ElementType::kFloat64,
            {starts.size(), kWidth, series.channel_count()},
            std::shared_ptr<const std::byte>(
                values, reinterpret_cast<const std::byte*>(values.get())));
  batch.places = {&series, starts};
  return batch;
}

SubjectOptions options_for(const std::string& model, Kind kind) {
  SubjectOptions options;
  options.model = model;
  options.kind = kind;
  return options;
}

TEST(StressModel, a_window_is_scored_as_in_the_whole_recording) {
  for (const bool is_causal : {true, false}) {
    const TemporaryFolder folder;
    const Series series = plant();
    const std::string file = detector_file(folder, is_causal);
    Events events;
    const StressSubject subject =
        open_subject(options_for(file, Kind::kSeries), events, {});
    EXPECT_TRUE(subject.needs_recording);
    EXPECT_TRUE(subject.threshold.has_value());
    const std::vector<std::size_t> starts = {0, 700, kRows - kWidth};
    const Matrix<double> scores = subject.model(batch_of(series, starts));
    ASSERT_EQ(scores.rows(), 3u);
    ASSERT_EQ(scores.cols(), kWidth);
    const Detector detector = read_detector(file);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      Matrix<double> whole = series.values.clone();
      const Matrix<double> window = edited(series, starts[i]);
      std::copy_n(window.data(), window.size(), whole.row(starts[i]).data());
      const auto expected = detector.score(std::as_const(whole).view()).scores;
      for (std::size_t t = 0; t < kWidth; ++t) {
        EXPECT_NEAR(scores(i, t), expected[starts[i] + t],
                    1e-9 * (1.0 + expected[starts[i] + t]))
            << is_causal << " " << i << " " << t;
      }
    }
  }
}

TEST(StressModel, threads_change_nothing) {
  const TemporaryFolder folder;
  const Series series = plant();
  const std::string file = detector_file(folder, false);
  Events events;
  ThreadPool pool(3);
  const auto scored = [&](const Context& context) {
    return open_subject(options_for(file, Kind::kSeries), events, context)
        .model(batch_of(series, {0, 300, 600, 900, 1200}));
  };
  const Matrix<double> one = scored({});
  const Matrix<double> three = scored({&pool, nullptr});
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(one.data()[k], three.data()[k]);
  }
}

TEST(StressModel, a_level_moves_the_threshold) {
  const TemporaryFolder folder;
  const std::string file = detector_file(folder, false);
  Events events;
  SubjectOptions options = options_for(file, Kind::kSeries);
  const double usual = *open_subject(options, events, {}).threshold;
  options.level = 0.9;
  EXPECT_LT(*open_subject(options, events, {}).threshold, usual);
  options.level = 1.5;
  EXPECT_THROW(open_subject(options, events, {}), InvalidArgument);
  options.model = "cp {cases} {out}";
  options.level = 0.9;
  EXPECT_THROW(open_subject(options, events, {}), InvalidArgument);
}

TEST(StressModel, a_detector_of_points_judges_points) {
  const TemporaryFolder folder;
  DetectTrainOptions train;
  train.input.data = "demo:bank";
  train.points.labels = "demo:labels";
  train.out = folder.file("p.safetensors");
  train.kind = Kind::kPoints;
  train.points.score = "rmd";
  Events events;
  run(train, events);
  const StressSubject subject =
      open_subject(options_for(train.out, Kind::kPoints), events, {});
  EXPECT_FALSE(subject.needs_recording);
  const Array queries = load_array("demo:queries");
  const Matrix<double> scores = subject.model({queries, {}});
  const auto detector = detect::read_point_detector(train.out);
  const auto points = to_matrix<float>(queries);
  const auto expected = detector.judge(points.view());
  ASSERT_EQ(scores.rows(), expected->scores.size());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    EXPECT_EQ(scores(i, 0), expected->scores[i]);
  }
}

TEST(StressModel, what_does_not_fit_is_refused) {
  const TemporaryFolder folder;
  const Series series = plant();
  Events events;
  const std::string file = detector_file(folder, false);
  EXPECT_THROW(open_subject(options_for(file, Kind::kPoints), events, {}),
               InvalidArgument);
  EXPECT_THROW(
      open_subject(options_for(folder.file("none.safetensors"), Kind::kSeries),
                   events, {}),
      IoError);
  EXPECT_THROW(
      open_subject(options_for("python predict.py", Kind::kSeries), events, {}),
      InvalidArgument);
  const StressSubject subject =
      open_subject(options_for(file, Kind::kSeries), events, {});
  StressBatch without = batch_of(series, {5});
  without.places.recording = nullptr;
  EXPECT_THROW(subject.model(without), InvalidArgument);
  StressBatch beyond = batch_of(series, {5});
  beyond.places.starts = {kRows};
  EXPECT_THROW(subject.model(beyond), InvalidArgument);
  const std::string batch_file =
      detector_file(folder, false, DetectorKind::kViewsBatch);
  try {
    open_subject(options_for(batch_file, Kind::kSeries), events, {});
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("--detector views"));
  }
}

TEST(StressModel, a_command_has_a_blank_or_a_placeholder) {
  EXPECT_TRUE(is_model_command("cp {cases} {out}"));
  EXPECT_TRUE(is_model_command("predict{cases}{out}"));
  EXPECT_FALSE(is_model_command("folder/model.safetensors"));
}

}  // namespace stress_model_test
}  // namespace sbog::job
