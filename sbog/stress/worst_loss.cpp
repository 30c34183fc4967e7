// SPDX-License-Identifier: Apache-2.0
// See worst_loss.h.
#include "sbog/stress/worst_loss.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sbog/dro/sinkhorn_dro.h"

namespace sbog::stress {
namespace {

constexpr std::array<double, 5> kFractions = {0.0, 0.125, 0.25, 0.5, 1.0};

}  // namespace

template <typename T>
WorstLosses worst_losses(MatrixView<const T> controls,
                         std::span<const double> control_losses,
                         MatrixView<const T> cases,
                         std::span<const double> case_losses,
                         const EnergyOptions& energy, std::vector<double> radii,
                         const Context& context) {
  Matrix<T> points(controls.rows() + cases.rows(), controls.cols());
  std::copy_n(controls.data(), controls.rows() * controls.cols(),
              points.data());
  std::copy_n(cases.data(), cases.rows() * cases.cols(),
              points.data() + controls.rows() * controls.cols());
  std::vector<double> losses(control_losses.begin(), control_losses.end());
  losses.insert(losses.end(), case_losses.begin(), case_losses.end());
  DroPoints<T> problem;
  problem.nominal = controls;
  problem.reference = {std::as_const(points).view(), {}, {}};
  SinkhornDro solver = SinkhornDro::from_points<T>(problem, losses, energy);
  sbog::DroOptions options;
  options.wants_worst_case = false;
  WorstLosses result;
  if (radii.empty()) {
    const sbog::DroResult first = solver.solve(0.0, options, context);
    if (first.status == SolveStatus::kCancelled) {
      result.status = first.status;
      return result;
    }
    for (const double fraction : kFractions) {
      radii.push_back(fraction * first.largest_radius);
    }
  }
  const auto solved =
      solver.solve(std::span<const double>(radii), options, context);
  for (const sbog::DroResult& one : solved) {
    if (one.status == SolveStatus::kCancelled) {
      result.status = one.status;
      return result;
    }
    result.nominal = one.nominal_value;
    result.largest_radius = one.largest_radius;
    result.curve.push_back({one.radius, one.value, one.duality_gap,
                            one.status == SolveStatus::kDone});
  }
  return result;
}

template WorstLosses worst_losses(MatrixView<const float>,
                                  std::span<const double>,
                                  MatrixView<const float>,
                                  std::span<const double>, const EnergyOptions&,
                                  std::vector<double>, const Context&);
template WorstLosses worst_losses(MatrixView<const double>,
                                  std::span<const double>,
                                  MatrixView<const double>,
                                  std::span<const double>, const EnergyOptions&,
                                  std::vector<double>, const Context&);

}  // namespace sbog::stress
