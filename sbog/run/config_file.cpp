// SPDX-License-Identifier: Apache-2.0
// TOML by toml++; see config_file.h.
#include "sbog/run/config_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/byte_text.h"
#include "sbog/base/errors.h"
#include "sbog/run/detail/ascii_toml.h"

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

// A file that toml++ has taken apart; its texts are still coded.
struct Parsed {
  AsciiToml coding;
  toml::table table;
};

Parsed parsed(std::string_view text, const std::string& name) {
  check_depth(text, name);
  AsciiToml coding(text, name);
  try {
    toml::table table = toml::parse(coding.text(), name);
    return {std::move(coding), std::move(table)};
  } catch (const toml::parse_error& error) {
    throw IoError(name,
                  "line " + std::to_string(error.source().begin.line) + ": " +
                      shown_text(coding.original_message(error.description()),
                                 kLongestShown));
  }
}

// A scalar as an option takes it.
std::string text_of(const toml::node& node, const AsciiToml& coding,
                    const std::string& where) {
  if (const auto* text = node.as_string()) {
    return stored_bytes(coding.original(text->get()));
  }
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

Assignment assignment_of(const std::string& key, const toml::node& node,
                         const AsciiToml& coding, const std::string& name) {
  const std::string where = name + ": " + shown_text(key, kLongestShown);
  Assignment given{undashed(key), {}, where};
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& element : *list) {
      given.values.push_back(text_of(element, coding, where));
    }
  } else {
    given.values.push_back(text_of(node, coding, where));
  }
  return given;
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
void check_section(const toml::table& table, const AsciiToml& coding,
                   const std::string& path, const std::string& name,
                   const std::vector<std::string>& sections) {
  for (const auto& [key, node] : table) {
    if (!node.is_table()) continue;
    const std::string inner =
        (path.empty() ? "" : path + ".") + coding.original(key.str());
    const bool is_known = std::ranges::any_of(sections, [&](const auto& known) {
      return known == inner || known.starts_with(inner + ".");
    });
    if (!is_known) {
      const std::string near = nearest_name(inner, sections);
      throw InvalidArgument(
          name + ": [" + shown_text(inner, kLongestShown) + "] is no command" +
          (near.empty() ? "" : "; did you mean [" + near + "]?"));
    }
    check_section(*node.as_table(), coding, inner, name, sections);
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
  const Parsed root = parsed(text, name);
  const toml::table* table = &root.table;
  std::istringstream words{std::string(section)};
  for (std::string word; table != nullptr && words >> word;) {
    table = (*table)[word].as_table();
  }
  std::vector<Assignment> found;
  if (table == nullptr) return found;
  for (const auto& [key, node] : *table) {
    if (!node.is_table()) {
      found.push_back(assignment_of(root.coding.original(key.str()), node,
                                    root.coding, name));
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
  const Parsed root = parsed(text, name);
  check_section(root.table, root.coding, "", name, sections);
}

void check_config_sections(const std::string& path,
                           const std::vector<std::string>& commands) {
  check_sections(text_of_file(path), path, commands);
}

}  // namespace sbog
