// SPDX-License-Identifier: Apache-2.0
// The loss of the classification stage. With p = softmax of logits, s_i = p_i .
// p_near(i), u_i = p_i . p_far(i) and m = mean of p over the anchors:
//   consistency    -mean log s_i              (log not below -100)
//   entropy        H = -sum_c m_c log m_c     (m not below 1e-8)
//   inconsistency  -mean log(1 - u_i)
//   total          consistency - 2 H + w inconsistency
#pragma once

#include "sbog/base/matrix.h"

namespace sbog::series {

/// Weights of the parts.
struct ClusterWeights {
  double entropy = 2.0;
  double inconsistency = 0.0;
};

/// Values, and gradients with respect to the logits.
struct ClusterLoss {
  double total = 0.0;
  double consistency = 0.0;
  double entropy = 0.0;
  double inconsistency = 0.0;
  Matrix<float> d_anchor;
  Matrix<float> d_near;
  Matrix<float> d_far;  ///< empty without far logits
};

/// Rows of the three belong together; `far` may be empty when its weight is 0.
/// Throws InvalidArgument when shapes differ.
ClusterLoss cluster_loss(MatrixView<const float> anchor,
                         MatrixView<const float> near,
                         MatrixView<const float> far,
                         const ClusterWeights& weights);

/// Rows of probabilities from rows of logits.
Matrix<float> softmax_rows(MatrixView<const float> logits);

}  // namespace sbog::series
