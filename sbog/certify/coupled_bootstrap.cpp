// SPDX-License-Identifier: Apache-2.0
// See coupled_bootstrap.h.
#include "sbog/certify/coupled_bootstrap.h"

#include <algorithm>
#include <numeric>

#include "sbog/base/mean.h"
#include "sbog/certify/detail/checks.h"
#include "sbog/certify/reference_replica.h"
#include "sbog/certify/replay.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace {

double share_changed(const Replay& a, const Replay& b) {
  std::size_t changed = 0;
  for (std::size_t i = 0; i < a.rounds.size(); ++i) {
    if (!a.rounds[i].has_output_of(b.rounds[i])) ++changed;
  }
  return static_cast<double>(changed) / static_cast<double>(a.rounds.size());
}

double share_common(std::vector<std::size_t> a, std::vector<std::size_t> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<std::size_t> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::back_inserter(common));
  return static_cast<double>(common.size()) / static_cast<double>(a.size());
}

void summarise(BootstrapResult& result) {
  result.mean_overlap = mean_of(result.overlaps);
  if (result.acceptance == 0.0) {
    result.status = SolveStatus::kInfeasible;
    return;
  }
  std::vector<double> ratios;
  for (const double change : result.changes) {
    ratios.push_back(std::min(1.0, change / result.acceptance));
  }
  result.mean_change = mean_of(ratios);
  result.high_change = quantile(ratios, 0.95);
}

}  // namespace

template <typename T>
BootstrapResult coupled_bootstrap(const ClassProblem<T>& problem,
                                  const SamplerOptions& options,
                                  const BootstrapOptions& bootstrap,
                                  const Context& context) {
  detail::need(bootstrap.replicates >= 1 &&
                   bootstrap.replicates < (std::size_t{1} << 20),
               "replicates: between 1 and 1048575 are expected");
  detail::need(bootstrap.rounds >= 1, "rounds: at least 1 is expected");
  SamplerOptions whole = options;
  whole.local = 0;
  whole.proposal_mode = ProposalMode::kAmbient;
  // The observer hears of whole replicates.
  const Context quiet{context.pool, nullptr};
  ProgressCounter progress(context.observer, bootstrap.replicates + 1);
  BootstrapResult result;
  const auto base = prepare_class(problem, whole, quiet);
  const Replay original = replay_rounds(*base, bootstrap.rounds, quiet);
  result.acceptance = original.acceptance();
  for (std::size_t b = 0; progress.add(1) && b < bootstrap.replicates; ++b) {
    const std::vector<double> weights = draw_weights(
        problem.points.rows(), bootstrap.seed, static_cast<std::uint32_t>(b));
    const auto replica = replicate_class(*base, weights, quiet);
    const Replay again = replay_rounds(*replica, bootstrap.rounds, quiet);
    result.changes.push_back(share_changed(original, again));
    result.overlaps.push_back(
        share_common(base->anchors.anchors, replica->anchors.anchors));
  }
  if (progress.is_cancelled()) {
    result.status = SolveStatus::kCancelled;
    return result;
  }
  summarise(result);
  return result;
}

template BootstrapResult coupled_bootstrap(const ClassProblem<float>&,
                                           const SamplerOptions&,
                                           const BootstrapOptions&,
                                           const Context&);
template BootstrapResult coupled_bootstrap(const ClassProblem<double>&,
                                           const SamplerOptions&,
                                           const BootstrapOptions&,
                                           const Context&);

}  // namespace sbog
