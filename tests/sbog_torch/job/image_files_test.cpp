// SPDX-License-Identifier: Apache-2.0
// Files of a run on images: what is in them is what was made.
#include "sbog_torch/job/image_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include "sbog/data/csv.h"
#include "sbog/data/npy.h"
#include "sbog/image/grid.h"
#include "sbog/image/png.h"
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
    options_ = options;
    drawn_.outliers =
        draw_latent_outliers(model_.bank, model_.anchors, options, {});
    const std::size_t count = drawn_.outliers.outputs.size();
    drawn_.is_outside.resize(count);
    drawn_.rarities.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      drawn_.rarities[i].severity = static_cast<int>(i % 3);
      drawn_.rarities[i].estimate.bound = 0.5;
    }
  }

  TemporaryFolder folder_;
  image::ImageModel model_;
  RunFolder run_;
  SamplerOptions options_;
  DrawnImages drawn_;
  image::LatentOutliers& outliers_ = drawn_.outliers;
};

TEST_F(ImageFiles, outliers_and_their_table_have_the_order_of_the_sampler) {
  write_latent_files(run_, drawn_);
  const LoadedMatrix<float> points =
      to_matrix<float>(read_npy(run_.file("outliers.npy")));
  ASSERT_EQ(points.rows(), outliers_.latents.rows());
  ASSERT_GT(points.rows(), 0u);
  CsvOptions read;
  read.header = CsvHeader::kPresent;
  read.columns = {"class", "energy", "rarity_bound", "severity"};
  const CsvTable table = read_csv(run_.file("outliers.csv"), read);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    EXPECT_TRUE(
        std::ranges::equal(points.view().row(i), outliers_.latents.row(i)));
    EXPECT_EQ(table.values(i, 0), static_cast<double>(outliers_.classes[i]));
    EXPECT_NEAR(table.values(i, 1), outliers_.outputs[i].energy, 1e-8);
    EXPECT_EQ(table.values(i, 2), 0.5);
    EXPECT_EQ(table.values(i, 3), static_cast<double>(i % 3));
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
  const LatentScorer scorer(model_.bank, options_);
  drawn_.decoded =
      decode_outliers({*decoder, model_, images, scorer}, outliers_, {});
  const DecodedOutliers& decoded = drawn_.decoded;
  drawn_.is_outside[0] = true;
  drawn_.is_outside[1] = false;
  write_decoded_files(run_, drawn_, 2);
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
  CsvOptions read;
  read.header = CsvHeader::kPresent;
  read.columns = {"outlier", "decoded_energy", "outside", "severity"};
  read.allows_missing = true;
  const CsvTable rows = read_csv(run_.file("decoded/images.csv"), read);
  for (std::size_t i = 0; i < decoded.rows.size(); ++i) {
    EXPECT_EQ(rows.values(i, 0), static_cast<double>(decoded.rows[i]));
    EXPECT_EQ(rows.values(i, 1), decoded.energy[i]);
    EXPECT_EQ(rows.values(i, 3), static_cast<double>(i % 3));
  }
  EXPECT_EQ(rows.values(0, 2), 1.0);
  EXPECT_EQ(rows.values(1, 2), 0.0);
  EXPECT_TRUE(std::isnan(rows.values(2, 2)));
}

// Where image i stands on the sheet of 12 x 12 pixels, twice enlarged.
Image on_sheet(const Image& sheet, std::size_t place) {
  Image image{{1, 12, 12}, std::vector<std::uint8_t>(144)};
  const std::size_t top = 2 + place / 16 * 26;
  const std::size_t left = 2 + place % 16 * 26;
  for (std::size_t y = 0; y < 12; ++y) {
    for (std::size_t x = 0; x < 12; ++x) {
      image.pixels[y * 12 + x] =
          sheet.pixels[(top + 2 * y) * sheet.shape.width + left + 2 * x];
    }
  }
  return image;
}

TEST_F(ImageFiles, images_inside_are_struck_out_on_the_sheet) {
  const ImageSet images = small_images();
  image::DecoderTraining training;
  training.kind = image::DecoderKind::kMix;
  const auto decoder = train_decoder(model_, images, training, {}).decoder;
  const LatentScorer scorer(model_.bank, options_);
  drawn_.decoded =
      decode_outliers({*decoder, model_, images, scorer}, outliers_, {});
  for (std::size_t i = 0; i < drawn_.is_outside.size(); ++i) {
    drawn_.is_outside[i] = i % 2 == 0;
  }
  write_decoded_files(run_, drawn_, 0);
  CsvOptions read;
  read.header = CsvHeader::kPresent;
  read.columns = {"line", "pair", "image", "outside"};
  const CsvTable rows = read_csv(run_.file("decoded/grid.csv"), read);
  const std::string bytes = read_bytes(run_.file("decoded/grid.png"));
  const Image sheet = decode_png(std::as_bytes(std::span(bytes)), "grid.png");
  for (std::size_t r = 0; r < rows.values.rows(); ++r) {
    const auto i = static_cast<std::size_t>(rows.values(r, 2));
    EXPECT_EQ(rows.values(r, 3), i % 2 == 0 ? 1.0 : 0.0);
    std::vector<std::uint8_t> expected(
        drawn_.decoded.images.pixels.row(i).begin(),
        drawn_.decoded.images.pixels.row(i).end());
    if (i % 2 == 1) strike_out(expected, {1, 12, 12});
    const auto place = static_cast<std::size_t>(16 * rows.values(r, 0) +
                                                2 * rows.values(r, 1) + 1);
    EXPECT_EQ(on_sheet(sheet, place).pixels, expected);
  }
}

}  // namespace image_files_test
}  // namespace sbog::torch_jobs
