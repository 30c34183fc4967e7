// SPDX-License-Identifier: Apache-2.0
// How much the sampler's output depends on the sample that is its reference: a
// bootstrap that replays rounds with the same noise on references drawn again.
// A diagnostic in place of the bound zeta, not a certificate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/certify/certificate.h"
#include "sbog/sample/prepared_class.h"

namespace sbog {

/// How much is replayed.
struct BootstrapOptions {
  std::size_t replicates = 30;  ///< B, in [1, 2^20)
  std::size_t rounds = 200;     ///< R, in [1, 2^32)
  std::uint64_t seed = 0;       ///< of the references; the noise has its own
};

/// What changed.
struct BootstrapResult {
  /// kDone; kInfeasible when no round on the original gave an output; or
  /// kCancelled: then the rest is not to be used.
  SolveStatus status = SolveStatus::kDone;
  double acceptance = 0.0;       ///< p of the original
  std::vector<double> changes;   ///< eta_b: share of rounds of another output
  std::vector<double> overlaps;  ///< share of the anchors that stayed
  /// Of eta_b / p, each at most 1; not set (0) without acceptance.
  double mean_change = 0.0;
  double high_change = 0.0;  ///< 95 % quantile
  double mean_overlap = 0.0;
  Evidence evidence = Evidence::kBootstrap;
};

/// Replays R rounds on the whole reference and on B references drawn again from
/// it. `options` has been checked and had its rule applied; a local reference
/// is ignored: all energies are against the whole one. The same for any number
/// of threads. Throws InvalidArgument for a rule that does not rank by energy
/// and for options out of range.
template <typename T>
[[nodiscard]] BootstrapResult coupled_bootstrap(
    const ClassProblem<T>& problem, const SamplerOptions& options,
    const BootstrapOptions& bootstrap = {}, const Context& context = {});

}  // namespace sbog
