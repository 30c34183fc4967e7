// SPDX-License-Identifier: Apache-2.0
// sbog detect train and sbog detect score: their words, and their results as
// text.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "image_results.h"
#include "json_output.h"
#include "point_results.h"
#include "sbog/job/detect_score.h"
#include "sbog/job/detect_train.h"

namespace sbog::cli {
namespace {

constexpr std::size_t kNamedShares = 3;
constexpr double kSmallShare = 0.1;

void print_head(const job::DetectTrainResult& result) {
  const job::ClusterTraining& facts = *result.clusters;
  std::printf(
      "%s: trained on %s rows of %s channel%s, %s windows of %zu rows at "
      "stride %zu (%s)\n",
      result.options.out.c_str(), with_commas(result.rows).c_str(),
      with_commas(result.channels).c_str(), result.channels == 1 ? "" : "s",
      with_commas(facts.windows).c_str(), facts.width, facts.stride,
      duration(result.seconds).c_str());
  if (result.options.detector == "carla") {
    std::printf("negatives: %s windows with an injected anomaly\n",
                with_commas(facts.head.negatives).c_str());
  } else {
    std::printf(
        "negatives: %s points outside of the windows, %s of them past "
        "every test\n",
        with_commas(facts.head.negatives).c_str(),
        with_commas(facts.head.feasible).c_str());
  }
  std::printf("head: %zu of %zu classes used, %zu normal\n",
              facts.head.spread.classes_used, facts.classes,
              facts.head.normal_classes);
  std::printf("threshold %.4g: the %g quantile of the training rows\n",
              result.threshold, result.level);
}

void print_training(const job::DetectTrainResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
  } else if (result.images) {
    print_image_detector(*result.images);
  } else if (result.points) {
    print_point_detector(*result.points);
  } else if (result.clusters) {
    print_head(result);
  } else {
    std::printf(
        "trained on %s rows of %s channels; threshold %.4g at level %g\n",
        with_commas(result.rows).c_str(), with_commas(result.channels).c_str(),
        result.threshold, result.level);
  }
}

// "pressure (71 %), flow (20 %)".
std::string share_words(const std::vector<job::ScoreShare>& shares) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamedShares, shares.size()); ++i) {
    if (i > 0 && shares[i].share < kSmallShare) break;
    char percent[16];
    std::snprintf(percent, sizeof percent, " (%.0f %%)",
                  100.0 * shares[i].share);
    text += (i == 0 ? "" : ", ") + shares[i].name + percent;
  }
  return text;
}

std::string time_words(const job::DetectScoreResult& result,
                       const Alarm& alarm) {
  if (result.times.empty()) return "";
  return " (" + result.times[alarm.first] + " to " +
         result.times[alarm.end - 1] + ")";
}

std::string carrier_words(const job::DetectScoreResult& result,
                          const Alarm& alarm) {
  const auto carriers = result.carriers(alarm);
  if (!carriers) return "";
  return "; channels " + share_words(carriers->channels) + "; views " +
         share_words(carriers->views);
}

void print_alarms(const job::DetectScoreResult& result) {
  const std::size_t shown = std::min(result.options.top, result.alarms.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Alarm& alarm = result.alarms[i];
    std::printf("alarm: rows %zu to %zu%s, score %.3g at row %zu%s\n",
                alarm.first, alarm.end - 1, time_words(result, alarm).c_str(),
                alarm.score, alarm.peak, carrier_words(result, alarm).c_str());
  }
  if (result.alarms.size() > shown) {
    std::printf("and %zu more alarms\n", result.alarms.size() - shown);
  }
  if (!result.evidence && shown > 0) {
    std::printf(
        "which channels carry an alarm is not known: the detector %s scores "
        "whole windows\n",
        result.detector.c_str());
  }
  std::printf("%zu alarm%s; %.2f %% of %s rows above the threshold %.4g\n",
              result.alarms.size(), result.alarms.size() == 1 ? "" : "s",
              100.0 * result.flagged_share, with_commas(result.rows).c_str(),
              result.threshold);
}

void print_scores(const job::DetectScoreResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
    return;
  }
  if (result.images) {
    print_image_scores(*result.images);
    return;
  }
  if (result.points) {
    print_point_verdicts(*result.points);
    return;
  }
  print_alarms(result);
  if (result.options.labels.empty()) return;
  if (!result.quality) {
    std::printf("no row is labelled 1: nothing to compare with\n");
    return;
  }
  std::printf(
      "against the labels: average precision %.4f, VUS-PR %.4f, F1 at the "
      "threshold %.4f,\n  best F1 %.4f (threshold chosen by the labels), F1 "
      "of flagging everything %.4f\n",
      result.quality->average_precision, result.quality->vus_pr,
      result.quality->f1_at_threshold, result.quality->best_f1,
      result.quality->f1_floor);
}

}  // namespace

Command detect_group() {
  return {"detect",
          "Find anomalies in a series, unusual points beside a bank, or images "
          "of no known class: train a detector, score with it",
          "  sbog detect train demo:series --out model.safetensors\n"
          "  sbog detect score model.safetensors demo:series-test --labels "
          "demo:series-labels",
          {},
          {},
          {}};
}

Command detect_train_command() {
  return job_command(
      {"detect train",
       "Learn what is normal from a series, from points or from images",
       "  sbog detect train demo:series --out model.safetensors\n"
       "  sbog detect train demo:bank --labels demo:labels --out "
       "points.safetensors",
       "A detector learns from a series that is taken to be normal; a "
       "threshold\n"
       "follows from parts of it that are held out. Rows are moments, columns\n"
       "channels; a CSV file may have a header and a column of times.\n"
       "A detector of points, such as embeddings of texts, compares a row "
       "with\n"
       "a bank of rows whose classes --labels names: by distances and by a\n"
       "linear classifier that is shown outliers made for it. A row of the\n"
       "bank in five is held out for the threshold.\n"
       "A detector of images learns their classes and, from the outliers of "
       "a\n"
       "run of sbog generate, what is none of them; with --model it works on\n"
       "the latents of a model of sbog train image.",
       {},
       {}},
      job::detect_train_option_table(), print_training);
}

Command detect_score_command() {
  return job_command(
      {"detect score",
       "Score a series and list its alarms, or score points or images",
       "  sbog detect train demo:series --out m.safetensors && sbog detect "
       "score m.safetensors demo:series-test\n"
       "  sbog detect train demo:bank --labels demo:labels --out "
       "p.safetensors && sbog detect score p.safetensors demo:queries",
       "The file or folder of the detector says whether series, points or\n"
       "images are scored. A point is unusual when its score is above the\n"
       "threshold; its p-value is the share of held-out rows that are at "
       "least\n"
       "as unusual. Told with it are the nearest class by Mahalanobis "
       "distance,\n"
       "the columns that make up most of that distance, and the three nearest\n"
       "rows of the bank.",
       {},
       {}},
      job::detect_score_option_table(), print_scores);
}

}  // namespace sbog::cli
