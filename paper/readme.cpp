// SPDX-License-Identifier: Apache-2.0
// Results into Markdown; see readme.h.
#include "paper/readme.h"

#include <filesystem>
#include <regex>
#include <set>

#include "paper/experiment.h"
#include "paper/result_file.h"
#include "sbog/base/atomic_file.h"
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

// An empty place for the table or the notes of a result.
std::string block(const std::string& kind, const std::string& name) {
  return "<!-- " + kind + " " + name + " -->\n" + kEnd + "\n";
}

// A paragraph each, and at last what the result was computed with.
std::string notes_of(const Json& result) {
  std::string text;
  for (const Json& note : result.at("notes")) {
    text += note.get<std::string>() + "\n\n";
  }
  text += "Size " + result.at("size").get<std::string>() + ", seeds " +
          to_string(result.at("seeds").get<std::vector<std::uint64_t>>()) +
          ", sbog " + result.at("version").get<std::string>() +
          ". Cells are of the commits";
  const char* between = " `";
  for (const Json& commit : result.at("cell_commits")) {
    text += between + commit.get<std::string>() + "`";
    between = ", `";
  }
  return text + ".\n";
}

// The text without fenced blocks, code spans and comments.
std::string without_code(const std::string& text) {
  static const std::regex kCode(
      "```[^`]*```|`[^`]*`|<!--[^>]*-->|\\]\\([^)]*\\)");
  return std::regex_replace(text, kCode, " ");
}

}  // namespace

std::string fill_tables(const std::string& markdown, const std::string& out) {
  static const std::regex kStart(R"(<!-- (table|notes) ([a-z0-9/-]+) -->\n)");
  std::string filled;
  auto place = markdown.cbegin();
  std::smatch match;
  while (std::regex_search(place, markdown.cend(), match, kStart)) {
    filled.append(place, match[0].second);
    const auto offset =
        static_cast<std::size_t>(match[0].second - markdown.cbegin());
    const std::size_t end = markdown.find("<!-- ", offset);
    const std::string name = match[2];
    if (end != markdown.find(kEnd, offset) || end == std::string::npos) {
      throw InvalidArgument("the " + match[1].str() + " of " + name +
                            " should be followed by " + kEnd);
    }
    const Json result = read_result(out, name);
    filled += "\n";
    filled += match[1] == "table"
                  ? to_markdown(table_from_json(result.at("table")))
                  : notes_of(result);
    filled += "\n";
    place = markdown.cbegin() + static_cast<std::ptrdiff_t>(end);
  }
  filled.append(place, markdown.cend());
  return filled;
}

void update_page(const std::string& out, const std::string& name) {
  const std::string path =
      (std::filesystem::path(out) / (name + ".md")).string();
  std::optional<std::string> page = read_file_if_there(path);
  if (!page) {
    const std::string title = read_result(out, name).at("title");
    page = "# " + name + ": " + title + "\n\n" + block("table", name) + "\n" +
           block("notes", name);
  }
  write_file_atomically(path, fill_tables(*page, out));
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
