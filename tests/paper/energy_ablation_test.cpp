// SPDX-License-Identifier: Apache-2.0
// The ablation over epsilon and margin: its gap by the sampler's own margins
// summed here, and whose figures stand where.
#include <gtest/gtest.h>

#include "paper/latents.h"
#include "paper/small_run.h"
#include "sbog/energy/exact_energy.h"
#include "sbog/sample/sampler.h"

namespace sbog::paper {
namespace energy_ablation_test {

using testing_support::small_cells;
using testing_support::value_at;

TEST(EnergyAblation, gap_and_strength_differ_by_the_mean_threshold) {
  const auto cells = small_cells("energy-ablation", "e20-m0-");
  ASSERT_EQ(cells.size(), 1u);
  const Json& config = cells[0].configuration;
  const auto bank =
      draw_latents<float>({config["seed"], 4, 3, config["spread"]},
                          LatentPart::kBank, config["bank"]);
  SamplerOptions options = profile_options("paper-series");
  options.energy.epsilon = 0.02;
  options.margin = 0.0;
  options.proposal_count = config["proposals"];
  options.max_rounds = config["rounds"];
  options.count = config["outputs"];
  options.seed = config["seed"];
  const Sampler<float> sampler({bank.points.view(), bank.labels, {}, {}},
                               options);
  double gaps = 0.0;
  double energies = 0.0;
  double produced = 0.0;
  for (std::size_t c = 0; c < 3; ++c) {
    const ClassRun<float> run = sampler.prepare(c);
    const std::vector<std::size_t> atoms = run.halves().reference;
    const EnergyModel<float> model({bank.points.view(), {}, atoms},
                                   options.energy);
    const SampledRange<float> range = run.sample(0, options.count);
    ASSERT_EQ(range.status, SolveStatus::kDone);
    for (const Output<float>& output : range.outputs) {
      if (!output.is_accepted) continue;
      const std::vector<double> point(output.point.begin(), output.point.end());
      const double energy = exact_energy<float>(model, point);
      energies += energy;
      gaps += energy - run.plan().threshold;
      produced += 1.0;
    }
  }
  ASSERT_GT(produced, 0.0);
  const Presentation shown = find_experiment("energy-ablation").present(cells);
  EXPECT_NEAR(value_at(shown.table, 0, "gap")[0].get<double>(), gaps / produced,
              1e-9);
  EXPECT_NEAR(value_at(shown.table, 0, "strength").get<double>(),
              energies / produced, 1e-9);
  EXPECT_DOUBLE_EQ(value_at(shown.table, 0, "produced").get<double>(),
                   produced / 30.0);
}

TEST(EnergyAblation, figures_of_the_paper_stand_at_its_own_setting_only) {
  const auto cells = small_cells("energy-ablation", "e20-");
  const Presentation shown = find_experiment("energy-ablation").present(cells);
  ASSERT_EQ(shown.table.rows.size(), 4u);
  for (std::size_t row = 0; row < 4; ++row) {
    const bool is_papers = value_at(shown.table, row, "margin") == 0.04;
    EXPECT_EQ(value_at(shown.table, row, "paper: gap").is_null(), !is_papers);
  }
}

}  // namespace energy_ablation_test
}  // namespace sbog::paper
