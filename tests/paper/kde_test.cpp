// SPDX-License-Identifier: Apache-2.0
// The density table against plain sums of exponentials.
#include <gtest/gtest.h>

#include <cmath>

#include "paper/latents.h"
#include "paper/small_run.h"
#include "sbog/base/inner_product.h"

namespace sbog::paper {
namespace kde_test {

using testing_support::small_cells;
using testing_support::value_at;

TEST(Kde, the_mean_energy_is_that_of_plain_sums) {
  const auto cells = small_cells("kde", "d4-");
  ASSERT_EQ(cells.size(), 1u);
  const Json& config = cells[0].configuration;
  const LatentLaw law{config["seed"], 4, 5, config["spread"]};
  const auto bank =
      draw_latents<double>(law, LatentPart::kBank, config["bank"]).points;
  const auto queries =
      draw_latents<double>(law, LatentPart::kFresh, config["queries"]).points;
  const double epsilon = config["epsilon"];
  double total = 0.0;
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    double support = 0.0;
    for (std::size_t i = 0; i < bank.rows(); ++i) {
      const double cosine =
          inner_product<double, double>(bank.row(i), queries.row(q));
      support += std::exp(-(1.0 - cosine) / epsilon);
    }
    total -= epsilon * std::log(support / static_cast<double>(bank.rows()));
  }
  const Presentation shown = find_experiment("kde").present(cells);
  EXPECT_NEAR(value_at(shown.table, 0, "mean E").get<double>(),
              total / static_cast<double>(queries.rows()), 1e-12);
  EXPECT_DOUBLE_EQ(value_at(shown.table, 0, "h").get<double>(),
                   std::sqrt(epsilon));
}

TEST(Kde, the_matched_density_makes_the_same_outputs) {
  for (const FinishedCell& cell : small_cells("kde", "d")) {
    const Json& result = cell.result;
    EXPECT_LT(result["energy_difference"].get<double>(), 1e-13) << cell.key;
    EXPECT_EQ(result["anchors_matched"], result["anchors"]) << cell.key;
    EXPECT_EQ(result["outputs_matched"], result["outputs"]) << cell.key;
    EXPECT_EQ(result["output_difference"], 0.0) << cell.key;
  }
}

}  // namespace kde_test
}  // namespace sbog::paper
