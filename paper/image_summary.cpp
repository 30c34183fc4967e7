// SPDX-License-Identifier: Apache-2.0
// Tables about images; see image_summary.h.
#include "paper/image_summary.h"

#include <map>

namespace sbog::paper {
namespace {

// Cells of one set and one row, all seeds, in the order of their first member.
std::vector<std::vector<FinishedCell>> by_method(
    const std::vector<FinishedCell>& cells) {
  return group_by(cells, {"set", "row"});
}

std::vector<std::string> outside_of(const FinishedCell& cell) {
  std::vector<std::string> names;
  for (const auto& [name, figures] : cell.result.at("outside").items()) {
    names.push_back(name);
  }
  return names;
}

ImageTableRow mean_row(const std::vector<FinishedCell>& cells) {
  const std::string set = cells[0].configuration.at("set");
  const std::string method = cells[0].configuration.at("row").at("name");
  ImageTableRow row{method, "mean", {}, {}};
  row.values = {set,
                method,
                "mean",
                mean_sd_of(cells, "/mean/fpr95"),
                mean_sd_of(cells, "/mean/fpr95_closest"),
                mean_sd_of(cells, "/mean/auroc"),
                mean_sd_of(cells, "/accuracy_before"),
                mean_sd_of(cells, "/accuracy"),
                mean_sd_of(cells, "/artifact_auroc"),
                mean_sd_of(cells, "/consistency"),
                mean_sd_of(cells, "/nearest_distance")};
  row.chart = {{"set", set},
               {"method", method},
               {"FPR95", mean_of(cells, "/mean/fpr95")},
               {"AUROC", mean_of(cells, "/mean/auroc")}};
  return row;
}

ImageTableRow outside_row(const std::vector<FinishedCell>& cells,
                          const std::string& outside) {
  const std::string set = cells[0].configuration.at("set");
  const std::string method = cells[0].configuration.at("row").at("name");
  const std::string base = "/outside/" + outside;
  ImageTableRow row{method, outside, {}, {}};
  row.values = {set,
                method,
                outside,
                mean_sd_of(cells, base + "/fpr95"),
                mean_sd_of(cells, base + "/fpr95_closest"),
                mean_sd_of(cells, base + "/auroc"),
                nullptr,
                nullptr,
                nullptr,
                nullptr,
                nullptr};
  return row;
}

std::string seconds_sentence(const std::vector<FinishedCell>& cells) {
  std::map<std::string, std::pair<double, std::size_t>> parts;
  for (const FinishedCell& cell : cells) {
    if (!cell.seconds.is_object()) continue;
    for (const auto& [name, value] : cell.seconds.items()) {
      auto& [sum, count] = parts[name];
      sum += value.get<double>();
      ++count;
    }
  }
  std::string text;
  for (const auto& [name, part] : parts) {
    const double mean = part.first / static_cast<double>(part.second);
    text += (text.empty() ? "Mean processor seconds: " : ", ") + name + " " +
            format_value(mean, {"", Style::kFixed, 1});
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

std::vector<Column> image_columns() {
  return {{"set", Style::kText},
          {"method", Style::kText},
          {"unknown", Style::kText},
          {"FPR95", Style::kMeanSd, 3},
          {"FPR95, closest", Style::kMeanSd, 3},
          {"AUROC", Style::kMeanSd, 3},
          {"accuracy before", Style::kMeanSd, 3},
          {"accuracy", Style::kMeanSd, 3},
          {"artifact AUROC", Style::kMeanSd, 3},
          {"consistency", Style::kMeanSd, 3},
          {"nearest", Style::kMeanSd, 3}};
}

std::vector<ImageTableRow> image_table_rows(
    const std::vector<FinishedCell>& cells) {
  std::vector<ImageTableRow> rows;
  for (const std::vector<FinishedCell>& group : by_method(cells)) {
    rows.push_back(mean_row(group));
    for (const std::string& outside : outside_of(group[0])) {
      rows.push_back(outside_row(group, outside));
    }
  }
  return rows;
}

std::vector<std::string> image_notes(const std::vector<FinishedCell>& cells) {
  std::vector<std::string> notes = {
      "The score is the log-sum-exp of the classifier's logits, known images "
      "are the positive class, all test images of a set are used. FPR95 is at "
      "the largest threshold that at least 95 % of the known images reach, "
      "'closest' at the recall nearest to 95 %. 'mean' is over the unknown "
      "sets; figures are mean (s.d.) over the seeds.",
      "Accuracy on known test images before and after the outliers were shown; "
      "artifact AUROC: real against decoded known images, 0.5 when being "
      "decoded means nothing to the detector; consistency: cosine of an "
      "outlier's latent and the latent of its image; nearest: root mean square "
      "distance of its pixels to the nearest training image."};
  const std::string seconds = seconds_sentence(cells);
  if (!seconds.empty()) notes.push_back(seconds);
  return notes;
}

}  // namespace sbog::paper
