// SPDX-License-Identifier: Apache-2.0
// The bounds of preflight.h.
#include "sbog/sample/preflight.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "sbog/sample/proposals.h"
#include "sbog/sample/splitting.h"

namespace sbog {
namespace {

constexpr double kPreflightTail = 1e-6;

// A bound on |xi| for all proposals that the run can make, but for probability
// kPreflightTail. Splitting halves its population at most kSplittingLevels
// times, after perhaps keeping a single one, so that it sees events that much
// rarer.
double largest_noise(const SamplerOptions& options, std::size_t dim) {
  double tries = static_cast<double>(std::max<std::size_t>(1, options.count)) *
                 static_cast<double>(options.proposal_count) *
                 static_cast<double>(options.max_rounds);
  if (options.splitting) {
    tries *= static_cast<double>(options.proposal_count) *
             static_cast<double>(1 + kSplittingLevels * kSplittingMoves) *
             std::exp2(kSplittingLevels);
  }
  return noise_radius(dim, kPreflightTail / tries);
}

// The largest cosine with the class anchor that a proposal can have, when it
// turns by at most `angle` from its bank point.
template <typename T>
double highest_class_cosine(const PreparedClass<T>& prepared, double angle) {
  double highest = -1.0;
  for (std::size_t a = 0; a < prepared.mapped_anchors.rows(); ++a) {
    const double cosine = cosine_of<double, double>(
        prepared.mapped_anchors.row(a), prepared.problem.class_anchor);
    const double apart = std::acos(std::clamp(cosine, -1.0, 1.0));
    highest = std::max(highest, std::cos(std::max(0.0, apart - angle)));
  }
  return highest;
}

}  // namespace

double noise_radius(std::size_t dim, double tail) {
  const auto m = static_cast<double>(dim);
  const double x = -std::log(tail);
  return std::sqrt(m + 2.0 * std::sqrt(m * x) + 2.0 * x);
}

template <typename T>
void run_preflight(PreparedClass<T>& prepared) {
  const SamplerOptions& options = prepared.options;
  if (!has_rounds(options) || prepared.anchors.anchors.empty()) return;
  // A shape can be long in one direction, which makes the bound idle.
  if (options.proposal_law == ProposalLaw::kShaped) return;
  const bool is_sphere = options.projection == Projection::kSphere;
  const double radius = prepared.scale.high *
                        largest_noise(options, prepared.problem.points.cols());
  const double angle = radius < 1.0 ? std::asin(radius) : std::numbers::pi;
  if (is_sphere && prepared.plan.semantic_floor >= -1.0 &&
      highest_class_cosine(prepared, angle) < prepared.limits.semantic_floor) {
    prepared.plan.is_infeasible = true;
    prepared.plan.infeasible_by = Constraint::kSemantic;
  }
  const bool is_lipschitz = is_cosine(options.energy.cost) ||
                            options.energy.cost == GroundCost::kEuclidean;
  if (!is_lipschitz || prepared.whole->support().kind() != ScoreKind::kEnergy) {
    return;
  }
  const double reach = is_sphere ? 2.0 * std::sin(0.5 * angle) : radius;
  double highest = -1.0;
  for (std::size_t a = 0; a < prepared.anchors.anchors.size(); ++a) {
    const auto row = std::as_const(prepared.mapped_anchors).row(a);
    std::vector<double> start(row.begin(), row.end());
    project(options, start);
    highest = std::max(highest, prepared.exact_energy_at(a, start));
  }
  prepared.plan.highest_reachable = highest + reach;
  if (prepared.plan.highest_reachable < prepared.limits.threshold) {
    prepared.plan.is_infeasible = true;
    prepared.plan.infeasible_by = Constraint::kEnergy;
  }
}

template void run_preflight(PreparedClass<float>&);
template void run_preflight(PreparedClass<double>&);

}  // namespace sbog
