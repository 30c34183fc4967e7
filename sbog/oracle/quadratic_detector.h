// SPDX-License-Identifier: Apache-2.0
// The detector that outliers are judged by: ridge logistic regression on all
// coordinates of a point and their products in pairs.
//
// With standardised features f(x) and both classes of equal total weight it
// minimises mean weighted log loss + ridge / 2 |w|^2, the intercept being free.
#pragma once

#include <cstddef>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/status.h"

namespace sbog {

/// Options of QuadraticDetector.
struct QuadraticDetectorOptions {
  double ridge = 1e-3;
  std::size_t max_steps = 50;  ///< of Newton's method
};

/// See the top of the file. Deterministic and single-threaded.
class QuadraticDetector {
 public:
  /// Fits to points of the two classes. O(steps n d^4) for d coordinates.
  /// Throws InvalidArgument for an empty class, dimensions that differ or a
  /// ridge that is not above 0.
  QuadraticDetector(MatrixView<const float> negatives,
                    MatrixView<const float> positives,
                    const QuadraticDetectorOptions& options = {});

  /// Log odds, one per point; larger is more positive.
  std::vector<double> score(MatrixView<const float> points) const;

  /// kDone, or kNotConverged after max_steps.
  SolveStatus status() const { return status_; }
  std::size_t steps() const { return steps_; }

 private:
  std::size_t dim_ = 0;
  std::vector<double> centre_;   // one per feature
  std::vector<double> scale_;    // one per feature; 0 for a constant one
  std::vector<double> weights_;  // the intercept first
  SolveStatus status_ = SolveStatus::kNotConverged;
  std::size_t steps_ = 0;
};

}  // namespace sbog
