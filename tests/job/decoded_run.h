// SPDX-License-Identifier: Apache-2.0
// A finished run on images that is made without LibTorch: points as `generate`
// makes them, each with an image whose place is known by construction.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "job/made_runs.h"
#include "sbog/run/finished_run.h"

namespace sbog::testing_support {

inline constexpr std::size_t kMadeSide = 8;

/// Pixel k of image i of the input.
inline std::uint8_t made_pixel(std::size_t i, std::size_t k) {
  return static_cast<std::uint8_t>((i * 7 + k * 3) % 251);
}

/// Pixel k of the decoded image of outlier i: bright where its class is 1.
inline std::uint8_t decoded_pixel(std::int64_t label, std::size_t k) {
  return static_cast<std::uint8_t>((label == 1 ? 200 : 20) + k % 5);
}

/// Whether decoded image i lies inside.
inline bool is_made_inside(std::size_t i) { return i % 6 == 5; }

/// The run in folder/run, its input in folder/photos.npy. Outlier i has image
/// i; bank row r is image r of the input.
inline void make_decoded_run(const TemporaryFolder& folder,
                             std::size_t per_class = 16) {
  const std::string run = folder.file("run");
  make_image_run(run, per_class);
  const FinishedRun finished(run);
  const RunOutliers<float> outliers = read_outliers<float>(finished);
  const std::size_t count = outliers.classes.size();
  const std::size_t bank = to_matrix<float>(read_npy(run + "/bank.npy")).rows();
  constexpr std::size_t kSize = kMadeSide * kMadeSide;
  std::vector<std::uint8_t> photos(bank * kSize);
  std::vector<std::int64_t> rows(bank);
  for (std::size_t i = 0; i < bank; ++i) {
    rows[i] = static_cast<std::int64_t>(i);
    for (std::size_t k = 0; k < kSize; ++k) {
      photos[i * kSize + k] = made_pixel(i, k);
    }
  }
  write_values(folder.file("photos.npy"), ElementType::kUInt8,
               {bank, kMadeSide, kMadeSide}, photos);
  write_npy(run + "/bank_sources.npy", std::span<const std::int64_t>(rows));
  std::vector<std::uint8_t> images(count * kSize);
  std::vector<std::uint8_t> sources(count * kSize);
  std::string table =
      "image,outlier,class,class_energy,decoded_energy,consistency,"
      "nearest_distance,severity\n";
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < kSize; ++k) {
      images[i * kSize + k] = decoded_pixel(outliers.classes[i], k);
      sources[i * kSize + k] = made_pixel(outliers.anchor_rows[i], k);
    }
    const std::string number = std::to_string(i);
    table += number + "," + number + "," + std::to_string(outliers.classes[i]) +
             ",0.5," + (is_made_inside(i) ? "-9" : "9") + ",0.9,0.05," +
             std::to_string(1 + i % 2) + "\n";
  }
  const std::vector<std::size_t> shape = {count, 1, kMadeSide, kMadeSide};
  write_values(run + "/decoded/images.npy", ElementType::kUInt8, shape, images);
  write_values(run + "/decoded/source-images.npy", ElementType::kUInt8, shape,
               sources);
  write_file_atomically(run + "/decoded/images.csv", table);
  nlohmann::json manifest = read_json(run + "/manifest.json");
  manifest["input"] = folder.file("photos.npy");
  manifest["classes"][1]["name"] = "bright";
  write_json(run + "/manifest.json", manifest);
}

}  // namespace sbog::testing_support
