// SPDX-License-Identifier: Apache-2.0
// sbog dro: the worst expected loss over a transport ball around the data, and
// the points that carry it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "commands.h"
#include "embedded_data.h"
#include "energy_arguments.h"
#include "exit_code.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "sbog/dro/sinkhorn_dro.h"

namespace sbog::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFooter =
    "The nominal points may move to bank points; how far in all, entropy\n"
    "included, is bounded by the radius. The value is the largest expected\n"
    "loss that can be reached, with a duality gap as proof. Several radii "
    "give\n"
    "a robustness curve.\n"
    "\n"
    "Examples:\n"
    "  sbog dro --losses demo:losses --bank demo:bank --radius 0.05\n"
    "  sbog dro --losses demo:losses --bank demo:bank --radius 0,0.01,0.1 "
    "--out law.npy";

struct DroArguments {
  std::string losses;
  std::string bank;
  std::string nominal;
  std::string weights;
  std::string nominal_weights;
  std::string metric;
  std::string cost = "cosine";
  double epsilon = 0.05;
  std::vector<double> radii;
  bool is_unnormalised = false;
  std::string precision = "float";
  std::size_t cache_megabytes = 512;
  std::size_t top = 5;
  std::string out;
};

void declare_options(CLI::App& command, DroArguments& a) {
  command.footer(kFooter);
  command.add_option("--losses", a.losses, "Loss at each bank row")->required();
  command
      .add_option("--bank", a.bank,
                  "Points that mass may move to, one per row (with --cost "
                  "precomputed: the matrix of costs, nominal by bank)")
      ->required();
  command.add_option("--nominal", a.nominal,
                     "Points that mass comes from; without it the bank");
  command.add_option("--weights", a.weights, "Weight of each bank row");
  command.add_option("--nominal-weights", a.nominal_weights,
                     "Weight of each nominal point");
  command.add_option("--radius", a.radii, "Radius of the ball, or a list")
      ->required()
      ->delimiter(',');
  command.add_flag("--unnormalised", a.is_unnormalised,
                   "Radii of the unnormalised Sinkhorn distance: larger by the "
                   "mean energy of the nominal points");
  std::vector<std::string> costs = cost_names();
  costs.emplace_back("precomputed");
  command
      .add_option("--cost", a.cost,
                  "Ground cost, as in sbog score, or precomputed")
      ->check(CLI::IsMember(costs));
  command.add_option("--metric", a.metric, "Matrix of the Mahalanobis costs");
  command.add_option("--epsilon", a.epsilon, "Sinkhorn temperature, > 0");
  command
      .add_option("--precision", a.precision,
                  "Storage of points: float (fast) or double")
      ->check(CLI::IsMember({"float", "double"}));
  command.add_option("--cache-megabytes", a.cache_megabytes,
                     "Memory for costs that are kept between passes");
  command.add_option("--top", a.top,
                     "Points to list that carry the worst case");
  command.add_option("--out", a.out,
                     "Write the worst-case law over the bank to this .npy "
                     "file, one row per radius");
}

std::vector<double> load_vector(const std::string& spec) {
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
DroInputs<T> load_inputs(const DroArguments& a) {
  DroInputs<T> inputs;
  inputs.losses = load_vector(a.losses);
  inputs.weights = load_vector(a.weights);
  inputs.nominal_weights = load_vector(a.nominal_weights);
  inputs.bank = to_matrix<T>(load_array(a.bank));
  if (!a.nominal.empty()) inputs.nominal = to_matrix<T>(load_array(a.nominal));
  if (!a.metric.empty()) {
    inputs.metric = to_matrix<double>(load_array(a.metric));
  }
  return inputs;
}

template <typename T>
SinkhornDro make_problem(const DroArguments& a, const DroInputs<T>& inputs) {
  if constexpr (sizeof(T) == sizeof(double)) {
    if (a.cost == "precomputed") {
      return SinkhornDro::from_costs(inputs.bank.view(), inputs.nominal_weights,
                                     inputs.weights, inputs.losses, a.epsilon);
    }
  }
  EnergyOptions energy;
  energy.cost = parse_ground_cost(a.cost);
  energy.epsilon = a.epsilon;
  energy.metric = inputs.metric.view();
  DroPoints<T> points;
  points.nominal =
      a.nominal.empty() ? inputs.bank.view() : inputs.nominal.view();
  points.nominal_weights = inputs.nominal_weights;
  points.reference = {inputs.bank.view(), inputs.weights, {}};
  return SinkhornDro::from_points<T>(points, inputs.losses, energy,
                                     a.cache_megabytes << 20);
}

Json number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return nullptr;
  return value > 0 ? "inf" : "-inf";
}

// Bank rows by falling mass in the worst case.
std::vector<std::size_t> carriers(const DroResult& result, std::size_t top) {
  std::vector<std::size_t> rows(result.worst_case.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::size_t count = std::min(top, rows.size());
  std::partial_sort(rows.begin(),
                    rows.begin() + static_cast<std::ptrdiff_t>(count),
                    rows.end(), [&](std::size_t a, std::size_t b) {
                      const auto& law = result.worst_case;
                      return law[a] != law[b] ? law[a] > law[b] : a < b;
                    });
  rows.resize(count);
  return rows;
}

Json to_json(const DroResult& result, const std::vector<double>& losses,
             std::size_t top) {
  Json json;
  json["radius"] = number(result.radius);
  json["case"] = to_string(result.kind);
  json["status"] = to_string(result.status);
  json["value"] = number(result.value);
  json["primal_value"] = number(result.primal_value);
  json["duality_gap"] = number(result.duality_gap);
  json["lambda"] = number(result.lambda);
  json["constraint_residual"] = number(result.constraint_residual);
  json["nominal_value"] = number(result.nominal_value);
  json["essential_supremum"] = number(result.essential_supremum);
  json["largest_radius"] = number(result.largest_radius);
  json["evaluations"] = result.evaluations;
  json["carriers"] = Json::array();
  for (const std::size_t row : carriers(result, top)) {
    json["carriers"].push_back({{"row", row},
                                {"mass", result.worst_case[row]},
                                {"loss", number(losses[row])}});
  }
  return json;
}

void print_results(const std::vector<DroResult>& results,
                   const std::vector<double>& losses, std::size_t top) {
  const DroResult& first = results[0];
  std::printf("nominal expected loss  %.9g\n", first.nominal_value);
  std::printf("largest possible       %.9g (from radius %.6g on)\n\n",
              first.essential_supremum, first.largest_radius);
  std::printf("%12s %16s %14s %12s  %s\n", "radius", "worst loss", "lambda",
              "gap", "case");
  for (const DroResult& r : results) {
    std::printf("%12.6g %16.10g %14.6g %12.2g  %s\n", r.radius, r.value,
                r.lambda, r.duality_gap, to_string(r.kind));
  }
  const DroResult& last = results.back();
  if (top == 0 || last.worst_case.empty()) return;
  std::printf(
      "\nheaviest points of the worst case at radius %.6g\n%10s %12s %14s\n",
      last.radius, "bank row", "mass", "loss");
  for (const std::size_t row : carriers(last, top)) {
    std::printf("%10zu %12.6g %14.6g\n", row, last.worst_case[row],
                losses[row]);
  }
}

void write_law(const std::string& path, const std::vector<DroResult>& results,
               std::size_t n) {
  Matrix<double> laws(results.size(), n);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::vector<double>& law = results[i].worst_case;
    std::fill(laws.row(i).begin(), laws.row(i).end(), std::nan(""));
    std::copy(law.begin(), law.end(), laws.row(i).begin());
  }
  write_npy(path, std::as_const(laws).view());
}

// The radii as the solver takes them.
std::vector<double> normalised(const DroArguments& a, SinkhornDro& problem,
                               const Context& context) {
  if (!a.is_unnormalised) return a.radii;
  const double energy = problem.mean_energy(context);
  std::vector<double> radii;
  for (const double radius : a.radii) {
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

template <typename T>
int run(const DroArguments& arguments, const CommonOptions& common) {
  const DroInputs<T> inputs = load_inputs<T>(arguments);
  SinkhornDro problem = make_problem(arguments, inputs);
  ThreadPool pool(common.threads);
  ProgressLine progress("solving", common.is_quiet);
  const Context context{&pool, &progress};
  const std::vector<double> radii = normalised(arguments, problem, context);
  DroOptions options;
  options.wants_worst_case = !arguments.out.empty() || arguments.top > 0;
  const std::vector<DroResult> results = problem.solve(radii, options, context);
  const bool is_cancelled =
      std::any_of(results.begin(), results.end(), [](const DroResult& result) {
        return result.status == SolveStatus::kCancelled;
      });
  if (is_cancelled || is_interrupted()) {
    Console(common.is_quiet).note("interrupted; nothing was written");
    return kNotReached;
  }
  if (!arguments.out.empty()) {
    write_law(arguments.out, results, problem.reference_count());
  }
  bool has_converged = true;
  Json json = Json::array();
  for (const DroResult& result : results) {
    has_converged = has_converged && result.status == SolveStatus::kDone;
    json.push_back(to_json(result, inputs.losses, arguments.top));
  }
  if (common.is_json) {
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    print_results(results, inputs.losses, arguments.top);
  }
  return has_converged ? kDone : kNotReached;
}

void check_arguments(const DroArguments& a) {
  for (const double radius : a.radii) {
    if (std::isnan(radius) || radius < 0.0) {
      throw InvalidArgument(
          "--radius: numbers of at least 0 are expected, got " +
          std::to_string(radius));
    }
  }
  if (a.cost == "precomputed" && !a.nominal.empty()) {
    throw InvalidArgument(
        "--cost precomputed: the rows of --bank are the nominal points, so "
        "--nominal is not expected");
  }
  if (a.cache_megabytes > (std::size_t{1} << 20)) {
    throw InvalidArgument("--cache-megabytes: at most 2^20 are expected");
  }
  check_epsilon(a.epsilon);
  check_writable(a.out);
}

}  // namespace

void add_dro(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "dro", "Worst expected loss over a transport ball, and who carries it");
  const auto arguments = std::make_shared<DroArguments>();
  declare_options(*command, *arguments);
  command->callback([arguments, &common, &exit_code] {
    check_arguments(*arguments);
    const bool is_double =
        arguments->precision == "double" || arguments->cost == "precomputed";
    exit_code = is_double ? run<double>(*arguments, common)
                          : run<float>(*arguments, common);
  });
}

}  // namespace sbog::cli
