// SPDX-License-Identifier: Apache-2.0
// The self-term table against plain leave-one-out sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "paper/latents.h"
#include "paper/small_run.h"
#include "sbog/base/inner_product.h"

namespace sbog::paper {
namespace selfterm_test {

using testing_support::small_cells;
using testing_support::value_at;

// E of a point against all rows but `self`.
double plain_energy(const Matrix<float>& bank, std::span<const float> point,
                    std::size_t self, double epsilon) {
  double support = 0.0;
  double atoms = 0.0;
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    if (i == self) continue;
    const double cosine = cosine_of<float, float>(bank.row(i), point);
    support += std::exp(-(1.0 - cosine) / epsilon);
    atoms += 1.0;
  }
  return -epsilon * std::log(support / atoms);
}

TEST(Selfterm, thresholds_and_flags_are_those_of_plain_sums) {
  const FinishedCell cell = small_cells("selfterm", "d4-n256-s1")[0];
  const Json& config = cell.configuration;
  const LatentLaw law{config["seed"], 4, 5, config["spread"]};
  const auto bank = draw_latents<float>(law, LatentPart::kBank, 256).points;
  const auto fresh =
      draw_latents<float>(law, LatentPart::kFresh, config["fresh"]).points;
  const double epsilon = config["epsilon"];
  for (const bool includes_self : {true, false}) {
    std::vector<double> energies;
    for (std::size_t i = 0; i < bank.rows(); ++i) {
      energies.push_back(plain_energy(
          bank, bank.row(i), includes_self ? bank.rows() : i, epsilon));
    }
    std::sort(energies.begin(), energies.end());
    // Type 7 of 256 values: 0.95 * 255 = 242.25.
    const double tau = 0.75 * energies[242] + 0.25 * energies[243];
    const Json& ours = cell.result[includes_self ? "include" : "exclude"];
    EXPECT_NEAR(ours["threshold"].get<double>(), tau, 1e-6);
    std::size_t above = 0;
    for (std::size_t i = 0; i < fresh.rows(); ++i) {
      if (plain_energy(bank, fresh.row(i), bank.rows(), epsilon) > tau) ++above;
    }
    EXPECT_DOUBLE_EQ(ours["flagged"].get<double>(),
                     static_cast<double>(above) / 200.0);
  }
}

TEST(Selfterm, a_high_dimension_makes_the_literal_threshold_meaningless) {
  const auto cells = small_cells("selfterm", "d64-");
  const Presentation shown = find_experiment("selfterm").present(cells);
  EXPECT_EQ(shown.table.rows.size(), 1u);
  EXPECT_GT(value_at(shown.table, 0, "include")[0].get<double>(), 0.9);
  EXPECT_NEAR(value_at(shown.table, 0, "exclude")[0].get<double>(), 0.05, 0.05);
  EXPECT_NEAR(value_at(shown.table, 0, "split conformal")[0].get<double>(),
              0.05, 0.05);
}

}  // namespace selfterm_test
}  // namespace sbog::paper
