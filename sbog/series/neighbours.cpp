// SPDX-License-Identifier: Apache-2.0
// Exact search by brute force; see neighbours.h.
#include "sbog/series/neighbours.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/nn/random.h"

namespace sbog::series {
namespace {

// Items that one work item searches for.
constexpr std::size_t kPointsAtOnce = 64;

// The best few of a stream of candidates, best first.
class Best {
 public:
  explicit Best(std::size_t count) : count_(count) {}

  // Candidates come in increasing order of item, so ties stay behind.
  void offer(double value, std::uint32_t item) {
    if (kept_.size() == count_ && !(value > kept_.back().first)) return;
    if (kept_.size() == count_) kept_.pop_back();
    auto at = kept_.end();
    while (at != kept_.begin() && value > std::prev(at)->first) --at;
    kept_.insert(at, {value, item});
  }
  const std::vector<std::pair<double, std::uint32_t>>& kept() const {
    return kept_;
  }

 private:
  std::size_t count_;
  std::vector<std::pair<double, std::uint32_t>> kept_;
};

std::size_t apart(std::size_t a, std::size_t b) {
  return a > b ? a - b : b - a;
}

void search(MatrixView<const float> points,
            std::span<const std::size_t> positions,
            const NeighbourOptions& options, std::size_t item,
            NeighbourLists& lists) {
  const auto position = [&](std::size_t i) {
    return positions.empty() ? i : positions[i];
  };
  Best near(options.count);
  Best far(options.count);
  for (std::size_t j = 0; j < points.rows(); ++j) {
    if (j == item || apart(position(item), position(j)) < options.exclusion) {
      continue;
    }
    const double product =
        inner_product<float, float>(points.row(item), points.row(j));
    near.offer(product, static_cast<std::uint32_t>(j));
    far.offer(-product, static_cast<std::uint32_t>(j));
  }
  if (near.kept().size() < options.count) {
    throw InvalidArgument("find_neighbours: item " + std::to_string(item) +
                          " has fewer than " + std::to_string(options.count) +
                          " others outside the exclusion");
  }
  for (std::size_t k = 0; k < options.count; ++k) {
    lists.nearest[item * options.count + k] = near.kept()[k].second;
    lists.furthest[item * options.count + k] = far.kept()[k].second;
  }
}

NeighbourLists pair_at_random(MatrixView<const float> points,
                              std::uint64_t seed) {
  nn::Draws draws(seed, nn::Purpose::kQuery, 0);
  std::vector<float> query(points.cols());
  for (float& value : query) value = static_cast<float>(draws.uniform());
  std::vector<double> products(points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    products[i] = inner_product<float, float>(query, points.row(i));
  }
  NeighbourLists lists;
  lists.count = 1;
  lists.nearest.resize(points.rows());
  std::iota(lists.nearest.begin(), lists.nearest.end(), std::uint32_t{0});
  std::stable_sort(lists.nearest.begin(), lists.nearest.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return products[a] > products[b];
                   });
  lists.furthest.assign(lists.nearest.rbegin(), lists.nearest.rend());
  return lists;
}

}  // namespace

NeighbourLists find_neighbours(MatrixView<const float> points,
                               std::span<const std::size_t> positions,
                               const NeighbourOptions& options,
                               const Context& context) {
  if (options.count == 0 || points.rows() == 0 ||
      (!positions.empty() && positions.size() != points.rows())) {
    throw InvalidArgument(
        "find_neighbours: points, positions for all of them "
        "or none, and a count above 0 are expected");
  }
  if (options.has_random_query) return pair_at_random(points, options.seed);
  NeighbourLists lists;
  lists.count = options.count;
  lists.nearest.resize(points.rows() * options.count);
  lists.furthest.resize(points.rows() * options.count);
  const std::size_t chunks =
      (points.rows() + kPointsAtOnce - 1) / kPointsAtOnce;
  parallel_for(context, chunks, [&](std::size_t chunk, std::size_t) {
    const std::size_t end =
        std::min((chunk + 1) * kPointsAtOnce, points.rows());
    for (std::size_t i = chunk * kPointsAtOnce; i < end; ++i) {
      search(points, positions, options, i, lists);
    }
  });
  return lists;
}

std::vector<std::size_t> nearest_rows(MatrixView<const float> queries,
                                      MatrixView<const float> points,
                                      const Context& context) {
  if (points.rows() == 0 || queries.cols() != points.cols()) {
    throw InvalidArgument(
        "nearest_rows: points of the dimension of the "
        "queries are expected");
  }
  std::vector<std::size_t> nearest(queries.rows());
  parallel_for(context, queries.rows(), [&](std::size_t i, std::size_t) {
    Best best(1);
    for (std::size_t j = 0; j < points.rows(); ++j) {
      best.offer(inner_product<float, float>(queries.row(i), points.row(j)),
                 static_cast<std::uint32_t>(j));
    }
    nearest[i] = best.kept().front().second;
  });
  return nearest;
}

}  // namespace sbog::series
