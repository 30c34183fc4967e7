// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/base/thread_pool.h"
#include "series/window_support.h"

namespace sbog::series {
namespace neighbours_test {

using testing_support::unit_rows;

// All others, sorted by inner product.
std::vector<std::uint32_t> sorted(const Matrix<float>& points, std::size_t item,
                                  std::size_t exclusion, bool is_nearest) {
  std::vector<std::uint32_t> others;
  for (std::uint32_t j = 0; j < points.rows(); ++j) {
    const std::size_t apart = item > j ? item - j : j - item;
    if (apart >= std::max<std::size_t>(exclusion, 1)) others.push_back(j);
  }
  std::stable_sort(others.begin(), others.end(), [&](auto a, auto b) {
    const double da =
        inner_product<float, float>(points.row(item), points.row(a));
    const double db =
        inner_product<float, float>(points.row(item), points.row(b));
    return is_nearest ? da > db : da < db;
  });
  return others;
}

TEST(Neighbours, lists_equal_a_full_sort_with_and_without_exclusion) {
  Matrix<float> points = unit_rows(150, 1);
  // Two equal points: ties go to the smaller number.
  std::copy_n(points.row(3).data(), 4, points.row(90).data());
  for (const std::size_t exclusion : {0u, 6u}) {
    NeighbourOptions options;
    options.exclusion = exclusion;
    const NeighbourLists lists = find_neighbours(points, {}, options);
    for (std::size_t i = 0; i < 150; ++i) {
      const auto near = sorted(points, i, exclusion, true);
      const auto far = sorted(points, i, exclusion, false);
      for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_EQ(lists.near(i)[k], near[k]);
        EXPECT_EQ(lists.far(i)[k], far[k]);
      }
    }
  }
}

TEST(Neighbours, lists_have_the_same_bits_for_any_number_of_threads) {
  const Matrix<float> points = unit_rows(300, 2);
  ThreadPool pool(3);
  EXPECT_EQ(find_neighbours(points, {}, {}).nearest,
            find_neighbours(points, {}, {}, {&pool, nullptr}).nearest);
}

TEST(Neighbours, positions_decide_about_the_exclusion) {
  const Matrix<float> points = unit_rows(20, 3);
  std::vector<std::size_t> positions(20);
  for (std::size_t i = 0; i < 20; ++i) positions[i] = i % 10;
  NeighbourOptions options;
  options.exclusion = 1;
  const NeighbourLists lists = find_neighbours(points, positions, options);
  for (std::size_t i = 0; i < 20; ++i) {
    for (const std::uint32_t j : lists.near(i)) {
      EXPECT_NE(j % 10, i % 10);
    }
  }
}

TEST(Neighbours, a_random_query_pairs_items_with_ranks) {
  const Matrix<float> points = unit_rows(40, 4);
  NeighbourOptions options;
  options.has_random_query = true;
  const NeighbourLists lists = find_neighbours(points, {}, options);
  ASSERT_EQ(lists.count, 1u);
  std::vector<std::uint32_t> items = lists.nearest;
  std::sort(items.begin(), items.end());
  for (std::uint32_t i = 0; i < 40; ++i) {
    EXPECT_EQ(items[i], i);
    EXPECT_EQ(lists.near(i)[0], lists.far(39 - i)[0]);
  }
}

TEST(Neighbours, too_few_others_are_refused) {
  EXPECT_THROW(find_neighbours(unit_rows(5, 5), {}, {}), InvalidArgument);
  EXPECT_THROW(nearest_rows(unit_rows(2, 1), Matrix<float>(0, 4)),
               InvalidArgument);
}

TEST(Neighbours, nearest_rows_have_the_largest_product) {
  const Matrix<float> queries = unit_rows(10, 6);
  const Matrix<float> points = unit_rows(50, 7);
  const auto nearest = nearest_rows(queries, points);
  for (std::size_t i = 0; i < 10; ++i) {
    const double best =
        inner_product<float, float>(queries.row(i), points.row(nearest[i]));
    for (std::size_t j = 0; j < 50; ++j) {
      EXPECT_LE((inner_product<float, float>(queries.row(i), points.row(j))),
                best);
    }
  }
}

}  // namespace neighbours_test
}  // namespace sbog::series
