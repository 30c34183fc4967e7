// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/detector_training.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/detector_scores.h"

namespace sbog::image {
namespace detector_training_test {

using namespace testing_support;

LabelledImages bars(std::int64_t count, std::uint64_t index) {
  const Bars made = make_bars(count, index);
  return {made.images, made.classes};
}

// Dark images with specks: neither kind of bar.
torch::Tensor specks(std::int64_t count, std::uint64_t index) {
  return normals({count, 1, 8, 8}, index).gt(1.0).to(torch::kFloat32);
}

ClassifierOptions short_classifier() {
  ClassifierOptions options;
  options.widths = {4, 8};
  options.epochs = 4;
  options.batch = 16;
  options.augment = {0, false};
  return options;
}

ExposureOptions short_exposure() {
  ExposureOptions options;
  options.epochs = 2;
  options.batch = 16;
  options.outliers = 16;
  options.augment = {0, false};
  return options;
}

bool equal_bits(const Detector& a, const Detector& b) {
  const torch::Tensor x = make_bars(8, 9).images;
  return same_bits(a.logits(x), b.logits(x));
}

double quality(const Detector& detector) {
  return detection_quality(lse_scores(detector.logits(make_bars(64, 7).images)),
                           lse_scores(detector.logits(specks(64, 77))))
      .auroc;
}

TEST(DetectorTraining, bars_are_told_apart_and_specks_from_bars) {
  DetectorHistory history;
  const Detector start =
      train_classifier(bars(128, 1), 2, short_classifier(), {}, &history);
  ASSERT_EQ(history.cross_entropies.size(), 4u);
  EXPECT_TRUE(history.outlier_terms.empty());
  EXPECT_LT(history.cross_entropies.back(), history.cross_entropies.front());
  const Bars fresh = make_bars(64, 7);
  EXPECT_GT(classifier_accuracy(start.logits(fresh.images), fresh.classes),
            0.9);
  for (const OutlierLoss loss : {OutlierLoss::kEnergy, OutlierLoss::kUniform}) {
    ExposureOptions options = short_exposure();
    options.loss = loss;
    options.epochs = 4;
    const Detector exposed =
        expose(start, {bars(128, 1), specks(64, 5), bars(32, 3)}, options, {},
               &history);
    ASSERT_EQ(history.outlier_terms.size(), 4u);
    EXPECT_LT(history.outlier_terms.back(), history.outlier_terms.front());
    EXPECT_GT(quality(exposed), 0.9);
    EXPECT_GT(quality(exposed), quality(start) - 0.01);
    EXPECT_GT(classifier_accuracy(exposed.logits(fresh.images), fresh.classes),
              0.9);
  }
}

TEST(DetectorTraining, an_aligned_start_keeps_its_anchors_and_learns) {
  EncoderOptions options;
  options.shape = {1, 8, 8};
  options.widths = {4, 8};
  options.latent = 3;
  Matrix<float> anchors(2, 3);
  anchors(0, 0) = anchors(1, 1) = 1.0F;
  const ExposureProblem problem{bars(128, 1), specks(64, 5), {}};
  ExposureOptions exposure = short_exposure();
  exposure.epochs = 6;
  exposure.sgd.learning_rate = 0.1;
  exposure.weight = 0.0;  // aligned by the cross-entropy alone
  const Detector start =
      expose(Detector(Encoder(options, 4), anchors, 0.1), problem, exposure);
  exposure.weight = 1.0;
  const Detector exposed = expose(start, problem, exposure);
  EXPECT_TRUE(same_bits(exposed.anchors(), start.anchors()));
  const Bars fresh = make_bars(64, 7);
  EXPECT_GT(classifier_accuracy(exposed.logits(fresh.images), fresh.classes),
            0.9);
  EXPECT_GT(quality(exposed), 0.9);
  EXPECT_GT(quality(exposed), quality(start));
}

TEST(DetectorTraining, the_same_seed_gives_the_same_bits) {
  ClassifierOptions options = short_classifier();
  options.epochs = 1;
  const Detector start = train_classifier(bars(48, 1), 2, options);
  EXPECT_TRUE(equal_bits(start, train_classifier(bars(48, 1), 2, options)));
  const ExposureProblem problem{bars(48, 1), specks(10, 5), bars(12, 3)};
  const Detector once = expose(start, problem, short_exposure());
  EXPECT_TRUE(equal_bits(once, expose(start, problem, short_exposure())));
  ExposureOptions other = short_exposure();
  other.seed = 99;
  EXPECT_FALSE(equal_bits(once, expose(start, problem, other)));
  options.seed = 99;
  EXPECT_FALSE(equal_bits(start, train_classifier(bars(48, 1), 2, options)));
}

TEST(DetectorTraining, exposure_leaves_its_start_alone_and_drops_a_threshold) {
  ClassifierOptions options = short_classifier();
  options.epochs = 1;
  Detector start = train_classifier(bars(48, 1), 2, options);
  start.threshold = 3.0;
  start.class_names = {"lying", "standing"};
  const Detector before = start.clone();
  ExposureOptions hinge = short_exposure();
  hinge.loss = OutlierLoss::kHinge;
  const Detector exposed =
      expose(start, {bars(48, 1), specks(10, 5), {}}, hinge);
  EXPECT_TRUE(equal_bits(start, before));
  EXPECT_FALSE(equal_bits(start, exposed));
  EXPECT_FALSE(exposed.threshold.has_value());
  EXPECT_EQ(exposed.class_names, start.class_names);
}

TEST(DetectorTraining, a_share_of_0_leaves_decoded_images_out) {
  ClassifierOptions options = short_classifier();
  options.epochs = 1;
  const Detector start = train_classifier(bars(48, 1), 2, options);
  const ExposureProblem with{bars(48, 1), specks(10, 5), bars(12, 3)};
  const ExposureProblem without{bars(48, 1), specks(10, 5), {}};
  ExposureOptions none = short_exposure();
  none.decoded_share = 0.0;
  EXPECT_TRUE(
      equal_bits(expose(start, with, none), expose(start, without, none)));
  EXPECT_FALSE(equal_bits(expose(start, with, short_exposure()),
                          expose(start, with, none)));
}

TEST(DetectorTraining, an_observer_stops_both_stages) {
  StopAfter stop(2);
  DetectorHistory history;
  const Detector start = train_classifier(bars(48, 1), 2, short_classifier(),
                                          {nullptr, &stop}, &history);
  EXPECT_EQ(history.status, SolveStatus::kCancelled);
  expose(start, {bars(48, 1), specks(10, 5), {}}, short_exposure(),
         {nullptr, &stop}, &history);
  EXPECT_EQ(history.status, SolveStatus::kCancelled);
}

TEST(DetectorTraining, what_cannot_be_trained_is_refused) {
  ClassifierOptions options = short_classifier();
  options.epochs = 1;
  EXPECT_THROW(train_classifier(bars(8, 1), 1, options), InvalidArgument);
  EXPECT_THROW(train_classifier({}, 2, options), InvalidArgument);
  LabelledImages bad = bars(8, 1);
  bad.images[3][0][1][1] = std::nan("");
  EXPECT_THROW(train_classifier(bad, 2, options), InvalidArgument);
  options.batch = 1;
  EXPECT_THROW(train_classifier(bars(8, 1), 2, options), InvalidArgument);
  options.batch = 8;
  const Detector start = train_classifier(bars(8, 1), 2, options);
  EXPECT_THROW(expose(start, {bars(8, 1), torch::zeros({0, 1, 8, 8}), {}},
                      short_exposure()),
               InvalidArgument);
  EXPECT_THROW(expose(start, {bars(8, 1), torch::zeros({4, 1, 8, 9}), {}},
                      short_exposure()),
               InvalidArgument);
  ExposureOptions wrong = short_exposure();
  wrong.inner_margin = 0.0;
  EXPECT_THROW(check_options(wrong), InvalidArgument);
  wrong = short_exposure();
  wrong.decoded_share = 1.0;
  EXPECT_THROW(check_options(wrong), InvalidArgument);
}

}  // namespace detector_training_test
}  // namespace sbog::image
