// SPDX-License-Identifier: Apache-2.0
// Robust logits: for each sample and class the smallest (or largest) expected
// similarity over a KL ball around a Gibbs law of S atoms,
//   log Q_k = log w_k - d_k / eps - log sum_j w_j exp(-d_j / eps),
//   sup { sum_k q_k l_k : eps KL(q || Q) <= r },
// solved for a whole batch, SIMD lanes running over rows. Gradients come from
// the envelope theorem: at the optimum the dual variable is held fixed.
#pragma once

#include <cstddef>
#include <span>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"

namespace sbog {

/// Which way a row is robust.
enum class RobustSign {
  kPaper,        ///< every class lowered: V = -sup E_q[-a]
  kAdversarial,  ///< the labelled class lowered, the others raised
  kUpper,        ///< every row raised: V = sup E_q[a]
};

/// B samples, C classes, S atoms per sample. Views: the caller keeps the
/// memory.
template <typename T>
struct RobustBatch {
  /// a_k of sample b and class c in row b * C + c: (B C) x S, finite, magnitude
  /// at most 1e300.
  MatrixView<const T> similarities;
  /// d_k of sample b in row b: B x S, >= 0; +inf means not on the support.
  MatrixView<const T> costs;
  /// w_k, >= 0, shared by all samples; empty: uniform.
  std::span<const double> weights;
  /// One class per sample; read by kAdversarial only.
  std::span<const std::size_t> labels;
};

struct RobustOptions {
  double epsilon = 0.05;
  /// r; only kappa = r / epsilon matters besides the shape of Q.
  double radius = 0.005;
  RobustSign sign = RobustSign::kPaper;
};

/// Where results go. An empty view is not filled; the others must have the
/// shape that is said.
template <typename T>
struct RobustOutput {
  /// B x C: V.
  MatrixView<T> values;
  /// B x C: lambda* >= 0, 0 when saturated, +inf at radius 0. dV/dr is -lambda
  /// for a lowered row and +lambda for a raised one.
  MatrixView<T> lambdas;
  /// (B C) x S: the tilted law q*, which is dV/da_k.
  MatrixView<T> tilted;
  /// (B C) x S: dV/dd_k = lambda (q*_k - Q_k) for a lowered row, minus that for
  /// a raised one; its limit Q_k (l_k - E_Q l) / eps at radius 0.
  MatrixView<T> cost_gradients;
};

/// Solves every row, in double whatever T is. The bits of a row depend on that
/// row alone: not on the batch around it, nor on the threads. Throws
/// InvalidArgument for wrong shapes, values, options and labels. kDone or
/// kCancelled.
template <typename T>
[[nodiscard]] SolveStatus robust_logits(const RobustBatch<T>& batch,
                                        const RobustOptions& options,
                                        const RobustOutput<T>& out,
                                        const Context& context = {});

}  // namespace sbog
