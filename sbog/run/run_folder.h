// SPDX-License-Identifier: Apache-2.0
// The folder of a run: configuration, manifest, pieces while it goes on, and
// the outliers with their provenance at the end. Every file appears whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/folder_lock.h"
#include "sbog/energy/rarity.h"
#include "sbog/run/run_part.h"

namespace sbog {

/// See the top of the file.
class RunFolder {
 public:
  /// Makes the folder, or takes up an unfinished run of the same configuration
  /// and inputs, and holds it: other processes are refused until the end of
  /// this object. What a killed process left half-written is removed. Throws
  /// IoError when the folder holds something else, holds a run and `is_resumed`
  /// is false, is a symbolic link or has one in place of its folders.
  RunFolder(std::string path, const std::string& config,
            std::uint64_t input_checksum, bool is_resumed);
  ~RunFolder();

  /// Identity of the run: checksum of configuration and inputs.
  std::uint64_t identity() const { return identity_; }
  const std::string& path() const { return path_; }
  std::string part_path(const PartKey& key) const;
  std::string file(const std::string& name) const;

  /// The manifest of a run that ended ("complete" or "partial"), or null.
  nlohmann::json finished_manifest() const;
  /// Writes manifest.json with the given state.
  void write_manifest(nlohmann::json manifest, const std::string& state) const;
  /// Removes the pieces after the outliers have been written.
  void remove_parts() const;

 private:
  std::string path_;
  std::uint64_t identity_ = 0;
  std::uint64_t input_ = 0;
  std::unique_ptr<FolderLock> lock_;
  bool is_made_here_ = false;
};

/// What a certificate says about one outlier.
struct OutlierVerdict {
  double p_value = 0.0;
  bool is_certified = false;
};

/// How rare an outlier is within its class.
struct OutlierRarity {
  RarityEstimate estimate;
  int severity = 0;  ///< the one after the highest stands for all beyond
};

/// Collects the outputs of all classes into outliers.npy and outliers.csv,
/// row by row, so that memory stays that of one piece.
template <typename T>
class OutlierWriter {
 public:
  /// `rows` accepted outputs in all will be added.
  OutlierWriter(const RunFolder& folder, std::size_t rows, std::size_t dim);
  ~OutlierWriter();
  /// `verdicts` and `rarities`: one per output of the part, or none.
  void add(std::int64_t label, const RunPart<T>& part,
           std::span<const OutlierVerdict> verdicts = {},
           std::span<const OutlierRarity> rarities = {});
  /// Gives both files their names.
  void finish();

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace sbog
