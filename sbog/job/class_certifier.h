// SPDX-License-Identifier: Apache-2.0
// Certificates of the outliers of one class while their run is written.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/certify/certify_outliers.h"
#include "sbog/run/run_folder.h"
#include "sbog/sample/output.h"
#include "sbog/sample/sampler.h"

namespace sbog::job {

/// The two halves of one class, ready to judge its outliers.
template <typename T>
class ClassCertifier {
 public:
  /// No certificates: `certify` gives nothing.
  ClassCertifier() = default;
  /// `options` are the sampler's, `classes` how many share delta.
  ClassCertifier(MatrixView<const T> bank, const ClassHalves& halves,
                 const SamplerOptions& options, std::size_t classes);

  /// One entry per output, all of them accepted, or none.
  std::vector<OutlierVerdict> certify(std::span<const Output<T>> outputs,
                                      const Context& context) const;

 private:
  Matrix<T> reference_;
  Matrix<T> calibration_;
  sbog::CertifyOptions options_;
};

/// Proposals that a sampler could make at most, over all classes: given the
/// anchors they are fixed before the reference has a say.
double proposal_pool(const SamplerOptions& options, std::size_t classes);

}  // namespace sbog::job
