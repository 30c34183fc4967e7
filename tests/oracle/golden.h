// SPDX-License-Identifier: Apache-2.0
// Golden values of the specification: tests/oracle/core_vectors.json, computed
// with 50 digits. Numbers are JSON numbers, decimal strings or fractions.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "test_paths.h"

namespace sbog::golden {

/// The entry at a JSON pointer such as "/rng/layout_example".
inline nlohmann::json entry(const std::string& pointer) {
  static const nlohmann::json all = [] {
    const std::string path =
        std::string(SBOG_SOURCE_DIR) + "/tests/oracle/core_vectors.json";
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot open " + path);
    return nlohmann::json::parse(file);
  }();
  return all.at(nlohmann::json::json_pointer(pointer));
}

/// "0.25", "-1e3", "inf"; the whole text must be a number.
inline double parse_decimal(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') {
    throw std::runtime_error("'" + text + "' is not a number");
  }
  return value;
}

/// A number, a decimal string or a fraction "p/q".
inline double to_double(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  const auto text = value.get<std::string>();
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return parse_decimal(text);
  return parse_decimal(text.substr(0, slash)) /
         parse_decimal(text.substr(slash + 1));
}

/// A list of numbers.
inline std::vector<double> to_vector(const nlohmann::json& value) {
  std::vector<double> out;
  for (const auto& element : value) out.push_back(to_double(element));
  return out;
}

/// A list of rows of equal length.
template <typename T = double>
Matrix<T> to_matrix(const nlohmann::json& value) {
  Matrix<T> out(value.size(), value.empty() ? 0 : value.front().size());
  for (std::size_t i = 0; i < out.rows(); ++i) {
    if (value[i].size() != out.cols()) {
      throw std::runtime_error("rows of different length");
    }
    for (std::size_t j = 0; j < out.cols(); ++j) {
      out(i, j) = static_cast<T>(to_double(value[i][j]));
    }
  }
  return out;
}

/// A list of whole numbers.
inline std::vector<std::size_t> to_indices(const nlohmann::json& value) {
  return value.get<std::vector<std::size_t>>();
}

/// Words written as eight hexadecimal digits.
template <typename Array>
Array to_words(const nlohmann::json& value) {
  Array words{};
  if (value.size() != words.size()) {
    throw std::runtime_error("another number of words");
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint32_t>(
        std::stoul(value[i].get<std::string>(), nullptr, 16));
  }
  return words;
}

}  // namespace sbog::golden
