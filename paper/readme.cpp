// SPDX-License-Identifier: Apache-2.0
// Results into Markdown; see readme.h.
#include "paper/readme.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "sbog/base/errors.h"

namespace sbog::paper {
namespace {

constexpr const char* kEnd = "<!-- end -->";

std::vector<std::string> numbers_in(const std::string& text) {
  static const std::regex kNumber(R"(\d+(\.\d+)?(e[+-]?\d+)?)");
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), kNumber), end; i != end;
       ++i) {
    found.push_back(i->str());
  }
  return found;
}

// The text without fenced blocks, code spans and comments.
std::string without_code(const std::string& text) {
  static const std::regex kCode(
      "```[^`]*```|`[^`]*`|<!--[^>]*-->|\\]\\([^)]*\\)");
  return std::regex_replace(text, kCode, " ");
}

}  // namespace

Json read_result(const std::string& out, const std::string& name) {
  const std::string path =
      (std::filesystem::path(out) / (name + ".json")).string();
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(path, "cannot be opened");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("table")) {
    throw IoError(path, "is no result of sbog-paper");
  }
  return json;
}

std::string fill_tables(const std::string& markdown, const std::string& out) {
  static const std::regex kStart(R"(<!-- table ([a-z0-9/-]+) -->\n)");
  std::string filled;
  auto place = markdown.cbegin();
  std::smatch match;
  while (std::regex_search(place, markdown.cend(), match, kStart)) {
    filled.append(place, match[0].second);
    const auto offset =
        static_cast<std::size_t>(match[0].second - markdown.cbegin());
    const std::size_t end = markdown.find(kEnd, offset);
    const std::string name = match[1];
    if (end == std::string::npos ||
        end > markdown.find("<!-- table ", offset)) {
      throw InvalidArgument("the table " + name + " has no " + kEnd);
    }
    filled += "\n" +
              to_markdown(table_from_json(read_result(out, name)["table"])) +
              "\n";
    place = markdown.cbegin() + static_cast<std::ptrdiff_t>(end);
  }
  filled.append(place, markdown.cend());
  return filled;
}

std::vector<std::string> unfounded_numbers(const std::string& markdown,
                                           const std::vector<Json>& results) {
  std::set<std::string> known;
  const auto learn = [&](const std::string& text) {
    for (std::string& number : numbers_in(text)) {
      known.insert(std::move(number));
    }
  };
  for (const Json& result : results) {
    learn(to_text(table_from_json(result.at("table"))));
    for (const char* field : {"title", "notes", "seeds", "version"}) {
      learn(result.at(field).dump());
    }
    for (const Json& cell : result.at("cells")) {
      learn(cell.at("configuration").dump());
    }
  }
  std::vector<std::string> unfounded;
  for (const std::string& number : numbers_in(without_code(markdown))) {
    if (!known.contains(number)) unfounded.push_back(number);
  }
  return unfounded;
}

}  // namespace sbog::paper
