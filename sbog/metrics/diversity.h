// SPDX-License-Identifier: Apache-2.0
// How different generated points are from each other:
//   1 - mean of cos(v_i, v_j) over i != j
//     = 1 - (|sum v|^2 - N) / (N (N - 1))   for unit vectors v.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sbog/base/matrix.h"

namespace sbog {

/// In [0, N/(N-1)], taken over all pairs by the identity above in O(N dim).
/// Rows are normalised first; nullopt for fewer than two. Throws
/// InvalidArgument for a row that is zero or not finite.
template <typename T>
std::optional<double> diversity(MatrixView<const T> points);

/// The mean over classes of the diversity within a class; classes of fewer than
/// two points are left out, nullopt when none is left.
template <typename T>
std::optional<double> diversity_within_classes(
    MatrixView<const T> points, std::span<const std::int64_t> classes);

}  // namespace sbog
