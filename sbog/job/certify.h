// SPDX-License-Identifier: Apache-2.0
// The job `certify`: what the sample size can promise about outliers of a bank
// or of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/certify/certificate.h"
#include "sbog/job/certify_extras.h"
#include "sbog/job/energy_options.h"
#include "sbog/job/events.h"

namespace sbog::job {

/// What `certify` can be told. Files are named as `load_array` takes them. A
/// run has its own settings: of it only `bank`, `delta`, `replicates`, `out`
/// and `table` are asked.
struct CertifyOptions {
  std::string target;  ///< a run folder, or a bank
  std::string bank;    ///< where the bank of a run on points is now
  std::string outliers;
  std::string outlier_labels;
  double delta = 0.05;
  std::size_t count = 400;
  double sigma = 0.02;
  EnergySettings energy;  ///< but for self, per_class and calibration
  std::size_t replicates = 10;
  std::string out;    ///< JSON; empty: certificate.json of a run, or nowhere
  std::string table;  ///< CSV with a row per outlier; empty: not written
  std::uint64_t seed = 0;

  /// Whether the target is a folder.
  bool is_run() const;
};

const OptionTable<CertifyOptions>& certify_option_table();

/// What came out.
struct CertifyResult {
  Status status = Status::kDone;
  CertifyOptions options;
  std::string out;  ///< where the certificate was written; empty: nowhere
  Certificate certificate;
  CertifyCalculators calculators;
  CertifyDiagnostics diagnostics;
};

/// Runs of points, of series and of images alike. Throws InvalidArgument for
/// what cannot be certified, IoError for files.
CertifyResult run(const CertifyOptions& options, Events& events,
                  const Context& context = {});
/// As in certificate.json.
nlohmann::ordered_json to_json(const CertifyResult& result);

}  // namespace sbog::job
