// SPDX-License-Identifier: Apache-2.0
// sbog dro: its words, and its result as text.
#include "sbog/job/dro.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "json_output.h"

namespace sbog::cli {
namespace {

void print_dro(const job::DroResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
    return;
  }
  const DroResult& first = result.outcomes.front().solution;
  std::printf("nominal expected loss  %.9g\n", first.nominal_value);
  std::printf("largest possible       %.9g (from radius %.6g on)\n\n",
              first.essential_supremum, first.largest_radius);
  std::printf("%12s %16s %14s %12s  %s\n", "radius", "worst loss", "lambda",
              "gap", "case");
  for (const job::DroOutcome& outcome : result.outcomes) {
    const DroResult& r = outcome.solution;
    std::printf("%12.6g %16.10g %14.6g %12.2g  %s\n", r.radius, r.value,
                r.lambda, r.duality_gap, to_string(r.kind));
  }
  const job::DroOutcome& last = result.outcomes.back();
  if (last.carriers.empty()) return;
  std::printf(
      "\nheaviest points of the worst case at radius %.6g\n%10s %12s %14s\n",
      last.solution.radius, "bank row", "mass", "loss");
  for (const job::DroCarrier& carrier : last.carriers) {
    std::printf("%10zu %12.6g %14.6g\n", carrier.row, carrier.mass,
                carrier.loss);
  }
}

}  // namespace

Command dro_command() {
  return job_command(
      {"dro",
       "Worst expected loss over a transport ball, and who carries it",
       "  sbog dro --losses demo:losses --bank demo:bank --radius 0.05\n"
       "  sbog dro --losses demo:losses --bank demo:bank --radius 0,0.01,0.1 "
       "--out law.npy",
       "The nominal points may move to bank points; how far in all, entropy\n"
       "included, is bounded by the radius. The value is the largest expected\n"
       "loss that can be reached, with a duality gap as proof. Several radii\n"
       "give a robustness curve.",
       {},
       {}},
      job::dro_option_table(), print_dro);
}

}  // namespace sbog::cli
