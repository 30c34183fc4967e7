// SPDX-License-Identifier: Apache-2.0
// Reading a run folder back; see evaluate_run.h.
#include "evaluate_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "evaluate.h"
#include "exit_code.h"
#include "run_reader.h"

namespace sbog::cli {
namespace {

constexpr std::size_t kPerturbations = 32;   // per anchor, of Yield
constexpr std::size_t kFillRows = 2000;      // bank rows of Fill_n, about
constexpr std::uint32_t kFillPurpose = 101;  // stream of their choice

// What the sampler says about all anchors of all classes.
struct Probed {
  SolveStatus status = SolveStatus::kDone;
  std::vector<std::size_t> anchor_feasible;
  std::vector<std::size_t> bank_feasible;
  std::vector<double> margins;
  std::vector<double> energies;
  std::vector<double> cosines_above_floor;
};

template <typename V>
void append(std::vector<V>& to, const std::vector<V>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Proposals around some of the bank rows, about kFillRows in all.
template <typename T>
Probe probe_bank(const Sampler<T>& sampler, std::size_t c, double share,
                 const Context& context) {
  const ClassRun<T> run = sampler.prepare(c, {context.pool, nullptr});
  const std::size_t n = run.anchor_count();
  const auto wanted =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(n)));
  const std::vector<std::size_t> rows =
      draw_subset(n, std::min(n, std::max<std::size_t>(1, wanted)),
                  sampler.options().seed, kFillPurpose);
  return run.probe(rows, sampler.options().proposals, 0, context);
}

template <typename T>
Probed probe_run(const SampleProblem<T>& problem, const SamplerOptions& options,
                 const Context& context) {
  Probed probed;
  const Sampler<T> sampler(problem, options);
  SamplerOptions all = options;
  all.rule = Rule::kNoTop;
  const Sampler<T> everywhere(problem, all);
  const double share =
      std::min(1.0, static_cast<double>(kFillRows) /
                        static_cast<double>(problem.bank.rows()));
  for (std::size_t c = 0; c < sampler.labels().size(); ++c) {
    const ClassRun<T> run = sampler.prepare(c, {context.pool, nullptr});
    std::vector<std::size_t> anchors(run.anchor_count());
    std::iota(anchors.begin(), anchors.end(), std::size_t{0});
    const Probe probe = run.probe(anchors, sampler.options().proposals,
                                  kPerturbations, context);
    const Probe bank = probe_bank(everywhere, c, share, context);
    append(probed.anchor_feasible, probe.feasible);
    append(probed.bank_feasible, bank.feasible);
    append(probed.margins, probe.margins);
    append(probed.energies, probe.scores);
    for (const double cosine : probe.class_cosines) {
      probed.cosines_above_floor.push_back(cosine - run.plan().semantic_floor);
    }
    if (probe.status != SolveStatus::kDone ||
        bank.status != SolveStatus::kDone) {
      probed.status = SolveStatus::kCancelled;
      return probed;
    }
  }
  return probed;
}

// The sampler takes all neighbours of a class that has fewer than asked for;
// one number for all classes must suit the smallest.
std::size_t neighbours_of(const FinishedRun& run, std::size_t local) {
  for (const nlohmann::json& entry : run.manifest["classes"]) {
    const auto reference = entry.value("reference", std::size_t{0});
    if (reference > 1) local = std::min(local, reference - 1);
  }
  return local;
}

OutlierOptions to_options(const SamplerOptions& run, bool has_labels) {
  OutlierOptions options;
  options.seed = run.seed;
  options.score.energy = run.energy;
  options.score.includes_self = run.includes_self;
  options.score.is_per_class = has_labels;
  options.score.trim = run.trim;
  options.score.local = run.local;
  options.score.local_convention = run.local_convention;
  options.score.threshold.level = run.quantile;
  options.score.threshold.margin = run.margin;
  return options;
}

template <typename T>
int evaluate(const FinishedRun& run, const std::string& out,
             const CommonOptions& common) {
  const RunOutliers<T> outliers = read_outliers<T>(run);
  const RunInputs<T> inputs = load_run_inputs<T>(run);
  const SamplerOptions options = run_options(run, inputs);

  // Only rules with rounds and energies have anchors to look at.
  const bool has_rounds =
      options.rule != Rule::kVos && options.rule != Rule::kBood;
  const bool is_energy =
      has_rounds && score_kind(options.rule) == ScoreKind::kEnergy;
  Probed probed;
  if (is_energy) {
    ThreadPool pool(common.threads);
    ProgressLine progress("probing", common.is_quiet);
    probed = probe_run(inputs.problem(), options, {&pool, &progress});
    if (probed.status == SolveStatus::kCancelled) {
      Console(common.is_quiet).note("interrupted; nothing was written");
      return kNotReached;
    }
  }
  OutlierProblem<T> problem;
  problem.bank = inputs.bank.view();
  problem.outliers = outliers.points.view();
  problem.labels = inputs.labels;
  if (!inputs.labels.empty()) problem.source_classes = outliers.classes;
  Matrix<T> anchors(inputs.anchors.rows(), inputs.anchors.cols());
  std::copy_n(inputs.anchors.data(), anchors.size(), anchors.data());
  const Sampler<T> sampler(inputs.problem(), options);
  if (anchors.rows() > 0 && !inputs.labels.empty()) {
    problem.anchors = std::as_const(anchors).view();
    problem.anchor_classes = sampler.labels();
  }
  OutlierOptions evaluation = to_options(options, !inputs.labels.empty());
  evaluation.score.local = neighbours_of(run, evaluation.score.local);
  if (is_energy) problem.margins = outliers.margins;
  problem.anchor_feasible_counts = probed.anchor_feasible;
  problem.bank_feasible_counts = probed.bank_feasible;
  problem.pool_margins = probed.margins;
  const bool has_floor =
      !probed.cosines_above_floor.empty() && options.has_semantic_test;
  if (has_floor) {
    problem.perturbed_energies = probed.energies;
    problem.perturbed_cosines = probed.cosines_above_floor;
    evaluation.semantic_floor = 0.0;
  }
  return evaluate_arrays(problem, evaluation,
                         out.empty() ? run.file("metrics.json") : out, common);
}

}  // namespace

int evaluate_run(const std::string& folder, const std::string& bank,
                 const std::string& out, const CommonOptions& common) {
  const FinishedRun run = open_run(folder, bank);
  return run.arguments.precision == "double"
             ? evaluate<double>(run, out, common)
             : evaluate<float>(run, out, common);
}

}  // namespace sbog::cli
