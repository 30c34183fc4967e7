// SPDX-License-Identifier: Apache-2.0
// See energy_options.h.
#include "sbog/job/energy_options.h"

#include "sbog/base/errors.h"
#include "sbog/job/embedded_data.h"

namespace sbog::job {

std::vector<std::string> cost_names() {
  return {"cosine",    "unit-cosine",         "squared-euclidean",
          "euclidean", "squared-mahalanobis", "mahalanobis"};
}

OptionTable<EnergySettings> energy_option_table(bool is_precomputed_allowed) {
  using S = EnergySettings;
  std::vector<std::string> costs = cost_names();
  if (is_precomputed_allowed) costs.push_back("precomputed");
  OptionTable<S> table;
  table.stage("Energy");
  table.add("labels", &S::labels, "Class of each bank row")
      .basic()
      .value("FILE");
  table
      .add("per_class", &S::per_class,
           "Reference and threshold of a point are those of its own class")
      .basic()
      .flag();
  table.add("weights", &S::weights, "Weight of each bank row").value("FILE");
  table
      .add_enum(
          "cost", &S::cost,
          [costs](std::string_view name) {
            if (name == "precomputed" && costs.back() == name) {
              return std::string(name);
            }
            return std::string(to_string(parse_ground_cost(name)));
          },
          [](const std::string& name) { return name; }, costs,
          std::string("Ground cost between two points") +
              (is_precomputed_allowed
                   ? "; precomputed: BANK is the matrix of costs, query by atom"
                   : ""))
      .basic();
  table
      .add("metric", &S::metric,
           "Matrix of the Mahalanobis costs, dimension by dimension")
      .value("FILE");
  add_epsilon(table, &S::epsilon).basic();
  table
      .add("includes_self", &S::includes_self,
           "Whether a bank point supports itself, as in the literal reading of "
           "the formula")
      .also("self")
      .reads("include", "true")
      .reads("exclude", "false");
  table.add("trim", &S::trim,
            "Share of the least supported points that is left out of the "
            "reference, in [0, 1)");
  table
      .add("quantile", &S::quantile,
           "Level of the threshold: the share of the bank below it, in (0, 1)")
      .also("level")
      .basic();
  table.add("margin", &S::margin, "Energy added to the quantile");
  table.add("calibration", &S::calibration,
            "Bank rows behind the threshold of other points, at most");
  table
      .add("precision", &S::precision,
           "Storage of points: float (fast) or double")
      .choices({"float", "double"});
  return table;
}

sbog::ScoreOptions score_options_of(const EnergySettings& s,
                                    MatrixView<const double> metric,
                                    std::uint64_t seed) {
  sbog::ScoreOptions options;
  options.energy.cost = parse_ground_cost(s.cost);
  options.finds_epsilon = s.epsilon.is_auto();
  if (!s.epsilon.is_auto()) options.energy.epsilon = s.epsilon.number();
  options.energy.metric = metric;
  options.includes_self = s.includes_self;
  options.is_per_class = s.per_class;
  options.trim = s.trim;
  options.threshold.level = s.quantile;
  options.threshold.margin = s.margin;
  options.calibration_limit = s.calibration;
  options.seed = seed;
  return options;
}

LoadedMatrix<double> load_metric(const EnergySettings& settings) {
  if (settings.metric.empty()) {
    if (settings.cost.find("mahalanobis") != std::string::npos) {
      throw InvalidArgument("--cost " + settings.cost + " needs --metric");
    }
    return {};
  }
  return to_matrix<double>(load_array(settings.metric));
}

}  // namespace sbog::job
