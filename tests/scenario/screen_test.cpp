// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/screen.h"

#include <gtest/gtest.h>

#include <set>

#include "search_support.h"

namespace sbog::series {
namespace screen_test {

using namespace testing_support;

TEST(Screen, moves_are_exact_for_a_linear_encoder) {
  SearchBench bench(false);
  const EditedWindow window(bench.source, bench.profiles);
  const Screen screen =
      screen_edits(window, bench.profiles, bench.library, bench.embedder);
  ASSERT_GT(screen.edits.size(), bench.library.size() / 3);
  for (std::size_t i = 0; i < screen.edits.size(); i += 5) {
    const std::vector<double> truth =
        bench.point_of({bench.library[screen.edits[i]]});
    for (std::size_t k = 0; k < truth.size(); ++k) {
      EXPECT_NEAR(screen.point[k] + screen.moves(i, k), truth[k], 1e-6);
    }
  }
}

TEST(Screen, passes_over_what_is_edited_hidden_clipped_or_too_fast) {
  SearchBench bench;
  bench.profiles[1].high = 0.0;  // half of its samples lie there already
  bench.profiles[1].low = 0.0;
  bench.profiles[2].largest_step = 0.0;
  EditedWindow window(bench.source, bench.profiles);
  const Screen all =
      screen_edits(window, bench.profiles, bench.library, bench.embedder);
  for (const std::size_t e : all.edits) {
    window.apply(std::vector<Edit>{bench.library[e]});
    const std::size_t c = bench.library[e].channel;
    EXPECT_GE(
        visibility(window.source_row(c), window.row(c), bench.profiles[c].unit),
        kLeastVisibility);
    EXPECT_LE(window.clipped_share(0), kMostClipped);
    EXPECT_LE(largest_step(window.row(c)),
              std::max(bench.profiles[c].step_limit(),
                       largest_step(window.source_row(c))));
  }
  EXPECT_LT(all.edits.size(), bench.library.size());
  window.apply(
      std::vector<Edit>{typical_edit(EditKind::kLevel, SearchBench::kWidth)});
  for (const std::size_t e :
       screen_edits(window, bench.profiles, bench.library, bench.embedder)
           .edits) {
    EXPECT_NE(bench.library[e].channel, 0u);
  }
}

TEST(Screen, visibility_is_the_change_over_what_was_there) {
  std::vector<double> recorded(100 + 2 * kMargin);
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    recorded[i] = i % 2 == 0 ? 1.0 : -1.0;  // deviation 1
  }
  std::vector<double> edited = recorded;
  EXPECT_EQ(visibility(recorded, edited, 2.0), 0.0);
  for (std::size_t i = 60; i < 70; ++i) edited[i] += 0.5;
  edited[80] += 0.05;  // below a fifth of the largest: not counted
  EXPECT_NEAR(visibility(recorded, edited, 2.0), 0.5 / 1.1, 1e-12);
  edited[3] += 100.0;  // in the margin
  EXPECT_NEAR(visibility(recorded, edited, 2.0), 0.5 / 1.1, 1e-12);
}

Screen screen_of(const std::vector<std::vector<double>>& moves) {
  Screen screen;
  screen.point = {1.0, 0.0, 0.0};
  screen.moves = Matrix<double>(moves.size(), 3);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    screen.edits.push_back(i);
    std::copy(moves[i].begin(), moves[i].end(), screen.moves.row(i).begin());
  }
  return screen;
}

TEST(Screen, predictions_lie_on_the_sphere_and_long_moves_are_shortened) {
  const Screen screen = screen_of({{0.0, 1.0, 0.0}, {0.0, 5.0, 0.0}});
  const double norm = std::sqrt(1.81);
  const double expected =
      2.0 - 2.0 * 0.9 / norm;  // to (0, 1, 0), both cut at 0.9
  EXPECT_NEAR(predicted_distance(screen, 0, std::vector<double>{0, 1, 0}),
              expected, 1e-12);
  EXPECT_NEAR(predicted_distance(screen, 1, std::vector<double>{0, 1, 0}),
              expected, 1e-12);
}

TEST(Screen, the_linear_residual_is_the_sine_to_the_nearest_ray) {
  const std::vector<double> target = {1.0, 0.3, 0.4};
  EXPECT_EQ(linear_residual(screen_of({}), target), 1.0);
  EXPECT_EQ(linear_residual(screen_of({{0.0, 0.0, -2.0}}), target), 1.0);
  EXPECT_NEAR(
      linear_residual(screen_of({{0.0, 0.0, 2.0}, {0.0, -1.0, 0.1}}), target),
      0.6, 1e-12);
  EXPECT_NEAR(linear_residual(screen_of({{0.0, 3.0, 4.0}}), target), 0.0, 1e-7);
}

}  // namespace screen_test
}  // namespace sbog::series
