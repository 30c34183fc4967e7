// SPDX-License-Identifier: Apache-2.0
// Seeking failures in the feasible set of a run, for the job `stress`.
#pragma once

#include <optional>

#include "sbog/base/progress.h"
#include "sbog/job/stress.h"
#include "sbog/sample/sampler.h"

namespace sbog::job {

/// Throws InvalidArgument for options with which nothing can be sought.
void check_seek(const StressOptions& options);
void check_seek(const StressOptions& options, const FinishedRun& run);

/// What the cases were drawn from. Views only.
struct SeekPlace {
  SampleProblem<float> problem;
  SamplerOptions sampler;
  double epsilon = 0.0;  ///< in force
};

/// Seeks; nothing when stopped. `outcomes` say what a failure is.
std::optional<StressSeek> seek_at(const SeekPlace& place,
                                  const StressOptions& options,
                                  const StressModel& model,
                                  const stress::Outcomes& outcomes,
                                  Events& events, const Context& context);

/// Seeks, and writes sought.npy and sought.csv to the run.
std::optional<StressSeek> seek_in_run(const FinishedRun& run,
                                      const StressOptions& options,
                                      const StressModel& model,
                                      const stress::Outcomes& outcomes,
                                      Events& events, const Context& context);

}  // namespace sbog::job
