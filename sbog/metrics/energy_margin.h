// SPDX-License-Identifier: Apache-2.0
// What energies say about generated points and about the rounds that made
// them. A margin is E(v) - tau; a point is accepted when it is at least 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sbog/energy/score_bank.h"

namespace sbog {

/// tau for each query of a scored problem: the one threshold, or the threshold
/// of the query's class when `query_labels` is not empty. Throws
/// InvalidArgument for a class without a threshold and another number of
/// labels than energies.
std::vector<double> query_thresholds(
    const ScoreResult& scored, std::span<const std::int64_t> query_labels = {});

/// E(v) - tau of each point. Throws InvalidArgument for lists of different
/// length.
std::vector<double> energy_margins(std::span<const double> energies,
                                   std::span<const double> thresholds);

/// mean(E(v) - tau): the energy gap; nullopt without margins.
std::optional<double> energy_gap(std::span<const double> margins);

/// Share of points with E(v) >= tau; nullopt without margins.
std::optional<double> accepted_share(std::span<const double> margins);

/// median |E(v) - tau| in two readings; nullopt where no point qualifies.
struct BoundaryDistance {
  std::optional<double> all;       ///< Delta_all: accepted and rejected
  std::optional<double> accepted;  ///< Delta_acc: accepted only
};

/// Throws InvalidArgument for a margin that is NaN.
BoundaryDistance boundary_distance(std::span<const double> margins);

/// Share of anchors with at least one feasible proposal. Over the chosen
/// anchors this is Fill_A, over all bank points Fill_n; nullopt without counts.
std::optional<double> fill_rate(std::span<const std::size_t> feasible_counts);

/// What perturbations of anchors yield.
struct Yield {
  double pass = 0.0;         ///< Pass: share with cosine >= the floor
  double mean_energy = 0.0;  ///< Ebar_pass: mean E of those, 0 if none
  double value = 0.0;        ///< their product
};

/// From the energy of each perturbation and its cosine to the class anchor;
/// nullopt without perturbations. Throws InvalidArgument for lists of different
/// length.
std::optional<Yield> perturbation_yield(std::span<const double> energies,
                                        std::span<const double> cosines,
                                        double cosine_floor);

}  // namespace sbog
