// SPDX-License-Identifier: Apache-2.0
// Verdicts of a detector of unusual points: the part of the job `detect score`
// that is about points.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/detect/point_detector.h"
#include "sbog/job/events.h"

namespace sbog::job {

/// The whole of a scoring.
struct PointScoreOptions {
  std::string model;
  std::string data;
  std::vector<std::string> columns;  ///< of a table; empty: all
  std::string labels;                ///< class of each row; empty: not known
  std::string out;                   ///< .npy, or .csv; empty: not written
  std::string items;    ///< a line per row of the training file; empty: those
                        ///< of the model
  std::string outside;  ///< rows of something else; empty: none
  std::optional<double> level;  ///< in (0, 1); that of the model
  std::size_t top = 20;         ///< verdicts to list for people
};

/// A bank row near a scored one.
struct NearItem {
  std::size_t row = 0;  ///< in the training file
  double cosine = 0.0;
  std::string class_name;
  std::string item;  ///< empty: not known
};

/// What is said about one row.
struct PointVerdict {
  std::size_t row = 0;
  double score = 0.0;
  double p_value = 0.0;
  bool is_unusual = false;
  std::string class_name;      ///< which class it would be taken for
  std::vector<NearItem> near;  ///< three of the bank, nearest first
  std::vector<double> parts;   ///< of a sum: its standardised scores
  std::vector<detect::FeatureShare> carriers;  ///< of unusual rows, three
};

/// How well rows of something else are told apart.
struct OutsidePoints {
  std::size_t rows = 0;
  double unusual_share = 0.0;
  double fpr95 = 0.0;
  double auroc = 0.0;
};

/// What came of a scoring.
struct PointScoreResult {
  Status status = Status::kDone;
  PointScoreOptions options;
  std::vector<std::string> scores;  ///< one, or those of the sum
  double level = 0.0;
  double threshold = 0.0;  ///< +inf: too few held-out rows for the level
  std::size_t held_out = 0;
  std::vector<PointVerdict> verdicts;  ///< one per row
  std::size_t unusual = 0;
  std::optional<double> accuracy;  ///< of the classes, where they are known
  std::optional<OutsidePoints> outside;

  /// Rows above the threshold, most unusual first.
  std::vector<std::size_t> unusual_rows() const;
};

/// Scores rows and writes what is asked for. Throws InvalidArgument, IoError.
PointScoreResult score_rows_of(const PointScoreOptions& options, Events& events,
                               const Context& context = {});
/// With every verdict on an unusual row, most unusual first.
nlohmann::ordered_json to_json(const PointScoreResult& result);

}  // namespace sbog::job
