// SPDX-License-Identifier: Apache-2.0
// Checked input of a Sinkhorn-DRO problem, made ready for the passes: gains,
// supports, infinite losses.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "sbog/dro/detail/tilt_problem.h"
#include "sbog/dro/sinkhorn_dro.h"

namespace sbog::detail {

/// f_j = top + range g_j on the finite part of the support, g_j in [-1, 0].
struct LossScale {
  double top = 0.0;
  double range = 1.0;
};

/// A problem over the atoms of finite loss. With F their set, a row is
/// Q_i(. | F), and -eps sum_i mu_i log Q_i(F) of the radius is spent on leaving
/// out the others.
struct DroModel {
  virtual ~DroModel() = default;
  /// The first pass, with what it takes to know energies and log Q_i(F).
  virtual SolveStatus prepare(const Context& context) = 0;

  std::unique_ptr<TiltProblem> problem;
  double epsilon = 1.0;
  std::size_t nominal_count = 0;
  std::size_t reference_count = 0;
  std::vector<double> weights;         // mu, normalised
  std::span<const std::size_t> atoms;  // reference rows; empty: all
  LossScale scale;
  bool has_plus_infinity = false;
  bool has_minus_infinity = false;
  bool is_hopeless = false;  // some row sees losses of -inf only
  bool is_constant = false;  // each row sees one finite loss only
  bool has_energy = false;
  bool is_prepared = false;
  // Known once prepared.
  double mean_energy = 0.0;
  double finite_divergence = 0.0;  // -sum_i mu_i log Q_i(F)
};

/// Throws InvalidArgument; see SinkhornDro.
std::unique_ptr<DroModel> make_kernel_model(
    MatrixView<const double> kernel, std::span<const double> nominal_weights,
    std::span<const double> losses, double epsilon);
std::unique_ptr<DroModel> make_cost_model(
    MatrixView<const double> costs, std::span<const double> nominal_weights,
    std::span<const double> reference_weights, std::span<const double> losses,
    double epsilon);
template <typename T>
std::unique_ptr<DroModel> make_point_model(const DroPoints<T>& points,
                                           std::span<const double> losses,
                                           const EnergyOptions& energy,
                                           std::size_t cache_bytes);

/// Shared by the three.
std::vector<double> normalised_weights(std::span<const double> weights,
                                       std::size_t count, const char* name);
void check_losses(std::span<const double> losses, std::size_t count);

/// Largest and smallest finite loss of what is added.
class LossRange {
 public:
  void add(double loss);
  bool has_finite() const { return low_ <= high_; }
  bool is_constant() const { return low_ == high_; }
  /// Range 1 when there is no finite loss, or one only.
  LossScale scale() const;

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

}  // namespace sbog::detail
