// SPDX-License-Identifier: Apache-2.0
// Named float tensors that lie one behind the other in one vector: what is
// trained, its gradients, and what batch normalisation remembers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sbog::nn {

/// One tensor of a set, row-major.
struct Parameter {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// See the top of the file. Copies are deep.
class ParameterSet {
 public:
  /// Appends a tensor of zeros; throws InvalidArgument for a repeated name.
  void add(std::string name, std::vector<std::size_t> shape);

  const std::vector<Parameter>& entries() const { return entries_; }
  /// All elements.
  std::span<float> flat() { return values_; }
  std::span<const float> flat() const { return values_; }
  std::size_t size() const { return values_.size(); }

  /// The tensor of a name; throws InvalidArgument when there is none.
  const Parameter& entry(std::string_view name) const;
  std::span<float> values(std::string_view name);
  std::span<const float> values(std::string_view name) const;

  /// A set of the same tensors, all zero.
  ParameterSet zeros() const;
  void set_zero();

 private:
  std::vector<Parameter> entries_;
  std::vector<float> values_;
};

/// Fills "<layer>.weight" and "<layer>.bias" uniformly within
/// +-1/sqrt(fan_in), fan_in = elements of the weight per output: the default
/// law of convolutions and linear layers in PyTorch. Each tensor is drawn from
/// a stream keyed by its name.
void initialise_layer(ParameterSet& parameters, const std::string& layer,
                      std::uint64_t seed);

}  // namespace sbog::nn
