// SPDX-License-Identifier: Apache-2.0
// Numbers as text: for people, and for files that must read back as the same.
#pragma once

#include <cstdint>
#include <string>

namespace sbog {

/// "3 s", "2 min 5 s", "1 h 4 min".
std::string duration(double seconds);

/// "1,234,567".
std::string with_commas(std::uint64_t value);

/// The fewest digits that read back as the same number: "0.1".
std::string shortest(double value);

/// All 17 significant digits: "0.10000000000000001". Reads back as the same
/// number, too; the tables of runs are written so.
std::string full_digits(double value);

}  // namespace sbog
