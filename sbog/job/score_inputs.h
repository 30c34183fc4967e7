// SPDX-License-Identifier: Apache-2.0
// The points that the job `score` works on, centred where asked.
#pragma once

#include <optional>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/data/array.h"
#include "sbog/job/bank_rows.h"
#include "sbog/job/score.h"

namespace sbog::job {

/// Everything in memory but labels.
template <typename T>
class ScoreInputs {
 public:
  /// Loads the files. Throws IoError, InvalidArgument.
  explicit ScoreInputs(const ScoreOptions& options);

  MatrixView<const T> bank() const;
  /// What there is to say about the bank.
  const BankRemarks& remarks() const { return remarks_; }
  /// Empty: the bank scores itself.
  MatrixView<const T> queries() const;
  const std::vector<double>& weights() const { return weights_; }
  /// The cost and its matrix; epsilon is not set.
  EnergyOptions energy() const;

  /// Mean cosine of two bank points as they were given; cosine costs only.
  std::optional<double> mean_cosine() const { return mean_cosine_; }
  /// Whether centring is likely to help: signed features in a narrow cone.
  bool is_narrow_cone() const { return is_narrow_cone_; }

 private:
  void look_at_cone(bool is_centred);

  GroundCost cost_;
  LoadedMatrix<double> metric_;
  LoadedMatrix<T> bank_;
  BankRemarks remarks_;
  LoadedMatrix<T> queries_;
  Matrix<T> centred_bank_;
  Matrix<T> centred_queries_;
  std::vector<double> weights_;
  std::optional<double> mean_cosine_;
  bool is_narrow_cone_ = false;
};

}  // namespace sbog::job
