// SPDX-License-Identifier: Apache-2.0
// Certificates of the outliers of one class while their run is written.
#pragma once

#include <cstddef>
#include <vector>

#include "run_folder.h"
#include "sbog/base/matrix.h"
#include "sbog/certify/certify_outliers.h"
#include "sbog/sample/sampler.h"

namespace sbog::cli {

/// The two halves of one class, ready to judge its outliers.
template <typename T>
class ClassCertifier {
 public:
  /// No certificates: `certify` gives nothing.
  ClassCertifier() = default;
  /// `options` are the sampler's, `classes` how many share delta.
  ClassCertifier(MatrixView<const T> bank, const ClassHalves& halves,
                 const SamplerOptions& options, std::size_t classes);

  /// One entry per outlier of the piece, or none.
  std::vector<OutlierVerdict> certify(const RunPart<T>& part,
                                      const Context& context) const;

 private:
  Matrix<T> reference_;
  Matrix<T> calibration_;
  CertifyOptions options_;
};

/// Proposals that a sampler could make at most, over all classes: given the
/// anchors they are fixed before the reference has a say.
double proposal_pool(const SamplerOptions& options, std::size_t classes);

}  // namespace sbog::cli
