// SPDX-License-Identifier: Apache-2.0
// The state of a training run in one safetensors file: parameters, buffers,
// optimiser and counters, so that training goes on as if it had not stopped.
//
//   parameter.<name>, buffer.<name>   as in the sets
//   adam.first, adam.second           flat, when there is an optimiser
//   scalar.<name>                     float64
//   vector.<name>                     float64
//   text.<name>                       uint8, each string ended by a zero byte
//
// A trained network by itself is such a file with its parameters alone, and
// whole numbers in the metadata that say what shape it has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sbog/nn/adam.h"
#include "sbog/nn/parameter_set.h"

namespace sbog::nn {

/// See the top of the file.
struct Checkpoint {
  ParameterSet parameters;
  ParameterSet buffers;
  AdamState optimiser;  ///< empty vectors: none
  /// Counters (exact below 2^53) and other numbers of the run.
  std::map<std::string, double> scalars;
  /// What must be equal for the run to go on.
  std::map<std::string, std::string> metadata;
  /// Lists of numbers, and of strings without zero bytes.
  std::map<std::string, std::vector<double>> vectors = {};
  std::map<std::string, std::vector<std::string>> texts = {};
};

/// Writes the file, complete or not at all. Throws IoError.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Reads into `checkpoint`, whose sets, optimiser, scalars and the lengths of
/// its lists say what is expected; metadata is replaced. Throws IoError for
/// anything else in the file and for values that are not finite.
void load_checkpoint(const std::string& path, Checkpoint& checkpoint);

/// The metadata alone. Throws IoError.
std::map<std::string, std::string> read_metadata(const std::string& path);

using Metadata = std::map<std::string, std::string>;
/// Whole numbers by name.
using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

/// The metadata with the counts as text.
Metadata with_counts(Metadata metadata, const Counts& counts);

/// The number called `name` in the metadata of the file at `path`. Throws
/// IoError when it is missing or no whole number.
std::uint64_t read_count(const Metadata& metadata, const std::string& name,
                         const std::string& path);

/// Writes the file, complete or not at all. Throws IoError.
void save_parameters(const std::string& path, const ParameterSet& parameters,
                     const Metadata& metadata);

/// Reads the values of `parameters`, whose names and shapes say what is
/// expected. Throws IoError for anything else in the file and for values that
/// are not finite.
void load_parameters(const std::string& path, ParameterSet& parameters);

}  // namespace sbog::nn
