// SPDX-License-Identifier: Apache-2.0
// A finished run folder of any kind, read back: manifest, configuration and
// outliers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/data/array.h"

namespace sbog {

/// What a run folder says about itself.
class FinishedRun {
 public:
  /// Throws IoError when the folder holds no run or an unfinished one.
  explicit FinishedRun(std::string folder);

  const std::string& folder() const { return folder_; }
  std::string file(const std::string& name) const;
  bool has_file(const std::string& name) const;
  /// Where a file that the run's options name is found from here: a relative
  /// path is one from the folder that the run was started in, if there is such
  /// a file, else as it is.
  std::string found(const std::string& spec) const;
  const nlohmann::json& manifest() const { return *manifest_; }
  /// "latent", "series", "image" or "table".
  const std::string& kind() const { return kind_; }
  /// As the run was given it.
  const std::string& input() const { return input_; }
  std::uint64_t seed() const { return seed_; }
  /// The section [generate] of config.toml.
  std::vector<Assignment> config() const;

 private:
  std::string folder_;
  std::shared_ptr<const nlohmann::json> manifest_;
  std::string kind_;
  std::string input_;
  std::uint64_t seed_ = 0;
};

/// The outliers of a run with some columns of their table.
template <typename T>
struct RunOutliers {
  LoadedMatrix<T> points;
  std::vector<std::int64_t> classes;  ///< 0 for a series, which has none
  std::vector<double> margins;
  std::vector<std::size_t> anchor_rows;  ///< of the bank
  /// Of a series: bank rows that it started from, with success or without.
  std::vector<std::size_t> anchors_tried;
};

/// Throws IoError when there are none or the files do not fit together.
template <typename T>
RunOutliers<T> read_outliers(const FinishedRun& run);

}  // namespace sbog
