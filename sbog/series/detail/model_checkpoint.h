// SPDX-License-Identifier: Apache-2.0
// A model of a series as a checkpoint, alone or with what is built on it: the
// common part of series_model_file.h and cluster_detector_file.h.
#pragma once

#include <charconv>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"
#include "sbog/nn/parameter_set.h"
#include "sbog/series/series_model.h"

namespace sbog::series::detail {

/// The metadata of a file, with checks that name it. Everything throws IoError.
class ModelFields {
 public:
  ModelFields(std::string path, std::map<std::string, std::string> metadata)
      : path_(std::move(path)), metadata_(std::move(metadata)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(path_, what);
  }

  const std::string& text(const std::string& key) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) {
      fail("is not a model of a series: its metadata has no '" + key + "'");
    }
    return found->second;
  }

  /// A number within [least, most].
  template <typename T>
  T number(const std::string& key, T least, T most) const {
    const std::string& value = text(key);
    T result{};
    const char* end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, result);
    if (read.ec != std::errc() || read.ptr != end ||
        !(result >= least && result <= most)) {
      fail("the metadata '" + key + "' is '" + value +
           "', which no training could have written");
    }
    return result;
  }
  std::size_t count(const std::string& key, std::size_t least,
                    std::size_t most) const {
    return number<std::size_t>(key, least, most);
  }
  double real(const std::string& key, double least, double most) const {
    return number<double>(key, least, most);
  }
  bool flag(const std::string& key) const { return count(key, 0, 1) == 1; }

 private:
  std::string path_;
  std::map<std::string, std::string> metadata_;
};

/// Throws IoError unless the file has a tensor of this name and shape.
void check_tensor(const SafetensorsFile& file, const std::string& name,
                  const std::vector<std::size_t>& shape);

/// What a file holds besides the model; names must be others than those of the
/// model.
struct ModelExtras {
  nn::ParameterSet parameters;
  std::map<std::string, std::vector<double>> vectors;
  std::map<std::string, std::string> metadata;
};

/// Says from metadata and sizes what is expected, after checking it: the sets
/// and vectors of the result have the right sizes.
using ExpectExtras =
    std::function<ModelExtras(const ModelFields&, const SafetensorsFile&)>;

/// Writes the model, complete or not at all; `format` names what the file is.
/// Throws IoError.
void write_model(const std::string& path, const std::string& format,
                 const SeriesModel& model, const ModelExtras& extras = {});

/// Reads and checks it; the extras, if any are expected, go to `extras`, their
/// metadata left empty. Throws IoError.
SeriesModel read_model(const std::string& path, const std::string& format,
                       const ExpectExtras& expect = nullptr,
                       ModelExtras* extras = nullptr);

}  // namespace sbog::series::detail
