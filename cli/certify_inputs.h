// SPDX-License-Identifier: Apache-2.0
// What `sbog certify` judges: a run folder, a bank with outliers from
// elsewhere, or a bank with outliers that are made for the purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "console.h"
#include "energy_arguments.h"
#include "sbog/base/matrix.h"
#include "sbog/certify/certify_outliers.h"
#include "sbog/sample/sampler.h"

namespace sbog::cli {

/// The command line of `sbog certify`.
struct CertifyArguments : EnergyArguments {
  std::string target;  ///< a run folder or a bank
  std::string bank;    ///< of a run that has moved
  std::string outliers;
  std::string outlier_labels;
  double delta = 0.05;
  std::size_t count = 400;
  double sigma = 0.02;
  std::size_t replicates = 10;
  std::string out;
  std::string table;
};

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
  CertifyOptions options;
  /// For diagnostics that sample again; none for outliers from elsewhere.
  std::optional<SamplerOptions> sampler;
  std::vector<AnchorHits> hits;

  CertifyProblem<T> problem() const;
};

/// Loads and splits. Throws IoError, InvalidArgument.
template <typename T>
CertifyInputs<T> load_certify_inputs(const CertifyArguments& arguments,
                                     const CommonOptions& common,
                                     const Context& context);

/// True when the target is a folder.
bool is_run(const CertifyArguments& arguments);

}  // namespace sbog::cli
