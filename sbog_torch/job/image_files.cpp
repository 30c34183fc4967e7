// SPDX-License-Identifier: Apache-2.0
// See image_files.h.
#include "sbog_torch/job/image_files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <optional>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"
#include "sbog/image/grid.h"
#include "sbog/image/png.h"
#include "sbog/job/run_inputs.h"
#include "sbog/job/stress_images.h"

namespace sbog::torch_jobs {
namespace {

// Pairs beside each other on a line of the sheet, and lines of a class.
constexpr std::size_t kPairs = 8;
constexpr std::size_t kClassesOnGrid = 32;

std::string decoded_file(const RunFolder& folder, const std::string& name) {
  return folder.file("decoded/" + name);
}

void write_images(const std::string& path, const ImageSet& images) {
  write_npy(path, job::array_of_images(images, path));
}

void write_labels(const std::string& path, const ImageSet& images) {
  const std::vector<std::int64_t> labels(images.labels.begin(),
                                         images.labels.end());
  write_npy(path, std::span<const std::int64_t>(labels));
}

std::string name_of(const ImageSet& images, std::size_t i) {
  const auto label = static_cast<std::size_t>(images.labels[i]);
  return label < images.class_names.size() ? images.class_names[label] : "";
}

std::string number(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

// "1" outside, "0" inside, nothing where it is not known.
std::string outside_text(const std::optional<bool>& is_outside) {
  if (!is_outside) return "";
  return *is_outside ? "1" : "0";
}

void write_table(const RunFolder& folder, const DrawnImages& drawn) {
  const image::LatentOutliers& outliers = drawn.outliers;
  const DecodedOutliers& decoded = drawn.decoded;
  std::string text =
      "image,outlier,class,class_name,bank_row,energy,class_energy,"
      "decoded_energy,consistency,nearest_image,nearest_distance,outside,"
      "severity\n";
  for (std::size_t i = 0; i < decoded.rows.size(); ++i) {
    const std::size_t row = decoded.rows[i];
    // Without an encoder some columns are empty.
    const bool is_seen = !decoded.energy.empty();
    text += std::to_string(i) + ',' + std::to_string(row) + ',' +
            std::to_string(outliers.classes[row]) + ',' +
            quote_csv(name_of(decoded.images, i)) + ',' +
            std::to_string(outliers.bank_rows[row]) + ',' +
            number(outliers.outputs[row].energy) + ',' +
            number(decoded.class_energy[i]) + ',' +
            (is_seen ? full_digits(decoded.energy[i]) : "") + ',' +
            (is_seen ? number(decoded.consistency[i]) : "") + ',' +
            std::to_string(decoded.nearest[i]) + ',' +
            number(decoded.distance[i]) + ',' +
            outside_text(drawn.is_outside[row]) + ',' +
            std::to_string(drawn.rarities[row].severity) + '\n';
  }
  write_file_atomically(decoded_file(folder, "images.csv"), text);
}

// Of every class up to kPairs images, evenly spaced by energy: its line.
std::vector<std::vector<std::size_t>> lines_of(const DecodedOutliers& decoded) {
  std::vector<std::vector<std::size_t>> lines;
  std::size_t first = 0;
  const std::vector<std::int32_t>& labels = decoded.images.labels;
  while (first < labels.size() && lines.size() < kClassesOnGrid) {
    std::size_t end = first;
    while (end < labels.size() && labels[end] == labels[first]) ++end;
    std::vector<std::size_t> members(end - first);
    std::iota(members.begin(), members.end(), first);
    std::stable_sort(members.begin(), members.end(),
                     [&](std::size_t a, std::size_t b) {
                       return decoded.class_energy[a] < decoded.class_energy[b];
                     });
    std::vector<std::size_t> line;
    const std::size_t count = std::min(kPairs, members.size());
    for (std::size_t k = 0; k < count; ++k) {
      line.push_back(members[k * members.size() / count]);
    }
    lines.push_back(std::move(line));
    first = end;
  }
  return lines;
}

// Source and outlier beside each other, one line per class; the table says
// which they are.
void write_grid(const RunFolder& folder, const DrawnImages& drawn) {
  const DecodedOutliers& decoded = drawn.decoded;
  const ImageShape& shape = decoded.images.shape;
  const auto lines = lines_of(decoded);
  if (lines.empty()) return;
  ImageSet sheet;
  sheet.shape = shape;
  sheet.pixels = Matrix<std::uint8_t>(lines.size() * 2 * kPairs, shape.size());
  std::fill_n(sheet.pixels.data(), sheet.pixels.size(), std::uint8_t{255});
  std::string table = "line,pair,image,class,class_name,energy,outside\n";
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (std::size_t k = 0; k < lines[l].size(); ++k) {
      const std::size_t i = lines[l][k];
      const std::size_t place = 2 * (l * kPairs + k);
      std::ranges::copy(decoded.sources.pixels.row(i),
                        sheet.pixels.row(place).begin());
      std::ranges::copy(decoded.images.pixels.row(i),
                        sheet.pixels.row(place + 1).begin());
      const std::optional<bool> is_outside = drawn.is_outside[decoded.rows[i]];
      if (is_outside == false) strike_out(sheet.pixels.row(place + 1), shape);
      table += std::to_string(l) + ',' + std::to_string(k) + ',' +
               std::to_string(i) + ',' +
               std::to_string(decoded.images.labels[i]) + ',' +
               quote_csv(name_of(decoded.images, i)) + ',' +
               number(decoded.class_energy[i]) + ',' +
               outside_text(is_outside) + '\n';
    }
  }
  GridOptions options;
  options.columns = 2 * kPairs;
  options.scale = shape.height <= 40 ? 2 : 1;
  const Image grid = image_grid(sheet, options);
  write_png(decoded_file(folder, "grid.png"), grid.shape, grid.pixels);
  write_file_atomically(decoded_file(folder, "grid.csv"), table);
}

}  // namespace

void write_latent_files(const RunFolder& folder, const DrawnImages& drawn) {
  const image::LatentOutliers& outliers = drawn.outliers;
  OutlierWriter<float> writer(folder, outliers.latents.rows(),
                              outliers.latents.cols());
  for (const ClassReport& report : outliers.reports) {
    RunPart<float> part;
    std::vector<OutlierRarity> rarities;
    for (std::size_t i = 0; i < outliers.outputs.size(); ++i) {
      if (outliers.classes[i] != report.label) continue;
      part.outputs.push_back(outliers.outputs[i]);
      rarities.push_back(drawn.rarities[i]);
    }
    writer.add(report.label, part, {}, rarities);
  }
  writer.finish();
}

std::uint64_t write_bank_files(const RunFolder& folder,
                               const image::FeatureBank& bank,
                               const image::LatentOutliers& outliers) {
  job::GenerateOptions names;
  names.input = folder.file("bank.npy");
  names.labels = folder.file("bank_labels.npy");
  names.class_anchors = folder.file("class_anchors.npy");
  write_npy(names.input, bank.latents.view());
  write_npy(names.labels, std::span<const std::int64_t>(bank.labels));
  write_npy(names.class_anchors, std::as_const(outliers.class_anchors).view());
  write_npy(folder.file("bank_sources.npy"),
            std::span<const std::int64_t>(bank.sources));
  write_npy(folder.file("bank_energies.npy"),
            std::span<const double>(outliers.bank_scores));
  return job::load_inputs<float>(names).checksum();
}

void write_decoded_files(const RunFolder& folder, const DrawnImages& drawn,
                         std::size_t pictures) {
  const DecodedOutliers& decoded = drawn.decoded;
  std::error_code error;
  std::filesystem::create_directories(folder.file("decoded"), error);
  if (error) throw IoError(folder.file("decoded"), error.message());
  write_images(decoded_file(folder, "images.npy"), decoded.images);
  write_labels(decoded_file(folder, "labels.npy"), decoded.images);
  write_images(decoded_file(folder, "source-images.npy"), decoded.sources);
  write_images(decoded_file(folder, "inside-images.npy"), decoded.inside);
  write_labels(decoded_file(folder, "inside-labels.npy"), decoded.inside);
  write_table(folder, drawn);
  write_grid(folder, drawn);
  for (std::size_t i = 0; i < std::min(pictures, decoded.images.count()); ++i) {
    char name[48];
    std::snprintf(name, sizeof name, "outlier-%05zu.png", i);
    write_png(decoded_file(folder, name), decoded.images.shape,
              decoded.images.pixels.row(i));
  }
}

}  // namespace sbog::torch_jobs
