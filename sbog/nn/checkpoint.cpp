// SPDX-License-Identifier: Apache-2.0
// Checkpoints in safetensors; see checkpoint.h.
#include "sbog/nn/checkpoint.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"

namespace sbog::nn {
namespace {

const char* const kSteps = "adam.steps";

template <typename T>
NamedArray named(const std::string& name, ElementType type,
                 std::vector<std::size_t> shape, std::span<const T> values) {
  const std::size_t bytes = values.size_bytes();
  std::shared_ptr<std::byte> copy(new std::byte[bytes + 1],
                                  std::default_delete<std::byte[]>());
  if (bytes > 0) std::memcpy(copy.get(), values.data(), bytes);
  return {name, Array(name, type, std::move(shape), std::move(copy))};
}

void append(const ParameterSet& set, const std::string& prefix,
            std::vector<NamedArray>& out) {
  for (const Parameter& entry : set.entries()) {
    out.push_back(named<float>(prefix + entry.name, ElementType::kFloat32,
                               entry.shape,
                               set.flat().subspan(entry.offset, entry.size)));
  }
}

std::vector<std::uint8_t> joined(const std::vector<std::string>& strings) {
  std::vector<std::uint8_t> bytes;
  for (const std::string& text : strings) {
    // A zero byte would end the string early.
    for (const char c : text) {
      if (c != '\0') bytes.push_back(static_cast<std::uint8_t>(c));
    }
    bytes.push_back(0);
  }
  return bytes;
}

std::vector<NamedArray> arrays_of(const Checkpoint& checkpoint) {
  std::vector<NamedArray> arrays;
  append(checkpoint.parameters, "parameter.", arrays);
  append(checkpoint.buffers, "buffer.", arrays);
  const AdamState& adam = checkpoint.optimiser;
  std::map<std::string, double> scalars = checkpoint.scalars;
  if (!adam.first.empty()) {
    arrays.push_back(named<float>("adam.first", ElementType::kFloat32,
                                  {adam.first.size()}, adam.first));
    arrays.push_back(named<float>("adam.second", ElementType::kFloat32,
                                  {adam.second.size()}, adam.second));
    scalars[kSteps] = static_cast<double>(adam.steps);
  }
  for (const auto& [name, value] : scalars) {
    arrays.push_back(named<double>("scalar." + name, ElementType::kFloat64, {},
                                   std::span(&value, 1)));
  }
  for (const auto& [name, values] : checkpoint.vectors) {
    arrays.push_back(named<double>("vector." + name, ElementType::kFloat64,
                                   {values.size()}, values));
  }
  for (const auto& [name, strings] : checkpoint.texts) {
    const std::vector<std::uint8_t> bytes = joined(strings);
    arrays.push_back(named<std::uint8_t>("text." + name, ElementType::kUInt8,
                                         {bytes.size()}, bytes));
  }
  return arrays;
}

const Array& find(const SafetensorsFile& file, const std::string& name) {
  for (const NamedArray& tensor : file.tensors) {
    if (tensor.name == name) return tensor.array;
  }
  throw IoError(file.name, "there is no tensor " + name);
}

template <typename T>
void copy_out(const SafetensorsFile& file, const std::string& name,
              std::span<T> out) {
  const Array& found = find(file, name);
  // An empty list has no address, which memcpy must not be given.
  if (!out.empty()) std::memcpy(out.data(), found.bytes(), out.size_bytes());
}

void copy_set(const SafetensorsFile& file, const std::string& prefix,
              ParameterSet& set) {
  for (const Parameter& entry : set.entries()) {
    copy_out(file, prefix + entry.name, set.values(entry.name));
  }
}

// As many strings as there are in `out`.
void copy_strings(const SafetensorsFile& file, const std::string& name,
                  std::vector<std::string>& out) {
  const Array& array = find(file, name);
  std::vector<std::string> strings;
  std::string text;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const char c = static_cast<char>(array.bytes()[i]);
    if (c != '\0') {
      text += c;
    } else {
      strings.push_back(std::exchange(text, {}));
    }
  }
  if (!text.empty() || strings.size() != out.size()) {
    throw IoError(file.name, "the tensor " + name + " holds " +
                                 std::to_string(strings.size()) +
                                 " whole strings; " +
                                 std::to_string(out.size()) + " are expected");
  }
  out = std::move(strings);
}

// Values that are not finite are the file's fault, not the caller's.
SafetensorsFile read_finite(const std::string& path) {
  try {
    return read_safetensors(path, {.requires_finite = true});
  } catch (const InvalidArgument& error) {
    throw IoError(error.what());
  }
}

}  // namespace

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  write_safetensors(path, arrays_of(checkpoint), checkpoint.metadata);
}

void load_checkpoint(const std::string& path, Checkpoint& checkpoint) {
  const SafetensorsFile file = read_finite(path);
  std::vector<ExpectedTensor> expected;
  for (const NamedArray& tensor : arrays_of(checkpoint)) {
    // Strings may have any length, so the file says how many bytes they take.
    const bool is_text = tensor.name.starts_with("text.");
    expected.push_back({tensor.name, tensor.array.type(),
                        is_text ? std::vector{find(file, tensor.name).size()}
                                : tensor.array.shape()});
  }
  check_tensors(file, expected);
  copy_set(file, "parameter.", checkpoint.parameters);
  copy_set(file, "buffer.", checkpoint.buffers);
  AdamState& adam = checkpoint.optimiser;
  if (!adam.first.empty()) {
    copy_out(file, "adam.first", std::span(adam.first));
    copy_out(file, "adam.second", std::span(adam.second));
    double steps = 0.0;
    copy_out(file, std::string("scalar.") + kSteps, std::span(&steps, 1));
    if (!(steps >= 0.0 && steps < 9e15)) {
      throw IoError(path, "the step counter of the optimiser is not a count");
    }
    adam.steps = static_cast<std::uint64_t>(steps);
  }
  for (auto& [name, value] : checkpoint.scalars) {
    copy_out(file, "scalar." + name, std::span(&value, 1));
  }
  for (auto& [name, values] : checkpoint.vectors) {
    copy_out(file, "vector." + name, std::span(values));
  }
  for (auto& [name, strings] : checkpoint.texts) {
    copy_strings(file, "text." + name, strings);
  }
  checkpoint.metadata = file.metadata;
}

std::map<std::string, std::string> read_metadata(const std::string& path) {
  return read_safetensors(path).metadata;
}

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
