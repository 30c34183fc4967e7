// SPDX-License-Identifier: Apache-2.0
// See point_detector.h.
#include "sbog/detect/point_detector.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/energy/local_reference.h"
#include "sbog/energy/threshold.h"

namespace sbog::detect {
namespace {

bool is_soe(PointScore score) { return score == PointScore::kSoe; }

bool has_score(const PointDetectorOptions& options, bool (*needs)(PointScore)) {
  return std::ranges::any_of(options.scores, needs);
}

PointScoreParts parts_of(const PointDetectorState& state) {
  return {state.bank, *state.gaussians,
          state.exposed_head ? &*state.exposed_head : nullptr,
          state.plain_head ? &*state.plain_head : nullptr, state.epsilons};
}

// Each score as it comes; false when stopped.
bool raw_scores(const PointDetectorState& state, MatrixView<const float> points,
                const Context& context, Matrix<double>& parts) {
  const auto& kinds = state.options.scores;
  parts = Matrix<double>(points.rows(), kinds.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const auto scores = score_points(kinds[k], parts_of(state),
                                     state.options.score, points, context);
    if (!scores) return false;
    for (std::size_t i = 0; i < points.rows(); ++i) parts(i, k) = (*scores)[i];
  }
  return true;
}

// Standardises the parts where there are several, and takes their mean.
std::vector<double> combined(const std::vector<ScoreUnit>& units,
                             Matrix<double>& parts) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < parts.rows(); ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < units.size(); ++k) {
      if (units.size() > 1) {
        parts(i, k) = (parts(i, k) - units[k].centre) / units[k].unit;
      }
      sum += parts(i, k);
    }
    scores.push_back(sum / static_cast<double>(units.size()));
  }
  return scores;
}

std::vector<ScoreUnit> units_of(const Matrix<double>& parts) {
  const auto count = static_cast<double>(parts.rows());
  std::vector<ScoreUnit> units(parts.cols());
  for (std::size_t k = 0; k < parts.cols(); ++k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < parts.rows(); ++i) sum += parts(i, k);
    const double mean = sum / count;
    double squares = 0.0;
    for (std::size_t i = 0; i < parts.rows(); ++i) {
      squares += (parts(i, k) - mean) * (parts(i, k) - mean);
    }
    const double deviation = std::sqrt(squares / count);
    // A score that is the same for all rows says nothing in any unit.
    units[k] = {mean, deviation > 0.0 ? deviation : 1.0};
  }
  return units;
}

// The parts that are learnt; false when stopped.
bool fit_parts(PointDetectorState& state, const OutlierSource& outliers,
               const Context& context) {
  const PointDetectorOptions& o = state.options;
  state.gaussians.emplace(fit_gaussians(state.bank, o.shrinkage));
  if (has_score(o, is_soe)) {
    auto epsilons = soe_epsilons(state.bank, o.score, context);
    if (!epsilons) return false;
    state.epsilons = std::move(*epsilons);
  }
  if (has_score(o, needs_plain_head)) {
    HeadOptions plain = o.head;
    plain.outliers = 0;
    state.plain_head = train_head(state.bank, plain, o.seed, context);
    if (!state.plain_head) return false;
  }
  if (has_score(o, needs_exposed_head)) {
    state.exposed_head =
        outliers ? train_head(state.bank, o.head, o.seed, outliers, context)
                 : train_head(state.bank, o.head, o.seed, context);
    if (!state.exposed_head) return false;
  }
  return true;
}

void require_state(bool ok, const char* sentence) {
  if (!ok) throw InvalidArgument(std::string("detector: ") + sentence);
}

void check_words(const PointDetectorState& state) {
  require_state(state.class_names.empty() ||
                    state.class_names.size() == state.bank.class_count(),
                "one name per class is expected");
  require_state(state.items.empty() || state.items.size() == state.bank.rows(),
                "one item per bank row is expected");
}

bool fits(const std::optional<LinearHead>& head, bool is_needed,
          const LabelledBank& bank) {
  if (head.has_value() != is_needed) return false;
  return !head || (head->dim() == bank.dim() &&
                   head->class_count() == bank.class_count() &&
                   head->bias.size() == bank.class_count());
}

}  // namespace

void check_point_detector(const PointDetectorOptions& o) {
  if (o.scores.empty()) {
    throw InvalidArgument("scores: at least one score is expected");
  }
  for (std::size_t i = 0; i < o.scores.size(); ++i) {
    if (std::find(o.scores.begin(), o.scores.begin() + std::ptrdiff_t(i),
                  o.scores[i]) == o.scores.begin() + std::ptrdiff_t(i)) {
      continue;
    }
    throw InvalidArgument(std::string("scores: each may be named once, got ") +
                          to_string(o.scores[i]) + " twice");
  }
  if (!(o.level > 0.0 && o.level < 1.0)) {
    throw InvalidArgument("level: a number in (0, 1) is expected, got " +
                          std::to_string(o.level));
  }
  if (!(o.held_out > 0.0 && o.held_out < 1.0)) {
    throw InvalidArgument(
        "held-out share: a number in (0, 1) is expected, got " +
        std::to_string(o.held_out));
  }
  if (!(o.shrinkage > 0.0 && o.shrinkage <= 1.0)) {
    throw InvalidArgument("shrinkage: a number in (0, 1] is expected, got " +
                          std::to_string(o.shrinkage));
  }
  if (o.score.neighbours == 0) {
    throw InvalidArgument("neighbours: at least 1 is expected");
  }
  if (o.score.epsilon) check_epsilon(*o.score.epsilon);
  check_head(o.head);
}

PointDetector::PointDetector(PointDetectorState state)
    : state_(std::move(state)) {
  const PointDetectorOptions& o = state_.options;
  const LabelledBank& bank = state_.bank;
  check_point_detector(o);
  require_state(bank.rows() > 0 && bank.classes.size() == bank.rows() &&
                    state_.bank_rows.size() == bank.rows(),
                "one class and one row number per bank row are expected");
  require_state(state_.gaussians && state_.gaussians->dim() == bank.dim() &&
                    state_.gaussians->class_count() == bank.class_count(),
                "Gaussians of every class are expected");
  require_state(
      fits(state_.exposed_head, has_score(o, needs_exposed_head), bank) &&
          fits(state_.plain_head, has_score(o, needs_plain_head), bank),
      "heads that its scores need are expected, and no others");
  const std::size_t groups =
      !has_score(o, is_soe)
          ? 0
          : (o.score.is_soe_per_class ? bank.class_count() : 1);
  require_state(state_.epsilons.size() == groups,
                "temperatures that its scores need are expected");
  for (const double epsilon : state_.epsilons) check_epsilon(epsilon);
  require_state(state_.units.size() == o.scores.size(),
                "one unit per score is expected");
  require_state(!state_.held_out_scores.empty(),
                "scores of held-out rows are expected");
  check_words(state_);
}

void PointDetector::set_words(std::vector<std::string> class_names,
                              std::vector<std::string> items) {
  state_.class_names = std::move(class_names);
  state_.items = std::move(items);
  check_words(state_);
}

double PointDetector::threshold(double level) const {
  ThresholdOptions options;
  options.rule = ThresholdRule::kConformal;
  options.level = level;
  return calibrate_threshold(state_.held_out_scores, options).value;
}

std::optional<PointVerdicts> PointDetector::judge(
    MatrixView<const float> points, const Context& context) const {
  PointVerdicts verdicts;
  if (!raw_scores(state_, points, context, verdicts.parts)) {
    return std::nullopt;
  }
  verdicts.scores = combined(state_.units, verdicts.parts);
  const std::vector<double>& held_out = state_.held_out_scores;
  for (const double score : verdicts.scores) {
    // conformal_p_value() of sorted scores.
    const auto above = held_out.end() - std::lower_bound(held_out.begin(),
                                                         held_out.end(), score);
    verdicts.p_values.push_back((1.0 + static_cast<double>(above)) /
                                (1.0 + static_cast<double>(held_out.size())));
  }
  verdicts.classes = state_.gaussians->score(points, context).classes;
  return verdicts;
}

std::optional<NearBankRows> PointDetector::nearest(
    MatrixView<const float> points, std::size_t count,
    const Context& context) const {
  const EnergyModel<float> model({state_.bank.points.view(), {}, {}}, {});
  Neighbours found = nearest_atoms(
      model, points, std::min(count, state_.bank.rows()), {}, context);
  if (found.status != SolveStatus::kDone) return std::nullopt;
  NearBankRows near{std::move(found.rows), std::move(found.costs)};
  for (double& x : near.cosines.elements()) x = 1.0 - x;
  return near;
}

std::vector<FeatureShare> PointDetector::carriers(std::span<const float> point,
                                                  std::size_t cls,
                                                  std::size_t count) const {
  const std::vector<double> terms = state_.gaussians->contributions(point, cls);
  const double total = std::accumulate(terms.begin(), terms.end(), 0.0);
  std::vector<FeatureShare> shares;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    shares.push_back({j, total > 0.0 ? terms[j] / total : 0.0});
  }
  std::ranges::stable_sort(shares, std::greater<>(), &FeatureShare::share);
  shares.resize(std::min(count, shares.size()));
  return shares;
}

std::string PointDetector::class_name(std::size_t cls) const {
  return state_.class_names.empty()
             ? std::to_string(state_.bank.class_labels[cls])
             : state_.class_names[cls];
}

std::optional<PointDetector> train_point_detector(
    const LabelledBank& bank, MatrixView<const float> calibration,
    const PointDetectorOptions& options, const Context& context,
    const OutlierSource& outliers) {
  check_point_detector(options);
  PointDetectorState state;
  state.options = options;
  state.trained_rows = bank.rows();
  Matrix<float> held_out;
  if (calibration.is_empty()) {
    HeldOutSplit split = split_bank(bank, options.held_out, options.seed);
    if (split.held_out.empty()) {
      throw InvalidArgument(
          "held-out share: no class has enough rows for one to be held out; a "
          "larger share or rows apart for the threshold are expected");
    }
    state.bank = part_of_bank(bank, split.kept);
    held_out = copy_rows<float>(bank.points, split.held_out);
    state.bank_rows = std::move(split.kept);
  } else {
    state.bank_rows = all_rows(bank.rows());
    state.bank = part_of_bank(bank, state.bank_rows);
    held_out = copy_rows<float>(calibration, all_rows(calibration.rows()));
  }
  if (!fit_parts(state, outliers, context)) return std::nullopt;
  Matrix<double> parts;
  if (!raw_scores(state, held_out, context, parts)) return std::nullopt;
  state.units = units_of(parts);
  state.held_out_scores = combined(state.units, parts);
  std::ranges::sort(state.held_out_scores);
  return PointDetector(std::move(state));
}

}  // namespace sbog::detect
