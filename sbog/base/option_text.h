// SPDX-License-Identifier: Apache-2.0
// Values of options as texts, both ways; see option_table.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sbog::option_text {

/// From texts; each throws InvalidArgument that says what is expected.
void parse(std::string_view text, bool& value);
void parse(std::string_view text, double& value);
void parse(std::string_view text, std::uint64_t& value);
void parse(std::string_view text, std::string& value);

/// To texts that parse() reads back to the same value.
std::string print(bool value);
std::string print(double value);
std::string print(std::uint64_t value);
std::string print(const std::string& value);

template <typename V>
struct Traits {
  using Element = V;
  static constexpr bool kIsList = false;
  static constexpr bool kIsOptional = false;
};
template <typename V>
struct Traits<std::optional<V>> {
  using Element = V;
  static constexpr bool kIsList = false;
  static constexpr bool kIsOptional = true;
};
template <typename V>
struct Traits<std::vector<V>> {
  using Element = V;
  static constexpr bool kIsList = true;
  static constexpr bool kIsOptional = false;
};

/// The one value of an option that is no list; throws InvalidArgument.
std::string_view only(std::span<const std::string> values);

/// With commas between; empty for nothing.
std::string joined(const std::optional<std::vector<std::string>>& values);

}  // namespace sbog::option_text
