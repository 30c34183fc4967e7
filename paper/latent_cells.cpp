// SPDX-License-Identifier: Apache-2.0
// See latent_cells.h.
#include "paper/latent_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "paper/latent_rules.h"
#include "sbog/base/errors.h"
#include "sbog/base/mean.h"
#include "sbog/detect/gaussians.h"
#include "sbog/detect/linear_head.h"
#include "sbog/detect/point_scores.h"
#include "sbog/energy/centring.h"
#include "sbog/energy/score_bank.h"
#include "sbog/metrics/detection.h"
#include "sbog/metrics/distance_ratio.h"

namespace sbog::paper {
namespace latent_cells_parts {
namespace {

using detect::PointScore;
using Scorer = std::function<std::vector<double>(MatrixView<const float>)>;

constexpr double kShrinkage = 0.01;   // of the covariances of rmd
constexpr std::size_t kShown = 3000;  // outliers per epoch
constexpr std::size_t kSmallShown = 60;
constexpr std::array kRadii = {0.25, 0.5, 1.0, 2.0, 4.0, 8.0};

RowScores score_task(const LatentTask& task, const Scorer& scorer) {
  RowScores scores;
  scores.held_out = scorer(task.held_out);
  scores.validation = scorer(task.validation.known);
  for (const auto& [name, rows] : task.validation.unknown) {
    scores.validation_unknown.push_back(scorer(rows));
  }
  scores.test = scorer(task.test.known);
  for (const auto& [name, rows] : task.test.unknown) {
    scores.test_unknown.push_back(scorer(rows));
  }
  return scores;
}

struct Quality {
  double fpr95 = 0.0;
  double auroc = 0.0;
};

Quality quality_of(std::vector<double> known, std::vector<double> unknown) {
  for (std::vector<double>* scores : {&known, &unknown}) {
    for (double& x : *scores) x = -x;
  }
  return {100.0 * fpr_at_tpr(known, unknown).value().value,
          100.0 * auroc(known, unknown).value()};
}

Json to_json(const Quality& quality) {
  return {{"fpr95", quality.fpr95}, {"auroc", quality.auroc}};
}

// Figures of each set and, first, their mean.
Json figures_of_sets(
    const std::vector<double>& known,
    const std::vector<std::vector<double>>& unknown,
    const std::vector<std::pair<std::string, Matrix<float>>>& sets) {
  Json by_set = Json::object();
  Quality mean;
  const auto count = static_cast<double>(sets.size());
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const Quality quality = quality_of(known, unknown[k]);
    mean.fpr95 += quality.fpr95 / count;
    mean.auroc += quality.auroc / count;
    by_set[sets[k].first] = to_json(quality);
  }
  Json figures = to_json(mean);
  if (sets.size() > 1) figures["sets"] = by_set;
  return figures;
}

// The scores of a detector; those that need a head take `head`.
class TaskScores {
 public:
  TaskScores(const LatentTask& task, const Context& context,
             const detect::LinearHead* head = nullptr)
      : task_(task),
        context_(context),
        head_(head),
        gaussians_(detect::fit_gaussians(task.bank, kShrinkage)) {}

  Scorer scorer(PointScore kind, std::size_t neighbours = 5) const {
    detect::PointScoreOptions options;
    options.neighbours = std::min(neighbours, task_.bank.rows());
    return [=, this](MatrixView<const float> rows) {
      return *score_points(kind, {task_.bank, gaussians_, head_, head_},
                           options, rows, context_);
    };
  }
  RowScores of(PointScore kind, std::size_t neighbours = 5) const {
    return score_task(task_, scorer(kind, neighbours));
  }

 private:
  const LatentTask& task_;
  Context context_;
  const detect::LinearHead* head_;
  detect::ClassGaussians gaussians_;
};

// Energies against the whole bank at the temperature that suits it.
Scorer energy_scorer(MatrixView<const float> bank, const Context& context) {
  return [bank, context](MatrixView<const float> rows) {
    ScoreOptions options;
    options.finds_epsilon = true;
    options.calibration_limit = 1;  // no threshold is asked for
    return score_bank<float>({bank, {}, {}, rows, {}}, options, context)
        .energies;
  };
}

Json compute_free(const LatentTask& task, const Context& context) {
  const TaskScores free(task, context);
  const RowScores rmd = free.of(PointScore::kRmd);
  const RowScores mean = free.of(PointScore::kMean);
  const RowScores span = free.of(PointScore::kSpan);
  Json scores = Json::object();
  const auto add = [&](const char* name, const RowScores& row) {
    scores[name] = figures_of(row, task);
  };
  add("1-NN", free.of(PointScore::kKnn, 1));
  add("5-NN", free.of(PointScore::kKnn, 5));
  add("class mean", mean);
  add("RMD", rmd);
  add("SOE, epsilon auto",
      score_task(task, energy_scorer(task.bank.points, context)));
  add("SPAN", span);
  add("RMD + mean", sum_of_scores({&rmd, &mean}));
  add("RMD + SPAN", sum_of_scores({&rmd, &span}));
  add("RMD + mean + SPAN", sum_of_scores({&rmd, &mean, &span}));
  return {{"scores", scores}};
}

double accuracy_of(const detect::LinearHead& head, const LatentTask& task,
                   const Context& context) {
  const Matrix<double> logits = head_logits(head, task.test.known, context);
  std::vector<std::int64_t> said;
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const auto row = logits.row(i);
    said.push_back(task.bank.class_labels[static_cast<std::size_t>(
        std::ranges::max_element(row) - row.begin())]);
  }
  return 100.0 * accuracy(said, task.test.labels).value();
}

// The head alone and every sum that it is part of.
Json head_scores(const detect::LinearHead& head, bool is_plain,
                 const LatentTask& task, const Context& context) {
  const TaskScores all(task, context, &head);
  // a and b of a head without outliers mean nothing, and change no order.
  const RowScores own = all.of(PointScore::kLse);
  const RowScores rmd = all.of(PointScore::kRmd);
  const RowScores mean = all.of(PointScore::kMean);
  const RowScores span = all.of(PointScore::kSpan);
  Json scores = {{"head", figures_of(own, task)}};
  if (is_plain) scores["MSP"] = figures_of(all.of(PointScore::kMsp), task);
  const auto add = [&](const char* name,
                       const std::vector<const RowScores*>& parts) {
    scores[name] = figures_of(sum_of_scores(parts), task);
  };
  add("head + RMD", {&own, &rmd});
  add("head + mean", {&own, &mean});
  add("head + SPAN", {&own, &span});
  add("head + RMD + mean", {&own, &rmd, &mean});
  add("head + RMD + SPAN", {&own, &rmd, &span});
  add("head + RMD + mean + SPAN", {&own, &rmd, &mean, &span});
  return scores;
}

LatentRule rule_of(const Json& configuration) {
  const std::string key = configuration.at("rule");
  std::vector<LatentRule> rules = all_latent_rules();
  for (const double radius : kRadii) {
    for (const bool is_shaped : {true, false}) {
      rules.push_back(noise_rule(is_shaped, radius));
    }
  }
  for (const LatentRule& rule : rules) {
    if (rule.key != key) continue;
    const Json fields = latent_rule_fields(rule);
    for (const auto& [field, value] : fields.items()) {
      if (configuration.at(field) != value) {
        throw InvalidArgument("latents: the configuration has another '" + key +
                              "'");
      }
    }
    return rule;
  }
  throw InvalidArgument("latents: '" + key + "' is no rule");
}

Json compute_head(const Json& configuration, const LatentTask& task,
                  const Context& context) {
  const LatentRule rule = rule_of(configuration);
  const std::uint64_t seed = configuration.at("seed");
  const std::size_t shown = configuration.at("shown");
  const detect::OutlierSource outliers = latent_outliers(
      rule, task, shown, configuration.at("pool"), seed, context);
  const detect::LinearHead head =
      *train_head(task.bank, detect::HeadOptions{}, seed, outliers, context);
  Json result = {{"scores", head_scores(head, rule.kind == LatentKind::kNone,
                                        task, context)},
                 {"accuracy", accuracy_of(head, task, context)}};
  if (outliers) {
    result["ratio"] = number(
        distance_ratio<float>(task.bank.points, outliers(0), {}, {}, context)
            .ratio);
  }
  return result;
}

// What `sbog score` says: AUROC of the energy and of 1-NN.
Json compute_energy(const std::string& set, const CellContext& context) {
  const LatentTask task = load_whole_set(set, context.data);
  const auto figures = [&](const Scorer& scorer) {
    std::vector<std::vector<double>> unknown;
    for (const auto& [name, rows] : task.test.unknown) {
      unknown.push_back(scorer(rows));
    }
    return figures_of_sets(scorer(task.test.known), unknown, task.test.unknown);
  };
  const auto mean = mean_direction<float>(task.bank.points);
  const Matrix<float> centred =
      centre_rows<float>(task.bank.points, mean, "bank");
  const Scorer centred_energy = energy_scorer(centred, context);
  const TaskScores scores(task, context);
  return {{"scores",
           {{"energy, epsilon auto",
             figures(energy_scorer(task.bank.points, context))},
            {"energy, epsilon auto, centred",
             figures([&](MatrixView<const float> rows) {
               return centred_energy(centre_rows<float>(rows, mean, "rows"));
             })},
            {"1-NN", figures(scores.scorer(PointScore::kKnn, 1))}}}};
}

Cell head_cell(const std::string& part, const std::string& task,
               std::uint64_t seed, const LatentRule& rule, bool is_small) {
  Json configuration = {{"part", part}, {"task", task}, {"seed", seed}};
  configuration.update(latent_rule_fields(rule));
  const detect::HeadOptions head;
  configuration["shown"] = is_small ? kSmallShown : kShown;
  configuration["pool"] = is_small ? kSmallShown : rule.pool;
  configuration["epochs"] = head.epochs;
  configuration["least_steps"] = head.least_steps;
  configuration["rate"] = head.rate;
  configuration["fast_rate"] = head.fast_rate;
  configuration["decay"] = head.decay;
  return {part + "-" + task + "-" + rule.key + "-s" + std::to_string(seed),
          configuration};
}

Cell free_cell(const std::string& task, const Json& seed) {
  return {"free-" + task + (seed.is_null() ? "" : "-s" + seed.dump()),
          {{"part", "free"}, {"task", task}, {"seed", seed}}};
}

// Rules that the others are compared with.
bool is_core(const LatentRule& rule) {
  constexpr std::array kKeys = {"none", "recipe", "isotropic", "sphere",
                                "real"};
  return std::ranges::find(kKeys, rule.key) != kKeys.end();
}

// Heads of a seed: of the core rules on tasks that are the same for every seed,
// or all others.
void add_heads(const std::vector<std::string>& tasks, std::uint64_t seed,
               bool is_core_wanted, const Settings& settings,
               std::vector<Cell>& cells) {
  for (const std::string& task : tasks) {
    const bool is_keyed = is_keyed_by_seed(task);
    if (is_keyed && is_core_wanted) continue;
    if (is_keyed) cells.push_back(free_cell(task, seed));
    for (const LatentRule& rule :
         is_keyed ? few_latent_rules() : all_latent_rules()) {
      // There are no unknown rows to learn from.
      const bool has_none = task == "cifar100-densenet";
      if (rule.kind == LatentKind::kReal && has_none) continue;
      if (!is_keyed && is_core(rule) != is_core_wanted) continue;
      cells.push_back(
          head_cell("head", task, seed, rule, settings.size == Size::kSmall));
    }
  }
}

void add_radii(const std::vector<std::string>& tasks, std::uint64_t seed,
               const Settings& settings, std::vector<Cell>& cells) {
  for (const std::string& task : tasks) {
    if (is_keyed_by_seed(task)) continue;
    for (const double radius : kRadii) {
      for (const bool is_shaped : {true, false}) {
        cells.push_back(head_cell("radius", task, seed,
                                  noise_rule(is_shaped, radius),
                                  settings.size == Size::kSmall));
      }
    }
  }
}

}  // namespace
}  // namespace latent_cells_parts

RowScores sum_of_scores(const std::vector<const RowScores*>& scores) {
  RowScores sum;
  const auto count = static_cast<double>(scores.size());
  const auto add = [&](const std::vector<double>& from, double centre,
                       double unit, std::vector<double>& to) {
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      to[i] += (from[i] - centre) / unit / count;
    }
  };
  for (const RowScores* score : scores) {
    const double centre = sbog::mean_of(score->held_out);
    double squares = 0.0;
    for (const double x : score->held_out) squares += std::pow(x - centre, 2);
    const double deviation =
        std::sqrt(squares / static_cast<double>(score->held_out.size()));
    const double unit = deviation > 0.0 ? deviation : 1.0;
    const auto add_sets = [&](const auto& from, auto& to) {
      to.resize(from.size());
      for (std::size_t k = 0; k < from.size(); ++k) {
        add(from[k], centre, unit, to[k]);
      }
    };
    add(score->held_out, centre, unit, sum.held_out);
    add(score->validation, centre, unit, sum.validation);
    add(score->test, centre, unit, sum.test);
    add_sets(score->validation_unknown, sum.validation_unknown);
    add_sets(score->test_unknown, sum.test_unknown);
  }
  return sum;
}

Json figures_of(const RowScores& scores, const LatentTask& task) {
  using namespace latent_cells_parts;
  return {{"validation",
           figures_of_sets(scores.validation, scores.validation_unknown,
                           task.validation.unknown)},
          {"test", figures_of_sets(scores.test, scores.test_unknown,
                                   task.test.unknown)}};
}

std::vector<Cell> latent_cells(const Settings& settings) {
  using namespace latent_cells_parts;
  const std::vector<std::string> tasks = list_latent_tasks(settings);
  std::vector<Cell> cells;
  for (const std::string& task : tasks) {
    if (is_keyed_by_seed(task)) continue;
    cells.push_back(free_cell(task, nullptr));
    cells.push_back({"energy-" + task,
                     {{"part", "energy"}, {"task", task}, {"seed", nullptr}}});
  }
  for (const std::uint64_t seed : settings.seeds) {
    add_heads(tasks, seed, true, settings, cells);
  }
  for (const std::uint64_t seed : settings.seeds) {
    add_heads(tasks, seed, false, settings, cells);
    if (seed == settings.seeds.front()) {
      add_radii(tasks, seed, settings, cells);
    }
  }
  return cells;
}

Json compute_latent_cell(const Json& configuration,
                         const CellContext& context) {
  using namespace latent_cells_parts;
  const std::string part = configuration.at("part");
  const std::string name = configuration.at("task");
  if (part == "energy") return compute_energy(name, context);
  const Json& seed = configuration.at("seed");
  const LatentTask task = load_latent_task(
      name, seed.is_null() ? 1 : seed.get<std::uint64_t>(), context.data);
  return part == "free" ? compute_free(task, context)
                        : compute_head(configuration, task, context);
}

}  // namespace sbog::paper
