// SPDX-License-Identifier: Apache-2.0
// The report as plain HTML: what readers without scripts see.
#pragma once

#include <string>

#include "sbog/report/report_data.h"

namespace sbog {

/// Sections with headings, tables, lists and code, in the parts for which the
/// page has a style (web/README.md). All text is escaped.
std::string report_tables(const ReportData& data);

}  // namespace sbog
