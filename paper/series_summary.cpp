// SPDX-License-Identifier: Apache-2.0
// Macro means; see series_summary.h.
#include "paper/series_summary.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace sbog::paper {
namespace {

void add_once(const std::string& name, std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

std::string set_of(const FinishedCell& cell) {
  return cell.configuration.at("set");
}

std::string full_name(const FinishedCell& cell) {
  std::string name =
      set_of(cell) + " " + cell.configuration.at("entity").get<std::string>();
  const Json& seed = cell.configuration.at("seed");
  if (!seed.is_null()) name += " seed " + seed.dump();
  return name;
}

bool counts(const FinishedCell& cell, Entities which) {
  return which == Entities::kAll ||
         !cell.configuration.at("is_development").get<bool>();
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

bool is_collapsed(const Json& figures) {
  return figures.value("is_collapsed", false);
}

}  // namespace

SeriesSummary::SeriesSummary(const std::vector<FinishedCell>& cells)
    : cells_(&cells) {
  for (const FinishedCell& cell : cells) {
    add_once(set_of(cell), sets_);
    const Json& rows = cell.result.at("rows");
    bool has_figures = false;
    for (const auto& [method, figures] : rows.items()) {
      add_once(method, methods_);
      if (figures.is_null()) continue;
      has_figures = true;
      rows_.push_back({&cell, method, &figures});
    }
    if (!has_figures) {
      const std::string entity = cell.configuration.at("entity");
      add_once(set_of(cell) + " " + entity, without_anomaly_);
    }
  }
}

std::size_t SeriesSummary::entity_count(const std::string& set,
                                        Entities which) const {
  std::set<std::string> entities;
  for (const Row& row : rows_) {
    if (set_of(*row.cell) == set && counts(*row.cell, which)) {
      entities.insert(row.cell->configuration.at("entity").get<std::string>());
    }
  }
  return entities.size();
}

std::vector<const SeriesSummary::Row*> SeriesSummary::rows_of(
    const std::string& set, const std::string& method) const {
  std::vector<const Row*> found;
  for (const Row& row : rows_) {
    if (row.method == method && set_of(*row.cell) == set) {
      found.push_back(&row);
    }
  }
  return found;
}

Json SeriesSummary::macro(const std::string& set, const std::string& method,
                          const std::string& field, Entities which) const {
  // Sum and count of the entities, by seed.
  std::map<std::string, std::pair<double, double>> sums;
  for (const Row* row : rows_of(set, method)) {
    if (!counts(*row->cell, which) || !row->figures->contains(field)) continue;
    const Json& value = row->figures->at(field);
    if (!value.is_number()) continue;
    auto& [sum, count] = sums[row->cell->configuration.at("seed").dump()];
    sum += value.get<double>();
    count += 1.0;
  }
  std::vector<FinishedCell> means;
  means.reserve(sums.size());
  for (const auto& [seed, entry] : sums) {
    means.push_back({seed, {}, {{"mean", entry.first / entry.second}}});
  }
  return mean_sd_of(means, "/mean");
}

Json SeriesSummary::macro_mean(const std::string& set,
                               const std::string& method,
                               const std::string& field) const {
  const Json both = macro(set, method, field);
  return both.is_null() ? both : both[0];
}

Json SeriesSummary::seconds(const std::string& set,
                            const std::string& name) const {
  std::vector<FinishedCell> values;
  for (const FinishedCell& cell : *cells_) {
    if (set_of(cell) != set || !cell.seconds.contains(name)) continue;
    values.push_back({cell.key, {}, {{"seconds", cell.seconds.at(name)}}});
  }
  return mean_of(values, "/seconds");
}

double SeriesSummary::all_seconds() const {
  double sum = 0.0;
  for (const FinishedCell& cell : *cells_) {
    if (cell.seconds.contains("cell"))
      sum += cell.seconds["cell"].get<double>();
  }
  return sum;
}

Json SeriesSummary::collapsed(const std::string& set,
                              const std::string& method) const {
  std::size_t all = 0;
  std::size_t bad = 0;
  for (const Row* row : rows_of(set, method)) {
    if (!row->figures->contains("is_collapsed")) continue;
    ++all;
    if (is_collapsed(*row->figures)) ++bad;
  }
  if (all == 0) return nullptr;
  return std::to_string(bad) + " of " + std::to_string(all);
}

std::vector<std::string> SeriesSummary::sentences() const {
  std::vector<std::string> sentences;
  std::vector<std::string> bad;
  for (const Row& row : rows_) {
    if (!is_collapsed(*row.figures)) continue;
    bad.push_back(row.method + " on " + full_name(*row.cell));
    if (row.figures->contains("failure")) {
      bad.back() += " (" + row.figures->at("failure").get<std::string>() + ")";
    }
  }
  if (!bad.empty()) {
    sentences.push_back(
        "Collapsed (points or scores nearly constant), counted in the means "
        "all the same: " +
        joined(bad) + ".");
  }
  if (!without_anomaly_.empty()) {
    sentences.push_back(
        "Without an anomaly and left out: " + joined(without_anomaly_) + ".");
  }
  return sentences;
}

std::vector<std::string> notes_of_some(const SeriesSummary& summary,
                                       const std::string& about) {
  std::string entities = "Entities:";
  for (const std::string& set : summary.sets()) {
    entities += " " + set + " " +
                std::to_string(summary.entity_count(set, Entities::kAll));
  }
  std::vector<std::string> notes = {about,
                                    entities + "; of smd evenly spaced ones."};
  for (const std::string& sentence : summary.sentences()) {
    notes.push_back(sentence);
  }
  return notes;
}

}  // namespace sbog::paper
