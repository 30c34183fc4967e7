// SPDX-License-Identifier: Apache-2.0
// A run as one HTML file: the page of web/ with its data and plain tables.
#pragma once

#include <string>
#include <string_view>

#include "sbog/report/report_data.h"

namespace sbog {

/// The page without data, as it was embedded: web/dist/report.html.
std::string report_template();

/// Puts `tables` in the place of <!--sbog:tables--> and `json` in that of
/// <!--sbog:data-->. Throws InvalidArgument unless each place is there once.
std::string fill_template(std::string_view page, std::string_view tables,
                          std::string_view json);

/// The whole file: needs neither a server nor a network. Throws
/// InvalidArgument for data that does not fit together.
std::string report_page(const ReportData& data);

/// Sections with headings, tables, lists and code, in the parts for which the
/// page has a style (web/README.md). All text is escaped.
std::string report_tables(const ReportData& data);

/// One object of the type ReportData of web/src/data.ts. Numbers of points have
/// five digits, values without a number are null, bytes that are not UTF-8
/// become U+FFFD. Throws InvalidArgument for columns of different length and a
/// certificate that is no JSON.
std::string report_json(const ReportData& data);

}  // namespace sbog
