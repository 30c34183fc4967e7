// SPDX-License-Identifier: Apache-2.0
// Files of a run on images: what is in them is what was made.
#include "sbog_torch/job/image_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "sbog/data/csv.h"
#include "sbog/data/npy.h"
#include "sbog/sample/image_profile.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace image_files_test {

using namespace testing_support;
namespace fs = std::filesystem;

class ImageFiles : public ::testing::Test {
 protected:
  ImageFiles()
      : model_(image::load_image_model(small_model())),
        run_(folder_.file("run"), "[generate]\n", 7, false) {
    SamplerOptions options = image_profile("balanced", 8);
    options.count = 2;
    outliers_ = draw_latent_outliers(model_.bank, model_.anchors, options, {});
  }

  TemporaryFolder folder_;
  image::ImageModel model_;
  RunFolder run_;
  image::LatentOutliers outliers_;
};

TEST_F(ImageFiles, outliers_and_their_table_have_the_order_of_the_sampler) {
  write_latent_files(run_, outliers_);
  const LoadedMatrix<float> points =
      to_matrix<float>(read_npy(run_.file("outliers.npy")));
  ASSERT_EQ(points.rows(), outliers_.latents.rows());
  ASSERT_GT(points.rows(), 0u);
  CsvOptions read;
  read.header = CsvHeader::kPresent;
  read.columns = {"class", "energy"};
  const CsvTable table = read_csv(run_.file("outliers.csv"), read);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    EXPECT_TRUE(
        std::ranges::equal(points.view().row(i), outliers_.latents.row(i)));
    EXPECT_EQ(table.values(i, 0), static_cast<double>(outliers_.classes[i]));
    EXPECT_NEAR(table.values(i, 1), outliers_.outputs[i].energy, 1e-8);
  }
}

TEST_F(ImageFiles, the_bank_is_written_as_a_run_on_points_has_it) {
  const std::uint64_t first = write_bank_files(run_, model_.bank, outliers_);
  const LoadedMatrix<float> bank =
      to_matrix<float>(read_npy(run_.file("bank.npy")));
  EXPECT_EQ(bank.rows(), model_.bank.latents.rows());
  EXPECT_EQ(to_labels(read_npy(run_.file("bank_labels.npy"))),
            model_.bank.labels);
  EXPECT_EQ(to_vector(read_npy(run_.file("bank_energies.npy"))),
            outliers_.bank_scores);
  EXPECT_EQ(read_npy(run_.file("class_anchors.npy")).shape(),
            (std::vector<std::size_t>{8, 8}));
  // Its checksum knows a change of a single number.
  EXPECT_EQ(write_bank_files(run_, model_.bank, outliers_), first);
  model_.bank.latents(0, 0) = -model_.bank.latents(0, 0);
  EXPECT_NE(write_bank_files(run_, model_.bank, outliers_), first);
}

TEST_F(ImageFiles, decoded_images_lie_beside_their_table_and_sheet) {
  const ImageSet images = small_images();
  image::DecoderTraining training;
  training.kind = image::DecoderKind::kMix;
  const auto decoder = train_decoder(model_, images, training, {}).decoder;
  const DecodedOutliers decoded =
      decode_outliers(*decoder, model_, images, outliers_, {},
                      image_profile("balanced", 8).energy);
  write_decoded_files(run_, outliers_, decoded, 2);
  const Array pixels = read_npy(run_.file("decoded/images.npy"));
  EXPECT_EQ(pixels.shape(),
            (std::vector<std::size_t>{decoded.rows.size(), 1, 12, 12}));
  const std::string table = read_bytes(run_.file("decoded/images.csv"));
  EXPECT_EQ(
      static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')),
      decoded.rows.size() + 1);
  for (const char* name :
       {"labels.npy", "source-images.npy", "inside-images.npy",
        "inside-labels.npy", "grid.png", "grid.csv", "outlier-00001.png"}) {
    EXPECT_TRUE(fs::exists(run_.file(std::string("decoded/") + name))) << name;
  }
  EXPECT_FALSE(fs::exists(run_.file("decoded/outlier-00002.png")));
}

}  // namespace image_files_test
}  // namespace sbog::torch_jobs
