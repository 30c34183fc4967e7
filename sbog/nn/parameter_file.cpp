// SPDX-License-Identifier: Apache-2.0
// See parameter_file.h.
#include "sbog/nn/parameter_file.h"

#include <charconv>

#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"

namespace sbog::nn {

Metadata with_counts(Metadata metadata, const Counts& counts) {
  for (const auto& [name, value] : counts) {
    metadata[name] = std::to_string(value);
  }
  return metadata;
}

std::uint64_t read_count(const Metadata& metadata, const std::string& name,
                         const std::string& path) {
  const auto found = metadata.find(name);
  std::uint64_t value = 0;
  if (found != metadata.end()) {
    const std::string& text = found->second;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec == std::errc() && read.ptr == end) return value;
  }
  throw IoError(path, "the metadata needs a whole number named " + name);
}

void save_parameters(const std::string& path, const ParameterSet& parameters,
                     const Metadata& metadata) {
  save_checkpoint(path, {parameters, {}, {}, {}, metadata});
}

void load_parameters(const std::string& path, ParameterSet& parameters) {
  Checkpoint file{parameters, {}, {}, {}, {}};
  load_checkpoint(path, file);
  parameters = std::move(file.parameters);
}

}  // namespace sbog::nn
