// SPDX-License-Identifier: Apache-2.0
// Scores of points against a labelled bank on the unit sphere. A larger score
// is more unusual.
//   rmd   relative Mahalanobis distance (gaussians.h)
//   mean  minus the cosine to the nearest class mean
//   span  squared distance to the nearest class mean, along the directions in
//         which the means differ (class_span.h)
//   knn   1 - cosine to the k-th nearest bank row
//   soe   least Sinkhorn outlier energy over the classes, or against all rows
//   msp   minus the largest probability of a head without outliers
//   lse   minus the log-sum-exp of its logits
//   head  minus the energy e of a head with outliers (linear_head.h)
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/detect/gaussians.h"
#include "sbog/detect/labelled_bank.h"
#include "sbog/detect/linear_head.h"

namespace sbog::detect {

/// See the top of the file.
enum class PointScore { kRmd, kMean, kSpan, kKnn, kSoe, kMsp, kLse, kHead };

/// "rmd", "mean" and so on.
const char* to_string(PointScore score);
/// The reverse; throws InvalidArgument that lists the names.
PointScore parse_point_score(std::string_view name);
/// All names, in the order of the list above.
std::vector<std::string> point_score_names();

/// Whether a score needs a head that was trained with outliers.
inline bool needs_exposed_head(PointScore score) {
  return score == PointScore::kHead;
}
/// Whether a score needs a head that was trained without.
inline bool needs_plain_head(PointScore score) {
  return score == PointScore::kMsp || score == PointScore::kLse;
}

/// Settings of knn and soe.
struct PointScoreOptions {
  std::size_t neighbours = 5;  ///< k of knn
  /// Sinkhorn temperature of soe; without it that of find_epsilon, of each
  /// class or of all rows.
  std::optional<double> epsilon;
  bool is_soe_per_class = true;  ///< false: against all rows
};

/// What the scores are computed from. All is borrowed.
struct PointScoreParts {
  const LabelledBank& bank;
  const ClassGaussians& gaussians;
  const LinearHead* exposed_head = nullptr;
  const LinearHead* plain_head = nullptr;
  /// Of soe: one per class, or one for all rows.
  std::span<const double> epsilons = {};
};

/// The temperatures of soe. A class of equal rows, which has none of its own,
/// gets the median of the others; 0.05 where no class has one. Nullopt when the
/// observer asked to stop.
std::optional<std::vector<double>> soe_epsilons(
    const LabelledBank& bank, const PointScoreOptions& options,
    const Context& context = {});

/// The scores of unit rows; nullopt when the observer asked to stop. Throws
/// InvalidArgument for another number of dimensions, a missing head or missing
/// temperatures and more neighbours than rows.
std::optional<std::vector<double>> score_points(
    PointScore score, const PointScoreParts& parts,
    const PointScoreOptions& options, MatrixView<const float> points,
    const Context& context = {});

}  // namespace sbog::detect
