// SPDX-License-Identifier: Apache-2.0
// Processes, amplitudes and bands of boundary.h.
#include "sbog/oracle/boundary.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/energy/threshold.h"
#include "sbog/oracle/detail/matrix2.h"

namespace sbog {
namespace {

constexpr double kLargestRadius = 0.98;

constexpr std::array<Vector2, kOracleClasses> kMeanDirections = {
    {{1.0, 0.5}, {-0.5, 1.0}, {1.0, -1.0}}};
constexpr std::array<Matrix2, kOracleClasses> kNoiseDirections = {{
    {{{1.0, 0.4}, {0.4, 0.6}}},
    {{{0.5, 0.3}, {0.3, 1.0}}},
    {{{1.0, -0.5}, {-0.5, 1.0}}},
}};
constexpr std::array<Matrix2, kOracleClasses> kDynamicsDirections = {{
    {{{0.3, -0.2}, {0.2, 0.3}}},
    {{{0.3, 0.3}, {-0.2, 0.3}}},
    {{{0.5, -0.1}, {0.2, 0.25}}},
}};

bool is_tame(const VarProcess& process) {
  return spectral_radius(process.transition) < kLargestRadius;
}

void fill_band(BoundaryRegion& region, const WindowLaw& law,
               const WindowLaw& base, std::uint32_t number,
               const BoundarySettings& settings) {
  std::vector<double> ratios;
  ratios.reserve(settings.width_draws);
  std::array<double, kWindowSize> window;
  for (std::size_t i = 0; i < settings.width_draws; ++i) {
    draw_window(law,
                {settings.seed, WindowPurpose::kWidth, number,
                 static_cast<std::uint32_t>(i)},
                window);
    const double ratio = law.log_density(window) - base.log_density(window);
    if (ratio > 0.0) ratios.push_back(ratio);
  }
  if (ratios.empty()) {
    throw InvalidArgument("boundary: " + std::to_string(settings.width_draws) +
                          " draws are too few to find the width of a band");
  }
  region.width = quantile(ratios, 0.5);
}

}  // namespace

std::array<VarProcess, kOracleClasses> base_processes(double mean_scale) {
  std::array<VarProcess, kOracleClasses> processes = {{
      {{{{0.6, 0.1}, {0.0, 0.5}}}, {{{0.5, 0.15}, {0.15, 0.4}}}, {0.0, 0.0}},
      {{{{0.3, -0.3}, {0.3, 0.4}}}, {{{0.4, -0.1}, {-0.1, 0.5}}}, {2.0, -1.0}},
      {{{{-0.2, 0.2}, {0.1, 0.6}}}, {{{0.4, 0.0}, {0.0, 0.4}}}, {-1.5, 1.8}},
  }};
  for (VarProcess& process : processes) {
    for (double& value : process.mean) value *= mean_scale;
  }
  return processes;
}

VarProcess perturb(const VarProcess& base, std::size_t cls, Perturbation what,
                   double amplitude) {
  VarProcess moved = base;
  switch (what) {
    case Perturbation::kMean:
      moved.mean = detail::add(base.mean, kMeanDirections.at(cls), amplitude);
      break;
    case Perturbation::kNoise:
      moved.noise =
          detail::add(base.noise, kNoiseDirections.at(cls), amplitude);
      break;
    case Perturbation::kDynamics:
      moved.transition =
          detail::add(base.transition, kDynamicsDirections.at(cls), amplitude);
      break;
  }
  return moved;
}

double solve_amplitude(const VarProcess& base, std::size_t cls,
                       Perturbation what, double nats) {
  if (!(nats > 0.0) || !std::isfinite(nats)) {
    throw InvalidArgument("nats: a finite number above 0 is expected");
  }
  const auto reaches = [&](double amplitude) {
    const VarProcess moved = perturb(base, cls, what, amplitude);
    return !is_tame(moved) ||
           window_divergence(moved, base, kWindowPoints) >= nats;
  };
  double low = 0.0;
  double high = 1.0;
  while (!reaches(high)) {
    low = high;
    high *= 2.0;
  }
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (reaches(middle) ? high : low) = middle;
  }
  if (!is_tame(perturb(base, cls, what, high))) {
    throw InvalidArgument(
        "nats: " + std::to_string(nats) +
        " cannot be reached by a process of spectral radius below 0.98");
  }
  return high;
}

Boundary::Boundary(const BoundarySettings& settings, const Context& context) {
  const auto processes = base_processes(settings.mean_scale);
  for (std::size_t c = 0; c < kOracleClasses; ++c) {
    base_.emplace_back(processes[c]);
    for (std::size_t k = 0; k < kPerturbations; ++k) {
      const auto what = static_cast<Perturbation>(k);
      BoundaryRegion& region = regions_[region_number(c, what)];
      region = {c, what, solve_amplitude(processes[c], c, what, settings.nats),
                0.0};
      perturbed_.emplace_back(perturb(processes[c], c, what, region.amplitude));
    }
  }
  parallel_for(context, kOracleRegions, [&](std::size_t l, std::size_t) {
    fill_band(regions_[l], perturbed_[l], base_[regions_[l].cls],
              static_cast<std::uint32_t>(l), settings);
  });
}

double Boundary::log_ratio(std::size_t region,
                           std::span<const double> window) const {
  return perturbed(region).log_density(window) -
         base(regions_[region].cls).log_density(window);
}

bool Boundary::is_in_band(std::size_t region,
                          std::span<const double> window) const {
  const double ratio = log_ratio(region, window);
  return ratio > 0.0 && ratio <= regions_[region].width;
}

std::size_t Boundary::likeliest_class(std::span<const double> window) const {
  std::array<double, kOracleClasses> highest;
  for (std::size_t c = 0; c < kOracleClasses; ++c) {
    highest[c] = base_[c].log_density(window);
    for (std::size_t k = 0; k < kPerturbations; ++k) {
      highest[c] = std::max(
          highest[c], perturbed_[kPerturbations * c + k].log_density(window));
    }
  }
  return static_cast<std::size_t>(
      std::max_element(highest.begin(), highest.end()) - highest.begin());
}

}  // namespace sbog
