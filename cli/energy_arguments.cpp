// SPDX-License-Identifier: Apache-2.0
// Declarations of energy_arguments.h.
#include "energy_arguments.h"

namespace sbog::cli {

std::vector<std::string> cost_names() {
  return {"cosine",    "unit-cosine",         "squared-euclidean",
          "euclidean", "squared-mahalanobis", "mahalanobis"};
}

void declare_energy_options(CLI::App& command, EnergyArguments& a,
                            const std::string& extra_cost,
                            const std::string& extra_meaning) {
  std::vector<std::string> costs = cost_names();
  std::string names;
  for (const std::string& cost : costs) {
    names += (names.empty() ? "" : ", ") + cost;
  }
  if (!extra_cost.empty()) {
    costs.push_back(extra_cost);
    names += ", " + extra_cost + " (" + extra_meaning + ")";
  }
  command.add_option("--labels", a.labels, "Class of each bank row");
  command.add_flag("--per-class", a.is_per_class,
                   "Reference and threshold of a point = its own class");
  command.add_option("--weights", a.weights, "Weight of each bank row");
  command.add_option("--cost", a.cost, names)->check(CLI::IsMember(costs));
  command.add_option("--metric", a.metric,
                     "Matrix of the Mahalanobis costs (dimension x dimension)");
  command.add_option("--epsilon", a.epsilon, "Sinkhorn temperature, > 0");
  command
      .add_option("--self", a.self,
                  "exclude: a bank point does not support itself; include: "
                  "the literal reading")
      ->check(CLI::IsMember({"exclude", "include"}));
  command.add_option("--trim", a.trim,
                     "Share of the least supported points to leave out of the "
                     "reference, in [0, 1)");
  command.add_option("--quantile", a.quantile,
                     "Share of the bank below the threshold, in (0, 1)");
  command.add_option("--margin", a.margin, "Added to the quantile");
  command.add_option("--calibration", a.calibration,
                     "Bank rows used for the threshold of other points");
  command
      .add_option("--precision", a.precision,
                  "Storage of points: float (fast) or double")
      ->check(CLI::IsMember({"float", "double"}));
}

ScoreOptions energy_options(const EnergyArguments& a,
                            MatrixView<const double> metric,
                            std::uint64_t seed) {
  ScoreOptions options;
  options.energy.cost = parse_ground_cost(a.cost);
  options.energy.epsilon = a.epsilon;
  options.energy.metric = metric;
  options.includes_self = a.self == "include";
  options.is_per_class = a.is_per_class;
  options.trim = a.trim;
  options.threshold.level = a.quantile;
  options.threshold.margin = a.margin;
  options.calibration_limit = a.calibration;
  options.seed = seed;
  return options;
}

}  // namespace sbog::cli
