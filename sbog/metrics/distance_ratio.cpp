// SPDX-License-Identifier: Apache-2.0
// Nearest rows of distance_ratio.h.
#include "sbog/metrics/distance_ratio.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "sbog/base/copy_rows.h"
#include "sbog/energy/local_reference.h"
#include "sbog/energy/score_bank.h"
#include "sbog/energy/threshold.h"
#include "sbog/metrics/detail/streams.h"

namespace sbog {
namespace {

double distance_of_cost(GroundCost cost, double value) {
  if (is_cosine(cost)) return std::sqrt(2.0 * std::max(0.0, value));
  const bool is_squared = cost == GroundCost::kSquaredEuclidean ||
                          cost == GroundCost::kSquaredMahalanobis;
  return is_squared ? std::sqrt(std::max(0.0, value)) : value;
}

std::vector<std::size_t> sampled_rows(std::size_t n,
                                      const DistanceRatioOptions& options,
                                      std::uint32_t purpose) {
  if (n > options.sample) {
    return draw_subset(n, options.sample, options.seed, purpose);
  }
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// Median distance of some rows of `points` to their nearest atom.
template <typename T>
double median_nearest(const EnergyModel<T>& model, MatrixView<const T> points,
                      const std::vector<std::size_t>& rows, bool leaves_out,
                      const Context& context, SolveStatus& status) {
  const Matrix<T> queries = copy_rows<T>(points, rows);
  const std::span<const std::size_t> self =
      leaves_out ? std::span<const std::size_t>(rows)
                 : std::span<const std::size_t>();
  const Neighbours found =
      nearest_atoms<T>(model, queries.view(), 1, self, context);
  status = found.status;
  if (status != SolveStatus::kDone) return 0.0;
  std::vector<double> distances;
  for (const double cost : found.costs.elements()) {
    distances.push_back(distance_of_cost(model.cost(), cost));
  }
  return quantile(distances, 0.5);
}

}  // namespace

template <typename T>
DistanceRatio distance_ratio(MatrixView<const T> bank,
                             MatrixView<const T> outliers,
                             const EnergyOptions& energy,
                             const DistanceRatioOptions& options,
                             const Context& context) {
  DistanceRatio result;
  if (outliers.rows() == 0 || bank.rows() < 2) return result;
  EnergyOptions costs = energy;
  if (!(costs.epsilon > 0.0)) costs.epsilon = 1.0;  // not read
  const EnergyModel<T> model(ReferenceMeasure<T>{bank, {}, {}}, costs);
  const auto mine =
      sampled_rows(outliers.rows(), options, detail::kRatioOutliersPurpose);
  result.outliers =
      median_nearest(model, outliers, mine, false, context, result.status);
  if (result.status != SolveStatus::kDone) return result;
  const auto rows =
      sampled_rows(bank.rows(), options, detail::kRatioBankPurpose);
  result.held_out =
      median_nearest(model, bank, rows, true, context, result.status);
  if (result.status == SolveStatus::kDone && result.held_out > 0.0) {
    result.ratio = result.outliers / result.held_out;
  }
  return result;
}

template DistanceRatio distance_ratio(MatrixView<const float>,
                                      MatrixView<const float>,
                                      const EnergyOptions&,
                                      const DistanceRatioOptions&,
                                      const Context&);
template DistanceRatio distance_ratio(MatrixView<const double>,
                                      MatrixView<const double>,
                                      const EnergyOptions&,
                                      const DistanceRatioOptions&,
                                      const Context&);

}  // namespace sbog
