// SPDX-License-Identifier: Apache-2.0
// Directions seen from the middle of a bank: its mean direction is subtracted
// and what is left has length 1 again.
//
// Features of a text encoder lie in a narrow cone: all cosines are high and
// differ little. Centring opens the cone. Features that are never negative, as
// after a ReLU, lose by it: their zeros mean something.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// The mean of the rows, each divided by its length; in double, rows in order.
/// `weights` are non-negative, one per row; empty: equal. Throws
/// InvalidArgument, naming the row, for a zero row or one that is not finite.
template <typename T>
std::vector<double> mean_direction(MatrixView<const T> bank,
                                   std::span<const double> weights = {});

/// The mean cosine of two different rows of a bank of `rows` rows, from its
/// mean direction with equal weights. 1 for a single row.
double mean_cosine(std::span<const double> mean, std::size_t rows);

/// Whether features are signed: at least one in a hundred of the values that
/// are not 0 is negative.
template <typename T>
bool has_signed_features(MatrixView<const T> points);

/// unit(unit(x) - mean) of every row x. Throws InvalidArgument, beginning with
/// `name`, for a zero row, a row that is not finite, one that is nothing but
/// the mean, and for another dimension than that of the mean.
template <typename T>
Matrix<T> centre_rows(MatrixView<const T> points, std::span<const double> mean,
                      const std::string& name);

}  // namespace sbog
