// SPDX-License-Identifier: Apache-2.0
// Classes, rivals and reports; see sampler.h.
#include "sbog/sample/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/energy/exact_energy.h"
#include "sbog/energy/perplexity.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/proposals.h"
#include "sbog/sample/round.h"

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
                    const SamplerOptions& options)
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
ClassRun<T> Sampler<T>::prepare(std::size_t c, const Context& context) const {
  if (c >= labels_.size()) {
    throw InvalidArgument("sampler: a class below " +
                          std::to_string(labels_.size()) +
                          " is expected, got " + std::to_string(c));
  }
  ClassRun<T> run;
  run.label_ = labels_[c];
  run.rows_ = rows_of_class(c);
  MatrixView<const T> points = problem_.bank;
  if (run.rows_.size() < problem_.bank.rows()) {
    run.points_ = copy_rows<T>(problem_.bank, run.rows_);
    points = run.points_;
  }
  if (unit_anchors_.rows() > 0) {
    run.anchor_.assign(unit_anchors_.row(c).begin(),
                       unit_anchors_.row(c).end());
  }
  for (const std::size_t row : run.rows_) {
    if (!problem_.losses.empty()) run.losses_.push_back(problem_.losses[row]);
  }
  const ClassProblem<T> problem{points, run.anchor_, run.losses_,
                                static_cast<std::uint32_t>(c), shape_.get()};
  run.prepared_ = prepare_class(problem, options_, context);
  run.gaussian_ = gaussian_.get();
  run.walk_ = walk_.get();
  if (walk_) {
    run.boundary_ = boundary_points(points, c, *walk_, options_, context);
  }
  return run;
}

template <typename T>
std::vector<std::size_t> ClassRun<T>::rows_of(
    const std::vector<std::size_t>& positions) const {
  std::vector<std::size_t> rows;
  rows.reserve(positions.size());
  for (const std::size_t i : positions) rows.push_back(rows_[i]);
  return rows;
}

template <typename T>
Output<T> ClassRun<T>::draw_rival(std::size_t k) const {
  const SamplerOptions& options = prepared_->options;
  const std::uint32_t cls = prepared_->problem.cls;
  Output<T> output;
  output.k = k;
  output.origin = OutputOrigin::kRival;
  output.rounds = 1;
  std::vector<double> point;
  if (gaussian_ != nullptr) {
    point = gaussian_->draw(options.seed, cls, static_cast<std::uint32_t>(k),
                            options.vos_draws);
    if (!project(options, point)) return output;
  } else {
    if (boundary_.empty()) return output;
    const PhiloxStream stream(options.seed, cls, 0, k);
    const std::size_t from = boundary_[stream.anchor_index(boundary_.size())];
    const auto start = prepared_->problem.points.row(from);
    point.assign(start.begin(), start.end());
    project(options, point);
    std::vector<double> noise(point.size());
    stream.normals(0, std::span<double>(noise));
    for (std::size_t i = 0; i < point.size(); ++i) {
      point[i] += prepared_->scale.high * noise[i];
    }
    project(options, point);
    if (walk_->steps_to_flip(cls, point, options.bood_max_steps) >
        options.bood_max_steps) {
      return output;
    }
    for (std::size_t s = 0; s < options.bood_extra_steps; ++s) {
      walk_->ascend(cls, point);
    }
    output.anchor_row = from;
  }
  output.point.assign(point.begin(), point.end());
  // As stored, so that the energy can be checked from the file.
  point.assign(output.point.begin(), output.point.end());
  output.energy = exact_energy(prepared_->whole->support().energy(), point);
  output.score = output.energy;
  output.margin = output.score - prepared_->plan.threshold;
  if (!anchor_.empty()) {
    output.class_cosine = cosine_of<double, double>(point, anchor_);
  }
  output.is_accepted = true;
  return output;
}

template <typename T>
bool ClassRun<T>::fill_pool(const Context& context) const {
  if (pool_) return true;
  std::optional<ProposalPool> pool =
      collect_pool(*prepared_, prepared_->options.count, context);
  if (!pool) return false;
  pool_ = std::make_unique<ProposalPool>(std::move(*pool));
  return true;
}

// Outputs of the pool, or of a rival that draws each at once.
template <typename T>
SampledRange<T> ClassRun<T>::sample_without_rounds(
    std::size_t first_k, std::size_t count, const Context& context) const {
  const bool collects = prepared_->options.collect_all;
  if (collects && !fill_pool(context)) {
    return {SolveStatus::kCancelled, {}, {}};
  }
  SampledRange<T> range;
  range.outputs.resize(count);
  range.status = play_batches(
      context, count, 1, [&](std::size_t i, std::size_t, std::size_t) {
        range.outputs[i] =
            collects ? output_of_entry(*prepared_, *pool_, first_k + i)
                     : draw_rival(first_k + i);
      });
  if (range.status != SolveStatus::kDone) return {range.status, {}, {}};
  range.tallies.resize(anchor_count());
  // The pool is counted once, with the first outputs.
  if (collects && first_k == 0) range.tallies = pool_->tallies;
  return range;
}

template <typename T>
SampledRange<T> ClassRun<T>::sample(std::size_t first_k, std::size_t count,
                                    const Context& context) const {
  if (prepared_->plan.is_infeasible) {
    SampledRange<T> none;
    none.outputs.resize(count);
    for (std::size_t i = 0; i < count; ++i) none.outputs[i].k = first_k + i;
    none.tallies.resize(anchor_count());
    return none;
  }
  SampledRange<T> range =
      has_rounds() && !prepared_->options.collect_all
          ? sample_class(*prepared_, first_k, count, context)
          : sample_without_rounds(first_k, count, context);
  for (Output<T>& output : range.outputs) {
    if (output.is_accepted) output.anchor_row = rows_[output.anchor_row];
  }
  return range;
}

template <typename T>
ClassReport ClassRun<T>::report(std::size_t requested, std::size_t produced,
                                std::vector<std::size_t> rounds,
                                std::vector<AnchorTally> tallies) const {
  ClassReport report;
  report.label = label_;
  report.plan = prepared_->plan;
  report.requested = requested;
  report.produced = produced;
  report.rounds = std::move(rounds);
  FailureCounts failures;
  std::size_t drawn = 0;
  std::size_t filled = 0;
  std::uint64_t draws = 0;
  std::uint64_t successes = 0;
  for (const AnchorTally& tally : tallies) {
    failures.add(tally.failures);
    draws += tally.draws;
    successes += tally.successes;
    drawn += tally.draws > 0 ? 1 : 0;
    filled += tally.successes > 0 ? 1 : 0;
  }
  report.fill_anchors =
      drawn == 0 ? 0.0
                 : static_cast<double>(filled) / static_cast<double>(drawn);
  report.acceptance =
      draws == 0 ? 0.0
                 : static_cast<double>(successes) / static_cast<double>(draws);
  report.acceptance_interval = clopper_pearson(successes, draws);
  report.status =
      produced == requested
          ? SolveStatus::kDone
          : (produced == 0 ? SolveStatus::kInfeasible : SolveStatus::kPartial);
  if (produced == requested) {
    report.binding = Constraint::kNone;
  } else if (prepared_->plan.is_infeasible) {
    report.binding = prepared_->plan.infeasible_by;
  } else {
    report.binding =
        walk_ != nullptr ? Constraint::kBoundary : binding_constraint(failures);
  }
  for (const std::size_t a : prepared_->anchors.anchors) {
    report.anchor_rows.push_back(rows_[a]);
    report.anchor_scores.push_back(prepared_->scores[a]);
  }
  report.tallies = std::move(tallies);
  return report;
}

template class ClassRun<float>;
template class ClassRun<double>;
template class Sampler<float>;
template class Sampler<double>;
template Matrix<double> class_means(MatrixView<const float>,
                                    std::span<const std::int64_t>);
template Matrix<double> class_means(MatrixView<const double>,
                                    std::span<const std::int64_t>);

}  // namespace sbog
