// SPDX-License-Identifier: Apache-2.0
// Answers of a model that have been paid for, kept until the stress test has
// ended: files of one matrix each with a checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sbog/base/matrix.h"

namespace sbog::job {

/// The parts of one stress test in a folder.
class AnswerParts {
 public:
  /// Makes the folder. `identity` is that of the model and what it is asked
  /// about: parts of another one are not taken. Throws IoError.
  AnswerParts(std::string folder, std::uint64_t identity);

  /// The answers kept under a name; nothing when they are not there, damaged,
  /// of another test or not of `rows` rows.
  std::optional<Matrix<double>> find(const std::string& name,
                                     std::size_t rows) const;
  /// Keeps answers, whole or not at all. Throws IoError.
  void keep(const std::string& name, MatrixView<const double> answers) const;
  const std::string& folder() const { return folder_; }
  /// Forgets what was kept.
  void remove_parts() const;
  /// Removes the parts, the files of commands beside them, and the folder if
  /// nothing else is in it.
  void remove() const;

 private:
  std::string path_of(const std::string& name) const;

  std::string folder_;
  std::uint64_t identity_;
};

}  // namespace sbog::job
