// SPDX-License-Identifier: Apache-2.0
// See evaluate.h.
#include "sbog/job/evaluate.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/data/array.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/files.h"
#include "sbog/run/run_json.h"

namespace sbog::job {
namespace {

using Json = nlohmann::ordered_json;

void check_alone(const EvaluateOptions& o) {
  const std::set<std::string> asked = {"run", "bank", "out", "seed"};
  for (const OptionInfo& option : evaluate_option_table().changed(o)) {
    if (asked.contains(option.name)) continue;
    throw InvalidArgument(command_line_name(option) +
                          ": a RUN has its own settings; only --bank and "
                          "--out go with it");
  }
}

void check(const EvaluateOptions& o) {
  const auto need = [](bool ok, const char* sentence) {
    if (!ok) throw InvalidArgument(sentence);
  };
  check_writable(o.out);
  if (!o.run.empty()) return check_alone(o);
  need(!o.bank.empty() && !o.outliers.empty(),
       "evaluate: a RUN folder, or --bank and --outliers are expected");
  need(!o.energy.per_class ||
           (!o.energy.labels.empty() && !o.outlier_labels.empty()),
       "--per-class needs --labels and --outlier-labels");
  need(o.class_anchors.empty() || !o.outlier_labels.empty(),
       "--class-anchors needs --outlier-labels");
  need(o.energy.calibration > 0, "--calibration: at least 1 row is expected");
  o.energy.epsilon.check();
}

template <typename T>
LoadedMatrix<T> points_or_none(const std::string& spec) {
  if (spec.empty()) return {};
  return to_matrix<T>(load_array(spec));
}

template <typename T>
bool evaluate_files(Events& events, const Context& context,
                    EvaluateResult& result) {
  const EvaluateOptions& o = result.options;
  const LoadedMatrix<double> metric = load_metric(o.energy);
  const LoadedMatrix<T> bank = points_or_none<T>(o.bank);
  const LoadedMatrix<T> outliers = points_or_none<T>(o.outliers);
  const LoadedMatrix<T> anchors = points_or_none<T>(o.class_anchors);
  const std::vector<std::int64_t> labels = load_labels(o.energy.labels);
  const std::vector<std::int64_t> classes = load_labels(o.outlier_labels);
  std::vector<double> weights;
  if (!o.energy.weights.empty()) {
    weights = to_vector(load_array(o.energy.weights));
  }
  OutlierProblem<T> problem;
  problem.bank = bank.view();
  problem.outliers = outliers.view();
  problem.weights = weights;
  problem.labels = labels;
  problem.source_classes = classes;
  problem.anchors = anchors.view();
  OutlierOptions settings;
  settings.seed = o.seed;
  settings.score = score_options_of(o.energy, metric.view(), o.seed);
  {
    // One temperature, since some metrics look at all classes at once.
    Stage stage(events, context, "finding epsilon");
    settings.score.energy.epsilon =
        one_epsilon<T>(o.energy.epsilon, {bank.view(), weights, {}},
                       o.energy.per_class ? std::span(labels)
                                          : std::span<const std::int64_t>(),
                       settings.score.energy, stage.context());
    settings.score.finds_epsilon = false;
  }
  if (events.is_stopped()) return false;
  return evaluate_arrays(problem, settings, events, context, result);
}

Json entry_json(const MetricEntry& entry) {
  Json json;
  json["name"] = entry.name;
  json["value"] = nullptr;
  if (entry.value) json["value"] = *entry.value;
  json["direction"] = to_string(entry.direction);
  json["meaning"] = entry.meaning;
  if (!entry.value) json["reason"] = entry.reason;
  return json;
}

// What the file of a run on a series said before, with the metrics.
Json with_what_was_there(const std::string& path, const Json& metrics) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return metrics;
  Json all = Json::parse(file, nullptr, false);
  if (!all.is_object()) throw IoError(path, "is not what a run writes");
  all.update(metrics);
  return all;
}

}  // namespace

const OptionTable<EvaluateOptions>& evaluate_option_table() {
  using O = EvaluateOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    table.stage("Input");
    table.add("run", &O::run, "Folder made by sbog generate")
        .positional()
        .optional()
        .value("FOLDER");
    table
        .add("bank", &O::bank,
             "In-distribution points, one per row; with RUN: the file that "
             "holds its points now, where it moved")
        .basic()
        .value("FILE");
    table.add("outliers", &O::outliers, "Generated points, one per row")
        .basic()
        .value("FILE");
    table
        .add("outlier_labels", &O::outlier_labels,
             "Source class of each outlier")
        .basic()
        .value("FILE");
    table
        .add("class_anchors", &O::class_anchors,
             "Direction of each class, such as a text embedding: row c belongs "
             "to class c")
        .basic()
        .also("anchors")
        .value("FILE");
    table.include(energy_option_table(), &O::energy);
    table.stage("Output");
    table.add("out", &O::out, "File for the metrics, .json")
        .basic()
        .writes()
        .value("FILE")
        .without("metrics.json of a run, else not written");
    table.add("seed", &O::seed, "Seed of projections and subsets")
        .also("random_state");
    return table;
  }();
  return kTable;
}

template <typename T>
bool evaluate_arrays(const OutlierProblem<T>& problem,
                     const OutlierOptions& settings, Events& events,
                     const Context& context, EvaluateResult& result) {
  {
    Stage stage(events, context, "evaluating");
    result.metrics = evaluate_outliers(problem, settings, stage.context());
  }
  result.settings = settings;
  result.settings.score.energy.metric = {};  // its memory may go
  result.bank_rows = problem.bank.rows();
  result.outlier_rows = problem.outliers.rows();
  result.dim = problem.bank.cols();
  result.threads = worker_count(context);
  return result.metrics.status != SolveStatus::kCancelled;
}

EvaluateResult run(const EvaluateOptions& options, Events& events,
                   const Context& context) {
  const Stopwatch watch;  // reading and probing take their share
  check(options);
  EvaluateResult result;
  result.options = options;
  result.out = options.out;
  const bool is_done = !options.run.empty()
                           ? evaluate_run(events, context, result)
                       : options.energy.precision == "double"
                           ? evaluate_files<double>(events, context, result)
                           : evaluate_files<float>(events, context, result);
  if (!is_done) return stopped_unwritten(std::move(result), events);
  result.seconds = watch.seconds();
  if (result.out.empty()) return result;
  Json json = to_json(result);
  if (result.kind == "series" && options.out.empty()) {
    json = with_what_was_there(result.out, json);
  }
  write_file_atomically(result.out, stored_json(json) + "\n");
  return result;
}

Json to_json(const EvaluateResult& result) {
  const OutlierOptions& settings = result.settings;
  Json json;
  json["bank_rows"] = result.bank_rows;
  json["outlier_rows"] = result.outlier_rows;
  json["dimension"] = result.dim;
  json["cost"] = to_string(settings.score.energy.cost);
  json["epsilon"] = settings.score.energy.epsilon;
  json["self"] = settings.score.includes_self ? "include" : "exclude";
  json["trim"] = settings.score.trim;
  json["quantile"] = settings.score.threshold.level;
  json["margin"] = settings.score.threshold.margin;
  json["per_class"] = settings.score.is_per_class;
  json["seed"] = settings.seed;
  json["thresholds"] = Json::array();
  for (const ClassScore& score : result.metrics.score.classes) {
    Json line;
    if (settings.score.is_per_class) line["label"] = score.label;
    line["value"] = score.threshold.value;
    line["calibration_count"] = score.threshold.calibration_count;
    json["thresholds"].push_back(line);
  }
  json["metrics"] = Json::array();
  for (const MetricEntry& entry : result.metrics.table.entries()) {
    json["metrics"].push_back(entry_json(entry));
  }
  json["purity"] = Json::array();
  for (const ClassPurity& purity : result.metrics.purity) {
    json["purity"].push_back({{"label", purity.label},
                              {"count", purity.count},
                              {"value", purity.value}});
  }
  return json;
}

template bool evaluate_arrays(const OutlierProblem<float>&,
                              const OutlierOptions&, Events&, const Context&,
                              EvaluateResult&);
template bool evaluate_arrays(const OutlierProblem<double>&,
                              const OutlierOptions&, Events&, const Context&,
                              EvaluateResult&);

}  // namespace sbog::job
