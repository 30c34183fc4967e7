// SPDX-License-Identifier: Apache-2.0
// The shape of steps: F g with g standard normal and F F' = S, the covariance
// within classes, shrunk by 5 % towards the same spread in all directions and
// scaled to trace m, so that a step is as long on average as an isotropic one.
//
// S has m(m+1)/2 numbers. Where there are fewer rows than dimensions, or more
// than 2,048 dimensions, the centred rows X (at most 1,024 of them, drawn by
// the seed) stand for it: F g = sqrt(.95 c) X' h + sqrt(.05) e, with one normal
// of h per row, one of e per dimension, and c such that the trace is m. Rows
// that do not vary at all (one point in every class) leave isotropic steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/sample/within_class.h"

namespace sbog {

/// See the top of the file.
class StepShape {
 public:
  /// Share of the spread that is the same in all directions.
  static constexpr double kShrinkage = 0.05;

  template <typename T>
  StepShape(const WithinClass<T>& within, std::uint64_t seed);

  std::size_t dim() const { return factor_.rows(); }
  /// Normals behind one step.
  std::size_t normal_count() const { return factor_.cols() + plain_count_; }
  /// Whether rows stand for the covariance.
  bool is_low_rank() const { return plain_count_ > 0; }

  /// Steps of `width` proposals side by side: normals[i * width + lane], i <
  /// normal_count(), to steps[k * width + lane], k < dim(); `width` as for
  /// detail/normal_tile.h.
  void make_steps(const float* normals, std::size_t width, float* steps) const;

 private:
  void use_covariance(const Matrix<double>& covariance);
  void use_rows(const Matrix<double>& rows);

  Matrix<float> factor_;           // dim x normals
  std::vector<std::size_t> used_;  // of each row of the factor
  std::size_t plain_count_ = 0;    // normals that are added as they are
  float plain_ = 0.0f;             // times this
};

}  // namespace sbog
