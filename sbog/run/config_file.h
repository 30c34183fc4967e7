// SPDX-License-Identifier: Apache-2.0
// Options in TOML files: the resolved configuration that a run keeps, and files
// that people write for --config.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/base/option_table.h"

namespace sbog {

/// One section with a line for each option that is set, in the order of the
/// table, under the names of the command line.
std::string config_text(std::string_view section,
                        std::span<const BoundOption> options);

/// What a section sets; for "detect train" that is [detect.train]. An empty
/// name stands for the lines above all sections. Nothing when the section is
/// not there. Throws IoError for a file that is missing or no TOML.
std::vector<Assignment> read_config(const std::string& path,
                                    std::string_view section);

/// Throws InvalidArgument for a section that belongs to none of the commands,
/// with the nearest one, and IoError as `read_config`.
void check_config_sections(const std::string& path,
                           const std::vector<std::string>& commands);

/// The same for a text; `name` begins the messages.
void check_sections(std::string_view text, const std::string& name,
                    const std::vector<std::string>& commands);

/// What a section of a text sets; `name` begins the messages.
std::vector<Assignment> parse_config(std::string_view text,
                                     const std::string& name,
                                     std::string_view section);

}  // namespace sbog
