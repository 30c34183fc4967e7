// SPDX-License-Identifier: Apache-2.0
// sbog score: energies of a bank or of queries, with threshold and quantiles.
#include <memory>

#include "commands.h"
#include "embedded_data.h"
#include "exit_code.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/data/array.h"
#include "sbog/data/npy.h"
#include "sbog/energy/precomputed_energy.h"
#include "score_options.h"
#include "score_report.h"

namespace sbog::cli {
namespace {

template <typename T>
LoadedMatrix<T> load_points(const std::string& spec,
                            const ScoreArguments& arguments) {
  ReadOptions options;
  options.csv.columns = arguments.columns;
  return to_matrix<T>(load_array(spec, options));
}

std::vector<double> load_weights(const ScoreArguments& arguments) {
  if (arguments.weights.empty()) return {};
  return to_vector(load_array(arguments.weights));
}

std::vector<std::int64_t> load_labels(const std::string& spec) {
  if (spec.empty()) return {};
  return to_labels(load_array(spec));
}

LoadedMatrix<double> load_metric(const ScoreArguments& arguments) {
  if (arguments.metric.empty()) {
    if (arguments.cost.find("mahalanobis") != std::string::npos) {
      throw InvalidArgument("--cost " + arguments.cost + " needs --metric");
    }
    return {};
  }
  return to_matrix<double>(load_array(arguments.metric));
}

int finish(const ScoreArguments& arguments, const ScoreFacts& facts,
           const ScoreResult& result, const CommonOptions& common) {
  if (result.status == SolveStatus::kCancelled) {
    Console(common.is_quiet).note("interrupted; nothing was written");
    return kNotReached;
  }
  if (!arguments.out.empty()) {
    write_npy(arguments.out, std::span<const double>(result.energies));
  }
  report_score(arguments, facts, result, common);
  return kDone;
}

template <typename T>
int score_points(const ScoreArguments& arguments, const CommonOptions& common) {
  const LoadedMatrix<double> metric = load_metric(arguments);
  const ScoreOptions options =
      to_score_options(arguments, metric.view(), common.seed);
  const LoadedMatrix<T> bank = load_points<T>(arguments.bank, arguments);
  const std::vector<double> weights = load_weights(arguments);
  const std::vector<std::int64_t> labels = load_labels(arguments.labels);
  const std::vector<std::int64_t> query_labels =
      load_labels(arguments.query_labels);
  LoadedMatrix<T> queries;
  if (!arguments.queries.empty()) {
    queries = load_points<T>(arguments.queries, arguments);
    if (queries.rows() == 0) throw InvalidArgument("queries: no rows");
  }
  ThreadPool pool(common.threads);
  ProgressLine progress("scoring", common.is_quiet);
  const ScoreProblem<T> problem{bank.view(), weights, labels, queries.view(),
                                query_labels};
  const Stopwatch watch;
  const ScoreResult result = score_bank(problem, options, {&pool, &progress});
  const ScoreFacts facts{bank.rows(), bank.cols(), queries.rows(), pool.size(),
                         watch.seconds()};
  return finish(arguments, facts, result, common);
}

int score_costs(const ScoreArguments& arguments, const CommonOptions& common) {
  const LoadedMatrix<double> costs =
      to_matrix<double>(load_array(arguments.bank));
  const std::vector<double> weights = load_weights(arguments);
  ThreadPool pool(common.threads);
  ProgressLine progress("scoring", common.is_quiet);
  std::vector<std::size_t> self;
  // A square matrix is the bank against itself.
  if (arguments.self == "exclude" && costs.rows() == costs.cols()) {
    for (std::size_t i = 0; i < costs.rows(); ++i) self.push_back(i);
  }
  const Stopwatch watch;
  EnergyResult energies = evaluate_precomputed(
      costs.view(), weights, arguments.epsilon, self, {&pool, &progress});
  ScoreResult result;
  result.status = energies.status;
  result.energies = std::move(energies.energies);
  result.pairs =
      static_cast<double>(costs.rows()) * static_cast<double>(costs.cols());
  ClassScore outcome;
  outcome.bank_count = costs.cols();
  outcome.reference_count = costs.cols();
  ThresholdOptions threshold;
  threshold.level = arguments.quantile;
  threshold.margin = arguments.margin;
  outcome.threshold = calibrate_threshold(result.energies, threshold);
  outcome.share_above = share_above(result.energies, outcome.threshold.value);
  result.classes.push_back(outcome);
  const ScoreFacts facts{costs.rows(), costs.cols(), 0, pool.size(),
                         watch.seconds()};
  return finish(arguments, facts, result, common);
}

template <typename T>
std::uint64_t checksum_of(MatrixView<const T> points) {
  Checksum sum;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    sum.update(points.row(i).data(), points.cols() * sizeof(T));
  }
  return sum.digest();
}

// The state of all queries against one run of blocks.
template <typename T>
int score_shard(const ScoreArguments& arguments, const CommonOptions& common) {
  const Shard shard = parse_shard(arguments.shard);
  const LoadedMatrix<double> metric = load_metric(arguments);
  const LoadedMatrix<T> bank = load_points<T>(arguments.bank, arguments);
  const std::vector<double> weights = load_weights(arguments);
  const bool has_queries = !arguments.queries.empty();
  const LoadedMatrix<T> queries =
      has_queries ? load_points<T>(arguments.queries, arguments) : bank;
  const std::size_t blocks = (bank.rows() + kBlockAtoms - 1) / kBlockAtoms;
  if (shard.count > blocks) {
    throw InvalidArgument("--shard: the bank has " + std::to_string(blocks) +
                          " blocks of 256 points, which cannot be cut into " +
                          std::to_string(shard.count) + " shards");
  }
  const std::size_t first_block = blocks * shard.index / shard.count;
  const std::size_t end_block = blocks * (shard.index + 1) / shard.count;
  const std::size_t first = first_block * kBlockAtoms;
  const std::size_t end = std::min(end_block * kBlockAtoms, bank.rows());
  if (!weights.empty() && weights.size() != bank.rows()) {
    throw InvalidArgument("weights: one per bank row is expected");
  }
  const std::span<const double> all(weights);
  const ReferenceMeasure<T> measure{
      bank.view().subrows(first, end - first),
      weights.empty() ? all : all.subspan(first, end - first),
      {}};
  EnergyOptions options;
  options.cost = parse_ground_cost(arguments.cost);
  options.epsilon = arguments.epsilon;
  options.metric = metric.view();
  const EnergyModel<T> model(measure, options);
  std::vector<std::size_t> self;
  if (!has_queries && arguments.self == "exclude") {
    self.assign(bank.rows(), kNoAtom);
    for (std::size_t i = first; i < end; ++i) self[i] = i - first;
  }
  ThreadPool pool(common.threads);
  ProgressLine progress("scoring", common.is_quiet);
  SolveStatus status = SolveStatus::kDone;
  EnergyState state = model.evaluate_state(queries.view(), self, first_block,
                                           status, {&pool, &progress});
  const Console console(common.is_quiet);
  if (status == SolveStatus::kCancelled) {
    console.note("interrupted; nothing was written");
    return kNotReached;
  }
  write_energy_state(arguments.state, {std::move(state), arguments.epsilon,
                                       checksum_of(queries.view()), blocks});
  console.note("state of " + with_commas(queries.rows()) +
               " points against blocks " + std::to_string(first_block) +
               " to " + std::to_string(end_block) + " of " +
               std::to_string(blocks) + " in " + arguments.state);
  return kDone;
}

template <typename T>
int run_score(const ScoreArguments& arguments, const CommonOptions& common) {
  return arguments.shard.empty() ? score_points<T>(arguments, common)
                                 : score_shard<T>(arguments, common);
}

}  // namespace

void add_score(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "score", "Energies of a bank or of queries, threshold and quantiles");
  const auto arguments = std::make_shared<ScoreArguments>();
  declare_score_options(*command, *arguments);
  command->callback([arguments, &common, &exit_code] {
    check_score_arguments(*arguments);
    check_epsilon(arguments->epsilon);
    check_writable(arguments->out);
    check_writable(arguments->state);
    if (arguments->is_precomputed()) {
      exit_code = score_costs(*arguments, common);
    } else if (arguments->precision == "double") {
      exit_code = run_score<double>(*arguments, common);
    } else {
      exit_code = run_score<float>(*arguments, common);
    }
  });
}

}  // namespace sbog::cli
