// SPDX-License-Identifier: Apache-2.0
// Refuses NaN and infinity, naming the place.
#pragma once

#include <string>

#include "sbog/base/matrix.h"
#include "sbog/data/array.h"

namespace sbog {

/// Throws InvalidArgument "NAME: row R, column C is NaN; finite values are
/// expected" for the first such element in row order. T is float or double.
template <typename T>
void check_finite(MatrixView<const T> matrix, const std::string& name);
extern template void check_finite(MatrixView<const float>, const std::string&);
extern template void check_finite(MatrixView<const double>, const std::string&);

/// The same for an array of any type; integers are always finite.
void check_finite(const Array& array, const std::string& name);

}  // namespace sbog
