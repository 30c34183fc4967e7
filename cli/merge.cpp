// SPDX-License-Identifier: Apache-2.0
// sbog merge: the states of all shards of a bank to the energies of the whole.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.h"
#include "exit_code.h"
#include "sbog/data/npy.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/energy_state.h"

namespace sbog::cli {
namespace {

constexpr const char* kFooter =
    "The result has the same bytes as scoring the bank in one piece.\n"
    "\n"
    "Examples:\n"
    "  sbog score demo:bank --shard 0/2 --state a.state && "
    "sbog score demo:bank --shard 1/2 --state b.state && "
    "sbog merge a.state b.state --out energies.npy\n"
    "  sbog score demo:bank --shard 0/1 --state all.state && "
    "sbog merge all.state --out energies.npy --json";

struct MergeArguments {
  std::vector<std::string> states;
  std::string out;
};

int run(const MergeArguments& arguments, const CommonOptions& common) {
  std::vector<EnergyStateFile> shards;
  shards.reserve(arguments.states.size());
  for (const std::string& path : arguments.states) {
    shards.push_back(read_energy_state(path));
  }
  const EnergyStateFile whole = merge_energy_states(std::move(shards));
  const std::vector<double> energies =
      energies_of(whole.state.fold(), whole.epsilon);
  write_npy(arguments.out, std::span<const double>(energies));
  if (common.is_json) {
    const nlohmann::json json = {{"states", arguments.states.size()},
                                 {"points", energies.size()},
                                 {"blocks", whole.total_blocks},
                                 {"epsilon", whole.epsilon},
                                 {"out", arguments.out}};
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    std::printf("energies of %s points in %s\n",
                with_commas(energies.size()).c_str(), arguments.out.c_str());
  }
  return kDone;
}

}  // namespace

void add_merge(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "merge", "Energies from the states of all shards of a bank");
  const auto arguments = std::make_shared<MergeArguments>();
  command->footer(kFooter);
  command->add_option("STATES", arguments->states, "State files of all shards")
      ->required();
  command->add_option("--out", arguments->out, "Write the energies here (.npy)")
      ->required();
  command->callback([arguments, &common, &exit_code] {
    exit_code = run(*arguments, common);
  });
}

}  // namespace sbog::cli
