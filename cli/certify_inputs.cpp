// SPDX-License-Identifier: Apache-2.0
// Splitting and sampling for certify_inputs.h.
#include "certify_inputs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "embedded_data.h"
#include "run_reader.h"
#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/certify/split_bank.h"
#include "sbog/job/class_certifier.h"
#include "sbog/sample/sample_outliers.h"

namespace sbog::cli {
namespace {

std::vector<std::int64_t> pick(const std::vector<std::int64_t>& labels,
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
  inputs.reference_labels = pick(labels, split.reference);
  inputs.calibration_labels = pick(labels, split.calibration);
}

void copy_metric(MatrixView<const double> from, Matrix<double>& to) {
  to = Matrix<double>(from.rows(), from.cols());
  std::copy_n(from.data(), from.rows() * from.cols(), to.data());
}

// All classes of a split bank together.
BankSplit split_of(const std::vector<ClassHalves>& halves) {
  BankSplit split;
  for (const ClassHalves& half : halves) {
    split.reference.insert(split.reference.end(), half.reference.begin(),
                           half.reference.end());
    split.calibration.insert(split.calibration.end(), half.calibration.begin(),
                             half.calibration.end());
  }
  return split;
}

template <typename T>
CertifyInputs<T> from_run(const FinishedRun& run, double delta,
                          const Context& context) {
  const RunOutliers<T> outliers = read_outliers<T>(run);
  const RunInputs<T> data = load_run_inputs<T>(run);
  SamplerOptions options = run_options(run, data);
  CertifyInputs<T> inputs;
  copy_metric(data.metric.view(), inputs.metric);
  options.energy.metric = inputs.metric;
  const Sampler<T> sampler(data.problem(), options);
  std::vector<ClassHalves> halves;
  std::map<std::pair<std::int64_t, std::size_t>, std::uint64_t> counts;
  for (std::size_t i = 0; i < outliers.classes.size(); ++i) {
    ++counts[{outliers.classes[i], outliers.anchor_rows[i]}];
  }
  for (std::size_t c = 0; c < sampler.labels().size(); ++c) {
    const ClassRun<T> prepared = sampler.prepare(c, context);
    halves.push_back(prepared.halves());
    AnchorHits hits{prepared.label(), {}};
    for (const std::size_t row : prepared.report(0, 0, {}, {}).anchor_rows) {
      hits.counts.push_back(counts[{prepared.label(), row}]);
    }
    inputs.hits.push_back(std::move(hits));
  }
  // Without a split the outliers have seen all points: half of them stands in.
  const bool is_split = options.splits_bank;
  const BankSplit split =
      is_split ? split_of(halves)
               : (data.labels.empty() ? split_bank(data.bank.rows(), run.seed)
                                      : split_bank(data.labels, run.seed));
  set_split(inputs, data.bank.view(), data.labels, split);
  inputs.outliers = Matrix<T>(outliers.points.rows(), outliers.points.cols());
  std::copy_n(outliers.points.view().data(), inputs.outliers.size(),
              inputs.outliers.data());
  if (!data.labels.empty()) inputs.outlier_labels = outliers.classes;
  inputs.options.energy = options.energy;
  inputs.options.delta = delta;
  inputs.options.level = options.quantile;
  inputs.options.margin = std::max(0.0, options.margin);
  inputs.options.pool =
      job::proposal_pool(sampler.options(), sampler.labels().size());
  // A trimmed reference was chosen by itself.
  inputs.options.is_independent = is_split && options.trim == 0.0;
  inputs.sampler = sampler.options();
  return inputs;
}

// Makes outliers with a split bank, in memory.
template <typename T>
void sample_split(const CertifyArguments& arguments, MatrixView<const T> bank,
                  const std::vector<std::int64_t>& labels,
                  CertifyInputs<T>& inputs, std::uint64_t seed,
                  const Context& context) {
  SamplerOptions options = profile_options("coverage");
  options.energy = inputs.options.energy;
  options.quantile = arguments.quantile;
  options.sigma = arguments.sigma;
  options.trim = arguments.trim;
  options.splits_bank = true;
  options.has_splitting = false;
  options.seed = seed;
  Matrix<double> anchors;
  if (!labels.empty()) anchors = class_means<T>(bank, labels);
  SampleProblem<T> problem{bank, labels, std::as_const(anchors).view(), {}};
  const std::size_t classes = std::max<std::size_t>(1, anchors.rows());
  options.count = (arguments.count + classes - 1) / classes;
  const OutlierSet<T> made = sample_outliers<T>(problem, options, context);
  if (made.status == SolveStatus::kCancelled) return;
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
  set_split(inputs, bank, labels, split_of(made.halves));
  inputs.sampler = apply_rule(options);
  inputs.options.pool = job::proposal_pool(*inputs.sampler, classes);
  inputs.options.is_independent = options.trim == 0.0;
}

template <typename T>
CertifyInputs<T> from_bank(const CertifyArguments& arguments,
                           std::uint64_t seed, const Context& context) {
  const LoadedMatrix<T> bank = to_matrix<T>(load_array(arguments.target));
  std::vector<std::int64_t> labels;
  if (!arguments.labels.empty())
    labels = to_labels(load_array(arguments.labels));
  if (!labels.empty() && labels.size() != bank.rows()) {
    throw InvalidArgument("labels: one per row is expected (" +
                          std::to_string(bank.rows()) + "), got " +
                          std::to_string(labels.size()));
  }
  CertifyInputs<T> inputs;
  if (!arguments.metric.empty()) {
    copy_metric(to_matrix<double>(load_array(arguments.metric)).view(),
                inputs.metric);
  }
  inputs.options.energy.cost = parse_ground_cost(arguments.cost);
  inputs.options.energy.epsilon = arguments.epsilon;
  inputs.options.energy.metric = inputs.metric;
  inputs.options.delta = arguments.delta;
  inputs.options.level = arguments.quantile;
  inputs.options.margin = arguments.margin;
  if (arguments.outliers.empty()) {
    sample_split<T>(arguments, bank.view(), labels, inputs, seed, context);
    return inputs;
  }
  const LoadedMatrix<T> outliers = to_matrix<T>(load_array(arguments.outliers));
  inputs.outliers = Matrix<T>(outliers.rows(), outliers.cols());
  std::copy_n(outliers.view().data(), inputs.outliers.size(),
              inputs.outliers.data());
  if (!arguments.outlier_labels.empty()) {
    inputs.outlier_labels = to_labels(load_array(arguments.outlier_labels));
  } else {
    labels.clear();
  }
  const BankSplit split =
      labels.empty() ? split_bank(bank.rows(), seed) : split_bank(labels, seed);
  set_split(inputs, bank.view(), labels, split);
  if (!arguments.weights.empty()) {
    const std::vector<double> weights =
        to_vector(load_array(arguments.weights));
    if (weights.size() != bank.rows()) {
      throw InvalidArgument("weights: one per bank row is expected (" +
                            std::to_string(bank.rows()) + "), got " +
                            std::to_string(weights.size()));
    }
    for (const std::size_t row : split.reference) {
      inputs.weights.push_back(weights[row]);
    }
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

bool is_run(const CertifyArguments& arguments) {
  std::error_code ignored;
  return std::filesystem::is_directory(arguments.target, ignored);
}

template <typename T>
CertifyInputs<T> load_certify_inputs(const CertifyArguments& arguments,
                                     const CommonOptions& common,
                                     const Context& context) {
  if (is_run(arguments)) {
    return from_run<T>(open_run(arguments.target, arguments.bank),
                       arguments.delta, context);
  }
  return from_bank<T>(arguments, common.seed, context);
}

template struct CertifyInputs<float>;
template struct CertifyInputs<double>;
template CertifyInputs<float> load_certify_inputs(const CertifyArguments&,
                                                  const CommonOptions&,
                                                  const Context&);
template CertifyInputs<double> load_certify_inputs(const CertifyArguments&,
                                                   const CommonOptions&,
                                                   const Context&);

}  // namespace sbog::cli
