// SPDX-License-Identifier: Apache-2.0
// Cosines of generated points to one direction per class: the class mean of
// the bank ("prototype") or a given class anchor ("token").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"

namespace sbog {

/// One unit vector per class.
struct ClassDirections {
  Matrix<double> directions;          ///< one per row, of unit length
  std::vector<std::int64_t> classes;  ///< class of each row
};

/// The renormalised mean of the normalised points of each class, by increasing
/// label; nullopt when the points of some class cancel and leave no direction.
/// Throws InvalidArgument for another number of labels and for points that are
/// zero or not finite.
template <typename T>
std::optional<ClassDirections> class_prototypes(
    MatrixView<const T> points, std::span<const std::int64_t> labels);

/// Given class anchors, normalised. `classes` is empty (row c belongs to class
/// c) or names the class of each row. Throws InvalidArgument for a class that
/// is named twice and for rows that are zero or not finite.
template <typename T>
ClassDirections class_anchors(MatrixView<const T> anchors,
                              std::span<const std::int64_t> classes = {});

/// Cosines of points v_i to the directions t_c, with c_i their source class.
struct ClassSimilarity {
  /// mean <v_i, t_{c_i}>: Fidelity_cos of class means, the token cosine of
  /// anchors.
  double mean_cosine = 0.0;
  /// Share with argmax_c <v_i, t_c> != c_i, ties to the first row: Contam.
  double contamination = 0.0;
  /// mean of <v_i, t_{c_i}> - max_{c != c_i} <v_i, t_c>; nullopt for a single
  /// class.
  std::optional<double> margin;
  std::vector<double> cosines;  ///< <v_i, t_{c_i}>
  std::vector<double> margins;  ///< the terms of `margin`
};

/// O(N C dim). Throws InvalidArgument without points, for dimensions that
/// differ, another number of source classes, and a source class without a
/// direction.
template <typename T>
ClassSimilarity class_similarity(MatrixView<const T> points,
                                 std::span<const std::int64_t> source_classes,
                                 const ClassDirections& directions,
                                 const Context& context = {});

}  // namespace sbog
