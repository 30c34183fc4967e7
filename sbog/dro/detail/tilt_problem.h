// SPDX-License-Identifier: Apache-2.0
// A discrete Sinkhorn-DRO problem as its solver sees it: rows i of weight mu_i,
// Gibbs rows Q_i over atoms j, gains g_j in [-1, 0], and the sums
//   L_i(theta) = log sum_j Q_ij exp(theta g_j)
// with their derivatives, computed by passes over rows x atoms in blocks.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/dro/detail/logit_blocks.h"
#include "sbog/energy/energy_model.h"

namespace sbog::detail {

/// Averages over the rows at one theta, P_i the tilted rows.
struct TiltMoments {
  double dual_mean = 0.0;       ///< mu [L / theta]
  double mean = 0.0;            ///< mu E_P[g]
  double divergence = 0.0;      ///< mu KL(P || Q); 0 where it underflows
  double log_divergence = 0.0;  ///< its logarithm, which does not underflow
  double variance = 0.0;        ///< mu Var_P[g]
  double magnitude = 0.0;       ///< size of what was subtracted for the KL
};

/// What the first pass finds.
struct TiltBase {
  std::vector<double> log2_support;  ///< log2 sum_j 2^logit of each row
  double mean = 0.0;                 ///< mu E_Q[g]
  double variance = 0.0;             ///< mu Var_Q[g]
  double top_mean = 0.0;             ///< mu max of g over the row's support
  double max_divergence = 0.0;       ///< -mu log Q(where g is largest)
};

/// Problem of rows x atoms. Every sum has a fixed order: the bits of all
/// results do not depend on the number of threads.
class TiltProblem {
 public:
  virtual ~TiltProblem() = default;
  /// The first pass; to be called before the rest. All passes end with kDone or
  /// kCancelled.
  virtual SolveStatus prepare(const Context& context) = 0;
  virtual const TiltBase& base() const = 0;
  /// One pass for all thetas (>= 0; kInfiniteTheta for the limit).
  virtual SolveStatus evaluate(std::span<const double> thetas,
                               std::span<TiltMoments> out,
                               const Context& context) = 0;
  /// out(k, j) = sum_i mu_i P_ij at thetas[k].
  virtual SolveStatus laws(std::span<const double> thetas,
                           MatrixView<double> out, const Context& context) = 0;
  /// out[j] = P_ij of one row.
  virtual void row_law(std::size_t row, double theta,
                       std::span<double> out) = 0;
};

/// The tilt problem over tiles of logits.
template <typename T>
class TiltPasses : public TiltProblem {
 public:
  /// One weight per row, adding up to 1; one gain per atom; `tops` is empty
  /// (all 0) or the largest gain over the support of each row.
  TiltPasses(LogitBlocks<T> blocks, std::vector<double> weights,
             std::vector<double> gains, std::vector<double> tops);

  SolveStatus prepare(const Context& context) override;
  const TiltBase& base() const override { return base_; }
  SolveStatus evaluate(std::span<const double> thetas,
                       std::span<TiltMoments> out,
                       const Context& context) override;
  SolveStatus laws(std::span<const double> thetas, MatrixView<double> out,
                   const Context& context) override;
  void row_law(std::size_t row, double theta, std::span<double> out) override;

 private:
  struct States;
  struct RowTilt;

  bool run_states(std::span<const double> thetas, bool is_first, States& states,
                  const Context& context);
  bool run_laws(std::span<const double> thetas,
                const std::vector<std::vector<double>>& log2_partitions,
                MatrixView<double> out, const Context& context);
  RowTilt row_tilt(const States& states, std::size_t k, double theta,
                   std::size_t row) const;
  std::size_t thetas_per_pass() const;
  /// Calls use(first, part of the thetas, their states) for as many thetas at a
  /// time as memory allows; kCancelled when a pass or `use` was stopped.
  template <typename Use>
  SolveStatus for_parts(std::span<const double> thetas, const Context& context,
                        const Use& use);

  LogitBlocks<T> blocks_;
  std::size_t segment_blocks_ = 1;  // a task walks over this many blocks
  std::size_t segments_ = 1;
  std::vector<double> weights_;  // these have padded_rows() entries
  std::vector<double> tops_;
  std::vector<double> peaks_;
  std::vector<double> log2_sums_;
  std::vector<double> centers_;
  std::vector<double> gains_;
  TiltBase base_;
};

}  // namespace sbog::detail
