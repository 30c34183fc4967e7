// SPDX-License-Identifier: Apache-2.0
// See image_table.h.
#include "sbog/job/image_table.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/image/read_images.h"

namespace sbog::job {
namespace {

// Columns of decoded/images.csv.
enum Column { kOutlier, kClass, kEnergy, kDecoded, kCosine, kNearest };

CsvTable read_table(const std::string& path) {
  CsvOptions csv;
  csv.header = CsvHeader::kPresent;
  csv.allows_missing = true;
  csv.columns = {"outlier",        "class",       "class_energy",
                 "decoded_energy", "consistency", "nearest_distance"};
  const auto head = preview_csv(path, 1);
  const bool has_severity =
      !head.empty() &&
      std::find(head[0].begin(), head[0].end(), "severity") != head[0].end();
  if (has_severity) csv.text_columns = {"severity"};
  return read_csv(path, csv);
}

// The class of the manifest with this label, by position.
std::size_t position_of(const nlohmann::json& classes, double label,
                        const std::string& path, std::size_t row) {
  const auto found = std::find_if(
      classes.begin(), classes.end(), [&](const nlohmann::json& entry) {
        return entry.at("label").get<double>() == label;
      });
  if (found != classes.end()) {
    return static_cast<std::size_t>(found - classes.begin());
  }
  throw IoError(path, "row " + std::to_string(row) +
                          " names a class that the run does not have");
}

// Infinity where the manifest has null: nothing lies outside.
double threshold_of(const nlohmann::json& entry) {
  const auto at = entry.find("threshold");
  return at != entry.end() && at->is_number() ? at->get<double>() : INFINITY;
}

}  // namespace

std::vector<DecodedRow> read_decoded_rows(const FinishedRun& run) {
  const std::string path = run.file("decoded/images.csv");
  const CsvTable table = read_table(path);
  const nlohmann::json& classes = run.manifest().at("classes");
  const double produced = run.manifest().at("produced").get<double>();
  std::vector<DecodedRow> rows;
  for (std::size_t i = 0; i < table.values.rows(); ++i) {
    const auto known = [&](Column column) {
      const double value = table.values(i, column);
      return std::isnan(value) ? std::optional<double>()
                               : std::optional<double>(value);
    };
    const double outlier = table.values(i, kOutlier);
    if (!(outlier >= 0.0 && outlier < produced)) {
      throw IoError(path, "row " + std::to_string(i) +
                              " names an outlier that the run does not have");
    }
    DecodedRow row;
    row.outlier = static_cast<std::size_t>(outlier);
    row.cls = position_of(classes, table.values(i, kClass), path, i);
    row.label = classes[row.cls].at("label").get<std::int64_t>();
    row.energy = known(kEnergy);
    row.decoded_energy = known(kDecoded);
    row.consistency = known(kCosine);
    row.nearest = known(kNearest);
    if (row.decoded_energy) {
      row.is_outside = *row.decoded_energy >= threshold_of(classes[row.cls]);
    }
    if (!table.texts.empty()) row.severity = table.texts[0][i];
    rows.push_back(std::move(row));
  }
  return rows;
}

ImageSet read_decoded_images(const FinishedRun& run, const std::string& name,
                             std::size_t count) {
  const std::string path = run.file("decoded/" + name);
  // What the run wrote: channels first, whatever the extents look like.
  ReadImagesOptions options;
  options.layout = PixelLayout::kChannelsFirst;
  options.range = PixelRange::kByte;
  options.finds_labels = false;
  ImageSet images = read_images(path, options);
  if (images.count() != count) {
    throw IoError(path, "has " + std::to_string(images.count()) +
                            " images for " + std::to_string(count) +
                            " rows of images.csv");
  }
  return images;
}

std::optional<std::size_t> outside_count(const std::vector<DecodedRow>& rows) {
  std::size_t count = 0;
  for (const DecodedRow& row : rows) {
    if (!row.is_outside) return std::nullopt;
    count += *row.is_outside ? 1 : 0;
  }
  return rows.empty() ? std::nullopt : std::optional(count);
}

}  // namespace sbog::job
