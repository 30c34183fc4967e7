// SPDX-License-Identifier: Apache-2.0
// Finished cells on disk, one file each: OUT/cells/NAME/KEY.json. A file is
// taken only when it is whole and was made from the same configuration.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "paper/experiment.h"

namespace sbog::paper {

/// A result read back.
struct StoredResult {
  Json result;
  std::string commit;  ///< of the program that computed it
  Json seconds;        ///< processor seconds by name, or null
};

/// The cell files of one experiment.
class CellStore {
 public:
  CellStore(const std::string& out, const std::string& experiment);

  /// Makes the folder; throws IoError when it cannot.
  void make_folder() const;
  std::string path_of(const std::string& key) const;

  /// The stored result; nullopt when there is none, when it is damaged, or when
  /// it is of another configuration.
  std::optional<StoredResult> load(const Cell& cell) const;
  /// Writes atomically; throws IoError. Fractions are kept to six significant
  /// digits. Seconds stand beside the result and are no part of it.
  void save(const Cell& cell, const Json& computed, const std::string& commit,
            const Json& seconds = nullptr) const;

 private:
  std::string experiment_;
  std::string folder_;
};

/// Checksum of a JSON value, sixteen hexadecimal digits.
std::string hash_of(const Json& json);

/// Lays those of `cells` into the store that it does not have and that the
/// result holds, made from the same configuration and with the commit of their
/// program: their own, or "a or b" where the result names its commits once.
/// Returns how many. Throws IoError.
std::size_t take_over(const Json& result, const std::vector<Cell>& cells,
                      const CellStore& store);

}  // namespace sbog::paper
