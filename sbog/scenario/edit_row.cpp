// SPDX-License-Identifier: Apache-2.0
// Formulas of edit.h with their derivatives.
#include "sbog/scenario/edit_row.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sbog/base/errors.h"

namespace sbog::series {
namespace {

constexpr std::size_t kHalfMean = 5;  // the centred mean has 11 samples
constexpr double kLeastGate = 1e-12;
constexpr double kShortestTrend = 4.0;

double time_of(std::size_t i) {
  return static_cast<double>(i) - static_cast<double>(kMargin);
}

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// The gate with its derivatives in start and end.
struct Gate {
  std::vector<double> value;
  std::vector<double> by_start;
  std::vector<double> by_end;

  Gate(const Edit& edit, double ramp, std::size_t size)
      : value(size), by_start(size), by_end(size) {
    for (std::size_t i = 0; i < size; ++i) {
      const double t = time_of(i);
      const double on = logistic((t - edit.start) / ramp);
      const double off = logistic((edit.end - t) / ramp);
      value[i] = on * off;
      by_start[i] = -on * (1.0 - on) * off / ramp;
      by_end[i] = on * off * (1.0 - off) / ramp;
    }
  }
};

// A row at a real time: value, slope and how it leans on its two neighbours.
struct Sample {
  std::size_t left = 0;
  double share = 0.0;  // of the right neighbour
  double slope = 0.0;

  Sample(std::span<const double> row, double time) {
    const double place = time + static_cast<double>(kMargin);
    const double last = static_cast<double>(row.size() - 1);
    const double inside = std::clamp(place, 0.0, last);
    left = std::min(static_cast<std::size_t>(inside), row.size() - 2);
    share = inside - static_cast<double>(left);
    if (place > 0.0 && place < last) slope = row[left + 1] - row[left];
  }
  double value(std::span<const double> row) const {
    return row[left] + share * (row[left + 1] - row[left]);
  }
  double nearest(std::span<const double> row) const {
    return row[share < 0.5 ? left : left + 1];
  }
  void spread(double gradient, std::span<double> d_row) const {
    d_row[left] += (1.0 - share) * gradient;
    d_row[left + 1] += share * gradient;
  }
};

// Centred means; at the ends over what is there.
std::vector<double> centred_means(std::span<const double> row) {
  std::vector<double> means(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t first = i - std::min(i, kHalfMean);
    const std::size_t end = std::min(row.size(), i + kHalfMean + 1);
    double sum = 0.0;
    for (std::size_t j = first; j < end; ++j) sum += row[j];
    means[i] = sum / static_cast<double>(end - first);
  }
  return means;
}

// The transpose of centred_means, subtracted.
void subtract_spread_means(std::span<const double> gradient,
                           std::span<double> d_row) {
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const std::size_t first = i - std::min(i, kHalfMean);
    const std::size_t end = std::min(gradient.size(), i + kHalfMean + 1);
    const double each = gradient[i] / static_cast<double>(end - first);
    for (std::size_t j = first; j < end; ++j) d_row[j] -= each;
  }
}

// What `scale` measures swings from.
struct Centre {
  double value = 0.0;
  double by_start = 0.0;
  double by_end = 0.0;
  double gate_sum = 0.0;

  Centre(const RowInput& input, const Gate& gate) {
    if (input.floor) {
      value = *input.floor;
      return;
    }
    double weighted = 0.0;
    double start_weighted = 0.0;
    double end_weighted = 0.0;
    double start_sum = 0.0;
    double end_sum = 0.0;
    for (std::size_t i = 0; i < input.row.size(); ++i) {
      gate_sum += gate.value[i];
      weighted += gate.value[i] * input.row[i];
      start_sum += gate.by_start[i];
      start_weighted += gate.by_start[i] * input.row[i];
      end_sum += gate.by_end[i];
      end_weighted += gate.by_end[i] * input.row[i];
    }
    gate_sum = std::max(gate_sum, kLeastGate);
    value = weighted / gate_sum;
    by_start = (start_weighted - value * start_sum) / gate_sum;
    by_end = (end_weighted - value * end_sum) / gate_sum;
  }
};

// Of a trend: the share of the amount at a time, with derivatives.
struct Slope {
  double value = 0.0;
  double by_start = 0.0;
  double by_end = 0.0;

  Slope(const Edit& edit, double t) {
    const double length = std::max(edit.end - edit.start, kShortestTrend);
    const bool follows_end = edit.end - edit.start > kShortestTrend;
    value = std::clamp((t - edit.start) / length, 0.0, 1.0);
    if (value <= 0.0 || value >= 1.0) return;
    by_start = (-1.0 + (follows_end ? value : 0.0)) / length;
    by_end = follows_end ? -value / length : 0.0;
  }
};

double turn_of(const Edit& edit, double t) {
  return 2.0 * std::numbers::pi * t / edit.period + edit.phase;
}

// Where frequency and delay read, with derivatives of that time.
struct ReadTime {
  double value = 0.0;
  double by_amount = 0.0;
  double by_start = 0.0;
  double by_end = 0.0;

  ReadTime(const Edit& edit, const Gate& gate, std::size_t i) {
    const double t = time_of(i);
    if (edit.kind == EditKind::kDelay) {
      value = t - edit.amount * gate.value[i];
      by_amount = -gate.value[i];
      by_start = -edit.amount * gate.by_start[i];
      by_end = -edit.amount * gate.by_end[i];
      return;
    }
    const double k = std::expm1(edit.amount);
    const double from_middle = t - 0.5 * (edit.start + edit.end);
    value = t + k * from_middle * gate.value[i];
    by_amount = (k + 1.0) * from_middle * gate.value[i];
    by_start = k * (from_middle * gate.by_start[i] - 0.5 * gate.value[i]);
    by_end = k * (from_middle * gate.by_end[i] - 0.5 * gate.value[i]);
  }
};

// Rows x + f(a) g q with a direction q that may depend on the row: the common
// part of the backward pass. `by_amount` is f'(a), `factor` is f(a).
struct GatedTerm {
  const Gate& gate;
  double factor;
  double by_amount;

  void add(std::size_t i, double d, double direction,
           EditGradient& gradient) const {
    gradient.amount += d * by_amount * gate.value[i] * direction;
    gradient.start += d * factor * gate.by_start[i] * direction;
    gradient.end += d * factor * gate.by_end[i] * direction;
  }
};

void check_input(const Edit& edit, const RowInput& input) {
  if (input.row.size() < 2 * kMargin + 2 ||
      (edit.kind == EditKind::kCoupling &&
       input.partner.size() != input.row.size())) {
    throw InvalidArgument(
        "apply_edit: a row with its margins and, for a coupling, a partner of "
        "the same size are expected");
  }
}

// Kinds that read the row at other times.
EditGradient backward_warp(const Edit& edit, const RowInput& input,
                           const Gate& gate, std::span<const double> d_out,
                           std::span<double> d_row) {
  EditGradient gradient;
  for (std::size_t i = 0; i < d_out.size(); ++i) {
    const ReadTime read(edit, gate, i);
    const Sample sample(input.row, read.value);
    const double d = d_out[i] * sample.slope;
    gradient.amount += d * read.by_amount;
    gradient.start += d * read.by_start;
    gradient.end += d * read.by_end;
    if (!d_row.empty()) sample.spread(d_out[i], d_row);
  }
  return gradient;
}

EditGradient backward_trend(const Edit& edit, std::span<const double> d_out,
                            std::span<double> d_row) {
  EditGradient gradient;
  for (std::size_t i = 0; i < d_out.size(); ++i) {
    const Slope slope(edit, time_of(i));
    gradient.amount += d_out[i] * slope.value;
    gradient.start += d_out[i] * edit.amount * slope.by_start;
    gradient.end += d_out[i] * edit.amount * slope.by_end;
    if (!d_row.empty()) d_row[i] += d_out[i];
  }
  return gradient;
}

EditGradient backward_scale(const RowInput& input, const GatedTerm& term,
                            std::span<const double> d_out,
                            std::span<double> d_row) {
  EditGradient gradient;
  const Centre centre(input, term.gate);
  double pulled = 0.0;  // d_out on the centre
  for (std::size_t i = 0; i < d_out.size(); ++i) {
    term.add(i, d_out[i], input.row[i] - centre.value, gradient);
    const double through = d_out[i] * term.factor * term.gate.value[i];
    pulled += through;
    if (!d_row.empty()) d_row[i] += d_out[i] + through;
  }
  gradient.start -= pulled * centre.by_start;
  gradient.end -= pulled * centre.by_end;
  if (!d_row.empty() && !input.floor) {
    for (std::size_t i = 0; i < d_row.size(); ++i) {
      d_row[i] -= pulled * term.gate.value[i] / centre.gate_sum;
    }
  }
  return gradient;
}

EditGradient backward_noise(const RowInput& input, const GatedTerm& term,
                            std::span<const double> d_out,
                            std::span<double> d_row) {
  EditGradient gradient;
  const std::vector<double> means = centred_means(input.row);
  std::vector<double> through(d_out.size());
  for (std::size_t i = 0; i < d_out.size(); ++i) {
    term.add(i, d_out[i], input.row[i] - means[i], gradient);
    through[i] = d_out[i] * term.factor * term.gate.value[i];
    if (!d_row.empty()) d_row[i] += d_out[i] + through[i];
  }
  if (!d_row.empty()) subtract_spread_means(through, d_row);
  return gradient;
}

EditGradient backward_oscillation(const Edit& edit, const GatedTerm& term,
                                  std::span<const double> d_out,
                                  std::span<double> d_row) {
  EditGradient gradient;
  for (std::size_t i = 0; i < d_out.size(); ++i) {
    const double t = time_of(i);
    const double turn = turn_of(edit, t);
    term.add(i, d_out[i], std::sin(turn), gradient);
    const double swing =
        d_out[i] * term.factor * term.gate.value[i] * std::cos(turn);
    gradient.phase += swing;
    gradient.period -=
        swing * 2.0 * std::numbers::pi * t / (edit.period * edit.period);
    if (!d_row.empty()) d_row[i] += d_out[i];
  }
  return gradient;
}

// Coupling and stuck: x + a g (target - x).
EditGradient backward_pull(const Edit& edit, const RowInput& input,
                           const GatedTerm& term, std::span<const double> d_out,
                           std::span<double> d_row,
                           std::span<double> d_partner) {
  EditGradient gradient;
  const bool is_stuck = edit.kind == EditKind::kStuck;
  const Sample held(input.row, edit.start);
  const double held_value = held.value(input.row);
  double on_held = 0.0;
  for (std::size_t i = 0; i < d_out.size(); ++i) {
    const double target =
        is_stuck ? held_value : edit.partner_sign * input.partner[i];
    term.add(i, d_out[i], target - input.row[i], gradient);
    const double through = d_out[i] * term.factor * term.gate.value[i];
    on_held += through;
    if (!d_row.empty()) d_row[i] += d_out[i] - through;
    if (!is_stuck && !d_partner.empty()) {
      d_partner[i] += edit.partner_sign * through;
    }
  }
  if (is_stuck) {
    gradient.start += on_held * held.slope;
    if (!d_row.empty()) held.spread(on_held, d_row);
  }
  return gradient;
}

}  // namespace

std::vector<double> gate_of(const Edit& edit, double ramp, std::size_t size) {
  return Gate(edit, ramp, size).value;
}

void apply_edit(const Edit& edit, const RowInput& input,
                std::span<double> out) {
  check_input(edit, input);
  const std::span<const double> row = input.row;
  const double a = edit.amount;
  const Gate gate(edit, input.ramp, row.size());
  const auto fill = [&](const auto& change) {
    for (std::size_t i = 0; i < row.size(); ++i) out[i] = row[i] + change(i);
  };
  switch (edit.kind) {
    case EditKind::kLevel:
      return fill([&](std::size_t i) { return a * gate.value[i]; });
    case EditKind::kTrend:
      return fill(
          [&](std::size_t i) { return a * Slope(edit, time_of(i)).value; });
    case EditKind::kScale: {
      const double centre = Centre(input, gate).value;
      return fill([&](std::size_t i) {
        return std::expm1(a) * gate.value[i] * (row[i] - centre);
      });
    }
    case EditKind::kNoise: {
      const std::vector<double> means = centred_means(row);
      return fill([&](std::size_t i) {
        return std::expm1(a) * gate.value[i] * (row[i] - means[i]);
      });
    }
    case EditKind::kDelay:
    case EditKind::kFrequency:
      for (std::size_t i = 0; i < row.size(); ++i) {
        const Sample sample(row, ReadTime(edit, gate, i).value);
        out[i] = input.takes_nearest ? sample.nearest(row) : sample.value(row);
      }
      return;
    case EditKind::kCoupling:
      return fill([&](std::size_t i) {
        return a * gate.value[i] *
               (edit.partner_sign * input.partner[i] - row[i]);
      });
    case EditKind::kOscillation:
      return fill([&](std::size_t i) {
        return a * gate.value[i] * std::sin(turn_of(edit, time_of(i)));
      });
    case EditKind::kStuck: {
      const double held = Sample(row, edit.start).value(row);
      return fill(
          [&](std::size_t i) { return a * gate.value[i] * (held - row[i]); });
    }
  }
}

EditGradient backward_edit(const Edit& edit, const RowInput& input,
                           std::span<const double> d_out,
                           std::span<double> d_row,
                           std::span<double> d_partner) {
  check_input(edit, input);
  const double a = edit.amount;
  const Gate gate(edit, input.ramp, input.row.size());
  const GatedTerm plain{gate, a, 1.0};
  const GatedTerm grown{gate, std::expm1(a), std::exp(a)};
  switch (edit.kind) {
    case EditKind::kLevel: {
      EditGradient gradient;
      for (std::size_t i = 0; i < d_out.size(); ++i) {
        plain.add(i, d_out[i], 1.0, gradient);
        if (!d_row.empty()) d_row[i] += d_out[i];
      }
      return gradient;
    }
    case EditKind::kTrend:
      return backward_trend(edit, d_out, d_row);
    case EditKind::kScale:
      return backward_scale(input, grown, d_out, d_row);
    case EditKind::kNoise:
      return backward_noise(input, grown, d_out, d_row);
    case EditKind::kDelay:
    case EditKind::kFrequency:
      return backward_warp(edit, input, gate, d_out, d_row);
    case EditKind::kOscillation:
      return backward_oscillation(edit, plain, d_out, d_row);
    case EditKind::kCoupling:
    case EditKind::kStuck:
      return backward_pull(edit, input, plain, d_out, d_row, d_partner);
  }
  return {};
}

}  // namespace sbog::series
