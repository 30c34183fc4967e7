// SPDX-License-Identifier: Apache-2.0
// A trained network in one safetensors file: its parameters, and whole numbers
// in the metadata that say what shape it has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sbog/nn/parameter_set.h"

namespace sbog::nn {

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
