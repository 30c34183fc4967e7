// SPDX-License-Identifier: Apache-2.0
// The metrics of a run folder, with those that need the sampler again (Fill,
// Delta, Yield); see evaluate.h.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "sbog/job/evaluate.h"
#include "sbog/job/run_inputs.h"
#include "sbog/run/finished_run.h"

namespace sbog::job {
namespace {

constexpr std::size_t kPerturbations = 32;   // per anchor, of Yield
constexpr std::size_t kFillRows = 2000;      // bank rows of Fill_n, about
constexpr std::uint32_t kFillPurpose = 101;  // stream of their choice

// What the sampler says about all anchors of all classes.
struct ProbedRun {
  SolveStatus status = SolveStatus::kDone;
  std::vector<std::size_t> anchor_feasible;
  std::vector<std::size_t> bank_feasible;
  std::vector<double> margins;
  std::vector<double> energies;
  std::vector<double> cosines_above_floor;
};

template <typename V>
void append_all(std::vector<V>& to, const std::vector<V>& from) {
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
  return run.probe(rows, sampler.options().proposal_count, 0, context);
}

template <typename T>
ProbedRun probe_run(const SampleProblem<T>& problem,
                    const SamplerOptions& options, const Context& context) {
  ProbedRun probed;
  const Sampler<T> sampler(problem, options, {context.pool, nullptr});
  SamplerOptions all = options;
  all.rule = Rule::kNoTop;
  const Sampler<T> everywhere(problem, all, {context.pool, nullptr});
  const double share =
      std::min(1.0, static_cast<double>(kFillRows) /
                        static_cast<double>(problem.bank.rows()));
  for (std::size_t c = 0; c < sampler.labels().size(); ++c) {
    const ClassRun<T> run = sampler.prepare(c, {context.pool, nullptr});
    std::vector<std::size_t> anchors(run.anchor_count());
    std::iota(anchors.begin(), anchors.end(), std::size_t{0});
    const Probe probe = run.probe(anchors, sampler.options().proposal_count,
                                  kPerturbations, context);
    const Probe bank = probe_bank(everywhere, c, share, context);
    append_all(probed.anchor_feasible, probe.feasible);
    append_all(probed.bank_feasible, bank.feasible);
    append_all(probed.margins, probe.margins);
    append_all(probed.energies, probe.scores);
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
  if (!run.manifest().contains("classes")) return local;  // a series
  for (const nlohmann::json& entry : run.manifest()["classes"]) {
    const auto reference = entry.value("reference", std::size_t{0});
    if (reference > 1) local = std::min(local, reference - 1);
  }
  return local;
}

OutlierOptions settings_of(const SamplerOptions& sampler, bool has_labels) {
  OutlierOptions settings;
  settings.seed = sampler.seed;
  settings.score.energy = sampler.energy;
  settings.score.includes_self = sampler.includes_self;
  settings.score.is_per_class = has_labels;
  settings.score.trim = sampler.trim;
  settings.score.local = sampler.local;
  settings.score.local_convention = sampler.local_convention;
  settings.score.threshold.level = sampler.quantile;
  settings.score.threshold.margin = sampler.margin;
  return settings;
}

template <typename T>
bool evaluate_run_as(const FinishedRun& run, const GenerateOptions& made,
                     Events& events, const Context& context,
                     EvaluateResult& result) {
  const RunOutliers<T> outliers = read_outliers<T>(run);
  const RunInputs<T> inputs = load_run_inputs<T>(run, made);
  const SamplerOptions sampling = sampler_of_run(made, inputs);
  const bool has_labels = !inputs.labels.empty();

  // Only rules with rounds and energies have anchors to look at. Targets of
  // scenarios follow edits of windows, which the points alone do not show.
  const bool is_energy = sampling.rule != Rule::kVos &&
                         sampling.rule != Rule::kBood &&
                         score_kind(sampling.rule) == ScoreKind::kEnergy;
  ProbedRun probed;
  if (is_energy && run.kind() != "series") {
    Stage stage(events, context, "probing");
    probed = probe_run(inputs.problem(), sampling, stage.context());
    if (probed.status == SolveStatus::kCancelled) return false;
  }
  OutlierProblem<T> problem;
  problem.bank = inputs.bank.view();
  problem.outliers = outliers.points.view();
  problem.labels = inputs.labels;
  if (has_labels) problem.source_classes = outliers.classes;
  Matrix<T> anchors(inputs.anchors.rows(), inputs.anchors.cols());
  std::copy_n(inputs.anchors.data(), anchors.size(), anchors.data());
  std::vector<std::int64_t> anchor_classes;
  if (anchors.rows() > 0 && has_labels) {
    anchor_classes = Sampler<T>(inputs.problem(), sampling).labels();
    problem.anchors = std::as_const(anchors).view();
    problem.anchor_classes = anchor_classes;
  }
  OutlierOptions settings = settings_of(sampling, has_labels);
  settings.score.local = neighbours_of(run, settings.score.local);
  settings.score.energy.epsilon = epsilon_of_run(run, sampling);
  if (is_energy) problem.margins = outliers.margins;
  problem.anchor_feasible_counts = probed.anchor_feasible;
  problem.bank_feasible_counts = probed.bank_feasible;
  problem.pool_margins = probed.margins;
  if (!probed.cosines_above_floor.empty() && sampling.semantic) {
    problem.perturbed_energies = probed.energies;
    problem.perturbed_cosines = probed.cosines_above_floor;
    settings.semantic_floor = 0.0;
  }
  return evaluate_arrays(problem, settings, events, context, result);
}

}  // namespace

bool evaluate_run(Events& events, const Context& context,
                  EvaluateResult& result) {
  const FinishedRun run(result.options.run);
  const GenerateOptions made = options_of_run(run, result.options.bank);
  result.kind = run.kind();
  if (result.out.empty()) result.out = run.file("metrics.json");
  return made.precision == "double"
             ? evaluate_run_as<double>(run, made, events, context, result)
             : evaluate_run_as<float>(run, made, events, context, result);
}

}  // namespace sbog::job
