// SPDX-License-Identifier: Apache-2.0
// Tables in a Markdown text, kept equal to results:
//   <!-- table NAME -->  (the table of the result NAME)  <!-- end -->
//   <!-- notes NAME -->  (its notes, seeds and commits)  <!-- end -->
#pragma once

#include <string>
#include <vector>

#include "paper/table.h"

namespace sbog::paper {

/// The text with every table and all notes replaced by those of their result
/// in the folder `out`. Throws InvalidArgument for those without an end.
std::string fill_tables(const std::string& markdown, const std::string& out);

/// Brings OUT/NAME.md to the state of its result; makes the page where there is
/// none. What stands outside the table and the notes is left as it is. Throws
/// IoError.
void update_page(const std::string& out, const std::string& name);

/// Numbers of the text, code aside, that no result shows: neither in a table
/// as it is printed, nor in title, notes, seeds or configurations.
std::vector<std::string> unfounded_numbers(const std::string& markdown,
                                           const std::vector<Json>& results);

}  // namespace sbog::paper
