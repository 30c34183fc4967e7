// SPDX-License-Identifier: Apache-2.0
// Finds what separates the fields of a table: comma, semicolon or tab.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sbog::detail {

/// The separator of `text`. It splits each of the first records into the same
/// number of fields, two or more; of several that do so, the one that makes the
/// largest share of numbers counts, and the comma before the semicolon before
/// the tab. A text that none of them splits so is taken as separated by commas.
char find_separator(std::string_view text);

/// The separator in words, such as "a comma".
std::string separator_name(char separator);

/// Whether `field` is a number with one comma for its decimal point, such as
/// "-1,5". Numbers in tables that commas separate are not written so.
bool has_decimal_comma(std::string_view field);

/// Puts a decimal point for the decimal comma of each field that has one.
void write_decimal_points(std::vector<std::string>& fields);

}  // namespace sbog::detail
