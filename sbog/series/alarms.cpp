// SPDX-License-Identifier: Apache-2.0
// Runs above a threshold and the split of a score; see alarms.h.
#include "sbog/series/alarms.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/series/smoothing.h"

namespace sbog {
namespace {

constexpr std::size_t kJointRows = 16;

void normalise(std::vector<double>& shares) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) {
    share =
        total > 0.0 ? share / total : 1.0 / static_cast<double>(shares.size());
  }
}

// How one view per channel is split at one row.
std::vector<double> line_split(DetectorKind kind,
                               std::span<const float> energies,
                               std::span<const double> medians,
                               std::span<const double> units) {
  std::vector<double> shares(energies.size());
  double total = 0.0;
  for (std::size_t c = 0; c < shares.size(); ++c) {
    const double above = std::max(energies[c] - medians[c], 0.0);
    const double z = above / units[c];
    shares[c] = kind == DetectorKind::kChannel ? z * z : above;
    total += shares[c];
  }
  // The sum may lie above its centre though no channel lies above its own.
  if (!(total > 0.0)) shares.assign(energies.begin(), energies.end());
  normalise(shares);
  return shares;
}

}  // namespace

std::vector<Alarm> find_alarms(std::span<const double> scores,
                               std::span<const double> thresholds,
                               std::size_t gap) {
  if (scores.size() != thresholds.size()) {
    throw InvalidArgument("find_alarms: one threshold per score is expected (" +
                          std::to_string(scores.size()) + "), got " +
                          std::to_string(thresholds.size()));
  }
  std::vector<Alarm> alarms;
  for (std::size_t t = 0; t < scores.size(); ++t) {
    if (!(scores[t] > thresholds[t])) continue;
    if (alarms.empty() || t > alarms.back().end + gap) {
      alarms.push_back({t, t + 1, t, scores[t]});
      continue;
    }
    Alarm& alarm = alarms.back();
    alarm.end = t + 1;
    if (scores[t] > alarm.score) {
      alarm.peak = t;
      alarm.score = scores[t];
    }
  }
  return alarms;
}

std::vector<double> Explanation::views() const {
  std::vector<double> sums(shares.rows());
  for (std::size_t v = 0; v < shares.rows(); ++v) {
    for (const double share : shares.row(v)) sums[v] += share;
  }
  return sums;
}

std::vector<double> Explanation::channels() const {
  std::vector<double> sums(shares.cols());
  for (std::size_t v = 0; v < shares.rows(); ++v) {
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += shares(v, c);
  }
  return sums;
}

Explainer::Explainer(const Detector& detector, MatrixView<const double> values,
                     const DetectorScores& scores)
    : detector_(&detector),
      scores_(&scores),
      signals_(detector.signals(values)) {
  if (scores.scores.size() != values.rows() ||
      scores.parts.rows() != values.rows()) {
    throw InvalidArgument("Explainer: one score per row is expected (" +
                          std::to_string(values.rows()) + "), got " +
                          std::to_string(scores.scores.size()));
  }
}

std::vector<double> Explainer::joint_split(std::size_t view,
                                           std::span<const double> amounts,
                                           std::size_t first) const {
  const DetectorKind kind = detector_->options().kind;
  const Signal signal = view_signal(kind, view);
  const Matrix<float>& rows = signals_[static_cast<std::size_t>(signal)];
  std::vector<std::size_t> order(amounts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(kJointRows, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
      order.end(), [&](std::size_t a, std::size_t b) {
        return amounts[a] != amounts[b] ? amounts[a] > amounts[b] : a < b;
      });
  std::vector<double> split(rows.cols());
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = order[k];
    if (!(amounts[i] > 0.0)) break;
    const std::vector<double> shares =
        detector_->bank().joint(signal)->channel_shares(rows.row(first + i));
    for (std::size_t c = 0; c < split.size(); ++c) {
      split[c] += amounts[i] * shares[c];
    }
  }
  normalise(split);
  return split;
}

Explanation Explainer::explain(std::size_t t) const {
  if (t >= scores_->scores.size()) {
    throw InvalidArgument("Explainer: a row below " +
                          std::to_string(scores_->scores.size()) +
                          " is expected, got " + std::to_string(t));
  }
  const DetectorOptions& options = detector_->options();
  const std::vector<RowWeight> weights =
      smoothing_weights(t, scores_->scores.size(), options.side());
  const std::size_t first = weights.front().row;
  const SignalEnergies energies =
      detector_->bank().evaluate(signals_, {first, weights.back().row + 1});
  const ChannelUnits& units = detector_->state().channel_units;
  const std::size_t views = view_count(options.kind);
  Explanation result;
  result.score = scores_->scores[t];
  result.shares = Matrix<double>(views, detector_->channel_count());
  std::vector<double> amounts(weights.size());
  for (std::size_t v = 0; v < views; ++v) {
    double total = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      amounts[i] = weights[i].weight * scores_->parts(first + i, v);
      total += amounts[i];
    }
    if (!(total > 0.0)) continue;
    const std::span<double> out = result.shares.row(v);
    if (is_joint_view(options.kind, v)) {
      const std::vector<double> split = joint_split(v, amounts, first);
      for (std::size_t c = 0; c < out.size(); ++c) out[c] = total * split[c];
      continue;
    }
    const auto s = static_cast<std::size_t>(view_signal(options.kind, v));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!(amounts[i] > 0.0)) continue;
      const std::vector<double> split =
          line_split(options.kind, energies.lines[s].row(i),
                     units.medians.row(s), units.units.row(s));
      for (std::size_t c = 0; c < out.size(); ++c) {
        out[c] += amounts[i] * split[c];
      }
    }
  }
  return result;
}

}  // namespace sbog
