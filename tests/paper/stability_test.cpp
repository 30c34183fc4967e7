// SPDX-License-Identifier: Apache-2.0
// The stability table: its margin by plain sums, flips that fade with n.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "paper/latents.h"
#include "paper/small_run.h"
#include "sbog/base/inner_product.h"

namespace sbog::paper {
namespace stability_test {

using testing_support::small_cells;
using testing_support::value_at;

using Rows = std::vector<std::size_t>;

// Energies of the points against some rows of the bank; bank points do not see
// themselves.
std::vector<double> energies(const Matrix<float>& bank, const Rows& atoms,
                             const Matrix<float>& points, bool is_bank,
                             double epsilon) {
  std::vector<double> list;
  for (std::size_t q = 0; q < points.rows(); ++q) {
    double support = 0.0;
    double count = 0.0;
    for (const std::size_t i : atoms) {
      if (is_bank && i == q) continue;
      support += std::exp(
          -(1.0 - cosine_of<float, float>(bank.row(i), points.row(q))) /
          epsilon);
      count += 1.0;
    }
    list.push_back(-epsilon * std::log(support / count));
  }
  return list;
}

// Rows by (energy falling, row rising).
Rows by_energy(const std::vector<double>& list) {
  Rows rows(list.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return list[a] > list[b];
  });
  return rows;
}

TEST(Stability, the_decision_margin_is_that_of_plain_sums) {
  const auto cells = small_cells("stability", "e20-");
  ASSERT_EQ(cells.size(), 1u);
  const Json& config = cells[0].configuration;
  const auto bank =
      draw_latents<float>({config["seed"], 4, 5, config["spread"]},
                          LatentPart::kBank, 600)
          .points;
  const double epsilon = config["epsilon"];
  Rows all(600);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Rows order = by_energy(energies(bank, all, bank, true, epsilon));
  const Rows kept(order.begin() + 48, order.end());  // floor(0.08 * 600)
  std::vector<double> refined = energies(bank, kept, bank, true, epsilon);
  Rows top = by_energy(refined);
  top.resize(60);  // 10 %
  std::sort(refined.begin(), refined.end());
  // Type 7 of 600 values: 0.95 * 599 = 569.05.
  const double tau = 0.95 * refined[569] + 0.05 * refined[570];
  const auto pool = perturb_rows<float>(bank, top, config["copies"],
                                        config["sigma"], config["seed"]);
  std::vector<double> distances;
  for (const double energy : energies(bank, kept, pool, false, epsilon)) {
    distances.push_back(std::abs(energy - tau));
  }
  std::sort(distances.begin(), distances.end());
  ASSERT_EQ(distances.size(), 240u);
  const Presentation shown = find_experiment("stability").present(cells);
  EXPECT_NEAR(value_at(shown.table, 0, "tau").get<double>(), tau, 1e-5);
  EXPECT_NEAR(value_at(shown.table, 0, "Delta, all").get<double>(),
              0.5 * (distances[119] + distances[120]), 1e-5);
}

TEST(Stability, more_points_flip_fewer_decisions) {
  double few = 0.0;
  double many = 0.0;
  for (const FinishedCell& cell : small_cells("stability", "e")) {
    few += cell.result["flips"]["64"].get<double>();
    many += cell.result["flips"]["256"].get<double>();
  }
  EXPECT_GT(few, many);
}

}  // namespace stability_test
}  // namespace sbog::paper
