// SPDX-License-Identifier: Apache-2.0
// The distance zeta of Theorem 3.5 between the law of outputs on n points and
// on the population, as a plug-in calculator, without its factor 2: conditional
// laws obey TV(P|S, Q|S) <= TV(P, Q) / max(P(S), Q(S)).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sbog/base/binomial.h"
#include "sbog/certify/certificate.h"
#include "sbog/certify/replay.h"

namespace sbog {

/// e_n of a pool: the largest half-width of its intervals of energies. 0
/// without any.
double largest_half_width(std::span<const Interval> energies);

/// a_n(t) = min{1, #{|s_i - xi| <= 2t} / (2A)}, xi the A-th highest score: a
/// bound on the share of the A anchors that an error of t on every score can
/// exchange. Throws InvalidArgument unless 1 <= A <= scores and t >= 0.
double anchor_fragility(std::span<const double> scores, std::size_t anchors,
                        double error);

/// b_n(t): share of rounds whose output an error of t on every score may change
/// when the highest feasible score is picked. A round is safe when all its
/// scores are below threshold - t, or when its best is at threshold + t or
/// above and 2t clear of the second.
double round_fragility(const Replay& replay, double threshold, double error);

/// zeta = min{1, (a + b) / p}, p the share of rounds that give an output.
struct StabilityBound {
  bool is_vacuous = true;
  std::string reason;  ///< one sentence; empty unless vacuous
  double anchor_part = 0.0;
  double round_part = 0.0;
  double acceptance = 0.0;
  double zeta = 1.0;
  Evidence evidence = Evidence::kPlugIn;
};

/// All parts from scores of the bank, replayed rounds and an error e_n.
StabilityBound stability_bound(std::span<const double> scores,
                               std::size_t anchors, const Replay& replay,
                               double threshold, double error);

}  // namespace sbog
