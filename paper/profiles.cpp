// SPDX-License-Identifier: Apache-2.0
// Candidate profiles of the sampler in the controlled experiment: choose on
// seeds 1-8, confirm with --seeds 101-116. A candidate is a line in the table.
#include <vector>

#include "paper/oracle_cells.h"
#include "paper/registry.h"

namespace sbog::paper {
namespace {

const std::vector<Generator>& candidates() {
  static const std::vector<Generator> kCandidates = {
      {"algorithm-1", [](SamplerOptions&) {}},
      {"spread-argmax",
       [](SamplerOptions& o) {
         o.anchor_rule = AnchorRule::kFarthestPoint;
         o.anchors = 256;
         o.quantile = 0.8;
       }},
      {"spread-uniform",
       [](SamplerOptions& o) {
         o.anchor_rule = AnchorRule::kFarthestPoint;
         o.anchors = 256;
         o.quantile = 0.8;
         o.pick = PickRule::kUniform;
       }},
  };
  return kCandidates;
}

}  // namespace

Experiment profiles_experiment() {
  const std::string title = "Candidate profiles in the controlled experiment";
  return {"profiles",
          title,
          [](Size size) { return first_seeds(size == Size::kSmall ? 1 : 8); },
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
