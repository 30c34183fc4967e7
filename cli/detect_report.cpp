// SPDX-License-Identifier: Apache-2.0
// Alarms in words and as JSON; see detect_report.h.
#include "detect_report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "sbog/base/atomic_file.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"
#include "sbog/metrics/detection.h"
#include "sbog/series/evaluate_entity.h"

namespace sbog::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNamed = 3;
// Beyond this share of flagged rows, and beyond three times what the level
// asks for, drift is the likelier reason than anomalies.
constexpr double kDriftShare = 0.05;
constexpr double kDriftFactor = 3.0;

struct Share {
  std::string name;
  double share;
};

// Named shares of the score, largest first.
std::vector<Share> ranked(const std::vector<std::string>& names,
                          const std::vector<double>& parts, double score) {
  std::vector<Share> shares;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    shares.push_back({names[i], score > 0.0 ? parts[i] / score : 0.0});
  }
  std::stable_sort(
      shares.begin(), shares.end(),
      [](const Share& a, const Share& b) { return a.share > b.share; });
  return shares;
}

std::vector<std::string> view_names(DetectorKind kind) {
  std::vector<std::string> names;
  for (std::size_t v = 0; v < view_count(kind); ++v) {
    names.push_back(view_name(kind, v));
  }
  return names;
}

struct Carriers {
  std::vector<Share> channels;
  std::vector<Share> views;
};

Carriers carriers_of(const ScoredSeries& scored, const Explainer& explainer,
                     const Alarm& alarm) {
  const Explanation found = explainer.explain(alarm.peak);
  return {ranked(scored.series->channels, found.channels(), found.score),
          ranked(view_names(scored.detector->options().kind), found.views(),
                 found.score)};
}

std::string words(const std::vector<Share>& shares) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, shares.size()); ++i) {
    if (i > 0 && shares[i].share < 0.1) break;
    char percent[16];
    std::snprintf(percent, sizeof percent, " (%.0f %%)",
                  100.0 * shares[i].share);
    text += (i == 0 ? "" : ", ") + shares[i].name + percent;
  }
  return text;
}

Json to_json(const std::vector<Share>& shares) {
  Json json = Json::object();
  for (const Share& share : shares) json[share.name] = share.share;
  return json;
}

std::string time_words(const ScoredSeries& scored, const Alarm& alarm) {
  const std::vector<std::string>& times = scored.series->times;
  if (times.empty()) return "";
  return " (" + times[alarm.first] + " to " + times[alarm.end - 1] + ")";
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json("inf");
}

struct LabelQuality {
  DetectionQuality quality;
  double f1_at_threshold;
  double floor;
};

std::optional<LabelQuality> label_quality(const ScoredSeries& scored) {
  if (scored.labels.empty()) return std::nullopt;
  const auto quality = detection_quality(scored.scores.scores, scored.labels);
  if (!quality) return std::nullopt;
  // Flags rather than scores: thresholds may differ from row to row.
  std::vector<double> flags;
  for (std::size_t t = 0; t < scored.thresholds.size(); ++t) {
    flags.push_back(scored.scores.scores[t] > scored.thresholds[t] ? 1.0 : 0.0);
  }
  const ClassScores split = split_by_label(flags, scored.labels);
  return LabelQuality{
      *quality, f1_at(split.positives, split.negatives, 1.0)->value,
      *f1_floor(split.positives.size(), split.negatives.size())};
}

// What explains alarms; none for a detector that cannot.
using MaybeExplainer = std::optional<Explainer>;

std::string carrier_words(const ScoredSeries& scored,
                          const MaybeExplainer& explainer, const Alarm& alarm) {
  if (!explainer) return "";
  const Carriers carriers = carriers_of(scored, *explainer, alarm);
  return "; channels " + words(carriers.channels) + "; views " +
         words(carriers.views);
}

void print_alarms(const ScoredSeries& scored, const MaybeExplainer& explainer) {
  const std::size_t shown = std::min(scored.top, scored.alarms.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Alarm& alarm = scored.alarms[i];
    std::printf("alarm: rows %zu to %zu%s, score %.3g at row %zu%s\n",
                alarm.first, alarm.end - 1, time_words(scored, alarm).c_str(),
                alarm.score, alarm.peak,
                carrier_words(scored, explainer, alarm).c_str());
  }
  if (scored.alarms.size() > shown) {
    std::printf("and %zu more alarms\n", scored.alarms.size() - shown);
  }
  if (!explainer && shown > 0) {
    std::printf(
        "which channels carry an alarm is not known: the detector %s scores "
        "whole windows\n",
        scored.kind.c_str());
  }
}

void print_words(const ScoredSeries& scored, const MaybeExplainer& explainer) {
  print_alarms(scored, explainer);
  std::printf("%zu alarm%s; %.2f %% of %s rows above the threshold %.4g\n",
              scored.alarms.size(), scored.alarms.size() == 1 ? "" : "s",
              100.0 * flagged_share(scored),
              with_commas(scored.series->rows()).c_str(),
              scored.scores.threshold);
  if (scored.labels.empty()) return;
  const auto quality = label_quality(scored);
  if (!quality) {
    std::printf("no row is labelled 1: nothing to compare with\n");
    return;
  }
  std::printf(
      "against the labels: average precision %.4f, VUS-PR %.4f, F1 at the "
      "threshold %.4f,\n  best F1 %.4f (threshold chosen by the labels), F1 "
      "of flagging everything %.4f\n",
      quality->quality.average_precision, quality->quality.vus_pr,
      quality->f1_at_threshold, quality->quality.best_f1, quality->floor);
}

void print_json(const ScoredSeries& scored, const MaybeExplainer& explainer) {
  Json json;
  json["rows"] = scored.series->rows();
  json["channels"] = scored.series->channel_count();
  json["detector"] = scored.kind;
  json["causal"] =
      scored.detector != nullptr && scored.detector->options().is_causal;
  json["level"] = scored.level;
  json["threshold"] = number(scored.scores.threshold);
  json["flagged_share"] = flagged_share(scored);
  json["alarms"] = Json::array();
  for (const Alarm& alarm : scored.alarms) {
    Json entry = {{"first", alarm.first},
                  {"last", alarm.end - 1},
                  {"peak", alarm.peak},
                  {"score", alarm.score}};
    if (!scored.series->times.empty()) {
      entry["from"] = scored.series->times[alarm.first];
      entry["to"] = scored.series->times[alarm.end - 1];
    }
    if (explainer) {
      const Carriers carriers = carriers_of(scored, *explainer, alarm);
      entry["channels"] = to_json(carriers.channels);
      entry["views"] = to_json(carriers.views);
    }
    json["alarms"].push_back(std::move(entry));
  }
  if (const auto quality = label_quality(scored)) {
    json["quality"] = {
        {"average_precision", quality->quality.average_precision},
        {"vus_pr", quality->quality.vus_pr},
        {"best_f1", quality->quality.best_f1},
        {"f1_at_threshold", quality->f1_at_threshold},
        {"f1_floor", quality->floor}};
  }
  // Channel names come from files and need not be UTF-8.
  std::printf("%s\n",
              json.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

void warn_of_drift(const ScoredSeries& scored, const Console& console) {
  const double share = flagged_share(scored);
  const double expected = 1.0 - scored.level;
  if (share <= std::max(kDriftShare, kDriftFactor * expected)) return;
  char text[256];
  std::snprintf(text, sizeof text,
                "%.1f %% of the rows are flagged where %.1f %% were meant: "
                "long anomalies, or drift away from the training series; for "
                "drift, train on newer rows or use --recalibrate",
                100.0 * share, 100.0 * expected);
  console.warn(text);
}

std::string shortest(double value) {
  if (!std::isfinite(value)) return "inf";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace

double flagged_share(const ScoredSeries& scored) {
  std::size_t count = 0;
  for (std::size_t t = 0; t < scored.thresholds.size(); ++t) {
    if (scored.scores.scores[t] > scored.thresholds[t]) ++count;
  }
  return static_cast<double>(count) /
         static_cast<double>(scored.thresholds.size());
}

void report_detection(const ScoredSeries& scored, const CommonOptions& common) {
  MaybeExplainer explainer;
  if (scored.detector != nullptr) {
    explainer.emplace(*scored.detector, scored.series->values, scored.scores);
  }
  if (common.is_json) {
    print_json(scored, explainer);
  } else {
    print_words(scored, explainer);
  }
  const Console console(common.is_quiet);
  if (!std::isfinite(scored.scores.threshold)) {
    console.warn(
        "the training series is too short for this level: no score can be "
        "above the threshold");
  }
  warn_of_drift(scored, console);
}

void write_scores(const std::string& path, const ScoredSeries& scored) {
  const std::vector<double>& scores = scored.scores.scores;
  if (!path.ends_with(".csv")) {
    write_npy(path, std::span<const double>(scores));
    return;
  }
  const std::vector<std::string>& times = scored.series->times;
  std::string text = times.empty() ? "row,score,threshold,alarm\n"
                                   : "row,time,score,threshold,alarm\n";
  for (std::size_t t = 0; t < scores.size(); ++t) {
    text += std::to_string(t) + ",";
    if (!times.empty()) text += quote_csv(times[t]) + ",";
    text += shortest(scores[t]) + "," + shortest(scored.thresholds[t]);
    text += scores[t] > scored.thresholds[t] ? ",1\n" : ",0\n";
  }
  write_file_atomically(path, text);
}

}  // namespace sbog::cli
