// SPDX-License-Identifier: Apache-2.0
// Points on the unit sphere with their classes: what a detector of unusual
// points learns from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog::detect {

/// See the top of the file. Class numbers run from 0; every class has a row.
struct LabelledBank {
  Matrix<float> points;                    ///< one unit row per point
  std::vector<std::size_t> classes;        ///< class number of each row
  std::vector<std::int64_t> class_labels;  ///< label of each class, increasing

  std::size_t rows() const { return points.rows(); }
  std::size_t dim() const { return points.cols(); }
  std::size_t class_count() const { return class_labels.size(); }
};

/// Every row divided by its length. Throws InvalidArgument, beginning with
/// `name` and naming row and column, for values that are not finite and for
/// rows of zeros.
Matrix<float> unit_rows(MatrixView<const float> points,
                        const std::string& name);

/// A bank of points of any length; without labels all are of one class 0.
/// Throws InvalidArgument as unit_rows, for no points at all and for labels
/// that are not one per point.
LabelledBank make_bank(MatrixView<const float> points,
                       std::span<const std::int64_t> labels,
                       const std::string& name);

/// Rows of a bank, each list increasing.
struct HeldOutSplit {
  std::vector<std::size_t> kept;
  std::vector<std::size_t> held_out;
};

/// Holds out floor(share x rows) rows of each class, drawn by the seed; so each
/// class keeps a row. Throws InvalidArgument unless 0 <= share < 1.
HeldOutSplit split_bank(const LabelledBank& bank, double share,
                        std::uint64_t seed);

/// The given rows; throws InvalidArgument when a class would lose all of its
/// rows.
LabelledBank part_of_bank(const LabelledBank& bank,
                          std::span<const std::size_t> rows);

/// The mean of each class, in double: classes x dimensions.
Matrix<double> class_means(const LabelledBank& bank);

/// Class number of each row, as the sampler takes them.
std::vector<std::uint32_t> class_numbers(const LabelledBank& bank);

/// Number of rows of each class.
std::vector<std::size_t> class_sizes(const LabelledBank& bank);

}  // namespace sbog::detect
