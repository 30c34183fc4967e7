// SPDX-License-Identifier: Apache-2.0
// Files of a run; see run_folder.h.
#include "sbog/run/run_folder.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/data/detail/npy_format.h"
#include "sbog/run/run_json.h"

namespace sbog {
namespace {

namespace fs = std::filesystem;

template <typename T>
std::string table_header() {
  std::string header = "index,class,";
  visit_provenance<T>([&](const char* name, auto /*member*/) {
    header += std::string(name) + ',';
  });
  return header +
         "p_value,certified,rarity,rarity_low,rarity_high,rarity_bound,"
         "severity\n";
}

// Discarded when it is missing or damaged.
nlohmann::json read_manifest(const std::string& path) {
  return parse_stored_json(read_file_if_there(path).value_or(""));
}

// Empty when not known.
std::string csv_number(double value) {
  return std::isnan(value) ? "" : full_digits(value);
}

std::string csv_field(OutputOrigin origin) { return to_string(origin); }
std::string csv_field(std::size_t count) { return std::to_string(count); }
std::string csv_field(double value) { return csv_number(value); }

// Estimate and interval stay empty where there is no estimate.
std::string rarity_fields(const OutlierRarity& rarity) {
  const RarityEstimate& found = rarity.estimate;
  std::string text = ",";
  if (found.probability) {
    text += csv_number(*found.probability) + ',' + csv_number(found.low) + ',' +
            csv_number(found.high);
  } else {
    text += ",,";
  }
  return text + ',' + csv_number(found.bound) + ',' +
         std::to_string(rarity.severity);
}

}  // namespace

RunFolder::RunFolder(std::string path, const std::string& config,
                     std::uint64_t input_checksum, bool is_resumed)
    : path_(std::move(path)), input_(input_checksum) {
  refuse_link(path_);
  Checksum checksum;
  checksum.update(config.data(), config.size());
  checksum.update(&input_checksum, sizeof input_checksum);
  identity_ = checksum.digest();
  const std::string config_path = file("config.toml");
  std::error_code error;
  const bool exists = fs::exists(path_, error);
  if (exists && !fs::is_directory(path_, error)) {
    throw IoError(path_, "is not a folder");
  }
  if (exists && !fs::is_empty(path_, error)) {
    if (!fs::exists(config_path, error) && !fs::exists(file("parts"), error)) {
      throw IoError(path_, "holds other files; choose an empty folder");
    }
    if (!is_resumed) {
      throw IoError(path_,
                    "already holds a run; use --resume to go on with it, or "
                    "another folder");
    }
    if (fs::exists(config_path, error) &&
        read_file_if_there(config_path) != config) {
      throw IoError(path_,
                    "holds a run with other options; --resume needs the same "
                    "ones");
    }
    if (fs::exists(file("manifest.json"), error)) {
      const nlohmann::json manifest = read_manifest(file("manifest.json"));
      if (!manifest.is_discarded() && manifest.contains("input_checksum") &&
          manifest["input_checksum"] != checksum_hex(input_checksum)) {
        throw IoError(path_, "holds a run on other inputs");
      }
    }
  }
  fs::create_directories(path_, error);
  if (error) throw IoError(path_, "cannot be made: " + error.message());
  lock_ = std::make_unique<FolderLock>(path_);
  is_made_here_ = !exists;
  for (const char* inner : {"parts", "decoded", "model"}) {
    refuse_link(file(inner));
    remove_temporaries(file(inner));
  }
  remove_temporaries(path_);
  fs::create_directories(file("parts"), error);
  if (error) throw IoError(file("parts"), "cannot be made: " + error.message());
  write_file_atomically(config_path, config);
}

// A start that failed before the first manifest leaves nothing behind that
// would stand in the way of the next one.
RunFolder::~RunFolder() {
  std::error_code ignored;
  if (fs::exists(file("manifest.json"), ignored)) return;
  fs::remove(file("parts"), ignored);  // only while it is empty
  fs::remove(file("config.toml"), ignored);
  if (is_made_here_) fs::remove(path_, ignored);
}

std::string RunFolder::file(const std::string& name) const {
  return (fs::path(path_) / name).string();
}

std::string RunFolder::part_path(const PartKey& key) const {
  return (fs::path(path_) / "parts" / key.file_name()).string();
}

nlohmann::json RunFolder::finished_manifest() const {
  nlohmann::json manifest = read_manifest(file("manifest.json"));
  if (manifest.is_discarded()) return {};
  check_manifest(manifest, file("manifest.json"));
  const bool is_finished =
      manifest.value("run", "") == checksum_hex(identity_) &&
      (manifest.value("state", "") == "complete" ||
       manifest.value("state", "") == "partial");
  return is_finished ? manifest : nlohmann::json();
}

void RunFolder::write_manifest(nlohmann::json manifest,
                               const std::string& state) const {
  manifest["state"] = state;
  manifest["input_checksum"] = checksum_hex(input_);
  manifest["run"] = checksum_hex(identity_);
  write_file_atomically(file("manifest.json"), stored_json(manifest) + "\n");
}

void RunFolder::remove_parts() const {
  std::error_code ignored;
  fs::remove_all(file("parts"), ignored);
}

template <typename T>
struct OutlierWriter<T>::Files {
  Files(const RunFolder& folder, std::size_t rows, std::size_t dim)
      : points(folder.file("outliers.npy")),
        table(folder.file("outliers.csv")) {
    const std::array shape = {rows, dim};
    points.write(detail::npy_header(
        sizeof(T) == 4 ? ElementType::kFloat32 : ElementType::kFloat64, shape));
    table.write(table_header<T>());
  }
  AtomicFile points;
  AtomicFile table;
  std::size_t index = 0;
};

template <typename T>
OutlierWriter<T>::OutlierWriter(const RunFolder& folder, std::size_t rows,
                                std::size_t dim)
    : files_(std::make_unique<Files>(folder, rows, dim)) {}

template <typename T>
OutlierWriter<T>::~OutlierWriter() = default;

template <typename T>
void OutlierWriter<T>::add(std::int64_t label, const RunPart<T>& part,
                           std::span<const OutlierVerdict> verdicts,
                           std::span<const OutlierRarity> rarities) {
  std::string lines;
  for (std::size_t i = 0; i < part.outputs.size(); ++i) {
    const Output<T>& o = part.outputs[i];
    files_->points.write(o.point.data(), o.point.size() * sizeof(T));
    lines +=
        std::to_string(files_->index++) + ',' + std::to_string(label) + ',';
    visit_provenance<T>([&](const char* /*name*/, auto member) {
      lines += csv_field(o.*member) + ',';
    });
    if (!verdicts.empty()) {
      lines += csv_number(verdicts[i].p_value) +
               (verdicts[i].is_certified ? ",1" : ",0");
    } else {
      lines += ',';
    }
    lines += rarities.empty() ? ",,,,," : rarity_fields(rarities[i]);
    lines += '\n';
  }
  files_->table.write(lines);
}

template <typename T>
void OutlierWriter<T>::finish() {
  files_->points.commit();
  files_->table.commit();
}

template class OutlierWriter<float>;
template class OutlierWriter<double>;

}  // namespace sbog
