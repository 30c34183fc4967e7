// SPDX-License-Identifier: Apache-2.0
// Splitting and sampling for certify_inputs.h.
#include "sbog/job/certify_inputs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/certify/split_bank.h"
#include "sbog/data/array.h"
#include "sbog/job/certify.h"
#include "sbog/job/class_certifier.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/run_inputs.h"
#include "sbog/run/finished_run.h"
#include "sbog/sample/sample_outliers.h"

namespace sbog::job {
namespace {

std::vector<std::int64_t> pick_labels(const std::vector<std::int64_t>& labels,
                                      const std::vector<std::size_t>& rows) {
  std::vector<std::int64_t> picked;
  if (labels.empty()) return picked;
  picked.reserve(rows.size());
  for (const std::size_t row : rows) picked.push_back(labels[row]);
  return picked;
}

template <typename T>
void set_split(CertifyInputs<T>& inputs, MatrixView<const T> bank,
               const std::vector<std::int64_t>& labels,
               const BankSplit& split) {
  inputs.reference = copy_rows<T>(bank, split.reference);
  inputs.calibration = copy_rows<T>(bank, split.calibration);
  inputs.reference_labels = pick_labels(labels, split.reference);
  inputs.calibration_labels = pick_labels(labels, split.calibration);
}

template <typename T>
Matrix<T> copy_of(MatrixView<const T> from) {
  Matrix<T> to(from.rows(), from.cols());
  std::copy_n(from.data(), to.size(), to.data());
  return to;
}

BankSplit halves_of(std::size_t rows, const std::vector<std::int64_t>& labels,
                    std::uint64_t seed) {
  return labels.empty() ? split_bank(rows, seed) : split_bank(labels, seed);
}

// All classes of a split bank together.
BankSplit joined_halves(const std::vector<ClassHalves>& halves) {
  BankSplit split;
  for (const ClassHalves& half : halves) {
    split.reference.insert(split.reference.end(), half.reference.begin(),
                           half.reference.end());
    split.calibration.insert(split.calibration.end(), half.calibration.begin(),
                             half.calibration.end());
  }
  return split;
}

// How often each anchor of each class gave an outlier.
using AnchorCounts =
    std::map<std::pair<std::int64_t, std::size_t>, std::uint64_t>;

// Anchors and halves of a run are what the sampler makes of its inputs again.
template <typename T>
void add_classes(const Sampler<T>& sampler, AnchorCounts& counts,
                 CertifyInputs<T>& inputs, std::vector<ClassHalves>& halves,
                 const Context& context) {
  for (std::size_t c = 0; c < sampler.labels().size(); ++c) {
    const ClassRun<T> prepared = sampler.prepare(c, context);
    halves.push_back(prepared.halves());
    AnchorHits hits{prepared.label(), {}};
    for (const std::size_t row : prepared.report(0, {}, {}, {}).anchor_rows) {
      hits.counts.push_back(counts[{prepared.label(), row}]);
    }
    inputs.hits.push_back(std::move(hits));
  }
}

template <typename T>
CertifyInputs<T> inputs_of_run(const CertifyOptions& asked,
                               const Context& context) {
  const FinishedRun run(asked.target);
  const GenerateOptions made = options_of_run(run, asked.bank);
  const RunOutliers<T> outliers = read_outliers<T>(run);
  const RunInputs<T> data = load_run_inputs<T>(run, made);
  CertifyInputs<T> inputs;
  inputs.metric = copy_of<double>(data.metric.view());
  SamplerOptions options = sampler_of_run(made, data);
  options.energy.metric = inputs.metric;
  AnchorCounts counts;
  for (std::size_t i = 0; i < outliers.classes.size(); ++i) {
    ++counts[{outliers.classes[i], outliers.anchor_rows[i]}];
  }
  std::vector<ClassHalves> halves;
  if (run.kind() == "series") {
    // Targets of scenarios follow edits of windows: only their run knows the
    // anchors, and nothing can be sampled again.
    AnchorHits hits;
    for (const std::size_t row : outliers.anchors_tried) {
      hits.counts.push_back(counts[{0, row}]);
    }
    inputs.hits.push_back(std::move(hits));
  } else {
    const Sampler<T> sampler(data.problem(), options);
    add_classes(sampler, counts, inputs, halves, context);
    inputs.sampler = sampler.options();
  }
  // Without a split the outliers have seen all points: half of them stands in.
  const bool is_split = options.certify && !halves.empty();
  set_split(inputs, data.bank.view(), data.labels,
            is_split ? joined_halves(halves)
                     : halves_of(data.bank.rows(), data.labels, run.seed()));
  inputs.outliers = copy_of<T>(outliers.points.view());
  if (!data.labels.empty()) inputs.outlier_labels = outliers.classes;
  inputs.options.energy = options.energy;
  inputs.options.energy.epsilon = epsilon_of_run(run, options);
  inputs.options.delta = asked.delta;
  inputs.options.level = options.quantile;
  inputs.options.margin = std::max(0.0, options.margin);
  inputs.options.pool = proposal_pool(apply_rule(options), data.class_count());
  // A trimmed reference was chosen by itself.
  inputs.options.is_independent = is_split && options.trim == 0.0;
  return inputs;
}

// Epsilon from the half that is not the reference, so that the reference has
// no say in it. The halves do not depend on epsilon.
template <typename T>
double epsilon_of_split(const CertifyOptions& asked,
                        const SampleProblem<T>& problem,
                        const std::vector<std::int64_t>& labels,
                        const SamplerOptions& options, const Context& context) {
  if (!asked.energy.epsilon.is_auto()) return asked.energy.epsilon.number();
  const Sampler<T> sampler(problem, options);
  std::vector<std::size_t> rows;
  for (std::size_t c = 0; c < sampler.labels().size(); ++c) {
    const ClassHalves halves =
        sampler.prepare(c, {context.pool, nullptr}).halves();
    rows.insert(rows.end(), halves.calibration.begin(),
                halves.calibration.end());
  }
  const Matrix<T> points = copy_rows<T>(problem.bank, rows);
  return one_epsilon<T>({}, {points.view(), {}, {}}, pick_labels(labels, rows),
                        options.energy, context);
}

// Makes outliers with a split bank, in memory.
template <typename T>
void sample_split(const CertifyOptions& asked, MatrixView<const T> bank,
                  const std::vector<std::int64_t>& labels,
                  CertifyInputs<T>& inputs, const Context& context) {
  SamplerOptions options = profile_options("coverage");
  options.energy = inputs.options.energy;
  options.quantile = asked.energy.quantile;
  options.sigma = asked.sigma;
  options.trim = asked.energy.trim;
  options.certify = true;
  options.splitting = false;
  options.seed = asked.seed;
  Matrix<double> anchors;
  if (!labels.empty()) anchors = class_means<T>(bank, labels);
  const SampleProblem<T> problem{
      bank, labels, std::as_const(anchors).view(), {}};
  const std::size_t classes = std::max<std::size_t>(1, anchors.rows());
  options.count = (asked.count + classes - 1) / classes;
  inputs.options.energy.epsilon =
      epsilon_of_split(asked, problem, labels, options, context);
  inputs.is_cancelled = std::isnan(inputs.options.energy.epsilon);
  if (inputs.is_cancelled) return;
  options.energy.epsilon = inputs.options.energy.epsilon;
  const OutlierSet<T> made = sample_outliers<T>(problem, options, context);
  if (made.status == SolveStatus::kCancelled) {
    inputs.is_cancelled = true;
    return;
  }
  if (made.outputs.empty()) {
    throw InvalidArgument(
        "certify: no outlier is feasible with these settings; a larger --sigma "
        "or a lower --quantile may help");
  }
  for (const ClassReport& report : made.reports) {
    inputs.hits.push_back(
        {report.label, std::vector<std::uint64_t>(report.tallies.size())});
  }
  auto hits = inputs.hits.begin();
  for (std::size_t i = 0; i < made.outputs.size(); ++i) {
    while (hits->label != made.classes[i]) ++hits;
    ++hits->counts[made.outputs[i].anchor];
  }
  if (!labels.empty()) inputs.outlier_labels = made.classes;
  inputs.outliers = made.points(bank.cols());
  set_split(inputs, bank, labels, joined_halves(made.halves));
  inputs.sampler = apply_rule(options);
  inputs.options.pool = proposal_pool(*inputs.sampler, classes);
  inputs.options.is_independent = options.trim == 0.0;
}

void check_length(const char* what, std::size_t values, std::size_t rows) {
  if (values == rows) return;
  throw InvalidArgument(std::string(what) + " is expected (" +
                        std::to_string(rows) + "), got " +
                        std::to_string(values));
}

// Outliers from elsewhere, judged by a random half of the bank.
template <typename T>
void judge_given(const CertifyOptions& asked, MatrixView<const T> bank,
                 std::vector<std::int64_t> labels, CertifyInputs<T>& inputs,
                 const Context& context) {
  inputs.outliers = copy_of<T>(to_matrix<T>(load_array(asked.outliers)).view());
  if (!asked.outlier_labels.empty()) {
    inputs.outlier_labels = to_labels(load_array(asked.outlier_labels));
  } else {
    labels.clear();
  }
  const BankSplit split = halves_of(bank.rows(), labels, asked.seed);
  set_split(inputs, bank, labels, split);
  inputs.options.energy.epsilon =
      one_epsilon<T>(asked.energy.epsilon, {inputs.calibration.view(), {}, {}},
                     inputs.calibration_labels, inputs.options.energy, context);
  inputs.is_cancelled = std::isnan(inputs.options.energy.epsilon);
  if (asked.energy.weights.empty()) return;
  const std::vector<double> weights =
      to_vector(load_array(asked.energy.weights));
  check_length("weights: one per bank row", weights.size(), bank.rows());
  for (const std::size_t row : split.reference) {
    inputs.weights.push_back(weights[row]);
  }
}

template <typename T>
CertifyInputs<T> inputs_of_bank(const CertifyOptions& asked,
                                const Context& context) {
  const LoadedMatrix<T> bank = to_matrix<T>(load_array(asked.target));
  std::vector<std::int64_t> labels;
  if (!asked.energy.labels.empty()) {
    labels = to_labels(load_array(asked.energy.labels));
    check_length("labels: one per row", labels.size(), bank.rows());
  }
  CertifyInputs<T> inputs;
  inputs.metric = copy_of<double>(load_metric(asked.energy).view());
  inputs.options.is_epsilon_calibrated = asked.energy.epsilon.is_auto();
  inputs.options.energy.cost = parse_ground_cost(asked.energy.cost);
  inputs.options.energy.metric = inputs.metric;
  inputs.options.delta = asked.delta;
  inputs.options.level = asked.energy.quantile;
  inputs.options.margin = asked.energy.margin;
  if (asked.outliers.empty()) {
    sample_split<T>(asked, bank.view(), labels, inputs, context);
  } else {
    judge_given<T>(asked, bank.view(), std::move(labels), inputs, context);
  }
  return inputs;
}

}  // namespace

template <typename T>
CertifyProblem<T> CertifyInputs<T>::problem() const {
  CertifyProblem<T> result;
  result.reference = reference.view();
  result.calibration = calibration.view();
  result.outliers = outliers.view();
  result.weights = weights;
  result.reference_labels = reference_labels;
  result.calibration_labels = calibration_labels;
  result.outlier_labels = outlier_labels;
  return result;
}

template <typename T>
CertifyInputs<T> load_certify_inputs(const CertifyOptions& options,
                                     const Context& context) {
  return options.is_run() ? inputs_of_run<T>(options, context)
                          : inputs_of_bank<T>(options, context);
}

std::string certify_precision(const CertifyOptions& options) {
  if (!options.is_run()) return options.energy.precision;
  return options_of_run(FinishedRun(options.target), options.bank).precision;
}

template struct CertifyInputs<float>;
template struct CertifyInputs<double>;
template CertifyInputs<float> load_certify_inputs(const CertifyOptions&,
                                                  const Context&);
template CertifyInputs<double> load_certify_inputs(const CertifyOptions&,
                                                   const Context&);

}  // namespace sbog::job
