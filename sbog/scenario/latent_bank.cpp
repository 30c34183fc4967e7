// SPDX-License-Identifier: Apache-2.0
// Energies, threshold and anchors; see latent_bank.h.
#include "sbog/scenario/latent_bank.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/exact_energy.h"
#include "sbog/series/collapse.h"

namespace sbog::series {
namespace {

void refuse_collapse(MatrixView<const float> points, double epsilon,
                     const Context& context) {
  const EncoderSpread spread = encoder_spread(points, epsilon, context);
  if (!spread.is_collapsed) return;
  char distance[32];
  std::snprintf(distance, sizeof distance, "%.2g", spread.pair_distance);
  throw InvalidArgument(
      "LatentBank: the encoder has collapsed (mean cosine distance between "
      "windows " +
      std::string(distance) + ", at least 0.01 is expected)");
}

}  // namespace

LatentBank::LatentBank(Matrix<float> points, const SamplerOptions& options,
                       const Context& context)
    : points_(std::move(points)) {
  check_sampler_options(options, points_.cols());
  refuse_collapse(points_, options.energy.epsilon, context);
  prepared_ = prepare_class<float>({points_, {}, {}, 0}, options, context);
  sorted_ = prepared_->scores;
  std::sort(sorted_.begin(), sorted_.end());
  atoms_ = std::make_shared<EnergyAtoms>(points_, prepared_->kept,
                                         options.energy.epsilon);
}

double LatentBank::energy(std::span<const double> point) const {
  return exact_energy(model(), point);
}

double LatentBank::share_outside() const { return 1.0 - rank(threshold()); }

double LatentBank::rank(double energy) const {
  const auto below = std::lower_bound(sorted_.begin(), sorted_.end(), energy);
  return static_cast<double>(below - sorted_.begin()) /
         static_cast<double>(sorted_.size());
}

}  // namespace sbog::series
