// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include <string>

namespace sbog::detail {

/// A count >= 0 rounded to a whole number, with separators: "4,000", "1.2e+15"
/// from 1e15 on, "infinitely many".
std::string grouped(double count);

/// An estimate of a count, rounded up to two digits: 5,384 becomes "5,400".
std::string about(double count);

/// Three significant digits: "0.0506".
std::string rounded(double value);

/// exp(log_value) in the same way, for values below the smallest double.
std::string rounded_exp(double log_value);

/// A share as "54 %", and "none" or "all" for nothing else than 0 and 1: what
/// would round to them is "less than 1 %" or "more than 99 %".
std::string percent(double share);

/// A level such as 0.95 as "95 %", 0.999 as "99.9 %".
std::string level(double value);

}  // namespace sbog::detail
