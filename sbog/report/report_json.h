// SPDX-License-Identifier: Apache-2.0
// The data of a report as the JSON object that the page reads.
#pragma once

#include <string>

#include "sbog/report/report_data.h"

namespace sbog {

/// One object of the type ReportData of web/src/data.ts. Numbers of points have
/// five digits, values without a number are null, bytes that are not UTF-8
/// become U+FFFD. Throws InvalidArgument for columns of different length and a
/// certificate that is no JSON.
std::string report_json(const ReportData& data);

}  // namespace sbog
