// SPDX-License-Identifier: Apache-2.0
// What `sbog score` says about a finished job, to people and to machines.
#pragma once

#include <cstddef>
#include <string>

#include "console.h"
#include "sbog/energy/score_bank.h"
#include "score_options.h"

namespace sbog::cli {

/// Facts about the job besides its result.
struct ScoreFacts {
  std::size_t bank_rows = 0;
  std::size_t dim = 0;
  std::size_t query_rows = 0;
  std::size_t threads = 1;
  double seconds = 0.0;
};

/// Prints the result to standard output, as a table or as JSON, and warnings
/// to the console.
void report_score(const ScoreArguments& arguments, const ScoreFacts& facts,
                  const ScoreResult& result, const CommonOptions& common);

}  // namespace sbog::cli
