// SPDX-License-Identifier: Apache-2.0
// Small finished runs of every kind: one on points as `generate` makes it, and
// from it, without LibTorch, the files that runs on images and on series have.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "oracle/temporary_folder.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/checksum.h"
#include "sbog/base/matrix.h"
#include "sbog/data/npy.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/generate.h"
#include "sbog/job/run_inputs.h"
#include "sbog/scenario/latent_bank.h"

namespace sbog::testing_support {

inline void write_json(const std::string& path, const nlohmann::json& json) {
  write_file_atomically(path, json.dump(2));
}

inline nlohmann::json read_json(const std::string& path) {
  return nlohmann::json::parse(read_bytes(path));
}

/// Options of a run on the built-in points.
inline job::GenerateOptions points_options(const std::string& out) {
  job::GenerateOptions options =
      job::default_generate_options(job::Kind::kPoints);
  options.input = "demo:bank";
  options.labels = "demo:labels";
  options.out = out;
  options.sampler.count = 6;
  options.no_report = true;
  return options;
}

/// A run on points with three classes of six outliers, or of `per_class`.
inline void make_points_run(const std::string& out, std::size_t per_class = 6) {
  job::Events events;
  job::GenerateOptions options = points_options(out);
  options.sampler.count = per_class;
  run(options, events);
}

/// Values of an array of any shape as .npy.
template <typename V>
void write_values(const std::string& path, ElementType type,
                  const std::vector<std::size_t>& shape,
                  const std::vector<V>& values) {
  const std::shared_ptr<V[]> copy(new V[values.size()]);
  std::copy(values.begin(), values.end(), copy.get());
  write_npy(path,
            Array(path, type, shape,
                  std::shared_ptr<const std::byte>(
                      copy, reinterpret_cast<const std::byte*>(copy.get()))));
}

/// The points run with the further files of one on images: two decoded images
/// of 4 x 4 pixels.
inline void make_image_run(const std::string& out, std::size_t per_class = 6) {
  namespace fs = std::filesystem;
  make_points_run(out, per_class);
  const job::GenerateOptions points = points_options(out);
  const job::RunInputs<float> inputs = job::load_inputs<float>(points);
  write_npy(out + "/bank.npy", inputs.bank.view());
  write_npy(out + "/bank_labels.npy",
            std::span<const std::int64_t>(inputs.labels));
  write_npy(out + "/class_anchors.npy", inputs.anchors.view());
  job::GenerateOptions images = points;
  images.kind = job::Kind::kImages;
  images.labels.clear();
  write_file_atomically(out + "/config.toml", job::generate_config(images));
  nlohmann::json manifest = read_json(out + "/manifest.json");
  manifest["kind"] = "image";
  manifest["decoder"] = "mix";
  manifest["bank_checksum"] = checksum_hex(inputs.checksum());
  write_json(out + "/manifest.json", manifest);
  write_json(out + "/image_metrics.json",
             {{"accuracy", 0.75}, {"decoded", 2}, {"consistency", 0.5}});
  fs::create_directories(out + "/decoded");
  write_file_atomically(
      out + "/decoded/images.csv",
      "image,outlier,class,class_energy,decoded_energy,consistency,"
      "nearest_distance\n0,0,0,0.2,0.1,0.9,0.05\n1,7,1,0.3,0.2,0.8,0.06\n");
  std::vector<std::uint8_t> pixels(2 * 16);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<std::uint8_t>(7 * i);
  }
  for (const char* name : {"images", "source-images"}) {
    write_values(out + "/decoded/" + name + ".npy", ElementType::kUInt8,
                 {2, 1, 4, 4}, pixels);
  }
}

inline constexpr std::size_t kSeriesWindows = 150;

/// A run on a series of two channels: three scenarios from two anchors, of
/// which two were kept.
inline void make_series_run(const std::string& out) {
  namespace fs = std::filesystem;
  const auto demo = to_matrix<float>(job::load_array("demo:bank"));
  Matrix<float> points(kSeriesWindows, demo.cols());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double square = 0.0;
    for (const float x : demo.view().row(4 * i)) square += double{x} * x;
    for (std::size_t k = 0; k < points.cols(); ++k) {
      points(i, k) =
          static_cast<float>(demo.view()(4 * i, k) / std::sqrt(square));
    }
  }
  fs::create_directories(out + "/decoded");
  write_npy(out + "/bank.npy", std::as_const(points).view());
  job::GenerateOptions options =
      job::default_generate_options(job::Kind::kSeries);
  options.input = "plant.csv";
  write_file_atomically(out + "/config.toml", job::generate_config(options));
  const series::LatentBank bank(std::move(points), options.sampler);
  write_npy(out + "/bank_energies.npy",
            std::span<const double>(bank.energies()));
  // Opposite corners: far from every window.
  Matrix<float> outliers(2, 4);
  outliers(0, 0) = -1.0F;
  outliers(1, 3) = -1.0F;
  write_npy(out + "/outliers.npy", std::as_const(outliers).view());
  std::string table = "index,anchor_window,margin\n";
  nlohmann::json edits = nlohmann::json::array();
  for (std::size_t i = 0; i < 3; ++i) {
    const bool is_kept = i != 1;
    const std::size_t anchor = i == 2 ? 9 : 4;
    nlohmann::json entry = {{"index", i},
                            {"status", is_kept ? "reached" : "missed"},
                            {"sentence", "Flow rises."},
                            {"alternatives", {"Load falls."}},
                            {"anchor_window", anchor},
                            {"anchor_row", 2 * anchor},
                            {"tries", 2},
                            {"edits", nlohmann::json::array()}};
    table += std::to_string(i) + "," + std::to_string(anchor) + ",";
    if (is_kept) {
      const auto row = std::as_const(outliers).row(i / 2);
      const std::vector<double> point(row.begin(), row.end());
      const double energy = bank.energy(point);
      table += std::to_string(energy - bank.threshold());
      entry["energy"] = energy;
      entry["window"] = i / 2;
      entry["edits"].push_back(
          {{"channel", "flow"},
           {"share_of_move", 1.0},
           {"realised", {{"first_sample", 2}, {"last_sample", 5}}}});
    }
    table += "\n";
    edits.push_back(entry);
  }
  write_file_atomically(out + "/outliers.csv", table);
  write_json(out + "/decoded/edits.json", edits);
  for (const char* name : {"windows", "sources"}) {
    write_values(out + "/decoded/" + name + ".npy", ElementType::kFloat64,
                 {2, 8, 2}, std::vector<double>(2 * 8 * 2, 0.5));
  }
  write_json(out + "/metrics.json", {{"law", "isotropic"},
                                     {"mean_reached", 0.1},
                                     {"mean_edits", 1.0},
                                     {"mean_tries", 2.0},
                                     {"misses", {{"far", 1}}},
                                     {"threshold", bank.threshold()},
                                     {"share_outside", bank.share_outside()},
                                     {"anchors", 2},
                                     {"realised_direction_rank", 1.0}});
  write_json(out + "/manifest.json", {{"version", "1"},
                                      {"kind", "series"},
                                      {"seed", 3},
                                      {"input", "plant.csv"},
                                      {"input_checksum", "0"},
                                      {"run", "0"},
                                      {"state", "partial"},
                                      {"requested", 3},
                                      {"produced", 2},
                                      {"law", "isotropic"},
                                      {"windows", kSeriesWindows},
                                      {"reference", bank.model().atom_count()},
                                      {"channels", {"flow", "load"}},
                                      {"ranges", {{0.0, 1.0}, {0.0, 1.0}}},
                                      {"notes", nlohmann::json::array()}});
}

/// The run of a kind.
inline void make_run(const std::string& kind, const std::string& out) {
  if (kind == "latent") make_points_run(out);
  if (kind == "series") make_series_run(out);
  if (kind == "image") make_image_run(out);
}

}  // namespace sbog::testing_support
