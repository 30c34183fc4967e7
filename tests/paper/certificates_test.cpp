// SPDX-License-Identifier: Apache-2.0
// Needed counts against the formulas of the two bounds.
#include <gtest/gtest.h>

#include <cmath>

#include "paper/small_run.h"

namespace sbog::paper {
namespace certificates_test {

using testing_support::small_cells;
using testing_support::value_at;

TEST(Certificates, counts_are_those_of_the_formulas) {
  const auto cells = small_cells("certificates", "d4-e20-");
  ASSERT_EQ(cells.size(), 1u);
  const Json& result = cells[0].result;
  const double epsilon = 0.02;
  const double delta = 0.05;
  const double pool = result["pool"];
  const double margin = result["margin"];
  const double lowest =
      std::exp(-result["highest_energy"].get<double>() / epsilon);
  const double hoeffding =
      std::log(2.0 * pool / delta) *
      std::max(2.0 / (lowest * lowest),
               8.0 * epsilon * epsilon / std::pow(lowest * margin, 2));
  const double p = std::exp(-result["threshold"].get<double>() / epsilon);
  const double q = p * std::exp(-margin / epsilon);
  const double kl =
      p * std::log(p / q) + (1.0 - p) * std::log((1.0 - p) / (1.0 - q));
  const Presentation shown = find_experiment("certificates").present(cells);
  EXPECT_NEAR(
      value_at(shown.table, 0, "n, Theorem 3.4 (Hoeffding)").get<double>() /
          hoeffding,
      1.0, 1e-9);
  EXPECT_NEAR(value_at(shown.table, 0, "n, one-sided kl").get<double>() /
                  (std::log(pool / delta) / kl),
              1.0, 1e-9);
}

TEST(Certificates, kl_asks_for_less_than_hoeffding_everywhere) {
  const auto cells = small_cells("certificates", "-");
  for (const FinishedCell& cell : cells) {
    EXPECT_LT(cell.result["one_sided"].get<double>(),
              cell.result["hoeffding"].get<double>())
        << cell.key;
  }
}

}  // namespace certificates_test
}  // namespace sbog::paper
