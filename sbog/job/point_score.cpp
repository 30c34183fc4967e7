// SPDX-License-Identifier: Apache-2.0
// See point_score.h.
#include "sbog/job/point_score.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"
#include "sbog/detect/point_detector_file.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/files.h"
#include "sbog/job/point_train.h"
#include "sbog/metrics/detection.h"
#include "sbog/run/run_json.h"

namespace sbog::job {
namespace {

using detect::PointDetector;
using detect::PointVerdicts;

constexpr std::size_t kNearRows = 3;
constexpr std::size_t kNamedFeatures = 3;

// Items of the bank rows; those of the model unless a file is named.
std::vector<std::string> items_for(const PointScoreOptions& o,
                                   const detect::PointDetectorState& state) {
  if (o.items.empty()) return state.items;
  const std::vector<std::string> all = load_items(o.items, state.trained_rows);
  std::vector<std::string> kept;
  for (const std::size_t row : state.bank_rows) kept.push_back(all[row]);
  return kept;
}

// Puts together what is known of each row.
class VerdictWriter {
 public:
  VerdictWriter(const PointDetector& detector, MatrixView<const float> rows,
                std::vector<std::string> items)
      : detector_(detector), rows_(rows), items_(std::move(items)) {}

  PointVerdict write(std::size_t i, const PointVerdicts& said,
                     const detect::NearBankRows& near, double threshold) const {
    PointVerdict verdict;
    verdict.row = i;
    verdict.score = said.scores[i];
    verdict.p_value = said.p_values[i];
    verdict.is_unusual = verdict.score > threshold;
    verdict.class_name = detector_.class_name(said.classes[i]);
    for (std::size_t k = 0; k < near.rows.cols(); ++k) {
      verdict.near.push_back(item(near.rows(i, k), near.cosines(i, k)));
    }
    const auto parts = said.parts.row(i);
    if (parts.size() > 1) verdict.parts.assign(parts.begin(), parts.end());
    if (verdict.is_unusual) {
      verdict.carriers =
          detector_.carriers(rows_.row(i), said.classes[i], kNamedFeatures);
    }
    return verdict;
  }

 private:
  NearItem item(std::size_t row, double cosine) const {
    const detect::PointDetectorState& state = detector_.state();
    return {state.bank_rows[row], cosine,
            detector_.class_name(state.bank.classes[row]),
            items_.empty() ? std::string() : items_[row]};
  }

  const PointDetector& detector_;
  MatrixView<const float> rows_;
  std::vector<std::string> items_;
};

double share_unusual(const std::vector<double>& scores, double threshold) {
  const auto count = std::ranges::count_if(
      scores, [&](double score) { return score > threshold; });
  return static_cast<double>(count) / static_cast<double>(scores.size());
}

OutsidePoints compare(const std::vector<double>& usual,
                      const std::vector<double>& outside, double threshold) {
  // The metrics take what is kept, the usual rows, for positive.
  const auto negated = [](std::vector<double> scores) {
    for (double& x : scores) x = -x;
    return scores;
  };
  const std::vector<double> kept = negated(usual);
  const std::vector<double> foreign = negated(outside);
  return {outside.size(), share_unusual(outside, threshold),
          fpr_at_tpr(kept, foreign)->value, *auroc(kept, foreign)};
}

double share_of_right_classes(const PointDetector& detector,
                              const std::vector<std::size_t>& classes,
                              const std::vector<std::int64_t>& labels) {
  std::vector<std::int64_t> predicted;
  predicted.reserve(classes.size());
  for (const std::size_t cls : classes) {
    predicted.push_back(detector.state().bank.class_labels[cls]);
  }
  return *accuracy(predicted, labels);
}

void write_table(const PointScoreResult& result) {
  const bool has_items =
      std::ranges::any_of(result.verdicts, [](const PointVerdict& verdict) {
        return !verdict.near.empty() && !verdict.near[0].item.empty();
      });
  std::string text = "row,score,threshold,p_value,unusual,class";
  const std::size_t near = result.verdicts.front().near.size();
  for (std::size_t k = 1; k <= near; ++k) {
    text += ",near_" + std::to_string(k);
    if (has_items) text += ",item_" + std::to_string(k);
  }
  text += '\n';
  for (const PointVerdict& verdict : result.verdicts) {
    text += std::to_string(verdict.row) + "," + shortest(verdict.score) + "," +
            shortest(result.threshold) + "," + shortest(verdict.p_value) + "," +
            (verdict.is_unusual ? "1," : "0,") + quote_csv(verdict.class_name);
    for (const NearItem& item : verdict.near) {
      text += "," + std::to_string(item.row);
      if (has_items) text += "," + quote_csv(item.item);
    }
    text += '\n';
  }
  write_file_atomically(result.options.out, text);
}

void write_verdicts(const PointScoreResult& result) {
  if (result.options.out.empty()) return;
  if (result.options.out.ends_with(".csv")) {
    write_table(result);
    return;
  }
  std::vector<double> scores;
  for (const PointVerdict& verdict : result.verdicts) {
    scores.push_back(verdict.score);
  }
  write_npy(result.options.out, std::span<const double>(scores));
}

void check_point_scoring(const PointScoreOptions& o) {
  if (o.level && !(*o.level > 0.0 && *o.level < 1.0)) {
    throw InvalidArgument("--level: a number in (0, 1) is expected, got " +
                          std::to_string(*o.level));
  }
  check_writable(o.out);
}

nlohmann::ordered_json verdict_json(const PointScoreResult& result,
                                    const PointVerdict& verdict) {
  nlohmann::ordered_json json = {{"row", verdict.row},
                                 {"score", verdict.score},
                                 {"p_value", verdict.p_value},
                                 {"class", verdict.class_name}};
  if (!verdict.parts.empty()) {
    for (std::size_t k = 0; k < verdict.parts.size(); ++k) {
      json["scores"][result.scores[k]] = verdict.parts[k];
    }
  }
  json["near"] = nlohmann::ordered_json::array();
  for (const NearItem& item : verdict.near) {
    nlohmann::ordered_json near = {
        {"row", item.row}, {"cosine", item.cosine}, {"class", item.class_name}};
    if (!item.item.empty()) near["item"] = item.item;
    json["near"].push_back(std::move(near));
  }
  json["features"] = nlohmann::ordered_json::array();
  for (const detect::FeatureShare& carrier : verdict.carriers) {
    json["features"].push_back(
        {{"feature", carrier.feature}, {"share", carrier.share}});
  }
  return json;
}

}  // namespace

std::vector<std::size_t> PointScoreResult::unusual_rows() const {
  std::vector<std::size_t> rows;
  for (const PointVerdict& verdict : verdicts) {
    if (verdict.is_unusual) rows.push_back(verdict.row);
  }
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    return verdicts[a].score > verdicts[b].score;
  });
  return rows;
}

PointScoreResult score_rows_of(const PointScoreOptions& o, Events& events,
                               const Context& context) {
  check_point_scoring(o);
  const PointDetector detector = detect::read_point_detector(o.model);
  const Matrix<float> rows = load_unit_rows(o.data, o.columns, detector.dim());
  const std::vector<std::int64_t> labels = load_labels(o.labels);
  if (!labels.empty()) check_label_count(labels, rows.rows(), "--labels");
  Matrix<float> outside;
  if (!o.outside.empty()) {
    outside = load_unit_rows(o.outside, o.columns, detector.dim());
  }
  PointScoreResult result;
  result.options = o;
  for (const detect::PointScore score : detector.state().options.scores) {
    result.scores.emplace_back(to_string(score));
  }
  result.level = o.level.value_or(detector.state().options.level);
  result.threshold = detector.threshold(result.level);
  result.held_out = detector.state().held_out_scores.size();
  const VerdictWriter writer(detector, rows, items_for(o, detector.state()));
  Stage stage(events, context, "scoring");
  const auto said = detector.judge(rows, stage.context());
  const auto near =
      said ? detector.nearest(rows, kNearRows, stage.context()) : std::nullopt;
  const auto foreign = near && outside.rows() > 0
                           ? detector.judge(outside, stage.context())
                           : std::nullopt;
  if (!near || (outside.rows() > 0 && !foreign) || events.is_stopped()) {
    return stopped_unwritten(std::move(result), events);
  }
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    result.verdicts.push_back(writer.write(i, *said, *near, result.threshold));
    if (result.verdicts.back().is_unusual) ++result.unusual;
  }
  if (!labels.empty()) {
    result.accuracy = share_of_right_classes(detector, said->classes, labels);
  }
  if (foreign) {
    result.outside = compare(said->scores, foreign->scores, result.threshold);
  }
  write_verdicts(result);
  return result;
}

nlohmann::ordered_json to_json(const PointScoreResult& result) {
  nlohmann::ordered_json json;
  json["model"] = result.options.model;
  json["kind"] = "latent";
  json["scores"] = result.scores;
  json["rows"] = result.verdicts.size();
  json["level"] = result.level;
  json["threshold"] = number_or_word(result.threshold);
  json["held_out"] = result.held_out;
  json["unusual"] = result.unusual;
  if (result.accuracy) json["accuracy"] = *result.accuracy;
  if (result.outside) {
    json["outside"] = {{"rows", result.outside->rows},
                       {"unusual_share", result.outside->unusual_share},
                       {"fpr95", result.outside->fpr95},
                       {"auroc", result.outside->auroc}};
  }
  json["verdicts"] = nlohmann::ordered_json::array();
  for (const std::size_t row : result.unusual_rows()) {
    json["verdicts"].push_back(verdict_json(result, result.verdicts[row]));
  }
  return json;
}

}  // namespace sbog::job
