// SPDX-License-Identifier: Apache-2.0
// See point_scores.h.
#include "sbog/detect/point_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/detect/class_span.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/local_reference.h"

namespace sbog::detect {
namespace {

using Scores = std::optional<std::vector<double>>;

constexpr std::array<std::pair<PointScore, const char*>, 8> kPointScores = {
    {{PointScore::kRmd, "rmd"},
     {PointScore::kMean, "mean"},
     {PointScore::kSpan, "span"},
     {PointScore::kKnn, "knn"},
     {PointScore::kSoe, "soe"},
     {PointScore::kMsp, "msp"},
     {PointScore::kLse, "lse"},
     {PointScore::kHead, "head"}}};

constexpr std::size_t kMeanRows = 64;

std::vector<double> score_by_means(const ClassGaussians& gaussians,
                                   MatrixView<const float> points,
                                   const Context& context) {
  Matrix<double> means = gaussians.tied().means.clone();
  for (std::size_t c = 0; c < means.rows(); ++c) {
    const double length = norm_of<double>(means.row(c));
    // Rows that cancel out have no direction: every cosine is 0.
    if (length == 0.0) continue;
    for (double& x : means.row(c)) x /= length;
  }
  std::vector<double> scores(points.rows());
  const std::size_t pieces = (points.rows() + kMeanRows - 1) / kMeanRows;
  parallel_for(context, pieces, [&](std::size_t piece, std::size_t) {
    const std::size_t end = std::min(points.rows(), (piece + 1) * kMeanRows);
    for (std::size_t i = piece * kMeanRows; i < end; ++i) {
      double best = -1.0;
      for (std::size_t c = 0; c < means.rows(); ++c) {
        best = std::max(
            best, inner_product<float, double>(points.row(i), means.row(c)));
      }
      scores[i] = -best;
    }
  });
  return scores;
}

Scores score_by_neighbours(const LabelledBank& bank, std::size_t k,
                           MatrixView<const float> points,
                           const Context& context) {
  if (k == 0 || k > bank.rows()) {
    throw InvalidArgument(
        "neighbours: a number from 1 to the " + std::to_string(bank.rows()) +
        " rows of the bank is expected, got " + std::to_string(k));
  }
  const EnergyModel<float> model({bank.points.view(), {}, {}}, {});
  const Neighbours found = nearest_atoms(model, points, k, {}, context);
  if (found.status != SolveStatus::kDone) return std::nullopt;
  std::vector<double> scores;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    scores.push_back(found.costs(i, k - 1));
  }
  return scores;
}

// The least energy over the classes, or over all rows as one class.
Scores score_by_energy(const LabelledBank& bank,
                       const PointScoreOptions& options,
                       MatrixView<const float> points, const Context& context) {
  EnergyOptions energy;
  energy.epsilon = options.epsilon;
  const std::size_t groups = options.is_soe_per_class ? bank.class_count() : 1;
  std::vector<std::vector<std::size_t>> atoms(groups);
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    atoms[options.is_soe_per_class ? bank.classes[i] : 0].push_back(i);
  }
  ProgressCounter progress(context.observer, groups);
  std::vector<double> least(points.rows(),
                            std::numeric_limits<double>::infinity());
  for (const std::vector<std::size_t>& group : atoms) {
    const EnergyModel<float> model({bank.points.view(), {}, group}, energy);
    const EnergyResult found =
        model.evaluate(points, {}, {context.pool, nullptr});
    for (std::size_t i = 0; i < least.size(); ++i) {
      least[i] = std::min(least[i], found.energies[i]);
    }
    if (!progress.add(1)) return std::nullopt;
  }
  return least;
}

const LinearHead& need_head(const LinearHead* head) {
  if (head == nullptr) {
    throw InvalidArgument("head: the detector was trained without it");
  }
  return *head;
}

std::vector<double> score_by_head(PointScore score, const LinearHead& head,
                                  MatrixView<const float> points,
                                  const Context& context) {
  const Matrix<double> logits = head_logits(head, points, context);
  std::vector<double> scores;
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const double lse = log_sum_exp_of(logits.row(i));
    if (score == PointScore::kMsp) {
      scores.push_back(-std::exp(std::ranges::max(logits.row(i)) - lse));
    } else {
      scores.push_back(score == PointScore::kLse ? -lse : -head.energy(lse));
    }
  }
  return scores;
}

}  // namespace

const char* to_string(PointScore score) {
  for (const auto& [value, name] : kPointScores) {
    if (value == score) return name;
  }
  return "unknown";
}

PointScore parse_point_score(std::string_view name) {
  for (const auto& [value, known] : kPointScores) {
    if (name == known) return value;
  }
  throw InvalidArgument(
      "score: rmd, mean, span, knn, soe, msp, lse or head is expected, got '" +
      std::string(name) + "'");
}

std::vector<std::string> point_score_names() {
  std::vector<std::string> names;
  for (const auto& [value, name] : kPointScores) names.emplace_back(name);
  return names;
}

Scores score_points(PointScore score, const PointScoreParts& parts,
                    const PointScoreOptions& options,
                    MatrixView<const float> points, const Context& context) {
  if (points.cols() != parts.bank.dim()) {
    throw InvalidArgument("points: " + std::to_string(parts.bank.dim()) +
                          " columns are expected, as in the bank, got " +
                          std::to_string(points.cols()));
  }
  switch (score) {
    case PointScore::kRmd:
      return parts.gaussians.score(points, context).scores;
    case PointScore::kMean:
      return score_by_means(parts.gaussians, points, context);
    case PointScore::kSpan:
      // Follows from the means, so a detector's file does not hold it.
      return ClassSpan(parts.gaussians.tied().means).score(points, context);
    case PointScore::kKnn:
      return score_by_neighbours(parts.bank, options.neighbours, points,
                                 context);
    case PointScore::kSoe:
      return score_by_energy(parts.bank, options, points, context);
    case PointScore::kMsp:
    case PointScore::kLse:
      return score_by_head(score, need_head(parts.plain_head), points, context);
    case PointScore::kHead:
      return score_by_head(score, need_head(parts.exposed_head), points,
                           context);
  }
  return std::nullopt;
}

}  // namespace sbog::detect
