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
#include "sbog/energy/perplexity.h"

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
constexpr double kEpsilonOfEqualRows = 0.05;

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

// Rows of each class, or all of them as one.
std::vector<std::vector<std::size_t>> soe_groups(
    const LabelledBank& bank, const PointScoreOptions& options) {
  const bool is_per_class = options.is_soe_per_class;
  std::vector<std::vector<std::size_t>> groups(is_per_class ? bank.class_count()
                                                            : 1);
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    groups[is_per_class ? bank.classes[i] : 0].push_back(i);
  }
  return groups;
}

// The least energy over the groups.
Scores score_by_energy(const PointScoreParts& parts,
                       const PointScoreOptions& options,
                       MatrixView<const float> points, const Context& context) {
  const auto groups = soe_groups(parts.bank, options);
  if (parts.epsilons.size() != groups.size()) {
    throw InvalidArgument("soe: " + std::to_string(groups.size()) +
                          " temperatures are expected, got " +
                          std::to_string(parts.epsilons.size()));
  }
  ProgressCounter progress(context.observer, groups.size());
  std::vector<double> least(points.rows(),
                            std::numeric_limits<double>::infinity());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    EnergyOptions energy;
    energy.epsilon = parts.epsilons[g];
    const EnergyModel<float> model({parts.bank.points.view(), {}, groups[g]},
                                   energy);
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
  names.reserve(std::size(kPointScores));
  for (const auto& [value, name] : kPointScores) names.emplace_back(name);
  return names;
}

Scores soe_epsilons(const LabelledBank& bank, const PointScoreOptions& options,
                    const Context& context) {
  const auto groups = soe_groups(bank, options);
  if (options.epsilon) {
    return std::vector<double>(groups.size(), *options.epsilon);
  }
  std::vector<double> epsilons(groups.size(), 0.0);
  std::vector<double> found;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto epsilon = find_epsilon_if_any<float>(
        {bank.points.view(), {}, groups[g]}, {}, {}, context);
    if (!epsilon) continue;
    if (std::isnan(*epsilon)) return std::nullopt;
    epsilons[g] = *epsilon;
    found.push_back(*epsilon);
  }
  double typical = kEpsilonOfEqualRows;
  if (!found.empty()) {
    const auto middle = found.begin() + std::ptrdiff_t(found.size() / 2);
    std::ranges::nth_element(found, middle);
    typical = *middle;
  }
  std::ranges::replace(epsilons, 0.0, typical);
  return epsilons;
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
      return score_by_energy(parts, options, points, context);
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
