// SPDX-License-Identifier: Apache-2.0
// Runs that are stressed: one on the built-in points, and one on a small series
// with windows whose edits and severities are known by construction.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "job/made_runs.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/philox.h"
#include "sbog/data/array.h"
#include "sbog/job/stress.h"

namespace sbog::testing_support {

inline constexpr std::size_t kMadeWidth = 16;
inline constexpr std::size_t kMadeChannels = 4;
inline constexpr std::size_t kMadeRows = 400;
inline constexpr std::size_t kMadeCases = 144;

inline const std::vector<std::string>& made_kinds() {
  static const std::vector<std::string> kKinds = {"level", "stuck", "noise"};
  return kKinds;
}

/// What is edited in window i: level, stuck or noise in channel-0 to channel-3
/// at severity 1 to 3, from row 8 on.
struct MadeEdit {
  std::size_t kind, channel;
  int severity;
};
inline MadeEdit made_edit(std::size_t i) {
  return {i % 3, (i / 3) % 4, 1 + static_cast<int>((i / 12) % 3)};
}

/// The recording: normals.
inline std::vector<double> made_recording() {
  std::vector<double> values(kMadeRows * kMadeChannels);
  for (std::size_t t = 0; t < kMadeRows; ++t) {
    PhiloxStream(31, 0, 0, t)
        .normals(0,
                 std::span(values).subspan(t * kMadeChannels, kMadeChannels));
  }
  return values;
}

/// A finished run on that series. An edit of severity s adds 10 s to its
/// channel, whatever its kind is called.
inline void make_edited_run(const std::string& out,
                            const std::string& severity = "severity") {
  namespace fs = std::filesystem;
  make_series_run(out);
  const std::vector<double> recording = made_recording();
  std::ofstream table(out + ".csv");
  table << "channel-0,channel-1,channel-2,channel-3\n";
  table.precision(17);
  for (std::size_t t = 0; t < kMadeRows; ++t) {
    for (std::size_t c = 0; c < kMadeChannels; ++c) {
      table << (c > 0 ? "," : "") << recording[t * kMadeChannels + c];
    }
    table << '\n';
  }
  const std::size_t each = kMadeWidth * kMadeChannels;
  std::vector<double> windows(kMadeCases * each);
  std::string rows = "index,anchor_window,margin," + severity + "\n";
  nlohmann::json edits = nlohmann::json::array();
  for (std::size_t i = 0; i < kMadeCases; ++i) {
    const MadeEdit edit = made_edit(i);
    const std::size_t start = 2 * i + 10;
    for (std::size_t k = 0; k < each; ++k) {
      windows[i * each + k] = recording[start * kMadeChannels + k];
    }
    rows += std::to_string(i) + "," + std::to_string(start) + ",0.1," +
            std::to_string(edit.severity) + "\n";
    const std::string channel = "channel-" + std::to_string(edit.channel);
    edits.push_back(
        {{"index", i},
         {"status", "reached"},
         {"sentence", channel + " moves."},
         {"alternatives", nlohmann::json::array()},
         {"anchor_window", start},
         {"anchor_row", start},
         {"tries", 1},
         {"energy", 0.5},
         {"window", i},
         {"edits",
          {{{"kind", made_kinds()[edit.kind]},
            {"channel", channel},
            {"share_of_move", 1.0},
            {"realised", {{"first_sample", 8}, {"last_sample", 15}}}}}}});
  }
  const std::vector<std::size_t> shape = {kMadeCases, kMadeWidth,
                                          kMadeChannels};
  write_values(out + "/decoded/sources.npy", ElementType::kFloat64, shape,
               windows);
  for (std::size_t i = 0; i < kMadeCases; ++i) {
    const MadeEdit edit = made_edit(i);
    for (std::size_t t = 8; t < kMadeWidth; ++t) {
      windows[i * each + t * kMadeChannels + edit.channel] +=
          10.0 * edit.severity;
    }
  }
  write_values(out + "/decoded/windows.npy", ElementType::kFloat64, shape,
               windows);
  Matrix<float> points(kMadeCases, 4);
  for (std::size_t i = 0; i < kMadeCases; ++i) points(i, i % 4) = 1.0F;
  write_npy(out + "/outliers.npy", std::as_const(points).view());
  write_file_atomically(out + "/outliers.csv", rows);
  write_json(out + "/decoded/edits.json", edits);
  nlohmann::json manifest = read_json(out + "/manifest.json");
  manifest["input"] = out + ".csv";
  manifest["channels"] = {"channel-0", "channel-1", "channel-2", "channel-3"};
  manifest["requested"] = manifest["produced"] = kMadeCases;
  write_json(out + "/manifest.json", manifest);
}

/// A model that scores each row by the largest value among some channels; of
/// windows or of points.
inline job::StressModel row_maximum(std::vector<std::size_t> channels) {
  return [channels](const job::StressBatch& batch) {
    const auto& shape = batch.values.shape();
    const auto values = to_matrix<double>(batch.values);
    Matrix<double> scores(shape[0], shape[1]);
    for (std::size_t i = 0; i < shape[0]; ++i) {
      for (std::size_t t = 0; t < shape[1]; ++t) {
        double most = -1e9;
        for (const std::size_t c : channels) {
          most = std::max(most, values.view()(i, t * shape[2] + c));
        }
        scores(i, t) = most;
      }
    }
    return scores;
  };
}

/// A stress test of a run by a function.
inline job::StressOptions stress_options(const std::string& run,
                                         job::StressModel model) {
  job::StressOptions options;
  options.input = run;
  options.function = std::move(model);
  return options;
}

}  // namespace sbog::testing_support
