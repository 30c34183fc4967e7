// SPDX-License-Identifier: Apache-2.0
// Look-ups of model_reader.h.
#include "sbog/data/model_reader.h"

#include <algorithm>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog {

ModelReader::ModelReader(const std::string& path, std::string what)
    : path_(path), what_(std::move(what)) {
  SafetensorsOptions options;
  options.requires_finite = true;
  try {
    file_ = read_safetensors(path, options);
  } catch (const InvalidArgument& error) {  // NaN or infinity
    throw IoError(error.what());
  }
}

void ModelReader::fail(const std::string& sentence) const {
  throw IoError(path_, sentence);
}

const std::string& ModelReader::text(const std::string& key) const {
  const auto found = file_.metadata.find(key);
  if (found == file_.metadata.end()) {
    fail("is not " + what_ + ": its metadata has no '" + key + "'");
  }
  return found->second;
}

bool ModelReader::has(const std::string& name) const {
  return std::ranges::any_of(file_.tensors, [&](const NamedArray& tensor) {
    return tensor.name == name;
  });
}

const Array& ModelReader::find(const std::string& name) const {
  for (const NamedArray& tensor : file_.tensors) {
    if (tensor.name == name) return tensor.array;
  }
  fail("is not " + what_ + ": the tensor '" + name + "' is missing");
}

template <typename T>
Matrix<T> ModelReader::matrix(const std::string& name) const {
  const LoadedMatrix<T> loaded = to_matrix<T>(find(name));
  Matrix<T> copy(loaded.rows(), loaded.cols());
  for (std::size_t i = 0; i < copy.rows(); ++i) {
    std::ranges::copy(loaded.view().row(i), copy.row(i).begin());
  }
  return copy;
}

template Matrix<float> ModelReader::matrix(const std::string&) const;
template Matrix<double> ModelReader::matrix(const std::string&) const;

}  // namespace sbog
