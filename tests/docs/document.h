// SPDX-License-Identifier: Apache-2.0
// A page in Markdown as something that can be run.
//
//   ```sh     commands, run in order in one folder per page; each must succeed
//   ```text   what the command before printed: these lines, one after the
//             other; a line "..." stands for any lines, "..." within a line
//             for any text
//   ```python a script; its first line, "# predict.py", names the file
//   ```cpp    lines of a program in examples/
//   ```cmake  lines of the project in tests/consumer
//   ```python lines of one program per page, run by the tests in python/tests,
//             where a text block is what the lines before it print
//
// A remark right before a block changes how it is taken:
//   <!-- exit 1 -->         the last command ends with this status
//   <!-- not run: why -->   left alone
//   <!-- needs LibTorch --> left alone in a build without it; may come before
//                           another one: <!-- needs LibTorch, exit 1 -->
#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace sbog::testing_support {

/// One fenced block.
struct Block {
  std::string language;
  std::vector<std::string> lines;
  std::string remark;    ///< of the line before, without its marks
  std::size_t line = 0;  ///< of its fence, from 1
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// All blocks of a page in order; a block without an end runs to the end.
inline std::vector<Block> blocks_of(const std::string& page) {
  constexpr std::string_view kOpen = "<!-- ";
  constexpr std::string_view kClose = " -->";
  const std::vector<std::string> lines = lines_of(page);
  std::vector<Block> blocks;
  bool is_inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const bool is_fence = line.starts_with("```");
    if (is_fence && !is_inside) {
      Block block{line.substr(3), {}, "", i + 1};
      if (i > 0 && lines[i - 1].starts_with(kOpen) &&
          lines[i - 1].ends_with(kClose)) {
        block.remark = lines[i - 1].substr(
            kOpen.size(), lines[i - 1].size() - kOpen.size() - kClose.size());
      }
      blocks.push_back(block);
    } else if (!is_fence && is_inside) {
      blocks.back().lines.push_back(line);
    }
    if (is_fence) is_inside = !is_inside;
  }
  return blocks;
}

/// Commands of a block: comments (after two spaces) are left out, lines that
/// end in a backslash are joined with the next.
inline std::vector<std::string> commands_of(const Block& block) {
  std::vector<std::string> commands;
  bool goes_on = false;
  for (std::string line : block.lines) {
    if (!goes_on && (line.empty() || line.starts_with("#"))) continue;
    line = line.substr(0, line.find("  # "));
    const bool will_go_on = line.ends_with("\\");
    if (will_go_on) line.pop_back();
    if (goes_on) {
      commands.back() += line;
    } else {
      commands.push_back(line);
    }
    goes_on = will_go_on;
  }
  return commands;
}

/// Whether a line fits a pattern in which "..." stands for any text.
inline bool fits_line(std::string_view pattern, std::string_view line) {
  constexpr std::string_view kAny = "...";
  const std::size_t dots = pattern.find(kAny);
  if (dots == std::string_view::npos) return pattern == line;
  if (!line.starts_with(pattern.substr(0, dots))) return false;
  pattern.remove_prefix(dots + kAny.size());
  for (std::size_t skip = dots; skip <= line.size(); ++skip) {
    if (fits_line(pattern, line.substr(skip))) return true;
  }
  return false;
}

/// Whether the lines from `at` on begin with those of the pattern.
inline bool fits_from(const std::vector<std::string>& pattern,
                      std::size_t first, const std::vector<std::string>& lines,
                      std::size_t at) {
  if (first == pattern.size()) return true;
  if (pattern[first] == "...") {
    for (std::size_t skip = at; skip <= lines.size(); ++skip) {
      if (fits_from(pattern, first + 1, lines, skip)) return true;
    }
    return false;
  }
  return at < lines.size() && fits_line(pattern[first], lines[at]) &&
         fits_from(pattern, first + 1, lines, at + 1);
}

/// Whether an output holds the lines of a pattern, wherever they begin.
inline bool holds_lines(const std::string& output,
                        const std::vector<std::string>& pattern) {
  const std::vector<std::string> lines = lines_of(output);
  for (std::size_t at = 0; at <= lines.size(); ++at) {
    if (fits_from(pattern, 0, lines, at)) return true;
  }
  return false;
}

/// Whether a source file holds the lines of a block in order, indentation and
/// empty lines aside.
inline bool quotes_source(const std::string& source,
                          const std::vector<std::string>& block) {
  const auto squeezed = [](const std::vector<std::string>& lines) {
    std::vector<std::string> kept;
    for (const std::string& line : lines) {
      const std::size_t first = line.find_first_not_of(' ');
      if (first != std::string::npos) kept.push_back(line.substr(first));
    }
    return kept;
  };
  const std::vector<std::string> wanted = squeezed(block);
  const std::vector<std::string> lines = squeezed(lines_of(source));
  std::size_t next = 0;
  for (const std::string& line : lines) {
    if (next < wanted.size() && line == wanted[next]) ++next;
  }
  return next == wanted.size() && !wanted.empty();
}

}  // namespace sbog::testing_support
