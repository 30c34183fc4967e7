// SPDX-License-Identifier: Apache-2.0
// Fresh rows by rarity against plain counting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "paper/latent_tasks.h"
#include "paper/small_run.h"
#include "sbog/base/copy_rows.h"
#include "sbog/base/inner_product.h"
#include "sbog/energy/class_tails.h"
#include "sbog/energy/perplexity.h"

namespace sbog::paper {
namespace rarity_test {

using testing_support::small_cells;
using testing_support::value_at;

TEST(Rarity, shares_are_those_of_fresh_rows_by_plain_energies) {
  const auto cells = small_cells("rarity", "made");
  ASSERT_EQ(cells.size(), 1u);
  const LatentTask task = load_latent_task("made", 1, "");
  const std::size_t classes = task.bank.class_count();
  std::vector<std::vector<std::size_t>> members(classes);
  for (std::size_t i = 0; i < task.bank.rows(); ++i) {
    members[task.bank.classes[i]].push_back(i);
  }
  std::vector<double> epsilons;
  std::vector<std::vector<double>> own(classes);
  const auto energy = [&](std::size_t c, std::span<const float> z,
                          std::size_t left_out) {
    double sum = 0.0;
    for (const std::size_t i : members[c]) {
      if (i == left_out) continue;
      const double cosine =
          inner_product<float, float>(task.bank.points.row(i), z);
      sum += std::exp(-(1.0 - cosine) / epsilons[c]);
    }
    const std::size_t count =
        members[c].size() - (left_out < task.bank.rows() ? 1 : 0);
    return -epsilons[c] * std::log(sum / static_cast<double>(count));
  };
  for (std::size_t c = 0; c < classes; ++c) {
    const Matrix<float> points =
        copy_rows<float>(task.bank.points.view(), members[c]);
    epsilons.push_back(find_epsilon<float>({points.view(), {}, {}}, {}));
    for (const std::size_t i : members[c]) {
      own[c].push_back(energy(c, task.bank.points.row(i), i));
    }
  }
  const ClassTails tails(own);
  std::size_t fresh = 0;
  std::size_t rare = 0;
  for (const LatentRows* rows : {&task.validation, &task.test}) {
    for (std::size_t i = 0; i < rows->labels.size(); ++i) {
      const auto c = static_cast<std::size_t>(
          std::ranges::find(task.bank.class_labels, rows->labels[i]) -
          task.bank.class_labels.begin());
      ++fresh;
      rare += tails.probability(
                  c, energy(c, rows->known.row(i), task.bank.rows())) <= 0.1
                  ? 1
                  : 0;
    }
  }
  EXPECT_EQ(cells[0].result["fresh"], fresh);
  const Presentation shown = find_experiment("rarity").present(cells);
  EXPECT_NEAR(value_at(shown.table, 0, "1 in 10").get<double>(),
              static_cast<double>(rare) / static_cast<double>(fresh), 1e-12);
}

}  // namespace rarity_test
}  // namespace sbog::paper
