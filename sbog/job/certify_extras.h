// SPDX-License-Identifier: Apache-2.0
// Beside a certificate: what the paper's theorems and ours say about the same
// numbers, and diagnostics that sample again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/certify/certificate.h"
#include "sbog/certify/coverage_plan.h"
#include "sbog/certify/knn_bound.h"
#include "sbog/certify/required_count.h"
#include "sbog/certify/uniform_bound.h"
#include "sbog/job/certify_inputs.h"

namespace sbog::job {

/// Reference points after which decisions agree with the population's.
struct RequiredReference {
  PoolSetting setting;  ///< margin: the median of the accepted outliers
  RequiredCounts counts;
  HoeffdingBound hoeffding;  ///< at the present reference
};

/// Theorem C.1 at the outlier in the middle of the energies.
struct KnnTheorem {
  std::size_t neighbours = 0;
  double radius = 0.0;
  BallMassFit fit;
  KnnBound bound;
};

/// What theorems say; each says "vacuous" with the reason where it is.
struct CertifyCalculators {
  std::optional<RequiredReference> required;  ///< none without a margin
  std::optional<KnnTheorem> knn;              ///< none for too few points
  UniformBound uniform;
};

/// How much outputs change with the sample, over all classes.
struct BootstrapSummary {
  std::size_t replicates = 0;
  double mean_change = 0.0;
  double high_change = 0.0;
  double anchor_overlap = 0.0;
};

/// How many outliers it takes until every anchor has given one.
struct ClassCoverage {
  std::int64_t label = 0;
  std::size_t anchors = 0;
  std::uint64_t outliers = 0;
  CoveragePlan plan;
};

/// What sampling again says.
struct CertifyDiagnostics {
  std::optional<double> flip_rate_256;
  std::optional<BootstrapSummary> bootstrap;
  std::vector<ClassCoverage> coverage;
};

template <typename T>
CertifyCalculators certify_calculators(const CertifyInputs<T>& inputs,
                                       const Certificate& certificate,
                                       const Context& context);

/// `replicates` 0: no bootstrap.
template <typename T>
CertifyDiagnostics certify_diagnostics(const CertifyInputs<T>& inputs,
                                       std::size_t replicates,
                                       const Context& context);

nlohmann::ordered_json to_json(const CertifyCalculators& calculators);
nlohmann::ordered_json to_json(const CertifyDiagnostics& diagnostics);

}  // namespace sbog::job
