// SPDX-License-Identifier: Apache-2.0
// Worlds, generators and their table; see oracle_cells.h.
#include "paper/oracle_cells.h"

#include <array>
#include <tuple>
#include <utility>

#include "paper/options_json.h"
#include "paper/table.h"
#include "sbog/base/errors.h"
#include "sbog/oracle/oracle_experiment.h"

namespace sbog::paper {
namespace {

// Field of a result and heading of its column.
constexpr std::array<std::pair<const char*, const char*>, 8> kFigures = {{
    {"boundary_precision", "BPrec"},
    {"semantic_validity", "SemValid"},
    {"boundary_coverage", "BCov"},
    {"worst_coverage", "WorstCov"},
    {"sliced_wasserstein", "SW2"},
    {"oracle_aupr", "AUPR"},
    {"round_acceptance", "rounds"},
    {"decode_failure", "undecoded"},
}};

SamplerOptions options_of(const Generator& generator) {
  SamplerOptions options = oracle_options();
  generator.change(options);
  return options;
}

// What each generator changes of the common options.
Json changes_of(const std::vector<Generator>& generators) {
  Json changes = Json::object();
  for (const Generator& generator : generators) {
    changes[generator.name] =
        options_difference(options_of(generator), oracle_options());
  }
  return changes;
}

OracleSettings to_settings(const Json& configuration) {
  OracleSettings settings;
  settings.seed = configuration.at("seed");
  settings.nats = configuration.at("nats");
  settings.mean_scale = configuration.at("mean_scale");
  settings.bank_per_class = configuration.at("bank_per_class");
  settings.outputs_per_class = configuration.at("outputs_per_class");
  settings.oracle_per_region = configuration.at("oracle_per_region");
  settings.test_in = configuration.at("test_in");
  settings.test_oracle = configuration.at("test_oracle");
  settings.delta_draws = configuration.at("delta_draws");
  return settings;
}

Json to_json(const OracleRow& row) {
  Json regions = Json::array();
  for (const double share : row.region_coverage) {
    regions.push_back(number(share));
  }
  return {{"boundary_precision", number(row.boundary_precision)},
          {"semantic_validity", number(row.semantic_validity)},
          {"boundary_coverage", number(row.boundary_coverage)},
          {"worst_coverage", number(row.worst_coverage)},
          {"sliced_wasserstein", number(row.sliced_wasserstein)},
          {"oracle_aupr", number(row.oracle_aupr)},
          {"round_acceptance", number(row.round_acceptance)},
          {"decode_failure", number(row.decode_failure)},
          {"region_coverage", regions}};
}

// What the paper prints for this row, or null.
Json paper_precision(const std::vector<PaperFigure>& figures,
                     const std::string& setting, const std::string& name) {
  for (const PaperFigure& figure : figures) {
    if (setting == "base" && figure.generator == name) {
      return figure.boundary_precision;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<Cell> oracle_cells(const Settings& settings,
                               const std::vector<Generator>& generators) {
  const bool is_small = settings.size == Size::kSmall;
  std::vector<Cell> list;
  for (const auto& [setting, nats, mean_scale] :
       {std::tuple("base", 6.0, 1.0), std::tuple("nats14", 14.0, 1.0),
        std::tuple("s2", 6.0, 0.3)}) {
    for (const std::uint64_t seed : settings.seeds) {
      list.push_back({std::string(setting) + "-s" + std::to_string(seed),
                      {{"seed", seed},
                       {"setting", setting},
                       {"nats", nats},
                       {"mean_scale", mean_scale},
                       {"bank_per_class", is_small ? 200 : 2000},
                       {"outputs_per_class", is_small ? 20 : 400},
                       {"oracle_per_region", is_small ? 40 : 400},
                       {"test_in", is_small ? 180 : 1800},
                       {"test_oracle", is_small ? 63 : 603},
                       {"delta_draws", is_small ? 1000 : 20000},
                       {"options", options_json(oracle_options())},
                       {"generators", changes_of(generators)}}});
    }
  }
  return list;
}

Json compute_oracle(const Json& configuration,
                    const std::vector<Generator>& generators,
                    const Context& context) {
  if (configuration.at("generators") != changes_of(generators)) {
    throw InvalidArgument("oracle: the configuration has other generators");
  }
  const OracleWorld world(to_settings(configuration), context);
  Json rows = Json::object();
  for (const Generator& generator : generators) {
    rows[generator.name] =
        to_json(run_oracle(world, options_of(generator), context));
  }
  return rows;
}

Presentation present_oracle(const std::vector<FinishedCell>& cells,
                            const std::string& title,
                            const std::vector<PaperFigure>& figures) {
  Presentation shown{};
  shown.table.columns = {{"setting", Style::kText},
                         {"generator", Style::kText}};
  for (const auto& [field, name] : kFigures) {
    shown.table.columns.push_back({name, Style::kMeanSd, 3});
  }
  if (!figures.empty()) {
    shown.table.columns.push_back({"BPrec", Style::kFixed, 2, Source::kPaper});
  }
  Json values = Json::array();
  for (const auto& group : group_by(cells, {"setting"})) {
    const Json& config = group[0].configuration;
    const std::string setting = config["setting"];
    for (const auto& [name, change] : config["generators"].items()) {
      std::vector<Json> row = {setting, name};
      Json point = {{"setting", setting}, {"generator", name}};
      for (const auto& [field, column] : kFigures) {
        Json::json_pointer pointer;
        pointer /= name;  // names may hold a slash
        pointer /= field;
        row.push_back(mean_sd_of(group, pointer.to_string()));
        point[column] = mean_of(group, pointer.to_string());
      }
      if (!figures.empty()) {
        row.push_back(paper_precision(figures, setting, name));
      }
      shown.table.rows.push_back(std::move(row));
      values.push_back(std::move(point));
    }
  }
  shown.notes = {
      "Mean (s.d.) over the seeds. base: 6 nats; nats14: 14 nats; s2: class "
      "means times 0.3."};
  if (!figures.empty()) {
    shown.notes.push_back(
        "The paper leaves processes, bands, encoder, decoder and detector of "
        "its experiment open, and the bandwidth of its KDE, so its figures are "
        "no targets for ours.");
  }
  shown.chart = chart(title, values, {{"type", "point"}, {"filled", true}},
                      {{"x", channel("BPrec", "quantitative", "BPrec")},
                       {"y", channel("BCov", "quantitative", "BCov")},
                       {"color", channel("generator", "nominal", "generator")},
                       {"column", channel("setting", "nominal", "setting")}});
  return shown;
}

}  // namespace sbog::paper
