// SPDX-License-Identifier: Apache-2.0
// Diagnostics; see collapse.h.
#include "sbog/series/collapse.h"

#include <cmath>
#include <set>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/threshold.h"
#include "sbog/series/scoring.h"

namespace sbog::series {

EncoderSpread encoder_spread(MatrixView<const float> points, double epsilon,
                             const Context& context) {
  if (points.rows() < 2) {
    throw InvalidArgument("encoder_spread: at least two points are expected");
  }
  // sum over pairs of <x, y> = (|sum x|^2 - sum |x|^2) / 2.
  double whole = 0.0;
  double own = 0.0;
  for (std::size_t k = 0; k < points.cols(); ++k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      const double value = points(i, k);
      sum += value;
      own += value * value;
    }
    whole += sum * sum;
  }
  const double n = static_cast<double>(points.rows());
  EncoderSpread spread;
  spread.pair_distance = own / n - (whole - own) / (n * (n - 1.0));
  const EnergyModel<float> model({points, {}, {}},
                                 {GroundCost::kCosine, epsilon, {}});
  const EnergyResult energies = model.evaluate_bank(false, context);
  if (energies.status == SolveStatus::kDone) {
    const std::vector<double> found =
        quantiles(energies.energies, std::array{0.05, 0.5, 0.95});
    spread.energy_quantiles = {found[0], found[1], found[2]};
  }
  spread.is_collapsed = spread.pair_distance < kLeastPairDistance;
  return spread;
}

ClusterSpread cluster_spread(MatrixView<const float> pool_probabilities,
                             std::span<const double> scores) {
  if (scores.empty()) {
    throw InvalidArgument("cluster_spread: at least one score is expected");
  }
  const auto classes = assigned_classes(pool_probabilities);
  ClusterSpread spread;
  spread.classes_used =
      std::set<std::size_t>(classes.begin(), classes.end()).size();
  const double n = static_cast<double>(scores.size());
  double mean = 0.0;
  for (const double score : scores) mean += score / n;
  double variance = 0.0;
  for (const double score : scores) {
    variance += (score - mean) * (score - mean) / n;
  }
  spread.score_deviation = std::sqrt(variance);
  spread.is_collapsed = spread.score_deviation < kLeastScoreDeviation;
  return spread;
}

}  // namespace sbog::series
