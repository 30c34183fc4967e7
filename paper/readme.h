// SPDX-License-Identifier: Apache-2.0
// Tables in a Markdown text, kept equal to results:
//   <!-- table NAME -->  (the table of NAME.json)  <!-- end -->
#pragma once

#include <string>
#include <vector>

#include "paper/table.h"

namespace sbog::paper {

/// OUT/NAME.json; throws IoError when it is missing or no result.
Json read_result(const std::string& out, const std::string& name);

/// The text with every table replaced by that of its result in the folder
/// `out`. Throws InvalidArgument for a table without an end.
std::string fill_tables(const std::string& markdown, const std::string& out);

/// Numbers of the text, code aside, that no result shows: neither in a table
/// as it is printed, nor in title, notes, seeds or configurations.
std::vector<std::string> unfounded_numbers(const std::string& markdown,
                                           const std::vector<Json>& results);

}  // namespace sbog::paper
