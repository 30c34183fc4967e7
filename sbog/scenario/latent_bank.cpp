// SPDX-License-Identifier: Apache-2.0
// Energies, threshold and anchors; see latent_bank.h.
#include "sbog/scenario/latent_bank.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/exact_energy.h"
#include "sbog/energy/refined_reference.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/anchors.h"
#include "sbog/series/collapse.h"

namespace sbog::series {

void check_latent_options(const LatentOptions& options) {
  check_epsilon(options.epsilon);
  const auto need = [](bool is_good, const char* what) {
    if (!is_good) throw InvalidArgument(what);
  };
  need(options.quantile > 0.0 && options.quantile < 1.0,
       "quantile: a level in (0, 1) is expected");
  need(std::isfinite(options.margin), "margin: a finite number is expected");
  need(options.trim >= 0.0 && options.trim < 1.0,
       "trim: a share in [0, 1) is expected");
}

LatentBank::LatentBank(Matrix<float> points, const LatentOptions& options,
                       const Context& context)
    : points_(std::move(points)) {
  check_latent_options(options);
  const EncoderSpread spread =
      encoder_spread(points_, options.epsilon, context);
  if (spread.is_collapsed) {
    char distance[32];
    std::snprintf(distance, sizeof distance, "%.2g", spread.pair_distance);
    throw InvalidArgument(
        "LatentBank: the encoder has collapsed (mean cosine distance between "
        "windows " +
        std::string(distance) + ", at least 0.01 is expected)");
  }
  const EnergyOptions energy{GroundCost::kCosine, options.epsilon, {}};
  RefinedReference refined = refine_reference<float>(
      {points_, {}, {}}, energy, {options.trim, 1, false}, context);
  kept_ = std::move(refined.kept);
  energies_ = std::move(refined.energies);
  threshold_ = calibrate_threshold(energies_,
                                   {ThresholdRule::kQuantile, options.quantile,
                                    options.margin, QuantileRule::kLinear})
                   .value;
  sorted_ = energies_;
  std::sort(sorted_.begin(), sorted_.end());
  model_ = std::make_unique<EnergyModel<float>>(
      ReferenceMeasure<float>{points_, {}, kept_}, energy);
  atoms_ = std::make_shared<EnergyAtoms>(points_, kept_, options.epsilon);
}

double LatentBank::energy(std::span<const double> point) const {
  return exact_energy(*model_, point);
}

double LatentBank::share_outside() const { return 1.0 - rank(threshold_); }

double LatentBank::rank(double energy) const {
  const auto below = std::lower_bound(sorted_.begin(), sorted_.end(), energy);
  return static_cast<double>(below - sorted_.begin()) /
         static_cast<double>(sorted_.size());
}

std::vector<std::size_t> LatentBank::inner_anchors(std::size_t count,
                                                   double low) const {
  const double least = quantile(energies_, low);
  std::vector<std::size_t> rows;
  std::vector<double> scores;
  for (std::size_t i = 0; i < energies_.size(); ++i) {
    if (energies_[i] < least || energies_[i] >= threshold_) continue;
    rows.push_back(i);
    scores.push_back(energies_[i]);
  }
  if (rows.empty()) {
    throw InvalidArgument(
        "LatentBank: no window has an energy between the lower quantile and "
        "the threshold");
  }
  Matrix<double> candidates(rows.size(), points_.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto from = points_.row(rows[i]);
    std::copy(from.begin(), from.end(), candidates.row(i).begin());
  }
  SamplerOptions options;
  options.anchor_rule = AnchorRule::kFarthestPoint;
  // All candidates are the pool, however many anchors are wanted.
  options.pool_factor = static_cast<double>(rows.size());
  AnchorProblem problem;
  problem.points = candidates;
  problem.scores = scores;
  problem.threshold = threshold_;
  problem.count = std::min(count, rows.size());
  std::vector<std::size_t> anchors = select_anchors(problem, options).anchors;
  for (std::size_t& anchor : anchors) anchor = rows[anchor];
  return anchors;
}

}  // namespace sbog::series
