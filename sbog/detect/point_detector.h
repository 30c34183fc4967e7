// SPDX-License-Identifier: Apache-2.0
// A detector of unusual points: one score, or the mean of several that are each
// put to mean 0 and deviation 1 on held-out rows of the bank; a threshold and
// p-values from the scores of these rows (split conformal); and what stands
// behind a verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/detect/gaussians.h"
#include "sbog/detect/labelled_bank.h"
#include "sbog/detect/linear_head.h"
#include "sbog/detect/point_scores.h"

namespace sbog::detect {

/// How a detector is trained.
struct PointDetectorOptions {
  /// One score; several: the mean of them, each standardised.
  std::vector<PointScore> scores = {PointScore::kHead, PointScore::kRmd,
                                    PointScore::kMean};
  PointScoreOptions score;
  HeadOptions head;
  double shrinkage = 0.01;  ///< of the covariances of rmd, in (0, 1]
  double level = 0.95;      ///< share of usual rows below the threshold
  double held_out = 0.2;    ///< share of each class behind the threshold
  std::uint64_t seed = 0;
};

/// Throws InvalidArgument for numbers out of range and for no, or repeated,
/// scores.
void check_point_detector(const PointDetectorOptions& options);

/// Mean and deviation of a score on held-out rows.
struct ScoreUnit {
  double centre = 0.0;
  double unit = 1.0;
};

/// Everything a detector knows; what its file holds.
struct PointDetectorState {
  PointDetectorOptions options;
  LabelledBank bank;                   ///< rows that were not held out
  std::vector<std::size_t> bank_rows;  ///< their rows in the training file
  std::size_t trained_rows = 0;        ///< of the training file
  std::optional<ClassGaussians> gaussians;
  std::optional<LinearHead> exposed_head;
  std::optional<LinearHead> plain_head;
  std::vector<double> epsilons;          ///< of soe; see soe_epsilons
  std::vector<ScoreUnit> units;          ///< one per score
  std::vector<double> held_out_scores;   ///< increasing
  std::vector<std::string> class_names;  ///< one per class; or none
  std::vector<std::string> items;        ///< one per bank row; or none
};

/// What a detector says about rows.
struct PointVerdicts {
  std::vector<double> scores;
  std::vector<double> p_values;      ///< share of held-out rows as unusual
  std::vector<std::size_t> classes;  ///< nearest class by the tied Gaussians
  Matrix<double>
      parts;  ///< rows x scores, standardised where there are several
};

/// A feature and its share in how far a point is from its class.
struct FeatureShare {
  std::size_t feature = 0;  ///< column of the bank
  double share = 0.0;       ///< of the squared Mahalanobis distance
};

/// Bank rows near a point.
struct NearBankRows {
  Matrix<std::size_t> rows;  ///< of the detector's bank, nearest first
  Matrix<double> cosines;
};

/// See the top of the file.
class PointDetector {
 public:
  /// Throws InvalidArgument for a state whose parts do not fit together.
  explicit PointDetector(PointDetectorState state);

  const PointDetectorState& state() const { return state_; }
  /// Names of the classes and items of the bank rows; either may be empty.
  /// Throws InvalidArgument for another number of them.
  void set_words(std::vector<std::string> class_names,
                 std::vector<std::string> items);
  std::size_t dim() const { return state_.bank.dim(); }
  /// Scores above are unusual: the conformal order statistic of the held-out
  /// scores, +inf when there are too few of them for the level.
  double threshold(double level) const;

  /// Verdicts on unit rows; nullopt when the observer asked to stop. Throws
  /// InvalidArgument for another number of dimensions.
  std::optional<PointVerdicts> judge(MatrixView<const float> points,
                                     const Context& context = {}) const;

  /// The nearest rows of the bank by cosine, at most `count` of them; nullopt
  /// when the observer asked to stop.
  std::optional<NearBankRows> nearest(MatrixView<const float> points,
                                      std::size_t count,
                                      const Context& context = {}) const;

  /// The features that make a point far from a class, largest share first.
  std::vector<FeatureShare> carriers(std::span<const float> point,
                                     std::size_t cls, std::size_t count) const;

  /// The name of a class, or its label as text.
  std::string class_name(std::size_t cls) const;

 private:
  PointDetectorState state_;
};

/// Trains on a bank; nullopt when the observer asked to stop. The threshold
/// comes from `calibration`, unit rows that nothing else was learnt from, or,
/// when that is empty, from rows of the bank that are held out. A head learns
/// from `outliers`, if given, in place of those that `options.head` describes.
/// Throws InvalidArgument for options out of range, a head without two classes,
/// and where no row can be held out.
std::optional<PointDetector> train_point_detector(
    const LabelledBank& bank, MatrixView<const float> calibration,
    const PointDetectorOptions& options, const Context& context = {},
    const OutlierSource& outliers = {});

}  // namespace sbog::detect
