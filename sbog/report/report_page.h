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
/// InvalidArgument for data that does not fit together (report_json.h).
std::string report_page(const ReportData& data);

}  // namespace sbog
