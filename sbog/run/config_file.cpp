// SPDX-License-Identifier: Apache-2.0
// TOML by toml++; see config_file.h.
#include "sbog/run/config_file.h"

#include <toml++/toml.h>

#include <sstream>

#include "sbog/base/atomic_file.h"
#include "sbog/base/byte_text.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace {

// The largest file that somebody may have written by hand.
constexpr std::size_t kLargestConfig = 1 << 16;

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
  const std::string where = name + ": " + std::string(key);
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

}  // namespace

std::string config_text(std::string_view section,
                        std::span<const BoundOption> options) {
  std::string text;
  if (!section.empty()) {
    std::string path(section);
    for (char& c : path) c = c == ' ' ? '.' : c;
    text = "[" + path + "]\n";
  }
  for (const BoundOption& option : options) {
    if (option.values) text += toml_line(option.info, *option.values);
  }
  return text;
}

std::vector<Assignment> parse_config(std::string_view text,
                                     const std::string& name,
                                     std::string_view section) {
  toml::table root;
  try {
    root = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw IoError(name, "line " + std::to_string(error.source().begin.line) +
                            ": " + std::string(error.description()));
  }
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
  const std::string text = read_file(path);
  if (text.size() > kLargestConfig) {
    throw IoError(path, "is larger than a configuration may be (64 KiB)");
  }
  return parse_config(text, path, section);
}

}  // namespace sbog
