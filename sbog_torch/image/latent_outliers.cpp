// SPDX-License-Identifier: Apache-2.0
// Sampling for latent_outliers.h.
#include "sbog_torch/image/latent_outliers.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog::image {
namespace {

// The row of the bank, of this class, with the largest cosine to a point.
std::size_t nearest_row(const FeatureBank& bank, std::int64_t label,
                        std::span<const float> point) {
  std::size_t best = 0;
  double highest = -2.0;
  for (std::size_t i = 0; i < bank.labels.size(); ++i) {
    if (bank.labels[i] != label) continue;
    double cosine = 0.0;
    for (std::size_t k = 0; k < point.size(); ++k) {
      cosine += double{bank.latents(i, k)} * point[k];
    }
    if (cosine > highest) {
      highest = cosine;
      best = i;
    }
  }
  return best;
}

}  // namespace

Matrix<double> present_anchors(const FeatureBank& bank,
                               MatrixView<const float> anchors) {
  if (anchors.rows() != bank.counts.size() ||
      anchors.cols() != bank.latents.cols()) {
    throw InvalidArgument(
        "draw_latent_outliers: one anchor per class, as wide as the latents, "
        "is expected");
  }
  const auto is_present = [](std::int64_t count) { return count > 0; };
  const auto present =
      std::count_if(bank.counts.begin(), bank.counts.end(), is_present);
  Matrix<double> rows(static_cast<std::size_t>(present), anchors.cols());
  std::size_t next = 0;
  for (std::size_t c = 0; c < bank.counts.size(); ++c) {
    if (bank.counts[c] == 0) continue;
    std::ranges::copy(anchors.row(c), rows.row(next++).begin());
  }
  return rows;
}

std::size_t start_of(const FeatureBank& bank, Rule rule, std::int64_t label,
                     const Output<float>& output) {
  return rule == Rule::kVos ? nearest_row(bank, label, output.point)
                            : output.anchor_row;
}

LatentOutliers draw_latent_outliers(const FeatureBank& bank,
                                    MatrixView<const float> anchors,
                                    const SamplerOptions& options,
                                    const Context& context) {
  LatentOutliers found;
  found.class_anchors = present_anchors(bank, anchors);
  static_cast<OutlierSet<float>&>(found) =
      sample_outliers<float>({bank.latents,
                              bank.labels,
                              std::as_const(found.class_anchors).view(),
                              {}},
                             options, context);
  found.latents = found.points(bank.latents.cols());
  for (std::size_t i = 0; i < found.outputs.size(); ++i) {
    found.bank_rows.push_back(
        start_of(bank, options.rule, found.classes[i], found.outputs[i]));
  }
  return found;
}

}  // namespace sbog::image
