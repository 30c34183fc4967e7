// SPDX-License-Identifier: Apache-2.0
// Two ablations on images with the stages of the main table: how the bank
// points to start from are chosen, and what the tests against class anchors
// change.
#include <cmath>
#include <string>
#include <vector>

#include "paper/image_cells.h"
#include "paper/image_summary.h"
#include "paper/registry.h"
#include "paper/table.h"

namespace sbog::paper {
namespace image_ablations {
namespace {

constexpr const char* kAnchorsTitle =
    "Detection of unknown images: choice of the bank points to start from";
constexpr const char* kSemanticTitle =
    "Detection of unknown images: tests against class anchors";
constexpr int kPanelSide = 180;

// Each row again with a head on the latents.
std::vector<ImageRow> and_heads(std::vector<ImageRow> rows) {
  const std::size_t count = rows.size();
  for (std::size_t r = 0; r < count; ++r) {
    rows.push_back(with_start(rows[r], "head", "head"));
  }
  return rows;
}

std::vector<ImageRow> anchor_rows() {
  std::vector<ImageRow> rows = {{"no outliers", "none"},
                                {"any point", "no-top"},
                                {"k-NN distance", "knn"}};
  for (const char* rule : {"top", "farthest-point", "regions", "dpp"}) {
    rows.push_back({std::string("energy, ") + rule,
                    "sbog",
                    "paper-image",
                    false,
                    {{"anchor_rule", rule}}});
  }
  return and_heads(rows);
}

// No test: neither a floor on the cosine of a proposal nor one on its seed's.
std::vector<ImageRow> semantic_rows() {
  const auto row = [](const char* name, const Json& changes) {
    return ImageRow{name, "sbog", "paper-image", false, changes};
  };
  return and_heads({{"no outliers", "none"},
                    row("no test", {{"has_semantic_test", false},
                                    {"seed_eligibility", -1.0}}),
                    row("seeds only", {{"has_semantic_test", false}}),
                    row("proposals only", {{"seed_eligibility", -1.0}}),
                    row("both", nullptr),
                    row("both, strict", {{"semantic_quantile", 0.5}})});
}

Table table_of(const std::vector<FinishedCell>& cells) {
  Table table{image_columns(), {}};
  for (ImageTableRow& row : image_table_rows(cells)) {
    table.rows.push_back(std::move(row.values));
  }
  return table;
}

Presentation present_anchors(const std::vector<FinishedCell>& cells) {
  Presentation shown{};
  shown.table = table_of(cells);
  shown.notes = image_notes(cells);
  shown.chart = image_chart(kAnchorsTitle, image_table_rows(cells));
  return shown;
}

// Purity and cosines of a row, which its first line carries.
std::vector<Json> class_figures(const std::vector<FinishedCell>& cells) {
  return {mean_sd_of(cells, "/purity"), mean_sd_of(cells, "/class_cosine"),
          mean_sd_of(cells, "/other_cosine")};
}

// Four decimals are finer than a point is drawn, and a third of the digits.
Json to_draw(double value) { return std::round(1e4 * value) / 1e4; }

// Where the outliers of the rows lie between the classes.
Json map_points(const std::vector<FinishedCell>& cells) {
  Json values = Json::array();
  for (const FinishedCell& cell : cells) {
    // A head has the same outliers as the row it repeats.
    const bool is_repeated =
        cell.configuration["row"].value("start", "") == "head";
    if (is_repeated || !cell.result.contains("map")) continue;
    for (const Json& point : cell.result["map"]) {
      const bool is_own = point[0].get<double>() > point[1].get<double>();
      values.push_back({{"set", cell.configuration["set"]},
                        {"method", cell.configuration["row"]["name"]},
                        {"own", to_draw(point[0])},
                        {"other", to_draw(point[1])},
                        {"nearest", is_own ? "own class" : "another"}});
    }
  }
  return values;
}

// A panel for each row, since points of different rows would hide each other.
Json class_map(const std::vector<FinishedCell>& cells) {
  Json panel = channel("method", "nominal", "tests");
  panel["sort"] = Json::array();  // as in the table, not by name
  for (const auto& group : by_method(cells)) {
    panel["sort"].push_back(group[0].configuration["row"]["name"]);
  }
  Json map = chart(
      kSemanticTitle, map_points(cells), {{"type", "point"}},
      {{"x", channel("own", "quantitative", "cosine to the own anchor")},
       {"y", channel("other", "quantitative", "highest cosine to another")},
       {"color", channel("nearest", "nominal", "nearest anchor")},
       {"column", panel},
       {"row", channel("set", "nominal", "set")}});
  map["width"] = map["height"] = kPanelSide;
  return map;
}

Presentation present_semantic(const std::vector<FinishedCell>& cells) {
  Presentation shown{};
  shown.table = table_of(cells);
  for (const char* name : {"purity", "own cosine", "other cosine"}) {
    shown.table.columns.push_back({name, Style::kMeanSd, 3});
  }
  const auto groups = by_method(cells);
  std::size_t group = 0;
  for (std::vector<Json>& row : shown.table.rows) {
    const bool is_mean = row[2] == "mean";
    const std::vector<Json> figures = is_mean ? class_figures(groups[group++])
                                              : std::vector<Json>(3, nullptr);
    row.insert(row.end(), figures.begin(), figures.end());
  }
  shown.notes = image_notes(cells);
  shown.notes.push_back(
      "Purity: share of the outliers whose latent is nearest to the anchor of "
      "their own class; the chart shows the first of each class by the cosine "
      "to their own anchor and the highest one to another.");
  shown.chart = class_map(cells);
  return shown;
}

Experiment ablation(const char* name, const char* title,
                    std::vector<ImageRow> (*rows)(),
                    Presentation (*present)(const std::vector<FinishedCell>&)) {
  return {name,
          title,
          seeds_by_size(1, 3),
          [rows](const Settings& settings) {
            return image_cells(settings, rows());
          },
          compute_image_cell,
          present,
          image_cells_obstacle};
}

}  // namespace
}  // namespace image_ablations

Experiment anchors_experiment() {
  using namespace image_ablations;
  return ablation("anchors", kAnchorsTitle, anchor_rows, present_anchors);
}

Experiment semantic_experiment() {
  using namespace image_ablations;
  return ablation("semantic", kSemanticTitle, semantic_rows, present_semantic);
}

}  // namespace sbog::paper
