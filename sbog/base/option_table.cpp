// SPDX-License-Identifier: Apache-2.0
// Texts of options and messages about them; see option_table.h.
#include "sbog/base/option_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>

#include "sbog/base/byte_text.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"

namespace sbog {
namespace {

// A value in a message, which may be long or hold anything.
std::string quoted(std::string_view text) {
  return "'" + shown_text(text, 80) + "'";
}

std::string expected(const char* what, std::string_view got) {
  return std::string(what) + " is expected, got " + quoted(got);
}

template <typename V>
bool read_all(std::string_view text, V& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

// Letters to insert, remove, replace or swap with a neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(
      a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  std::iota(cost[0].begin(), cost[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced =
          cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string listed(std::span<const std::string> names) {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

std::string hint(std::string_view word, std::span<const std::string> names) {
  const std::string near = nearest_name(word, names);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

}  // namespace

std::string dashed(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string undashed(std::string_view name) {
  std::string text(
      name.substr(std::min(name.find_first_not_of('-'), name.size())));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

std::string command_line_name(const OptionInfo& option) {
  if (!option.is_positional) return "--" + dashed(option.name);
  std::string name = dashed(option.name);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  return name;
}

namespace option_text {

void parse(std::string_view text, bool& value) {
  const bool is_true =
      text == "true" || text == "1" || text == "on" || text == "yes";
  const bool is_false =
      text == "false" || text == "0" || text == "off" || text == "no";
  if (!is_true && !is_false) {
    throw InvalidArgument(expected("true or false", text));
  }
  value = is_true;
}

void parse(std::string_view text, double& value) {
  if (!read_all(text, value) || !std::isfinite(value)) {
    throw InvalidArgument(expected("a finite number", text));
  }
}

void parse(std::string_view text, std::uint64_t& value) {
  if (!read_all(text, value)) {
    throw InvalidArgument(expected("a whole number of at least 0", text));
  }
}

void parse(std::string_view text, std::string& value) { value = text; }

std::string print(bool value) { return value ? "true" : "false"; }

std::string print(double value) { return shortest(value); }

std::string print(std::uint64_t value) { return std::to_string(value); }

std::string print(const std::string& value) { return value; }

std::string joined(const std::optional<std::vector<std::string>>& values) {
  std::string text;
  if (!values) return text;
  for (const std::string& value : *values) {
    text += (text.empty() ? "" : ",") + value;
  }
  return text;
}

std::string_view only(std::span<const std::string> values) {
  if (values.size() != 1) {
    throw InvalidArgument("one value is expected, got " +
                          std::to_string(values.size()));
  }
  return values.front();
}

}  // namespace option_text

void check_choice(const OptionInfo& option, std::string_view text) {
  const auto& names = option.choices;
  if (names.empty() ||
      std::find(names.begin(), names.end(), text) != names.end()) {
    return;
  }
  throw InvalidArgument("one of " + listed(names) + " is expected, got " +
                        quoted(text) + hint(text, names));
}

std::string nearest_name(std::string_view word,
                         std::span<const std::string> names) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  if (!best.empty()) return best;
  // The beginning of a name, such as --eps.
  constexpr std::size_t kShortest = 2;
  if (word.size() - std::min(word.size(), word.find_first_not_of('-')) <
      kShortest) {
    return best;
  }
  for (const std::string& name : names) {
    const bool is_begun = name.starts_with(word);
    if (is_begun && (best.empty() || name.size() < best.size())) best = name;
  }
  return best;
}

void refuse_option(const Assignment& given, std::span<const OptionInfo> known) {
  std::vector<std::string> names;
  for (const OptionInfo& option : known) names.push_back(option.name);
  const std::string near = nearest_name(given.name, names);
  throw InvalidArgument(
      given.spelling + ": there is no such option" +
      (near.empty() ? "" : "; did you mean '" + dashed(near) + "'?"));
}

void throw_for(const std::string& spelling, const char* message) {
  const bool is_begun = std::string_view(message).starts_with("is ");
  throw InvalidArgument(spelling + (is_begun ? " " : ": ") + message);
}

}  // namespace sbog
