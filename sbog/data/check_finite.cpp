// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/check_finite.h"

#include <cmath>
#include <concepts>

#include "sbog/base/errors.h"
#include "sbog/data/detail/element_visit.h"

namespace sbog {
namespace {

[[noreturn]] void refuse(const std::string& name, std::size_t row,
                         std::size_t column, double value) {
  const char* text = std::isnan(value) ? "NaN" : value > 0 ? "inf" : "-inf";
  throw InvalidArgument(name + ": row " + std::to_string(row) + ", column " +
                        std::to_string(column) + " is " + text +
                        "; finite values are expected");
}

// A sum of x * 0 is 0 for finite values and NaN otherwise, and it has no
// branch inside the loop.
template <typename T>
bool is_all_finite(std::span<const T> values) {
  T sum = 0;
  for (const T value : values) sum += value * T{0};
  return sum == T{0};
}

}  // namespace

template <typename T>
void check_finite(MatrixView<const T> matrix, const std::string& name) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const auto row = matrix.row(i);
    if (is_all_finite(row)) continue;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (!std::isfinite(row[j])) refuse(name, i, j, row[j]);
    }
  }
}

template void check_finite(MatrixView<const float>, const std::string&);
template void check_finite(MatrixView<const double>, const std::string&);

void check_finite(const Array& array, const std::string& name) {
  if (!is_floating(array.type())) return;
  const std::size_t cols = array.cols();
  detail::visit_elements(array, [&](std::size_t i, auto value) {
    if constexpr (std::floating_point<decltype(value)>) {
      if (!std::isfinite(value)) refuse(name, i / cols, i % cols, value);
    }
  });
}

}  // namespace sbog
