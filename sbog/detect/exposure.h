// SPDX-License-Identifier: Apache-2.0
// Outliers that a head learns from: bank points moved by noise that has the
// shape of the classes,
//   v = unit(z_i + r s / sqrt(dim)),
// with s a step of the sampler's shape (sample/step_shape.h) and r uniform in a
// range. A step of length r is about as long in every dimension, so that one
// range serves all encoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/detect/labelled_bank.h"
#include "sbog/sample/step_shape.h"

namespace sbog::detect {

/// How outliers are drawn.
struct ExposureOptions {
  double radius_from = 1.5;  ///< smallest length of a step, above 0
  double radius_to = 4.0;    ///< largest length of a step
  bool is_shaped = true;     ///< false: the same in all directions
};

/// Throws InvalidArgument for numbers out of range.
void check_exposure(const ExposureOptions& options);

/// Unit rows that an epoch shows as outliers.
using OutlierSource = std::function<Matrix<float>(std::size_t epoch)>;

/// Epochs that take `count` of the rows in turn, from the front again at their
/// end; all of them where there are fewer.
OutlierSource outliers_in_turn(Matrix<float> rows, std::size_t count);

/// Draws outliers of one bank, which it looks at and does not copy.
class ExposureLaw {
 public:
  /// Classes of equal rows have no shape: the noise is then the same in all
  /// directions. Throws InvalidArgument for options out of range.
  ExposureLaw(const LabelledBank& bank, const ExposureOptions& options);

  /// `count` unit rows, those of an epoch and a seed; row k is the same for
  /// every count and number of threads.
  Matrix<float> draw(std::size_t count, std::uint64_t seed, std::size_t epoch,
                     const Context& context = {}) const;

 private:
  const LabelledBank& bank_;
  ExposureOptions options_;
  std::optional<StepShape> shape_;
};

}  // namespace sbog::detect
