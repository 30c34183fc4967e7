// SPDX-License-Identifier: Apache-2.0
// Results of jobs on points as text for people, on standard output.
#pragma once

#include "sbog/job/point_score.h"
#include "sbog/job/point_train.h"

namespace sbog::cli {

/// Of `detect train` on points.
void print_point_detector(const job::PointTrainResult& result);

/// Of `detect score` on points.
void print_point_verdicts(const job::PointScoreResult& result);

}  // namespace sbog::cli
