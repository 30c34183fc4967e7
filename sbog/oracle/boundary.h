// SPDX-License-Identifier: Apache-2.0
// A boundary that is known exactly: three processes, each perturbed in its
// mean, its noise and its dynamics by as much as costs a given divergence, and
// the bands of windows that a perturbed process explains slightly better.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/oracle/var_process.h"

namespace sbog {

inline constexpr std::size_t kOracleClasses = 3;
inline constexpr std::size_t kPerturbations = 3;  ///< of each class
inline constexpr std::size_t kOracleRegions = kOracleClasses * kPerturbations;
inline constexpr std::size_t kWindowPoints = 32;  ///< points of a window
inline constexpr std::size_t kWindowSize = 2 * kWindowPoints;

/// What a perturbation changes; also its number within the class.
enum class Perturbation : std::size_t { kMean = 0, kNoise = 1, kDynamics = 2 };

/// One class and one perturbation: number 3 * cls + perturbation.
constexpr std::size_t region_number(std::size_t cls, Perturbation what) {
  return kPerturbations * cls + static_cast<std::size_t>(what);
}

/// The three processes, their means multiplied by `mean_scale`.
std::array<VarProcess, kOracleClasses> base_processes(double mean_scale = 1.0);

/// The process of class `cls` moved by `amplitude` along its direction.
VarProcess perturb(const VarProcess& base, std::size_t cls, Perturbation what,
                   double amplitude);

/// The amplitude at which KL(perturbed || base) of windows of kWindowPoints is
/// `nats`, by bisection to the last bit. Throws InvalidArgument when `nats` is
/// not above 0 or cannot be reached with a spectral radius below 0.98.
double solve_amplitude(const VarProcess& base, std::size_t cls,
                       Perturbation what, double nats);

/// What a boundary is made from.
struct BoundarySettings {
  std::uint64_t seed = 1;
  double nats = 6.0;
  double mean_scale = 1.0;
  std::size_t width_draws = 20000;  ///< windows per region for its width
};

/// A perturbed process and its band 0 < log ratio <= width.
struct BoundaryRegion {
  std::size_t cls = 0;
  Perturbation what = Perturbation::kMean;
  double amplitude = 0.0;
  double width = 0.0;  ///< median positive log ratio under the process itself
};

/// See the top of the file.
class Boundary {
 public:
  /// Throws InvalidArgument as solve_amplitude, and when no draw of a region
  /// has a positive log ratio.
  explicit Boundary(const BoundarySettings& settings,
                    const Context& context = {});

  const WindowLaw& base(std::size_t cls) const { return base_.at(cls); }
  const WindowLaw& perturbed(std::size_t region) const {
    return perturbed_.at(region);
  }
  const BoundaryRegion& region(std::size_t number) const {
    return regions_.at(number);
  }

  /// log p_region(window) - log p_class(window).
  double log_ratio(std::size_t region, std::span<const double> window) const;
  /// Whether the window lies in the region's band.
  bool is_in_band(std::size_t region, std::span<const double> window) const;
  /// The class whose process, or one of its perturbations, gives the window its
  /// highest density; ties to the smallest.
  std::size_t likeliest_class(std::span<const double> window) const;

 private:
  std::vector<WindowLaw> base_;
  std::vector<WindowLaw> perturbed_;
  std::array<BoundaryRegion, kOracleRegions> regions_;
};

}  // namespace sbog
