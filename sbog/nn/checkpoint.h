// SPDX-License-Identifier: Apache-2.0
// The state of a training run in one safetensors file: parameters, buffers,
// optimiser and counters, so that training goes on as if it had not stopped.
//
//   parameter.<name>, buffer.<name>   as in the sets
//   adam.first, adam.second           flat, when there is an optimiser
//   scalar.<name>                     float64
//   vector.<name>                     float64
//   text.<name>                       uint8, each string ended by a zero byte
#pragma once

#include <map>
#include <string>
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

}  // namespace sbog::nn
