// SPDX-License-Identifier: Apache-2.0
// Rating and bisection; see graded_edits.h.
#include "sbog/scenario/graded_edits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/scenario/measure_edit.h"

namespace sbog::series {
namespace {

constexpr int kBisections = 24;
constexpr double kAroundJump = 12.0;   // rows
constexpr double kLeastPeriods = 1.5;  // in a span
// The weakest of a level, a trend or an oscillation, in units of the channel.
constexpr double kFaintest = 0.02;
// How plain an edit has to be (screen.h) for each step of severity.
constexpr double kVisibility = 0.2;
constexpr std::size_t kPlainest = 3;
constexpr std::size_t kFewestRows = 3;

struct AmountRange {
  double low = 0.0;
  double high = 0.0;
};

AmountRange amount_range(const Edit& edit, const ChannelProfile& profile) {
  const double most = strength_range(edit.kind, profile).most;
  const double room = (profile.high - profile.low) / profile.deviation;
  switch (edit.kind) {
    case EditKind::kLevel:
    case EditKind::kTrend:
      return {kFaintest * profile.unit, std::max(most, room)};
    case EditKind::kOscillation:
      return {kFaintest * profile.unit, std::max(most, 0.5 * room)};
    case EditKind::kScale:
      return {std::log(1.05), std::log(16.0)};
    case EditKind::kNoise:
      return {std::log(1.05), std::log(32.0)};
    case EditKind::kDelay:
      return {1.0, most};
    case EditKind::kFrequency:
      return {0.02, most};
    case EditKind::kCoupling:
      return {0.05, most};
    case EditKind::kStuck:
      break;
  }
  return {1.0, 1.0};
}

std::size_t nearest_length(double wanted, std::size_t width) {
  const std::vector<std::size_t> lengths = span_lengths(width);
  const auto apart = [&](std::size_t length) {
    return std::abs(std::log(static_cast<double>(length) / wanted));
  };
  return *std::min_element(
      lengths.begin(), lengths.end(),
      [&](std::size_t a, std::size_t b) { return apart(a) < apart(b); });
}

double nearest_period(double wanted) {
  double best = kShortestPeriod;
  for (const double period : tone_periods()) {
    if (std::abs(std::log(period / wanted)) <
        std::abs(std::log(best / wanted))) {
      best = period;
    }
  }
  return best;
}

// The middle of an edit, at the next of the shorter lengths: a recording holds
// more short spans than long ones, and can tell rarer ones of them. False when
// there is none, or the length is not what is rated.
bool shorten(Edit& edit, std::size_t width) {
  const SpanMeasure measure = measure_of(edit);
  if (measure == SpanMeasure::kStill || measure == SpanMeasure::kStep) {
    return false;
  }
  const RatedSpan span = rated_span(edit, width);
  const std::vector<std::size_t> lengths = span_lengths(width);
  const auto shorter =
      std::find_if(lengths.begin(), lengths.end(),
                   [&](std::size_t length) { return length < span.length; });
  if (shorter == lengths.end()) return false;
  Edit cut = edit;
  const std::size_t skipped = (span.length - *shorter) / 2;
  cut.start = static_cast<double>(span.first + skipped);
  cut.end = cut.start + static_cast<double>(*shorter) - 1.0;
  if (measure_of(cut) != measure) return false;
  edit = cut;
  return true;
}

// The rows around window i with those of the window itself replaced.
std::vector<double> row_with_window(const RecordedSpans& recorded,
                                    std::size_t i, std::size_t channel,
                                    MatrixView<const double> window,
                                    std::size_t low, std::size_t high) {
  const std::span<const double> all = recorded.row(channel);
  std::vector<double> row(all.begin() + static_cast<std::ptrdiff_t>(low),
                          all.begin() + static_cast<std::ptrdiff_t>(high));
  const ChannelProfile& profile = recorded.profiles()[channel];
  const std::size_t start = recorded.windows().starts()[i] - low;
  for (std::size_t t = 0; t < window.rows(); ++t) {
    row[start + t] = profile.to_standard(window(t, channel));
  }
  return row;
}

// One window while its strengths are looked for.
class Search {
 public:
  Search(const RecordedSpans& recorded, std::size_t i, std::vector<Edit> edits,
         EditedWindow& edited)
      : recorded_(recorded), i_(i), edits_(std::move(edits)), edited_(edited) {}

  const std::vector<Edit>& edits() const { return edits_; }
  RealisedWindow realise() {
    return realise_window(recorded_.windows(), i_, recorded_.profiles(), edits_,
                          edited_);
  }
  void drop(std::size_t k) {
    edits_.erase(edits_.begin() + static_cast<std::ptrdiff_t>(k));
  }
  // Sets the strength of edit k; why it cannot be set otherwise.
  MissReason reach(std::size_t k, std::size_t severity) {
    const std::size_t width = recorded_.windows().width();
    auto target = target_of(k, severity);
    while (!target && shorten(edits_[k], width))
      target = target_of(k, severity);
    if (!target) return MissReason::kShort;
    double low = 0.0;
    double high = 1.0;
    const auto is_enough = [&](double strength) {
      const auto value = statistic_at(k, strength);
      return value && *value >= *target;
    };
    if (is_enough(low) || !is_enough(high)) return MissReason::kBand;
    for (int step = 0; step < kBisections; ++step) {
      const double middle = 0.5 * (low + high);
      (is_enough(middle) ? high : low) = middle;
    }
    return is_enough(high) ? MissReason::kNone : MissReason::kBand;
  }

 private:
  std::optional<double> target_of(std::size_t k, std::size_t severity) const {
    return recorded_.tail(span_key(edits_[k], recorded_.windows().width()))
        .target(severity, edits_.size());
  }
  // Leaves the edit at that strength.
  std::optional<double> statistic_at(std::size_t k, double strength) {
    edits_[k] = with_strength(edits_[k], strength,
                              recorded_.profiles()[edits_[k].channel],
                              recorded_.windows().width());
    const RealisedWindow realised = realise();
    if (!realised.is_finite) return std::nullopt;
    const auto rated = rate_edit(recorded_, i_, edits_[k], realised.window);
    return rated ? std::optional(rated->statistic) : std::nullopt;
  }

  const RecordedSpans& recorded_;
  std::size_t i_;
  std::vector<Edit> edits_;
  EditedWindow& edited_;
};

// Whether enough rows differ for a span to be told.
bool shows_in_rows(const RecordedSpans& recorded, std::size_t i,
                   std::size_t channel, MatrixView<const double> window) {
  std::vector<double> edited(window.rows());
  for (std::size_t t = 0; t < edited.size(); ++t) {
    edited[t] = window(t, channel);
  }
  const ChangedSpan span =
      changed_span(recorded.windows().raw(i, channel), edited,
                   recorded.profiles()[channel].range);
  return span.last - span.first + 1 >= kFewestRows;
}

}  // namespace

RatedSpan rated_span(const Edit& edit, std::size_t width) {
  const double last = static_cast<double>(width) - 1.0;
  const double start = std::clamp(edit.start, 0.0, last);
  const double end = std::clamp(edit.end, start, last);
  const SpanMeasure measure = measure_of(edit);
  if (measure == SpanMeasure::kStill) return {0, width};
  const double around = measure == SpanMeasure::kStep ? kAroundJump : 0.0;
  const std::size_t length = nearest_length(end - start + 1.0 + around, width);
  const double first =
      0.5 * (start + end) - 0.5 * (static_cast<double>(length) - 1.0);
  return {static_cast<std::size_t>(std::lround(
              std::clamp(first, 0.0, static_cast<double>(width - length)))),
          length};
}

SpanKey span_key(const Edit& edit, std::size_t width) {
  SpanKey key;
  key.measure = measure_of(edit);
  key.channel = edit.channel;
  key.partner = reads_partner(key.measure) ? edit.partner : edit.channel;
  key.length = rated_span(edit, width).length;
  if (key.measure == SpanMeasure::kTone) {
    key.period = nearest_period(edit.period);
  }
  return key;
}

std::optional<EditRarity> rate_edit(const RecordedSpans& recorded,
                                    std::size_t i, const Edit& edit,
                                    MatrixView<const double> window) {
  const std::size_t width = window.rows();
  const SpanKey key = span_key(edit, width);
  if (key.measure == SpanMeasure::kTone &&
      static_cast<double>(key.length) < kLeastPeriods * key.period) {
    return std::nullopt;
  }
  if (reads_partner(key.measure) && key.partner == key.channel) {
    return std::nullopt;
  }
  const RatedSpan span = rated_span(edit, width);
  const std::size_t start = recorded.windows().starts()[i];
  const std::size_t reach = width + static_cast<std::size_t>(kMostLag);
  const std::size_t low = start - std::min(start, reach);
  const std::size_t high =
      std::min(recorded.windows().rows(), start + width + reach);
  SpanRows rows = recorded.recorded(key);
  const std::vector<double> own =
      row_with_window(recorded, i, key.channel, window, low, high);
  std::vector<double> partner;
  rows.row = own;
  if (reads_partner(key.measure)) {
    partner = row_with_window(recorded, i, key.partner, window, low, high);
    rows.partner = partner;
  }
  const auto value =
      span_statistic(key.measure, rows, start - low + span.first, span.length);
  if (!value) return std::nullopt;
  return EditRarity{span.first, span.length, *value,
                    recorded.tail(key).rarity(*value)};
}

Edit with_strength(Edit edit, double strength, const ChannelProfile& profile,
                   std::size_t width) {
  if (edit.kind == EditKind::kStuck) {
    const double last = static_cast<double>(width) + kLastEnd;
    edit.amount = 1.0;
    edit.end = edit.start + kShortestGate +
               strength * std::max(0.0, last - kShortestGate - edit.start);
    return edit;
  }
  const AmountRange range = amount_range(edit, profile);
  edit.amount = std::copysign(
      range.low * std::pow(range.high / range.low, strength), edit.amount);
  return edit;
}

WindowGrade grade_of(const std::vector<EditRarity>& rarities,
                     std::size_t asked) {
  WindowGrade grade;
  grade.asked = asked;
  if (rarities.empty()) return grade;
  for (std::size_t k = 1; k < rarities.size(); ++k) {
    if (rarities[k].rarity.p < rarities[grade.rarest].rarity.p) {
      grade.rarest = k;
    }
  }
  const SpanRarity& rarest = rarities[grade.rarest].rarity;
  grade.p = std::min(1.0, rarest.p * static_cast<double>(rarities.size()));
  grade.is_bound = rarest.is_bound;
  grade.period = rarest.period;
  grade.severity = severity_of(grade.p);
  return grade;
}

GradedEdits grade_edits(const RecordedSpans& recorded, std::size_t i,
                        std::vector<Edit> edits, std::size_t severity,
                        EditedWindow& edited) {
  GradedEdits result;
  for (Edit& edit : edits) {
    if (edit.kind == EditKind::kOscillation) {
      edit.period = nearest_period(edit.period);
    }
  }
  Search search(recorded, i, std::move(edits), edited);
  for (std::size_t k = 0; k < search.edits().size();) {
    const MissReason reason = search.reach(k, severity);
    if (reason == MissReason::kNone) {
      ++k;
      continue;
    }
    result.reason = reason;
    if (search.edits().size() == 1) return result;
    // The others share its part of the p-value.
    search.drop(k);
    k = 0;
  }
  result.realised = search.realise();
  result.edits = search.edits();
  result.reason = judge_limits(result.realised);
  // What is rare by a statistic and hidden in noise is no severe case.
  if (result.reason == MissReason::kNone &&
      result.realised.visibility <
          kVisibility * static_cast<double>(std::min(severity, kPlainest))) {
    result.reason = MissReason::kHidden;
  }
  if (result.reason != MissReason::kNone) return result;
  for (const Edit& edit : result.edits) {
    const auto rated = rate_edit(recorded, i, edit, result.realised.window);
    if (!shows_in_rows(recorded, i, edit.channel, result.realised.window)) {
      result.reason = MissReason::kHidden;
      return result;
    }
    if (!rated) {
      result.reason = MissReason::kBand;
      return result;
    }
    result.rarities.push_back(*rated);
    result.rarities.back().rarity.period =
        recorded.tail(span_key(edit, recorded.windows().width()))
            .period(rated->statistic);
  }
  result.grade = grade_of(result.rarities, severity);
  if (result.grade.severity != severity || result.grade.is_bound) {
    result.reason = MissReason::kBand;
  }
  return result;
}

}  // namespace sbog::series
