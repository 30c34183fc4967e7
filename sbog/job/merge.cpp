// SPDX-License-Identifier: Apache-2.0
// The job `merge` of score.h.
#include <nlohmann/json.hpp>
#include <utility>

#include "sbog/data/npy.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/energy_state.h"
#include "sbog/job/files.h"
#include "sbog/job/score.h"

namespace sbog::job {

const OptionTable<MergeOptions>& merge_option_table() {
  static const OptionTable<MergeOptions> kTable = [] {
    OptionTable<MergeOptions> table;
    table.add("states", &MergeOptions::states, "State files of all shards")
        .positional()
        .value("FILES");
    table.add("out", &MergeOptions::out, "File for the energies, .npy or .csv")
        .basic()
        .required()
        .writes()
        .value("FILE");
    return table;
  }();
  return kTable;
}

MergeResult run(const MergeOptions& options, Events& /*events*/,
                const Context& /*context*/) {
  check_writable(options.out);
  std::vector<EnergyStateFile> shards;
  shards.reserve(options.states.size());
  for (const std::string& path : options.states) {
    shards.push_back(read_energy_state(path));
  }
  const EnergyStateFile whole = merge_energy_states(std::move(shards));
  const std::vector<double> energies =
      energies_of(whole.state.fold(), whole.epsilon);
  write_column(options.out, "energy", energies);
  return {Status::kDone, options, energies.size(), whole.total_blocks,
          whole.epsilon};
}

nlohmann::json to_json(const MergeResult& result) {
  return {{"states", result.options.states.size()},
          {"points", result.points},
          {"blocks", result.blocks},
          {"epsilon", result.epsilon},
          {"out", result.options.out}};
}

}  // namespace sbog::job
