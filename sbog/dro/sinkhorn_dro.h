// SPDX-License-Identifier: Apache-2.0
// Sinkhorn distributionally robust optimisation, discrete: the largest expected
// loss over a transport ball with entropic cost,
//   V(rho) = sup { sum_i mu_i sum_j p_ij f_j :
//                  eps sum_i mu_i KL(p_i || Q_i) <= rho },
//   Q_ij = nu_j exp(-d(x_i, u_j) / eps) / K(x_i),
// by its dual V = min over lambda of lambda rho + lambda eps sum_i mu_i
// L_i(1 / (lambda eps)), L_i(theta) = log sum_j Q_ij exp(theta f_j).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/reference_measure.h"

namespace sbog {

/// What the answer looks like. Each of them is an answer, not an error.
enum class DroCase {
  kInterior,       ///< the ball binds: 0 < lambda < inf
  kNominal,        ///< radius 0: V = E_mu E_Q f, lambda = inf
  kConstant,       ///< f is constant on every support: V is that, lambda = 0
  kSaturated,      ///< radius >= largest_radius: V = essential supremum,
                   ///< lambda = 0
  kPlusInfinity,   ///< f = +inf somewhere on the support: V = +inf
  kMinusInfinity,  ///< f = -inf, and the ball is too small to avoid it
};

/// "interior", "nominal", "constant", "saturated", "plus-infinity",
/// "minus-infinity".
const char* to_string(DroCase kind);

/// One radius, solved.
struct DroResult {
  /// kDone; kNotConverged when the limit of evaluations came first (the gap
  /// says how far it came); kCancelled: nothing else is to be used.
  SolveStatus status = SolveStatus::kDone;
  DroCase kind = DroCase::kInterior;
  double radius = 0.0;
  double value = 0.0;         ///< V by the dual, at lambda
  double primal_value = 0.0;  ///< expected loss of the worst case
  double duality_gap = 0.0;   ///< value - primal_value
  double lambda = 0.0;        ///< dual variable; NaN for the infinite cases
  double theta = 0.0;         ///< 1 / (lambda epsilon); inf when saturated
  double constraint_residual = 0.0;  ///< |eps mu KL - radius|; 0 off the border
  double nominal_value = 0.0;        ///< E_mu E_Q f, the value at radius 0
  /// sum_i mu_i max of f over the support of Q_i: the largest f of the
  /// reference when all costs are finite.
  double essential_supremum = 0.0;
  double largest_radius = 0.0;   ///< from here on V is the essential supremum
  double smallest_radius = 0.0;  ///< below it V = -inf; 0 unless f = -inf
  std::size_t evaluations = 0;   ///< of the dual and its derivatives
  /// P*_j = sum_i mu_i p_ij, one per reference point; empty if not wanted or
  /// not defined.
  std::vector<double> worst_case;
};

/// How to solve.
struct DroOptions {
  bool wants_worst_case = true;
  /// Relative tolerance on the constraint. Rounding may end a solve earlier.
  double tolerance = 1e-14;
  std::size_t max_evaluations = 300;
};

/// The three terms of the dual (Proposition 3.3) at one lambda.
struct DualDecomposition {
  double radius_term = 0.0;    ///< lambda rho
  double integral_term = 0.0;  ///< sum_i mu_i lambda eps log sum_j nu_j
                               ///< exp(f_j / (lambda eps) - d_ij / eps)
  double energy_term = 0.0;    ///< lambda sum_i mu_i E(x_i)
  double total() const { return radius_term + integral_term + energy_term; }
};

/// Nominal points x_i, reference points u_j and their weights (nominal weights
/// empty: uniform). Views: the caller keeps the memory alive.
template <typename T>
struct DroPoints {
  MatrixView<const T> nominal;
  std::span<const double> nominal_weights;
  ReferenceMeasure<T> reference;
};

/// Memory for logits that are kept between passes.
inline constexpr std::size_t kDroCacheBytes = std::size_t{512} << 20;

/// One problem, for any number of radii. Losses: one per reference point, no
/// NaN, magnitude at most 1e300 or infinite. Weights are normalised. Results
/// have the same bits for any number of threads.
class SinkhornDro {
 public:
  /// The Gibbs rows themselves, n_nominal x n_reference, non-negative, each of
  /// positive sum; normalised here. Keeps 8 bytes per entry.
  static SinkhornDro from_kernel(MatrixView<const double> kernel,
                                 std::span<const double> nominal_weights,
                                 std::span<const double> losses,
                                 double epsilon);
  /// A matrix of costs >= 0, +inf allowed. Keeps 8 bytes per entry.
  static SinkhornDro from_costs(MatrixView<const double> costs,
                                std::span<const double> nominal_weights,
                                std::span<const double> reference_weights,
                                std::span<const double> losses, double epsilon);
  /// Points and a ground cost. The matrix is never formed: every evaluation is
  /// a pass over nominal x reference in tiles, unless the tiles of all together
  /// fit `cache_bytes` and are kept. Costs are computed in T; from there on all
  /// is double, so with float the problem with costs rounded to float (relative
  /// error about 1e-7) is solved as exactly as with double.
  template <typename T>
  static SinkhornDro from_points(const DroPoints<T>& points,
                                 std::span<const double> losses,
                                 const EnergyOptions& energy,
                                 std::size_t cache_bytes = kDroCacheBytes);

  SinkhornDro(SinkhornDro&&) noexcept;
  SinkhornDro& operator=(SinkhornDro&&) noexcept;
  ~SinkhornDro();

  std::size_t nominal_count() const;
  std::size_t reference_count() const;
  double epsilon() const;

  /// Throws InvalidArgument for a radius below 0 or NaN; +inf is allowed.
  [[nodiscard]] DroResult solve(double radius, const DroOptions& options = {},
                                const Context& context = {});
  /// A robustness curve: all radii share their passes.
  [[nodiscard]] std::vector<DroResult> solve(std::span<const double> radii,
                                             const DroOptions& options = {},
                                             const Context& context = {});

  /// The tilted law p_i of one nominal point, one entry per reference point:
  /// Q_i at theta = 0, Q_i where f is largest at theta = inf.
  std::vector<double> nominal_law(std::size_t nominal, double theta);

  /// sum_i mu_i E(x_i), the Sinkhorn energy of the nominal measure. Throws
  /// InvalidArgument after from_kernel, where it is not known. NaN if
  /// cancelled.
  double mean_energy(const Context& context = {});

  /// The dual at lambda > 0, finite, term by term; NaN if cancelled.
  [[nodiscard]] DualDecomposition dual_decomposition(
      double lambda, double radius, const Context& context = {});

 private:
  struct Impl;
  explicit SinkhornDro(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The radius rho_bar = rho + E_mu[E] of the unnormalised Sinkhorn distance.
double unnormalised_radius(double radius, double mean_energy);
/// The reverse; nullopt when the unnormalised ball is empty.
std::optional<double> normalised_radius(double unnormalised,
                                        double mean_energy);

}  // namespace sbog
