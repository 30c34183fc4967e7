// SPDX-License-Identifier: Apache-2.0
// Classes and what all of them share; see sampler.h.
#include "sbog/sample/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/energy/perplexity.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/class_scores.h"
#include "sbog/sample/proposals.h"

namespace sbog {
namespace {

constexpr std::size_t kLargestClassCount = 65535;

std::vector<std::int64_t> distinct(std::span<const std::int64_t> labels) {
  std::vector<std::int64_t> result(labels.begin(), labels.end());
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Matrix<double> unit_rows(MatrixView<const double> rows) {
  Matrix<double> result(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double norm =
        std::sqrt(inner_product<double, double>(rows.row(i), rows.row(i)));
    if (!std::isfinite(norm) || !(norm > 0.0)) {
      throw InvalidArgument("class anchors: row " + std::to_string(i) +
                            " is not a finite vector other than 0");
    }
    for (std::size_t k = 0; k < rows.cols(); ++k) {
      result(i, k) = rows(i, k) / norm;
    }
  }
  return result;
}

// Whether all rows of some class are equal.
template <typename T>
bool has_lone_class(MatrixView<const T> bank,
                    const std::vector<std::uint32_t>& class_of) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> first;  // row of each class
  std::vector<bool> varies;
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    const std::size_t c = class_of[i];
    if (c >= first.size()) {
      first.resize(c + 1, kNone);
      varies.resize(c + 1, false);
    }
    if (first[c] == kNone) {
      first[c] = i;
    } else if (!varies[c]) {
      varies[c] = !std::ranges::equal(bank.row(i), bank.row(first[c]));
    }
  }
  return std::find(varies.begin(), varies.end(), false) != varies.end();
}

// Points that flip in the fewest steps: the share of them with the smallest
// count, ties by position.
template <typename T>
std::vector<std::size_t> boundary_points(MatrixView<const T> points,
                                         std::size_t cls,
                                         const BoundaryWalk& walk,
                                         const SamplerOptions& options,
                                         const Context& context) {
  std::vector<std::pair<std::size_t, std::size_t>> steps(points.rows());
  parallel_for(context, points.rows(), [&](std::size_t i, std::size_t) {
    std::vector<double> z(points.row(i).begin(), points.row(i).end());
    project(options, z);
    steps[i] = {walk.steps_to_flip(cls, z, options.bood_max_steps), i};
  });
  std::sort(steps.begin(), steps.end());
  const auto wanted = static_cast<std::size_t>(std::ceil(
      options.bood_share * static_cast<double>(points.rows()) - 1e-9));
  std::vector<std::size_t> result;
  const std::size_t count = std::clamp<std::size_t>(wanted, 1, points.rows());
  for (std::size_t i = 0; i < count; ++i) {
    if (steps[i].first <= options.bood_max_steps) {
      result.push_back(steps[i].second);
    }
  }
  return result;
}

}  // namespace

template <typename T>
Matrix<double> class_means(MatrixView<const T> bank,
                           std::span<const std::int64_t> labels) {
  const std::vector<std::int64_t> classes = distinct(labels);
  Matrix<double> means(std::max<std::size_t>(1, classes.size()), bank.cols());
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    const std::size_t c =
        classes.empty()
            ? 0
            : static_cast<std::size_t>(
                  std::lower_bound(classes.begin(), classes.end(), labels[i]) -
                  classes.begin());
    const double norm =
        std::sqrt(inner_product<T, T>(bank.row(i), bank.row(i)));
    if (!(norm > 0.0)) continue;
    for (std::size_t k = 0; k < bank.cols(); ++k) {
      means(c, k) += static_cast<double>(bank(i, k)) / norm;
    }
  }
  return unit_rows(means);
}

template <typename T>
Sampler<T>::Sampler(const SampleProblem<T>& problem,
                    const SamplerOptions& options, const Context& context)
    : problem_(problem), options_(apply_rule(options)) {
  check_sampler_options(options_, problem.bank.cols());
  check_points(problem.bank, options_.energy.cost, "bank");
  const std::size_t rows = problem.bank.rows();
  if (!problem.labels.empty() && problem.labels.size() != rows) {
    throw InvalidArgument("labels: one per row is expected (" +
                          std::to_string(rows) + "), got " +
                          std::to_string(problem.labels.size()));
  }
  if (!problem.losses.empty() && problem.losses.size() != rows) {
    throw InvalidArgument("losses: one per row is expected");
  }
  for (const double loss : problem.losses) {
    if (!std::isfinite(loss)) {
      throw InvalidArgument("losses: finite values are expected");
    }
  }
  labels_ = problem.labels.empty() ? std::vector<std::int64_t>{0}
                                   : distinct(problem.labels);
  if (labels_.size() >= kLargestClassCount) {
    throw InvalidArgument("labels: fewer than 65535 classes are expected");
  }
  class_of_.resize(rows, 0);
  for (std::size_t i = 0; i < problem.labels.size(); ++i) {
    class_of_[i] = static_cast<std::uint32_t>(
        std::lower_bound(labels_.begin(), labels_.end(), problem.labels[i]) -
        labels_.begin());
  }
  if (problem.class_anchors.rows() > 0) {
    if (problem.class_anchors.rows() != labels_.size() ||
        problem.class_anchors.cols() != problem.bank.cols()) {
      throw InvalidArgument(
          "class anchors: " + std::to_string(labels_.size()) + " rows of " +
          std::to_string(problem.bank.cols()) + " are expected, got " +
          std::to_string(problem.class_anchors.rows()) + " of " +
          std::to_string(problem.class_anchors.cols()));
    }
    unit_anchors_ = unit_rows(problem.class_anchors);
  }
  if (options_.auto_epsilon && options_.certify) {
    options_.energy.epsilon = common_epsilon();
    options_.auto_epsilon = false;
  } else if (options_.auto_epsilon && has_lone_class(problem.bank, class_of_)) {
    // Such a class has no temperature of its own: it takes that of the bank.
    options_.energy.epsilon = epsilon_of({}).value_or(options_.energy.epsilon);
  }
  if (options_.rule == Rule::kVos) {
    gaussian_ = std::make_unique<TiedGaussian>(
        problem.bank, class_of_, labels_.size(),
        options_.projection == Projection::kSphere);
  }
  if (options_.proposal_law == ProposalLaw::kShaped && has_rounds(options_)) {
    shape_ = std::make_unique<StepShape>(
        WithinClass<T>(problem.bank, class_of_, labels_.size(),
                       options_.projection == Projection::kSphere,
                       shaping_rows()),
        options_.seed);
  }
  if (options_.rule == Rule::kBood) {
    if (unit_anchors_.rows() < 2) {
      throw InvalidArgument("bood: at least two class anchors are needed");
    }
    walk_ = std::make_unique<BoundaryWalk>(std::as_const(unit_anchors_).view(),
                                           options_.bood_step,
                                           options_.bood_temperature);
  }
  if (!options_.severities.empty()) measure_tails(context);
}

template <typename T>
std::optional<double> Sampler<T>::epsilon_of(
    std::span<const std::size_t> rows) const {
  return find_epsilon_if_any<T>({problem_.bank, {}, rows}, options_.energy);
}

template <typename T>
double Sampler<T>::common_epsilon() const {
  std::vector<double> found;
  for (std::size_t c = 0; c < labels_.size(); ++c) {
    const std::vector<std::size_t> mine = rows_of_class(c);
    std::vector<std::size_t> rows;
    for (const std::size_t i : calibration_rows(
             mine.size(), options_, static_cast<std::uint32_t>(c))) {
      rows.push_back(mine[i]);
    }
    if (const std::optional<double> epsilon = epsilon_of(rows)) {
      found.push_back(*epsilon);
    }
  }
  if (found.empty()) return options_.energy.epsilon;
  return four_digits(quantile(found, 0.5));
}

template <typename T>
std::vector<std::size_t> Sampler<T>::shaping_rows() const {
  if (!options_.certify) return {};
  std::vector<std::size_t> rows;
  for (std::size_t c = 0; c < labels_.size(); ++c) {
    const std::vector<std::size_t> mine = rows_of_class(c);
    for (const std::size_t i : calibration_rows(
             mine.size(), options_, static_cast<std::uint32_t>(c))) {
      rows.push_back(mine[i]);
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

template <typename T>
std::vector<std::size_t> Sampler<T>::rows_of_class(std::size_t c) const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < class_of_.size(); ++i) {
    if (class_of_[i] == c) rows.push_back(i);
  }
  return rows;
}

template <typename T>
struct Sampler<T>::ClassData {
  std::vector<std::size_t> rows;
  Matrix<T> copy;  // unless the class is everything
  MatrixView<const T> points;
  std::vector<double> losses;
};

template <typename T>
typename Sampler<T>::ClassData Sampler<T>::data_of(std::size_t c) const {
  ClassData data;
  data.rows = rows_of_class(c);
  data.points = problem_.bank;
  if (data.rows.size() < problem_.bank.rows()) {
    data.copy = copy_rows<T>(problem_.bank, data.rows);
    data.points = data.copy;
  }
  for (const std::size_t row : data.rows) {
    if (!problem_.losses.empty()) data.losses.push_back(problem_.losses[row]);
  }
  return data;
}

template <typename T>
void Sampler<T>::measure_tails(const Context& context) {
  known_.resize(labels_.size());
  // Several classes side by side; a single one on all threads.
  const bool is_single = labels_.size() == 1;
  const Context inner = is_single ? Context{context.pool, nullptr} : Context();
  const auto score = [&](std::size_t c, std::size_t) {
    const ClassData data = data_of(c);
    known_[c] = score_class<T>({data.points,
                                {},
                                data.losses,
                                static_cast<std::uint32_t>(c),
                                shape_.get()},
                               options_, inner);
  };
  if (is_single) {
    score(0, 0);
  } else {
    parallel_for(context, labels_.size(), score);
  }
  std::vector<std::vector<double>> scores;
  for (const ScoredClass& known : known_) scores.push_back(known.calibration);
  tails_ = ClassTails(scores, {.seed = options_.seed, .draws = 0});
  for (std::size_t c = 0; c < labels_.size(); ++c) {
    const int asked = options_.severities.back();
    const int highest = tails_.highest_severity(c);
    if (asked <= highest) continue;
    throw InvalidArgument(
        "severity: " + with_commas(tails_.model(c).count()) +
        (tails_.is_shared(c)
             ? " scores of all classes support severities up to "
             : " scores of class " + std::to_string(labels_[c]) +
                   " support severities up to ") +
        std::to_string(highest) + ", got " + std::to_string(asked));
  }
}

template <typename T>
ClassRun<T> Sampler<T>::prepare(std::size_t c, const Context& context) const {
  if (c >= labels_.size()) {
    throw InvalidArgument("sampler: a class below " +
                          std::to_string(labels_.size()) +
                          " is expected, got " + std::to_string(c));
  }
  ClassRun<T> run;
  run.label_ = labels_[c];
  ClassData data = data_of(c);
  run.rows_ = std::move(data.rows);
  run.points_ = std::move(data.copy);
  run.losses_ = std::move(data.losses);
  if (unit_anchors_.rows() > 0) {
    run.anchor_.assign(unit_anchors_.row(c).begin(),
                       unit_anchors_.row(c).end());
  }
  const ClassProblem<T> problem{data.points,
                                run.anchor_,
                                run.losses_,
                                static_cast<std::uint32_t>(c),
                                shape_.get(),
                                known_.empty() ? nullptr : &known_[c],
                                known_.empty() ? nullptr : &tails_};
  run.prepared_ = prepare_class(problem, options_, context);
  run.gaussian_ = gaussian_.get();
  run.walk_ = walk_.get();
  if (walk_) {
    run.boundary_ = boundary_points(data.points, c, *walk_, options_, context);
  }
  return run;
}

template class Sampler<float>;
template class Sampler<double>;
template Matrix<double> class_means(MatrixView<const float>,
                                    std::span<const std::int64_t>);
template Matrix<double> class_means(MatrixView<const double>,
                                    std::span<const std::int64_t>);

}  // namespace sbog
