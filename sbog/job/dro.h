// SPDX-License-Identifier: Apache-2.0
// The job `dro`: the worst expected loss over a transport ball around the data,
// and the points that carry it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/dro/sinkhorn_dro.h"
#include "sbog/job/energy_options.h"
#include "sbog/job/events.h"

namespace sbog::job {

/// What `dro` can be told. Files are named as `load_array` takes them.
struct DroOptions {
  std::string losses;
  std::string bank;
  std::string nominal;  ///< empty: the bank
  std::string nominal_weights;
  std::vector<double> radius;  ///< one or more
  bool unnormalised = false;
  /// Weights, cost, metric, epsilon, precision. Radii are in units of the cost
  /// beyond what this epsilon adds to it, so that it is a number by default.
  EnergySettings energy;
  std::size_t cache_megabytes = 512;
  std::size_t top = 5;
  std::string out;  ///< worst-case laws as .npy; empty: not written

  DroOptions() { energy.epsilon = 0.05; }
  bool is_precomputed() const { return energy.cost == "precomputed"; }
};

const OptionTable<DroOptions>& dro_option_table();

/// A bank point with its mass in the worst case.
struct DroCarrier {
  std::size_t row = 0;
  double mass = 0.0;
  double loss = 0.0;
};

/// One radius, solved.
struct DroOutcome {
  sbog::DroResult solution;
  std::vector<DroCarrier> carriers;  ///< by falling mass, `top` of them
};

/// What came out: kNotReached when a radius did not converge.
struct DroResult {
  Status status = Status::kDone;
  DroOptions options;
  std::vector<DroOutcome> outcomes;  ///< one per radius
  double epsilon = 0.0;              ///< as given, or as found
};

/// Throws InvalidArgument for options that make no sense, IoError for files.
DroResult run(const DroOptions& options, Events& events,
              const Context& context = {});
nlohmann::ordered_json to_json(const DroResult& result);

}  // namespace sbog::job
