// SPDX-License-Identifier: Apache-2.0
// sbog evaluate: every metric of a run, or of outliers made elsewhere.
#include "evaluate.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "commands.h"
#include "embedded_data.h"
#include "energy_arguments.h"
#include "evaluate_report.h"
#include "evaluate_run.h"
#include "exit_code.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"

namespace sbog::cli {
namespace {

constexpr const char* kFooter =
    "Files: .npy, .npz:name, .csv, .safetensors:name, .idx (also .gz);\n"
    "demo:bank, demo:labels, demo:outliers, demo:outlier-labels and\n"
    "demo:anchors are built in. Row c of --anchors belongs to class c.\n"
    "\n"
    "RUN reads the bank again from where it was; its metrics.json is written\n"
    "unless --out names another file.\n"
    "\n"
    "Examples:\n"
    "  sbog evaluate --bank demo:bank --outliers demo:outliers\n"
    "  sbog evaluate --bank demo:bank --labels demo:labels --outliers "
    "demo:outliers --outlier-labels demo:outlier-labels --anchors demo:anchors "
    "--out metrics.json";

struct EvaluateArguments : EnergyArguments {
  std::string run;
  std::string bank;
  std::string outliers;
  std::string outlier_labels;
  std::string anchors;
  std::string out;
};

void declare_files(CLI::App& command, EvaluateArguments& a) {
  command.add_option("RUN", a.run, "Folder made by sbog generate");
  command.add_option("--bank", a.bank, "In-distribution points, one per row");
  command.add_option("--outliers", a.outliers, "Generated points, one per row");
  command.add_option("--outlier-labels", a.outlier_labels,
                     "Source class of each outlier");
  command.add_option("--anchors", a.anchors,
                     "One direction per class, such as a text embedding");
  command.add_option("--out", a.out, "Write the metrics to this JSON file");
}

// Fails before the work, not after it.
void check_arguments(const EvaluateArguments& a) {
  const auto need = [](bool ok, const char* sentence) {
    if (!ok) throw InvalidArgument(sentence);
  };
  need(!a.bank.empty() && !a.outliers.empty(),
       "evaluate: a RUN folder, or --bank and --outliers are expected");
  need(!a.is_per_class || (!a.labels.empty() && !a.outlier_labels.empty()),
       "--per-class needs --labels and --outlier-labels");
  need(a.anchors.empty() || !a.outlier_labels.empty(),
       "--anchors needs --outlier-labels");
  need(a.calibration > 0, "--calibration: at least 1 row is expected");
  need(a.cost.find("mahalanobis") == std::string::npos || !a.metric.empty(),
       "--cost mahalanobis needs --metric");
  check_epsilon(a.epsilon);
}

// A run has its own settings.
void check_alone(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "RUN" || name == "--bank" ||
        name == "--out") {
      continue;
    }
    throw InvalidArgument(name + ": a RUN has its own settings; only --bank " +
                          "and --out go with it");
  }
}

OutlierOptions to_options(const EvaluateArguments& a,
                          MatrixView<const double> metric, std::uint64_t seed) {
  OutlierOptions options;
  options.seed = seed;
  options.score = energy_options(a, metric, seed);
  return options;
}

template <typename T>
LoadedMatrix<T> load_points(const std::string& spec) {
  if (spec.empty()) return {};
  return to_matrix<T>(load_array(spec));
}

std::vector<std::int64_t> load_labels(const std::string& spec) {
  if (spec.empty()) return {};
  return to_labels(load_array(spec));
}

template <typename T>
int run(const EvaluateArguments& arguments, const CommonOptions& common) {
  const LoadedMatrix<double> metric = load_points<double>(arguments.metric);
  const LoadedMatrix<T> bank = load_points<T>(arguments.bank);
  const LoadedMatrix<T> outliers = load_points<T>(arguments.outliers);
  const LoadedMatrix<T> anchors = load_points<T>(arguments.anchors);
  const std::vector<std::int64_t> labels = load_labels(arguments.labels);
  const std::vector<std::int64_t> source_classes =
      load_labels(arguments.outlier_labels);
  std::vector<double> weights;
  if (!arguments.weights.empty()) {
    weights = to_vector(load_array(arguments.weights));
  }
  OutlierProblem<T> problem;
  problem.bank = bank.view();
  problem.outliers = outliers.view();
  problem.weights = weights;
  problem.labels = labels;
  problem.source_classes = source_classes;
  problem.anchors = anchors.view();
  return evaluate_arrays(problem,
                         to_options(arguments, metric.view(), common.seed),
                         arguments.out, common);
}

}  // namespace

template <typename T>
int evaluate_arrays(const OutlierProblem<T>& problem,
                    const OutlierOptions& options, const std::string& out,
                    const CommonOptions& common) {
  using Clock = std::chrono::steady_clock;
  ThreadPool pool(common.threads);
  ProgressLine progress("evaluating", common.is_quiet);
  const Clock::time_point start = Clock::now();
  const OutlierMetrics metrics =
      evaluate_outliers(problem, options, {&pool, &progress});
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  if (metrics.status == SolveStatus::kCancelled) {
    Console(common.is_quiet).note("interrupted; nothing was written");
    return kNotReached;
  }
  const EvaluateFacts facts{problem.bank.rows(), problem.outliers.rows(),
                            problem.bank.cols(), pool.size(), elapsed.count()};
  const std::string json = metrics_json(metrics, options, facts);
  if (!out.empty()) write_file_atomically(out, json);
  if (!common.prints_result) return kDone;
  if (common.is_json) {
    std::printf("%s", json.c_str());
  } else {
    print_metrics(metrics, options, facts);
  }
  return kDone;
}

template int evaluate_arrays(const OutlierProblem<float>&,
                             const OutlierOptions&, const std::string&,
                             const CommonOptions&);
template int evaluate_arrays(const OutlierProblem<double>&,
                             const OutlierOptions&, const std::string&,
                             const CommonOptions&);

void add_evaluate(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "Every quality metric of generated outliers");
  const auto arguments = std::make_shared<EvaluateArguments>();
  command->footer(kFooter);
  declare_files(*command, *arguments);
  declare_energy_options(*command, *arguments);
  command->callback([command, arguments, &common, &exit_code] {
    check_writable(arguments->out);
    if (!arguments->run.empty()) {
      check_alone(*command);
      exit_code =
          evaluate_run(arguments->run, arguments->bank, arguments->out, common);
      return;
    }
    check_arguments(*arguments);
    exit_code = arguments->precision == "double"
                    ? run<double>(*arguments, common)
                    : run<float>(*arguments, common);
  });
}

}  // namespace sbog::cli
