// SPDX-License-Identifier: Apache-2.0
// The files of a stress test: a row per case, and test cases for continuous
// integration.
#pragma once

#include <string>

#include "sbog/job/stress.h"

namespace sbog::job {

/// stress.csv: a row per case.
std::string stress_table(const StressResult& result);

/// stress.junit.xml: a test case per gate, failed or not, and one per weak spot
/// that is not within another, skipped with what is wrong as its message: what
/// no gate forbids does not stop a build.
std::string stress_junit(const StressResult& result);

/// "channel pressure at severity 2".
std::string group_words(const stress::GroupMeasures& group);

/// "61 % (95 %: 46 to 75) of 45".
std::string share_words(const stress::Share& share);

/// "61 % (95 %: 46 to 75) of 45 cases are missed, at most 10 % first at
/// severity 3; the weakest spot is kind stuck with 95 % (95 %: 75 to 100)
/// of 20."
std::string verdict_sentence(const StressResult& result);

/// "missed", "accepted" or "above the limit": what a failure is called.
const char* failure_word(const stress::Outcomes& outcomes);

}  // namespace sbog::job
