// SPDX-License-Identifier: Apache-2.0
// See class_certifier.h.
#include "sbog/job/class_certifier.h"

#include <algorithm>
#include <utility>

#include "sbog/base/copy_rows.h"

namespace sbog::job {

double proposal_pool(const SamplerOptions& options, std::size_t classes) {
  return static_cast<double>(options.count) *
         static_cast<double>(options.max_rounds) *
         static_cast<double>(options.proposal_count) *
         static_cast<double>(classes);
}

template <typename T>
ClassCertifier<T>::ClassCertifier(MatrixView<const T> bank,
                                  const ClassHalves& halves,
                                  const SamplerOptions& options,
                                  std::size_t classes)
    : reference_(copy_rows<T>(bank, halves.reference)),
      calibration_(copy_rows<T>(bank, halves.calibration)) {
  options_.energy = options.energy;
  options_.level = options.quantile;
  options_.pool = proposal_pool(options, classes);
  // A trimmed reference was chosen by itself: nothing is certified then.
  options_.is_independent = options.trim == 0.0;
}

template <typename T>
std::vector<OutlierVerdict> ClassCertifier<T>::certify(
    std::span<const Output<T>> outputs, const Context& context) const {
  if (reference_.rows() == 0 || outputs.empty()) return {};
  Matrix<T> outliers(outputs.size(), reference_.cols());
  for (std::size_t i = 0; i < outliers.rows(); ++i) {
    std::copy(outputs[i].point.begin(), outputs[i].point.end(),
              outliers.row(i).begin());
  }
  CertifyProblem<T> problem;
  problem.reference = reference_.view();
  problem.calibration = calibration_.view();
  problem.outliers = std::as_const(outliers).view();
  std::vector<OutlierVerdict> verdicts;
  for (const OutlierCertificate& outlier :
       certify_outliers(problem, options_, context).outliers) {
    verdicts.push_back({outlier.p_value,
                        options_.is_independent &&
                            outlier.label == DecisionLabel::kCertifiedAccept});
  }
  return verdicts;
}

template class ClassCertifier<float>;
template class ClassCertifier<double>;

}  // namespace sbog::job
