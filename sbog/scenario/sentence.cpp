// SPDX-License-Identifier: Apache-2.0
// Words for edits; see sentence.h.
#include "sbog/scenario/sentence.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sbog/scenario/span_statistic.h"

namespace sbog::series {
namespace {

constexpr std::size_t kBrief = 10;     // samples
constexpr std::size_t kNearEdge = 5;   // samples that still count as the edge
constexpr double kJustOutside = 0.03;  // of energy

std::string time_of(const SentenceWords& words, std::size_t sample) {
  const std::size_t row = words.first_row + sample;
  if (words.times != nullptr && row < words.times->size()) {
    return (*words.times)[row];
  }
  return "row " + std::to_string(row);
}

// Names that are numbers are told apart from quantities.
std::string name_of(const SentenceWords& words, std::size_t channel) {
  const std::string& name = (*words.channels)[channel];
  const bool is_number =
      name.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "channel " + name : name;
}

// "1.24 units (0.38 sd)".
std::string amount(double size, double deviation) {
  const std::string number = short_number(std::abs(size));
  return number + (number == "1" ? " unit (" : " units (") +
         short_number(std::abs(size) / deviation) + " sd)";
}
std::string amount(const RealisedEdit& edit) {
  return amount(edit.effect.size, edit.deviation);
}

std::string when(const RealisedEdit& edit, const SentenceWords& words) {
  const EditEffect& effect = edit.effect;
  const bool is_from_start = effect.first <= kNearEdge;
  const bool is_to_end = effect.last + kNearEdge + 1 >= words.width;
  if (is_from_start && is_to_end) return "throughout";
  if (effect.last - effect.first < kBrief) {
    return "around " + time_of(words, (effect.first + effect.last) / 2);
  }
  if (is_to_end) return "from around " + time_of(words, effect.first) + " on";
  return "from around " + time_of(words, effect.first) + " to " +
         time_of(words, effect.last);
}

std::string trend_words(const RealisedEdit& edit, const SentenceWords& words) {
  const EditEffect& effect = edit.effect;
  std::string text =
      std::string("drifts ") + (effect.size < 0.0 ? "down" : "up") + " by " +
      amount(edit) + " from around " + time_of(words, effect.first) + " to " +
      time_of(words, effect.settled);
  if (effect.settled + kNearEdge + 1 >= words.width) return text;
  text += " and stays there";
  if (effect.last + kNearEdge + 1 >= words.width) return text;
  return text + " until " + time_of(words, effect.last);
}

std::string level_words(const RealisedEdit& edit, const SentenceWords& words) {
  const EditEffect& effect = edit.effect;
  if (effect.last - effect.first < kBrief) {
    return std::string("jumps briefly ") + (effect.size < 0.0 ? "down" : "up") +
           " by " + amount(edit) + " " + when(edit, words);
  }
  return "runs " + amount(edit) + (effect.size < 0.0 ? " below" : " above") +
         " its recorded level " + when(edit, words);
}

std::string delay_words(const RealisedEdit& edit, const SentenceWords& words) {
  const long lag = std::lround(std::abs(edit.effect.factor));
  return std::string(edit.effect.factor < 0.0 ? "leads" : "lags") + " by " +
         std::to_string(lag) + (lag == 1 ? " sample " : " samples ") +
         when(edit, words);
}

// Verb and size; `when` is added where it has not been said yet.
std::string predicate(const RealisedEdit& edit, const SentenceWords& words) {
  const std::string factor = short_number(edit.effect.factor);
  switch (edit.edit.kind) {
    case EditKind::kLevel:
      return level_words(edit, words);
    case EditKind::kTrend:
      return trend_words(edit, words);
    case EditKind::kScale:
      return (edit.is_floored ? "is " + factor + " times its recorded height "
                              : "swings " + factor + " times as widely ") +
             when(edit, words);
    case EditKind::kNoise:
      return "is " + factor + " times as noisy " + when(edit, words);
    case EditKind::kDelay:
      return delay_words(edit, words);
    case EditKind::kFrequency:
      return "runs " + factor + " times as fast " + when(edit, words);
    case EditKind::kCoupling:
      return "follows " + name_of(words, edit.edit.partner) +
             (edit.edit.partner_sign < 0.0 ? " (mirrored)" : "") + " to " +
             std::to_string(std::lround(100.0 * edit.effect.factor)) + " % " +
             when(edit, words);
    case EditKind::kOscillation:
      return "oscillates with a period of " + short_number(edit.edit.period) +
             " samples and an amplitude of " + amount(edit) + " " +
             when(edit, words);
    case EditKind::kStuck:
      return "is stuck at " + short_number(edit.effect.size) + " " +
             when(edit, words);
  }
  return "";
}

// What an edit is called beside its rarity.
std::string noun_of(const RealisedEdit& edit, const SentenceWords& words) {
  switch (edit.edit.kind) {
    case EditKind::kLevel:
      return measure_of(edit.edit) == SpanMeasure::kStep ? "a step" : "a shift";
    case EditKind::kTrend:
      return "a drift";
    case EditKind::kScale:
      return "a change of swing";
    case EditKind::kNoise:
      return "a change of noise";
    case EditKind::kDelay:
      return "a lag to " + name_of(words, edit.edit.partner);
    case EditKind::kFrequency:
      return "a change of speed";
    case EditKind::kCoupling:
      return "a mismatch with " + name_of(words, edit.edit.partner);
    case EditKind::kOscillation:
      return "an oscillation";
    case EditKind::kStuck:
      return "a standstill";
  }
  return "";
}

}  // namespace

std::string short_number(double value) {
  char text[64];
  const double size = std::abs(value);
  if (size >= 1000.0 && size < 1e9) {
    std::snprintf(text, sizeof text, "%.0f", value);
  } else {
    std::snprintf(text, sizeof text, "%.3g", value);
  }
  return text;
}

std::string describe_edit(const RealisedEdit& edit,
                          const SentenceWords& words) {
  return name_of(words, edit.edit.channel) + " " + predicate(edit, words);
}

std::string describe_edits(std::vector<RealisedEdit> edits,
                           const SentenceWords& words) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const RealisedEdit& a, const RealisedEdit& b) {
                     return a.share > b.share;
                   });
  std::string text;
  for (const RealisedEdit& edit : edits) {
    if (!text.empty()) text += ", and at the same time ";
    text += describe_edit(edit, words);
  }
  return text;
}

std::string describe_changes(const std::vector<DrawnChange>& changes,
                             const SentenceWords& words) {
  constexpr std::size_t kMostSaid = 3;
  std::string text = "A drawn window: ";
  const std::size_t said = std::min(kMostSaid, changes.size());
  for (std::size_t k = 0; k < said; ++k) {
    const DrawnChange& change = changes[k];
    if (k > 0) text += ", ";
    text += name_of(words, change.channel) + " is up to " +
            amount(change.size, change.deviation) +
            (change.size < 0.0 ? " below" : " above") +
            " what was recorded, around " + time_of(words, change.sample);
  }
  if (changes.size() > said) {
    const std::size_t more = changes.size() - said;
    text += ", and " + std::to_string(more) +
            (more == 1 ? " more channel differs" : " more channels differ") +
            " less";
  }
  return text;
}

std::string describe_rarity(const std::vector<RealisedEdit>& edits,
                            const WindowGrade& grade,
                            const SentenceWords& words) {
  const RealisedEdit& edit = edits[grade.rarest];
  if (!edit.rarity || !edit.rarity->rarity.period) return "";
  // The statistic of a standstill is its own length.
  const double rows = edit.edit.kind == EditKind::kStuck
                          ? edit.rarity->statistic
                          : static_cast<double>(edit.rarity->length);
  return " Such " + noun_of(edit, words) + " over " +
         describe_rows(rows, words.row_seconds) + " occurs " +
         describe_period(*edit.rarity->rarity.period, words.row_seconds) + ".";
}

std::string describe_energy(double source, double edited, double threshold) {
  char text[128];
  const char* const verdict = edited < threshold ? "inside"
                              : edited < threshold + kJustOutside
                                  ? "just outside"
                                  : "outside";
  std::snprintf(text, sizeof text, "Energy %.3f -> %.3f, threshold %.3f: %s.",
                source, edited, threshold, verdict);
  return text;
}

}  // namespace sbog::series
