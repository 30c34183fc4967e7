// SPDX-License-Identifier: Apache-2.0
// Small things that jobs share: checks of outputs before the work, numbers in
// sentences.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sbog/base/number_text.h"
#include "sbog/base/option_table.h"

namespace sbog::job {

/// Throws IoError when a file of that name cannot be made, before the work and
/// not after it; fine when empty.
void check_writable(const std::string& path);

/// Writes numbers as one column: a table with the header `name` where the path
/// ends with .csv, else an npy file.
void write_column(const std::string& path, const std::string& name,
                  std::span<const double> values);

/// Throws InvalidArgument when the path that `option` names does not end with
/// one of `endings`; fine when empty.
void check_ending(const std::string& path, const std::string& option,
                  std::span<const std::string_view> endings);

/// Throws InvalidArgument when an option that names an output names a file that
/// another one reads (the same file by whatever path), or the output of another
/// one: such a file would be lost.
void check_outputs(std::span<const BoundOption> options);

using sbog::with_commas;

/// 'text' for a shell; a quote inside is written as '\''.
std::string shell_quoted(const std::string& text);
/// A word as a shell reads it back: quoted unless it is plain.
std::string shell_word(const std::string& text);

}  // namespace sbog::job
