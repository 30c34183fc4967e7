// SPDX-License-Identifier: Apache-2.0
// Training out of fold, scoring, threshold; see detector.h.
#include "sbog/series/detector.h"

#include <algorithm>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/data/check_finite.h"
#include "sbog/energy/threshold.h"
#include "sbog/series/smoothing.h"

namespace sbog {
namespace {

constexpr std::size_t kFolds = 4;
constexpr std::size_t kLongestGap = 100;

std::vector<std::size_t> rows_outside(std::size_t n, RowRange hole) {
  std::vector<std::size_t> rows;
  for (std::size_t t = 0; t < n; ++t) {
    if (t < hole.first || t >= hole.end) rows.push_back(t);
  }
  return rows;
}

BankOptions bank_options(const DetectorOptions& options) {
  return {options.joint_rows, options.line_rows,
          options.kind != DetectorKind::kChannel};
}

SignalEnergies empty_energies(std::size_t rows, std::size_t channels,
                              bool has_joint) {
  SignalEnergies energies;
  energies.joint = Matrix<double>(has_joint ? rows : 0, kSignalCount);
  for (auto& lines : energies.lines) lines = Matrix<float>(rows, channels);
  return energies;
}

void place(const SignalEnergies& part, std::size_t first, SignalEnergies& all) {
  std::copy_n(part.joint.data(), part.joint.size(),
              all.joint.data() + first * kSignalCount);
  for (std::size_t s = 0; s < kSignalCount; ++s) {
    std::copy_n(part.lines[s].data(), part.lines[s].size(),
                all.lines[s].row(first).data());
  }
}

// Energies of every training row against the rows of the other folds. Level and
// variability are those of `signals`; residuals are made anew for each fold.
SignalEnergies held_out_energies(MatrixView<const float> rows,
                                 SignalSet signals, std::span<const Fold> folds,
                                 std::span<const Autoregression> fits,
                                 const DetectorOptions& options,
                                 const Context& context) {
  const BankOptions bank = bank_options(options);
  SignalEnergies energies =
      empty_energies(rows.rows(), rows.cols(), bank.needs_joint);
  for (std::size_t k = 0; k < folds.size(); ++k) {
    signals[1] = fits[1 + k].residuals(rows);
    const ViewBank others(signals, rows_outside(rows.rows(), folds[k].hole),
                          bank, context);
    place(others.evaluate(signals, folds[k].held_out, context),
          folds[k].held_out.first, energies);
  }
  return energies;
}

ViewBank make_bank(const DetectorState& state, const Context& context) {
  const SignalSet signals =
      make_signals(state.rows, state.autoregression, state.options.side());
  return {signals, all_rows(state.rows.rows()), bank_options(state.options),
          context};
}

void check_state(const DetectorState& state) {
  check_detector_options(state.options);
  const std::size_t channels = state.channels.size();
  const bool fits = channels > 0 && state.rows.rows() > 0 &&
                    state.rows.cols() == channels &&
                    state.scaling.medians.size() == channels &&
                    state.scaling.units.size() == channels &&
                    state.autoregression.channel_count() == channels &&
                    state.channel_units.medians.cols() == channels &&
                    state.channel_units.units.cols() == channels &&
                    state.held_out.rows() == state.rows.rows() &&
                    state.held_out.cols() == view_count(state.options.kind);
  if (!fits) {
    throw InvalidArgument("detector: the parts of its state do not fit");
  }
}

DetectorState checked(DetectorState state) {
  check_state(state);
  return state;
}

}  // namespace

std::vector<Fold> cut_folds(std::size_t rows) {
  const std::size_t gap = std::min(kLongestGap, rows / 20);
  std::vector<Fold> folds;
  for (std::size_t k = 0; k < kFolds; ++k) {
    const RowRange part{k * rows / kFolds, (k + 1) * rows / kFolds};
    folds.push_back({part,
                     {part.first - std::min(gap, part.first),
                      std::min(part.end + gap, rows)}});
  }
  return folds;
}

Detector::Detector(DetectorState state, const Context& context)
    : state_(checked(std::move(state))),
      bank_(make_bank(state_, context)),
      view_units_(fit_view_units(state_.held_out)) {}

Detector::Detector(DetectorState state, ViewBank bank)
    : state_(checked(std::move(state))),
      bank_(std::move(bank)),
      view_units_(fit_view_units(state_.held_out)) {}

double Detector::threshold_in(const ViewUnits& units, double level) const {
  const std::vector<double> scores = smooth(
      row_sums(view_parts(state_.held_out, units)), state_.options.side());
  ThresholdOptions options;
  options.rule = ThresholdRule::kConformal;
  options.level = level;
  return calibrate_threshold(scores, options).value;
}

double Detector::threshold(double level) const {
  return threshold_in(view_units_, level);
}

void Detector::set_level(double level) {
  DetectorOptions options = state_.options;
  options.level = level;
  check_detector_options(options);
  state_.options = options;
}

SignalSet Detector::signals(MatrixView<const double> values) const {
  if (values.rows() == 0) throw InvalidArgument("series: rows are expected");
  check_finite(values, "series");
  return make_signals(state_.scaling.apply(values), state_.autoregression,
                      state_.options.side());
}

Matrix<double> Detector::views(const SignalSet& signals, RowRange range,
                               const Context& context) const {
  return view_values(state_.options.kind,
                     bank_.evaluate(signals, range, {context.pool, nullptr}),
                     state_.channel_units);
}

DetectorScores Detector::score(MatrixView<const double> values,
                               const Context& context) const {
  const SignalSet seen = signals(values);
  const Matrix<double> found = views(seen, {0, values.rows()}, context);
  const bool is_batch = state_.options.kind == DetectorKind::kViewsBatch;
  const ViewUnits units =
      is_batch ? fit_batch_units(state_.held_out, found) : view_units_;
  DetectorScores result;
  result.parts = view_parts(found, units);
  result.scores = smooth(row_sums(result.parts), state_.options.side());
  result.threshold = threshold_in(units, state_.options.level);
  result.flagged_share = share_above(result.scores, result.threshold);
  return result;
}

Detector train_detector(const Series& train, const DetectorOptions& options,
                        const Context& context) {
  check_detector_options(options);
  if (train.rows() < kFewestTrainingRows) {
    throw InvalidArgument(
        "training series: at least " + std::to_string(kFewestTrainingRows) +
        " rows are expected, got " + std::to_string(train.rows()));
  }
  check_finite(train.values.view(), train.name);
  const Context pool{context.pool, nullptr};
  DetectorState state;
  state.options = options;
  state.channels = train.channels;
  state.scaling = fit_scaling(train.values);
  state.rows = state.scaling.apply(train.values);
  const std::vector<Fold> folds = cut_folds(train.rows());
  std::vector<RowRange> holes;
  holes.reserve(folds.size());
  for (const Fold& fold : folds) holes.push_back(fold.hole);
  std::vector<Autoregression> fits = fit_autoregressions(state.rows, holes);
  SignalSet signals = make_signals(state.rows, fits[0], options.side());
  ViewBank bank(signals, all_rows(train.rows()), bank_options(options), pool);
  const SignalEnergies energies = held_out_energies(
      state.rows, std::move(signals), folds, fits, options, pool);
  state.channel_units = fit_channel_units(energies);
  state.held_out = view_values(options.kind, energies, state.channel_units);
  state.autoregression = std::move(fits[0]);
  return {std::move(state), std::move(bank)};
}

}  // namespace sbog
