// SPDX-License-Identifier: Apache-2.0
// Plain loops over a given cost matrix; see precomputed_energy.h.
#include "sbog/energy/precomputed_energy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/energy/detail/tile_kernel.h"

namespace sbog {
namespace {

double logit_of(double cost, double weight, double epsilon) {
  if (weight == 0.0 || std::isinf(cost)) {
    return -std::numeric_limits<double>::infinity();
  }
  return std::log(weight) - cost / epsilon;
}

void check_costs(MatrixView<const double> costs) {
  if (costs.is_empty()) throw InvalidArgument("costs: no values");
  for (std::size_t i = 0; i < costs.rows(); ++i) {
    for (std::size_t j = 0; j < costs.cols(); ++j) {
      if (!(costs(i, j) >= 0.0)) {
        throw InvalidArgument("costs: row " + std::to_string(i) + ", column " +
                              std::to_string(j) + " is " +
                              std::to_string(costs(i, j)) +
                              "; a cost of at least 0 is expected");
      }
    }
  }
}

void check_weights(std::span<const double> weights, std::size_t count) {
  if (weights.empty()) return;
  if (weights.size() != count) {
    throw InvalidArgument("weights: one per column is expected (" +
                          std::to_string(count) + "), got " +
                          std::to_string(weights.size()));
  }
  double mass = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0.0) {
      throw InvalidArgument("weights: entry " + std::to_string(i) + " is " +
                            std::to_string(weights[i]) +
                            "; finite and non-negative is expected");
    }
    mass += weights[i];
  }
  if (!(mass > 0.0) || !std::isfinite(mass)) {
    throw InvalidArgument("weights: a positive finite total is expected, got " +
                          std::to_string(mass));
  }
}

// Blocks of atoms merged in block order, as for computed costs.
LogSumExp state_of(std::span<const double> costs,
                   std::span<const double> weights, double epsilon,
                   std::size_t self) {
  LogSumExp whole;
  for (std::size_t first = 0; first < costs.size();
       first += detail::kBlockAtoms) {
    const std::size_t last =
        std::min(first + detail::kBlockAtoms, costs.size());
    LogSumExp block;
    for (std::size_t i = first; i < last; ++i) {
      if (i == self) continue;
      const double weight = weights.empty() ? 1.0 : weights[i];
      block.add(logit_of(costs[i], weight, epsilon), weight);
    }
    whole.merge(block);
  }
  return whole;
}

}  // namespace

EnergyResult evaluate_precomputed(MatrixView<const double> costs,
                                  std::span<const double> weights,
                                  double epsilon,
                                  std::span<const std::size_t> self,
                                  const Context& context) {
  check_epsilon(epsilon);
  check_costs(costs);
  check_weights(weights, costs.cols());
  if (!self.empty() && self.size() != costs.rows()) {
    throw InvalidArgument("self: one column per row of costs is expected");
  }
  for (const std::size_t column : self) {
    if (column != kNoAtom && column >= costs.cols()) {
      throw InvalidArgument("self: " + std::to_string(column) +
                            " is not a column of the costs");
    }
  }
  EnergyResult result;
  std::vector<LogSumExp> states(costs.rows());
  ProgressCounter progress(context.observer, costs.rows());
  parallel_for(context, costs.rows(), [&](std::size_t q, std::size_t) {
    if (progress.is_cancelled()) return;
    states[q] = state_of(costs.row(q), weights, epsilon,
                         self.empty() ? kNoAtom : self[q]);
    progress.add(1);
  });
  if (progress.is_cancelled()) result.status = SolveStatus::kCancelled;
  result.energies = energies_of(states, epsilon);
  return result;
}

std::vector<double> gibbs_weights_of_costs(std::span<const double> costs,
                                           std::span<const double> weights,
                                           double epsilon) {
  check_epsilon(epsilon);
  check_costs({costs.data(), 1, costs.size()});
  check_weights(weights, costs.size());
  const LogSumExp state = state_of(costs, weights, epsilon, kNoAtom);
  std::vector<double> result(costs.size(), 0.0);
  if (state.is_empty()) return result;
  const double log_total = state.max + std::log(state.sum);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    result[i] = std::exp(logit_of(costs[i], weight, epsilon) - log_total);
  }
  return result;
}

}  // namespace sbog
