// SPDX-License-Identifier: Apache-2.0
// Tables about images; see image_summary.h.
#include "paper/image_summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "paper/table.h"

namespace sbog::paper {
namespace {

std::vector<std::string> outside_of(const FinishedCell& cell) {
  std::vector<std::string> names;
  for (const auto& [name, figures] : cell.result.at("outside").items()) {
    names.push_back(name);
  }
  return names;
}

// A method in two words: its outliers and what they are shown to.
struct Shown {
  std::string outliers;
  std::string to;
};

Shown shown_to(const std::string& start, const std::string& method) {
  if (start == "aligned") return {method, "the encoder, as images"};
  // Ends with what with_start added.
  const std::string outliers = method.substr(0, method.rfind(", "));
  return {outliers,
          start == "head" ? "a head, as points" : "a fresh network, as images"};
}

Json in_their_order(Json channel) {
  channel["sort"] = nullptr;
  return channel;
}

// Rows of one method.
class MethodRows {
 public:
  explicit MethodRows(const std::vector<FinishedCell>& cells)
      : cells_(cells),
        set_(cells[0].configuration.at("set")),
        method_(cells[0].configuration.at("row").at("name")) {}

  ImageTableRow mean() const {
    ImageTableRow row = row_of("mean", "/mean");
    const Json& told = cells_[0].configuration.at("row");
    const Shown shown = shown_to(told.value("start", "aligned"), method_);
    row.chart = {{"set", set_},
                 {"outliers", shown.outliers},
                 {"shown to", shown.to},
                 {"FPR95", mean_of(cells_, "/mean/fpr95")},
                 {"AUROC", mean_of(cells_, "/mean/auroc")}};
    std::size_t at = row.values.size() - kDetectorFigures.size();
    for (const char* field : kDetectorFigures) {
      row.values[at++] = mean_sd_of(cells_, field);
    }
    return row;
  }
  ImageTableRow outside(const std::string& set) const {
    return row_of(set, "/outside/" + set);
  }

 private:
  // The last columns.
  static constexpr std::array kDetectorFigures = {"/msp/mean/fpr95",
                                                  "/latent/k-NN/mean/fpr95",
                                                  "/latent/SOE/mean/fpr95",
                                                  "/accuracy_before",
                                                  "/accuracy",
                                                  "/artifact_auroc",
                                                  "/consistency",
                                                  "/nearest_distance"};

  ImageTableRow row_of(const std::string& outside,
                       const std::string& at) const {
    ImageTableRow row{method_, outside, {}, {}};
    row.values = {set_, method_, outside, mean_sd_of(cells_, at + "/fpr95"),
                  mean_sd_of(cells_, at + "/auroc")};
    row.values.resize(row.values.size() + kDetectorFigures.size());
    return row;
  }

  const std::vector<FinishedCell>& cells_;
  std::string set_;
  std::string method_;
};

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
          {"AUROC", Style::kMeanSd, 3},
          {"FPR95, MSP", Style::kMeanSd, 3},
          {"FPR95, k-NN", Style::kMeanSd, 3},
          {"FPR95, SOE", Style::kMeanSd, 3},
          {"accuracy before", Style::kMeanSd, 3},
          {"accuracy", Style::kMeanSd, 3},
          {"artifact AUROC", Style::kMeanSd, 3},
          {"consistency", Style::kMeanSd, 3},
          {"nearest", Style::kMeanSd, 3}};
}

std::vector<std::vector<FinishedCell>> by_method(
    const std::vector<FinishedCell>& cells) {
  auto groups = group_by(cells, {"set", "row"});
  std::ranges::stable_sort(groups, {}, [](const auto& group) {
    return group[0].configuration.at("set").template get<std::string>();
  });
  return groups;
}

std::vector<ImageTableRow> image_table_rows(
    const std::vector<FinishedCell>& cells) {
  std::vector<ImageTableRow> rows;
  for (const std::vector<FinishedCell>& group : by_method(cells)) {
    const MethodRows made(group);
    rows.push_back(made.mean());
    for (const std::string& outside : outside_of(group[0])) {
      rows.push_back(made.outside(outside));
    }
  }
  return rows;
}

Json image_chart(const std::string& title,
                 const std::vector<ImageTableRow>& rows) {
  Json values = Json::array();
  for (const ImageTableRow& row : rows) {
    if (row.outside == "mean") values.push_back(row.chart);
  }
  const Json detector =
      in_their_order(channel("shown to", "nominal", "shown to"));
  return chart(
      title, values, {{"type", "bar"}},
      {{"y", in_their_order(channel("outliers", "nominal", "outliers"))},
       {"yOffset", detector},
       {"color", detector},
       {"x", channel("FPR95", "quantitative", "FPR95, mean")},
       {"column", channel("set", "nominal", "set")}});
}

std::vector<std::string> image_notes(const std::vector<FinishedCell>& cells) {
  std::vector<std::string> notes = {
      "The score is the log-sum-exp of the logits, known images are the "
      "positive class, all test images of a set are used. FPR95 is at the "
      "largest threshold that at least 95 % of the known images reach. 'mean' "
      "is over the unknown sets; figures are mean (s.d.) over the seeds. "
      "'FPR95, MSP' scores by the largest probability instead; k-NN and SOE by "
      "the cosine distance of the latent to its 50th neighbour in the bank and "
      "by its outlier energy at epsilon 0.05, with the network as it is after "
      "the outliers.",
      "Accuracy on known test images before and after the outliers were shown; "
      "artifact AUROC: unseen known images against decoded ones of the bank, "
      "0.5 when being decoded means nothing to the detector (the decoder keeps "
      "the detail of its source, so a decoded one is the training image "
      "itself); consistency: cosine of an "
      "outlier's latent and the latent of its image; nearest: root mean square "
      "distance of its pixels to the nearest training image."};
  const std::string seconds = seconds_sentence(cells);
  if (!seconds.empty()) notes.push_back(seconds);
  return notes;
}

}  // namespace sbog::paper
