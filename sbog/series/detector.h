// SPDX-License-Identifier: Apache-2.0
// An anomaly detector for multivariate series, trained without labels on a
// series that is taken to be normal.
//
// Every row is looked at in several views: energies of its level, of the
// residual of an autoregression and of its variability against the training
// rows. Each view is put into units of what it does on held-out parts of the
// training series; the mean of the views, smoothed over several widths, is the
// score. The threshold is a conformal quantile of the same score on the
// held-out parts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/series/autoregression.h"
#include "sbog/series/calibration.h"
#include "sbog/series/channel_scaling.h"
#include "sbog/series/detector_options.h"
#include "sbog/series/series.h"
#include "sbog/series/view_bank.h"

namespace sbog {

/// What training learns; everything else follows from it.
struct DetectorState {
  DetectorOptions options;
  std::vector<std::string> channels;  ///< names
  ChannelScaling scaling;
  Matrix<float> rows;  ///< the scaled training series
  Autoregression autoregression;
  ChannelUnits channel_units;
  /// Values of the views on held-out parts, training rows x views.
  Matrix<double> held_out;
};

/// Scores of a series.
struct DetectorScores {
  std::vector<double> scores;  ///< one per row, >= 0, larger is more anomalous
  double threshold = 0.0;      ///< +inf when training was too short for it
  /// What each view adds to a row's score before smoothing, rows x views.
  Matrix<double> parts;
  /// Share of rows with a score above the threshold.
  double flagged_share = 0.0;
};

/// A trained detector.
class Detector {
 public:
  /// Prepares the banks. Throws InvalidArgument when parts do not fit.
  explicit Detector(DetectorState state, const Context& context = {});

  const DetectorState& state() const { return state_; }
  const DetectorOptions& options() const { return state_.options; }
  std::size_t channel_count() const { return state_.channels.size(); }
  const ViewBank& bank() const { return bank_; }
  /// Centre and unit of each view, from the training series.
  const ViewUnits& view_units() const { return view_units_; }
  /// The threshold at a level, in units of the training series (which
  /// kViewsBatch replaces when it scores).
  double threshold(double level) const;
  /// Scores with another level than that of training; throws InvalidArgument
  /// unless it lies in (0, 1).
  void set_level(double level);

  /// Scores every row. Throws InvalidArgument for another number of channels,
  /// for no rows and for values that are not finite.
  DetectorScores score(MatrixView<const double> values,
                       const Context& context = {}) const;

  /// The signals of a series, as score() sees them.
  SignalSet signals(MatrixView<const double> values) const;
  /// The views of some rows of signals.
  Matrix<double> views(const SignalSet& signals, RowRange range,
                       const Context& context = {}) const;

 private:
  friend Detector train_detector(const Series& train,
                                 const DetectorOptions& options,
                                 const Context& context);
  // With the bank of the state's own rows, which training has at hand.
  Detector(DetectorState state, ViewBank bank);

  double threshold_in(const ViewUnits& units, double level) const;

  DetectorState state_;
  ViewBank bank_;
  ViewUnits view_units_;
};

/// Learns from a series without labels. Needs at least kFewestTrainingRows
/// rows; throws InvalidArgument.
Detector train_detector(const Series& train, const DetectorOptions& options,
                        const Context& context = {});

/// The parts of a series that are held out one after the other, with the rows
/// around each that are left out as well: neighbours in time are near copies.
struct Fold {
  RowRange held_out;
  RowRange hole;  ///< held_out and a gap on either side
};
std::vector<Fold> cut_folds(std::size_t rows);

}  // namespace sbog
