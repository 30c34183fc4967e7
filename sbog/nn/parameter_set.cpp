// SPDX-License-Identifier: Apache-2.0
// Named tensors; see parameter_set.h.
#include "sbog/nn/parameter_set.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/nn/random.h"

namespace sbog::nn {

void ParameterSet::add(std::string name, std::vector<std::size_t> shape) {
  for (const Parameter& there : entries_) {
    if (there.name == name) {
      throw InvalidArgument("ParameterSet: the name " + name +
                            " is there already");
    }
  }
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  entries_.push_back({std::move(name), std::move(shape), values_.size(), size});
  values_.resize(values_.size() + size, 0.0F);
}

const Parameter& ParameterSet::entry(std::string_view name) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(),
                   [&](const Parameter& entry) { return entry.name == name; });
  if (found == entries_.end()) {
    throw InvalidArgument("ParameterSet: there is no tensor named " +
                          std::string(name));
  }
  return *found;
}

std::span<float> ParameterSet::values(std::string_view name) {
  const Parameter& found = entry(name);
  return flat().subspan(found.offset, found.size);
}

std::span<const float> ParameterSet::values(std::string_view name) const {
  const Parameter& found = entry(name);
  return flat().subspan(found.offset, found.size);
}

ParameterSet ParameterSet::zeros() const {
  ParameterSet copy = *this;
  copy.set_zero();
  return copy;
}

void ParameterSet::set_zero() {
  std::fill(values_.begin(), values_.end(), 0.0F);
}

void initialise_layer(ParameterSet& parameters, const std::string& layer,
                      std::uint64_t seed) {
  const Parameter& weight = parameters.entry(layer + ".weight");
  const double fan_in =
      static_cast<double>(weight.size) / static_cast<double>(weight.shape[0]);
  const double bound = 1.0 / std::sqrt(fan_in);
  for (const char* part : {".weight", ".bias"}) {
    Draws draws(seed, Purpose::kInitialise, stream_of_name(layer + part));
    for (float& value : parameters.values(layer + part)) {
      value = static_cast<float>(bound * (2.0 * draws.uniform() - 1.0));
    }
  }
}

}  // namespace sbog::nn
