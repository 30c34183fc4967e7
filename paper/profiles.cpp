// SPDX-License-Identifier: Apache-2.0
// Candidate profiles of the sampler in the controlled experiment: choose on
// seeds 1-8, confirm with --seeds 101-116. A candidate is a line in the table.
#include <string>
#include <vector>

#include "paper/oracle_cells.h"
#include "paper/registry.h"

namespace sbog::paper {
namespace profiles {
namespace {

// Farthest points among the highest energies.
Generator spread(const char* name, PickRule pick) {
  return {name, [pick](SamplerOptions& o) {
            o.anchor_rule = AnchorRule::kFarthestPoint;
            o.anchor_count = 256;
            o.quantile = 0.8;
            o.pick = pick;
          }};
}

// What the candidates with anchors of all regions differ in.
struct RegionCandidate {
  double epsilon;
  double sigma;
  double quantile;
  std::size_t proposals;
  double explore;  // share of uniform picks
};

// Each anchor in turn, region after region.
Generator regions(const char* name, const RegionCandidate& candidate) {
  return {name, [candidate](SamplerOptions& o) {
            o.anchor_rule = AnchorRule::kRegions;
            o.regions = 40;
            o.anchor_count = 400;
            o.pool_factor = 5.0;
            o.anchor_quota = true;
            o.energy.epsilon = candidate.epsilon;
            o.sigma = candidate.sigma;
            o.quantile = candidate.quantile;
            o.proposal_count = candidate.proposals;
            o.explore = candidate.explore;
            o.pick = PickRule::kMixed;
          }};
}

const std::vector<Generator>& candidates() {
  static const std::vector<Generator> kCandidates = {
      {"algorithm-1", [](SamplerOptions&) {}},
      spread("spread, argmax", PickRule::kArgmax),
      spread("spread, uniform", PickRule::kUniform),
      regions("regions, argmax", {0.05, 0.02, 0.8, 128, 0.0}),
      regions("regions, explore .2", {0.05, 0.02, 0.8, 128, 0.2}),
      regions("regions, explore .5", {0.05, 0.03, 0.8, 128, 0.5}),
      regions("256, explore .6", {0.05, 0.035, 0.75, 256, 0.6}),
      regions("512, explore .6", {0.05, 0.035, 0.75, 512, 0.6}),
      regions("512, sigma .0375", {0.05, 0.0375, 0.75, 512, 0.6}),
      {"profile balanced",
       [](SamplerOptions& o) { o = profile_options("balanced"); }},
  };
  return kCandidates;
}

}  // namespace
}  // namespace profiles

Experiment profiles_experiment() {
  using namespace profiles;
  const std::string title = "Candidate profiles in the controlled experiment";
  return {"profiles",
          title,
          seeds_by_size(1, 8),
          [](const Settings& settings) {
            return oracle_cells(settings, candidates());
          },
          [](const Json& configuration, const Context& context) {
            return compute_oracle(configuration, candidates(), context);
          },
          [title](const std::vector<FinishedCell>& cells) {
            return present_oracle(cells, title, {});
          }};
}

}  // namespace sbog::paper
