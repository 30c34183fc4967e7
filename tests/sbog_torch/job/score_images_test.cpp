// SPDX-License-Identifier: Apache-2.0
// Scoring images: shares, accuracy, images of something else and the table.
#include <gtest/gtest.h>

#include <algorithm>

#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace score_images_test {

using namespace testing_support;

class ScoreImages : public ::testing::Test {
 protected:
  ScoreImages() {
    job::ImageDetectorOptions training;
    training.data = "demo:shapes";
    training.out = folder_.file("d");
    training.settings.input = small_input();
    training.settings.score = "knn";
    training.settings.model = small_model();
    trained_ = train_latent_detector(training, events_, {});
    options_.model = training.out;
    options_.data = "demo:shapes-test";
    options_.settings.input = small_input();
    options_.settings.input.limit = 8;
  }

  TemporaryFolder folder_;
  RecordedEvents events_;
  job::ImageDetectorResult trained_;
  job::ImageScoreOptions options_;
};

TEST_F(ScoreImages, the_table_has_a_line_per_image_that_agrees_with_the_share) {
  options_.out = folder_.file("s.csv");
  const job::ImageScoreResult result =
      torch_jobs::score_images(options_, events_, {});
  EXPECT_EQ(result.score, "knn");
  EXPECT_EQ(result.images, 64u);
  EXPECT_EQ(result.threshold, trained_.threshold);
  ASSERT_TRUE(result.accuracy);
  EXPECT_FALSE(result.outside);
  CsvOptions read;
  read.header = CsvHeader::kPresent;
  read.columns = {"score", "is_outlier"};
  const CsvTable table = read_csv(options_.out, read);
  ASSERT_EQ(table.values.rows(), 64u);
  std::size_t below = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(table.values(i, 1), table.values(i, 0) < result.threshold);
    below += table.values(i, 1) == 1.0 ? 1 : 0;
  }
  EXPECT_EQ(result.outlier_share, static_cast<double>(below) / 64.0);
}

TEST_F(ScoreImages, the_same_images_outside_cannot_be_told_apart) {
  options_.settings.outside = options_.data;
  const job::ImageScoreResult result =
      torch_jobs::score_images(options_, events_, {});
  ASSERT_TRUE(result.outside);
  EXPECT_EQ(result.outside->images, 64u);
  EXPECT_EQ(result.outside->outlier_share, result.outlier_share);
  EXPECT_NEAR(result.outside->auroc, 0.5, 1e-12);
}

TEST_F(ScoreImages, images_of_another_shape_are_refused) {
  options_.settings.input.side = 0;
  EXPECT_THROW(torch_jobs::score_images(options_, events_, {}),
               InvalidArgument);
  options_.model = folder_.file("absent");
  EXPECT_THROW(torch_jobs::score_images(options_, events_, {}), IoError);
}

}  // namespace score_images_test
}  // namespace sbog::torch_jobs
