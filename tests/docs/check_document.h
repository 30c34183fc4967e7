// SPDX-License-Identifier: Apache-2.0
// Runs a page and lists what is not as it says.
#pragma once

#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tool.h"
#include "docs/document.h"

namespace sbog::testing_support {

/// What a page may quote, and what this build can do.
struct DocumentWorld {
  std::vector<std::string> programs;        ///< texts of examples/
  std::vector<std::string> cmake_projects;  ///< texts of tests/consumer
  bool has_torch = false;
};

/// One sentence per fault, with its line; empty when all is well.
class DocumentCheck {
 public:
  DocumentCheck(const TemporaryFolder& folder, const DocumentWorld& world)
      : folder_(folder), world_(world) {}

  std::vector<std::string> run(const std::string& page) {
    for (const Block& block : blocks_of(page)) check(block);
    return faults_;
  }
  /// Commands that were run.
  std::size_t command_count() const { return command_count_; }

 private:
  void check(const Block& block) {
    // {toctree} and the like are for the builder of the site.
    if (block.language.starts_with("{")) return;
    if (block.remark.starts_with("not run: ")) return;
    if (block.remark.starts_with("needs LibTorch") && !world_.has_torch) {
      is_output_known_ = false;
      return;
    }
    if (block.language == "sh") {
      run_commands(block);
    } else if (block.language == "text") {
      compare(block);
    } else if (block.language == "python") {
      if (!keep_script(block)) is_output_known_ = false;
    } else if (block.language == "cpp") {
      find_in(world_.programs, block, "a program in examples/");
    } else if (block.language == "cmake") {
      find_in(world_.cmake_projects, block, "the project in tests/consumer");
    } else {
      fault(block,
            "a block in the language '" + block.language +
                "' cannot be run; give it one of sh, text, python, cpp, cmake");
    }
  }

  void run_commands(const Block& block) {
    int wanted = 0;
    if (const auto at = block.remark.find("exit "); at != std::string::npos) {
      wanted = std::stoi(block.remark.substr(at + 5));
    }
    const std::vector<std::string> commands = commands_of(block);
    out_.clear();
    err_.clear();
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const ToolResult result = run_line(folder_, commands[i]);
      ++command_count_;
      out_ += result.out;
      err_ += result.err;
      const int expected = i + 1 == commands.size() ? wanted : 0;
      if (result.exit_code == expected) continue;
      fault(block, "'" + commands[i] + "' ended with status " +
                       std::to_string(result.exit_code) + ", not " +
                       std::to_string(expected) + ":\n" + result.err);
    }
    is_output_known_ = true;
  }

  // "# predict.py" in the first line names the file that commands run.
  // False for lines without a name: python/tests/test_documents.py runs them.
  bool keep_script(const Block& block) {
    constexpr std::string_view kMark = "# ";
    if (block.lines.empty() || !block.lines[0].starts_with(kMark) ||
        !block.lines[0].ends_with(".py")) {
      return false;
    }
    std::ofstream file(folder_.file(block.lines[0].substr(kMark.size())));
    for (const std::string& line : block.lines) file << line << '\n';
    return true;
  }

  void compare(const Block& block) {
    if (!is_output_known_) return;
    if (holds_lines(out_, block.lines) || holds_lines(err_, block.lines) ||
        holds_lines(err_ + out_, block.lines)) {
      return;
    }
    fault(block, "the commands before print something else:\n" + err_ + out_);
  }

  void find_in(const std::vector<std::string>& sources, const Block& block,
               const std::string& what) {
    for (const std::string& source : sources) {
      if (quotes_source(source, block.lines)) return;
    }
    fault(block, "these lines are not in " + what);
  }

  void fault(const Block& block, const std::string& what) {
    faults_.push_back("line " + std::to_string(block.line) + ": " + what);
  }

  const TemporaryFolder& folder_;
  const DocumentWorld& world_;
  std::vector<std::string> faults_;
  std::string out_;
  std::string err_;
  bool is_output_known_ = false;
  std::size_t command_count_ = 0;
};

}  // namespace sbog::testing_support
