// SPDX-License-Identifier: Apache-2.0
// The report at the end of `sbog generate`, for commands that still parse their
// own arguments.
#pragma once

#include "console.h"
#include "generate_options.h"
#include "sbog/base/thread_pool.h"
#include "sbog/job/generate.h"
#include "session.h"

namespace sbog::cli {

inline void end_with_report(const GenerateArguments& arguments,
                            const CommonOptions& common) {
  job::GenerateOptions options;
  options.out = arguments.out;
  options.no_report = arguments.skips_report || is_interrupted();
  ConsoleEvents events(common.is_quiet);
  ThreadPool pool(common.threads);
  job::end_with_report(options, events, {&pool, nullptr});
}

}  // namespace sbog::cli
