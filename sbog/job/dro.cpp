// SPDX-License-Identifier: Apache-2.0
// See dro.h.
#include "sbog/job/dro.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/array.h"
#include "sbog/data/npy.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/files.h"
#include "sbog/run/run_json.h"

namespace sbog::job {
namespace {

// More is a slip of the keyboard: a pebibyte.
constexpr std::size_t kMostCacheMegabytes = std::size_t{1} << 20;

void check(const DroOptions& o) {
  if (o.radius.empty()) {
    throw InvalidArgument("--radius: at least one number is expected");
  }
  for (const double radius : o.radius) {
    if (std::isnan(radius) || radius < 0.0) {
      throw InvalidArgument(
          "--radius: numbers of at least 0 are expected, got " +
          std::to_string(radius));
    }
  }
  if (o.is_precomputed() && !o.nominal.empty()) {
    throw InvalidArgument(
        "--cost precomputed: the rows of --bank are the nominal points, so "
        "--nominal is not expected");
  }
  if (o.cache_megabytes > kMostCacheMegabytes) {
    throw InvalidArgument("--cache-megabytes: at most 2^20 are expected");
  }
  if (o.is_precomputed() && o.energy.epsilon.is_auto()) {
    throw InvalidArgument(
        "--cost precomputed needs a number for --epsilon: it is found from "
        "points, and there are none");
  }
  o.energy.epsilon.check();
  check_writable(o.out);
}

std::vector<double> load_numbers(const std::string& spec) {
  return spec.empty() ? std::vector<double>() : to_vector(load_array(spec));
}

// What must stay in memory while the problem is solved.
template <typename T>
struct DroInputs {
  LoadedMatrix<T> bank;
  LoadedMatrix<T> nominal;
  LoadedMatrix<double> metric;
  std::vector<double> losses;
  std::vector<double> weights;
  std::vector<double> nominal_weights;
};

template <typename T>
DroInputs<T> load_dro_inputs(const DroOptions& o) {
  DroInputs<T> inputs;
  inputs.losses = load_numbers(o.losses);
  inputs.weights = load_numbers(o.energy.weights);
  inputs.nominal_weights = load_numbers(o.nominal_weights);
  inputs.bank = to_matrix<T>(load_array(o.bank));
  if (!o.nominal.empty()) inputs.nominal = to_matrix<T>(load_array(o.nominal));
  if (!o.is_precomputed()) inputs.metric = load_metric(o.energy);
  return inputs;
}

template <typename T>
EnergyOptions energy_of(const DroOptions& o, const DroInputs<T>& inputs) {
  EnergyOptions energy;
  energy.cost = parse_ground_cost(o.energy.cost);
  energy.metric = inputs.metric.view();
  return energy;
}

template <typename T>
SinkhornDro make_problem(const DroOptions& o, const DroInputs<T>& inputs,
                         double epsilon) {
  if constexpr (sizeof(T) == sizeof(double)) {
    if (o.is_precomputed()) {
      return SinkhornDro::from_costs(inputs.bank.view(), inputs.nominal_weights,
                                     inputs.weights, inputs.losses, epsilon);
    }
  }
  EnergyOptions energy = energy_of(o, inputs);
  energy.epsilon = epsilon;
  DroPoints<T> points;
  points.nominal =
      o.nominal.empty() ? inputs.bank.view() : inputs.nominal.view();
  points.nominal_weights = inputs.nominal_weights;
  points.reference = {inputs.bank.view(), inputs.weights, {}};
  return SinkhornDro::from_points<T>(points, inputs.losses, energy,
                                     o.cache_megabytes << 20);
}

template <typename T>
double epsilon_of(const DroOptions& o, const DroInputs<T>& inputs,
                  Events& events, const Context& context) {
  if (!o.energy.epsilon.is_auto()) return o.energy.epsilon.number();
  Stage stage(events, context, "finding epsilon");
  const double epsilon =
      one_epsilon<T>({}, {inputs.bank.view(), inputs.weights, {}}, {},
                     energy_of(o, inputs), stage.context());
  if (!events.is_stopped()) {
    events.on_note("epsilon " + support_words(epsilon, true, 0.0));
  }
  return epsilon;
}

// The radii as the solver takes them.
std::vector<double> solver_radii(const DroOptions& o, SinkhornDro& problem,
                                 const Context& context) {
  if (!o.unnormalised) return o.radius;
  const double energy = problem.mean_energy(context);
  std::vector<double> radii;
  for (const double radius : o.radius) {
    const std::optional<double> found = normalised_radius(radius, energy);
    if (!found) {
      throw InvalidArgument(
          "--radius: the unnormalised ball is empty below the mean energy " +
          std::to_string(energy) + ", got " + std::to_string(radius));
    }
    radii.push_back(*found);
  }
  return radii;
}

// Bank rows by falling mass in the worst case; ties by the smallest row.
std::vector<DroCarrier> carriers_of(const std::vector<double>& law,
                                    const std::vector<double>& losses,
                                    std::size_t top) {
  std::vector<std::size_t> rows(law.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::size_t count = std::min(top, rows.size());
  std::partial_sort(rows.begin(),
                    rows.begin() + static_cast<std::ptrdiff_t>(count),
                    rows.end(), [&](std::size_t a, std::size_t b) {
                      return law[a] != law[b] ? law[a] > law[b] : a < b;
                    });
  std::vector<DroCarrier> carriers;
  for (std::size_t i = 0; i < count; ++i) {
    carriers.push_back({rows[i], law[rows[i]], losses[rows[i]]});
  }
  return carriers;
}

void write_laws(const std::string& path,
                const std::vector<DroOutcome>& outcomes, std::size_t n) {
  Matrix<double> laws(outcomes.size(), n);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::vector<double>& law = outcomes[i].solution.worst_case;
    std::fill(laws.row(i).begin(), laws.row(i).end(), std::nan(""));
    std::copy(law.begin(), law.end(), laws.row(i).begin());
  }
  write_npy(path, std::as_const(laws).view());
}

template <typename T>
DroResult solve_dro(const DroOptions& o, Events& events,
                    const Context& context) {
  const DroInputs<T> inputs = load_dro_inputs<T>(o);
  DroResult result;
  result.options = o;
  result.epsilon = epsilon_of(o, inputs, events, context);
  if (events.is_stopped()) return stopped_unwritten(std::move(result), events);
  SinkhornDro problem = make_problem(o, inputs, result.epsilon);
  sbog::DroOptions options;
  options.wants_worst_case = !o.out.empty() || o.top > 0;
  std::vector<sbog::DroResult> solutions;
  {
    Stage stage(events, context, "solving");
    const std::vector<double> radii = solver_radii(o, problem, stage.context());
    if (!events.is_stopped()) {
      solutions = problem.solve(radii, options, stage.context());
    }
  }
  for (sbog::DroResult& solution : solutions) {
    if (solution.status == SolveStatus::kCancelled) events.stop();
    if (solution.status != SolveStatus::kDone) {
      result.status = Status::kNotReached;
    }
    std::vector<DroCarrier> carriers =
        carriers_of(solution.worst_case, inputs.losses, o.top);
    result.outcomes.push_back({std::move(solution), std::move(carriers)});
  }
  if (events.is_stopped()) return stopped_unwritten(std::move(result), events);
  if (!o.out.empty()) {
    write_laws(o.out, result.outcomes, problem.reference_count());
  }
  return result;
}

}  // namespace

const OptionTable<DroOptions>& dro_option_table() {
  using O = DroOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    table.stage("Input");
    table.add("losses", &O::losses, "Loss at each bank row")
        .basic()
        .required()
        .value("FILE");
    table
        .add("bank", &O::bank,
             "Points that mass may move to, one per row; with --cost "
             "precomputed the matrix of costs, nominal point by bank point")
        .basic()
        .required()
        .value("FILE");
    table.add("nominal", &O::nominal, "Points that mass comes from")
        .basic()
        .value("FILE")
        .without("the bank");
    table
        .add("nominal_weights", &O::nominal_weights,
             "Weight of each nominal point")
        .value("FILE")
        .without("all the same");
    table.stage("Ball");
    table
        .add("radius", &O::radius,
             "Radius of the ball in units of the cost, or several with commas")
        .basic()
        .required()
        .value("X,...");
    table
        .add("unnormalised", &O::unnormalised,
             "Radii are those of the unnormalised Sinkhorn distance, larger "
             "by the mean energy of the nominal points")
        .flag();
    table.include(energy_option_table(true), &O::energy,
                  {"weights", "cost", "metric", "epsilon", "precision"});
    table.find("cost")->info().help =
        "Ground cost between two points; precomputed: --bank is the matrix of "
        "costs";
    table.find("weights")->info().default_text = "all the same";
    table.stage("Memory");
    table.add("cache_megabytes", &O::cache_megabytes,
              "Memory for costs that are kept between passes, in MiB");
    table.stage("Output");
    table
        .add("top", &O::top,
             "Number of bank points to list that carry the worst case")
        .basic();
    table
        .add("out", &O::out,
             "File for the worst-case law over the bank, .npy, one row per "
             "radius")
        .basic()
        .writes()
        .value("FILE")
        .without("not written");
    return table;
  }();
  return kTable;
}

DroResult run(const DroOptions& options, Events& events,
              const Context& context) {
  check(options);
  const bool is_double =
      options.energy.precision == "double" || options.is_precomputed();
  return is_double ? solve_dro<double>(options, events, context)
                   : solve_dro<float>(options, events, context);
}

nlohmann::ordered_json to_json(const DroResult& result) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const DroOutcome& outcome : result.outcomes) {
    const sbog::DroResult& r = outcome.solution;
    Json json;
    json["radius"] = number_or_word(r.radius);
    json["case"] = to_string(r.kind);
    json["status"] = to_string(r.status);
    json["value"] = number_or_word(r.value);
    json["primal_value"] = number_or_word(r.primal_value);
    json["duality_gap"] = number_or_word(r.duality_gap);
    json["lambda"] = number_or_word(r.lambda);
    json["constraint_residual"] = number_or_word(r.constraint_residual);
    json["nominal_value"] = number_or_word(r.nominal_value);
    json["essential_supremum"] = number_or_word(r.essential_supremum);
    json["largest_radius"] = number_or_word(r.largest_radius);
    json["evaluations"] = r.evaluations;
    json["carriers"] = Json::array();
    for (const DroCarrier& carrier : outcome.carriers) {
      json["carriers"].push_back({{"row", carrier.row},
                                  {"mass", carrier.mass},
                                  {"loss", number_or_word(carrier.loss)}});
    }
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace sbog::job
