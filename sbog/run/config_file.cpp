// SPDX-License-Identifier: Apache-2.0
// TOML by toml++; see config_file.h.
#include "sbog/run/config_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "sbog/base/atomic_file.h"
#include "sbog/base/byte_text.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace {

// The largest file that somebody may have written by hand.
constexpr std::size_t kLargestConfig = 1 << 16;
// Of what a message quotes.
constexpr std::size_t kLongestShown = 120;

std::string toml_value(const OptionInfo& option, const std::string& text) {
  const bool is_number = option.value_name == "NUMBER" && text != "auto";
  if (option.type != OptionType::kText || is_number) return text;
  std::ostringstream out;
  out << toml::value<std::string>(stored_text(text));
  return out.str();
}

std::string toml_line(const OptionInfo& option,
                      const std::vector<std::string>& values) {
  std::string line = dashed(option.name) + " = ";
  if (!option.is_list) return line + toml_value(option, values.front()) + "\n";
  line += "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    line += (i > 0 ? ", " : "") + toml_value(option, values[i]);
  }
  return line + "]\n";
}

// A scalar as an option takes it.
std::string text_of(const toml::node& node, const std::string& where) {
  if (const auto* text = node.as_string()) return stored_bytes(text->get());
  if (const auto* number = node.as_floating_point()) {
    return option_text::print(number->get());
  }
  if (const auto* whole = node.as_integer()) {
    return std::to_string(whole->get());
  }
  if (const auto* truth = node.as_boolean()) {
    return option_text::print(truth->get());
  }
  throw IoError(where, "a text, a number, true or false is expected");
}

Assignment assignment_of(std::string_view key, const toml::node& node,
                         const std::string& name) {
  const std::string where = name + ": " + shown_text(key, kLongestShown);
  Assignment given{undashed(key), {}, where};
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& element : *list) {
      given.values.push_back(text_of(element, where));
    }
  } else {
    given.values.push_back(text_of(node, where));
  }
  return given;
}

// Tables within tables are taken apart by recursion. Their names are joined by
// points, before an equals sign or within braces; points of numbers and paths
// come after the one and outside the others.
void check_depth(std::string_view text, const std::string& name) {
  constexpr std::ptrdiff_t kMostPoints = 32;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    const std::string_view names =
        line.find('{') == line.npos ? line.substr(0, line.find('=')) : line;
    if (std::ranges::count(names, '.') > kMostPoints) {
      throw IoError(name, "line " + std::to_string(number) +
                              ": names are nested too deeply");
    }
  }
}

// The place behind the string that begins at `first`; one that does not end
// takes its line, or all that is left.
std::size_t end_of_string(std::string_view text, std::size_t first) {
  const char quote = text[first];
  const std::string three(3, quote);
  const bool is_long = text.substr(first, 3) == three;
  std::size_t i = first + (is_long ? 3 : 1);
  while (i < text.size()) {
    if (text[i] == '\\' && quote == '"') {
      i += 2;
    } else if (is_long && text.substr(i, 3) == three) {
      i += 3;
      // Up to two quotes more may belong to the text of the string.
      for (int k = 0; k < 2 && i < text.size() && text[i] == quote; ++k) ++i;
      return i;
    } else if (!is_long && (text[i] == quote || text[i] == '\n')) {
      return text[i] == quote ? i + 1 : i;
    } else {
      ++i;
    }
  }
  return text.size();
}

// TOML has letters beyond ASCII within quotes and comments only. toml++ says so
// as well, but what it does with some of them before is undefined (3.3.0: where
// it looks for white space that is not ASCII).
void check_letters(std::string_view text, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::size_t i = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '"' || c == '\'') {
      i = end_of_string(text, i);
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      const auto line = 1 + std::ranges::count(text.substr(0, i), '\n');
      throw IoError(name, "line " + std::to_string(line) +
                              ": letters beyond ASCII are expected within "
                              "quotes only");
    } else {
      ++i;
    }
  }
}

toml::table parsed(std::string_view text, const std::string& name) {
  check_depth(text, name);
  check_letters(text, name);
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw IoError(name, "line " + std::to_string(error.source().begin.line) +
                            ": " +
                            shown_text(error.description(), kLongestShown));
  }
}

std::string text_of_file(const std::string& path) {
  std::string text = read_file(path);
  if (text.size() > kLargestConfig) {
    throw IoError(path, "is larger than a configuration may be (64 KiB)");
  }
  return text;
}

// "detect train" is written [detect.train].
std::string section_of(std::string command) {
  std::ranges::replace(command, ' ', '.');
  return command;
}

// A section is a command, or holds those that begin with its name. What is not
// is refused before it is entered, so that no depth is without end.
void check_section(const toml::table& table, const std::string& path,
                   const std::string& name,
                   const std::vector<std::string>& sections) {
  for (const auto& [key, node] : table) {
    if (!node.is_table()) continue;
    const std::string inner =
        (path.empty() ? "" : path + ".") + std::string(key.str());
    const bool is_known = std::ranges::any_of(sections, [&](const auto& known) {
      return known == inner || known.starts_with(inner + ".");
    });
    if (!is_known) {
      const std::string near = nearest_name(inner, sections);
      throw InvalidArgument(
          name + ": [" + shown_text(inner, kLongestShown) + "] is no command" +
          (near.empty() ? "" : "; did you mean [" + near + "]?"));
    }
    check_section(*node.as_table(), inner, name, sections);
  }
}

}  // namespace

std::string config_text(std::string_view section,
                        std::span<const BoundOption> options) {
  std::string text;
  if (!section.empty()) {
    text = "[" + section_of(std::string(section)) + "]\n";
  }
  for (const BoundOption& option : options) {
    if (option.values) text += toml_line(option.info, *option.values);
  }
  return text;
}

std::vector<Assignment> parse_config(std::string_view text,
                                     const std::string& name,
                                     std::string_view section) {
  const toml::table root = parsed(text, name);
  const toml::table* table = &root;
  std::istringstream words{std::string(section)};
  for (std::string word; table != nullptr && words >> word;) {
    table = (*table)[word].as_table();
  }
  std::vector<Assignment> found;
  if (table == nullptr) return found;
  for (const auto& [key, node] : *table) {
    if (!node.is_table()) {
      found.push_back(assignment_of(key.str(), node, name));
    }
  }
  return found;
}

std::vector<Assignment> read_config(const std::string& path,
                                    std::string_view section) {
  return parse_config(text_of_file(path), path, section);
}

void check_sections(std::string_view text, const std::string& name,
                    const std::vector<std::string>& commands) {
  std::vector<std::string> sections(commands.size());
  std::ranges::transform(commands, sections.begin(), section_of);
  check_section(parsed(text, name), "", name, sections);
}

void check_config_sections(const std::string& path,
                           const std::vector<std::string>& commands) {
  check_sections(text_of_file(path), path, commands);
}

}  // namespace sbog
