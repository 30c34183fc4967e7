// SPDX-License-Identifier: Apache-2.0
// The list of experiments; see registry.h.
#include "paper/registry.h"

#include <string>

#include "sbog/base/errors.h"

namespace sbog::paper {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> kExperiments = {
      stability_experiment(), certificates_experiment(),
      selfterm_experiment(),  energy_ablation_experiment(),
      kde_experiment(),       oracle_experiment(),
      profiles_experiment(),  series_experiment(),
      threshold_experiment(), series_ablation_experiment(),
      images_experiment(),    anchors_experiment(),
      semantic_experiment(),  latents_experiment(),
      rarity_experiment(),    rarity_intervals_experiment(),
  };
  return kExperiments;
}

const Experiment& find_experiment(std::string_view name) {
  std::string names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return experiment;
    names += (names.empty() ? "" : ", ") + experiment.name;
  }
  throw InvalidArgument("'" + std::string(name) + "' is not one of: " + names +
                        ", all");
}

}  // namespace sbog::paper
