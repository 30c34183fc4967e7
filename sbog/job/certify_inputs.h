// SPDX-License-Identifier: Apache-2.0
// What the job `certify` judges: a run folder of any kind, a bank with outliers
// from elsewhere, or a bank with outliers that are made for the purpose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/certify/certify_outliers.h"
#include "sbog/sample/sampler.h"

namespace sbog::job {

struct CertifyOptions;

/// Anchors of one class and how many outliers each gave.
struct AnchorHits {
  std::int64_t label = 0;
  std::vector<std::uint64_t> counts;
};

/// Everything in memory. Labels are empty without classes.
template <typename T>
struct CertifyInputs {
  Matrix<T> reference;
  Matrix<T> calibration;
  Matrix<T> outliers;
  std::vector<std::int64_t> reference_labels;
  std::vector<std::int64_t> calibration_labels;
  std::vector<std::int64_t> outlier_labels;
  std::vector<double> weights;  ///< of the reference; empty: uniform
  Matrix<double> metric;
  sbog::CertifyOptions options;
  /// For diagnostics that sample again; none for outliers from elsewhere.
  std::optional<SamplerOptions> sampler;
  std::vector<AnchorHits> hits;
  bool is_cancelled = false;  ///< then nothing else is to be used

  CertifyProblem<T> problem() const;
};

/// Loads and splits. Throws IoError, InvalidArgument.
template <typename T>
CertifyInputs<T> load_certify_inputs(const CertifyOptions& options,
                                     const Context& context);

/// "float" or "double": of the run, or as the options say.
std::string certify_precision(const CertifyOptions& options);

}  // namespace sbog::job
