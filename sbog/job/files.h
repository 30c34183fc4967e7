// SPDX-License-Identifier: Apache-2.0
// Small things that jobs share: checks of outputs before the work, numbers in
// sentences.
#pragma once

#include <cstdint>
#include <string>

namespace sbog::job {

/// Throws IoError when a file of that name cannot be made, before the work and
/// not after it; fine when empty.
void check_writable(const std::string& path);

/// "1,234,567".
std::string with_commas(std::uint64_t value);

}  // namespace sbog::job
