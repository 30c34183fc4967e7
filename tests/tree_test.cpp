// SPDX-License-Identifier: Apache-2.0
// The rules of the tree, read from its files: direction of includes, a test
// for every source, licence lines, file lengths, no printing in the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "test_paths.h"

namespace tree_test {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

/// What a room may include, itself aside. An arrow reaches what it points to
/// and everything below.
const std::map<std::string, Names> kArrows = {
    {"base", {}},
    {"data", {"base"}},
    {"energy", {"base"}},
    {"sample", {"energy"}},
    {"dro", {"energy"}},
    {"certify", {"sample"}},
    {"metrics", {"energy"}},
    {"oracle", {"sample", "metrics"}},
    {"nn", {"data"}},
    {"series", {"nn", "sample", "metrics"}},
    {"scenario", {"series"}},
    {"report", {"metrics"}},
    {"image", {"data"}},
    {"run", {"data", "sample"}},
    {"job",
     {"run", "certify", "metrics", "dro", "scenario", "image", "report"}},
    {"torch_nn", {"nn"}},
    {"torch_series", {"torch_nn", "series"}},
    {"torch_image", {"torch_nn", "image", "dro", "metrics", "sample"}},
    {"torch_job", {"torch_series", "torch_image", "job"}},
};

/// The rooms that `room` may include, itself among them.
Names reachable(const std::string& room) {
  Names found = {room};
  for (const std::string& next : kArrows.at(room)) {
    found.merge(reachable(next));
  }
  return found;
}

struct File {
  std::string path;  // from the root, with forward slashes
  std::vector<std::string> lines;
};

/// "<room>" for "sbog/<room>/...", "torch_<room>" for "sbog_torch/<room>/...";
/// empty elsewhere.
std::string room_of(const std::string& path) {
  const bool is_torch = path.starts_with("sbog_torch/");
  if (!is_torch && !path.starts_with("sbog/")) return "";
  const std::size_t begin = path.find('/') + 1;
  const std::size_t end = path.find('/', begin);
  if (end == std::string::npos) return "";
  return (is_torch ? "torch_" : "") + path.substr(begin, end - begin);
}

std::vector<std::string> includes_of(const File& file) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  std::vector<std::string> found;
  for (const std::string& line : file.lines) {
    std::smatch match;
    if (std::regex_search(line, match, kInclude)) found.push_back(match[1]);
  }
  return found;
}

/// The folders whose files neither print nor know of the tool, and have tests.
bool is_library(const std::string& path) {
  return path.starts_with("sbog/") || path.starts_with("sbog_torch/") ||
         path.starts_with("paper/");
}

/// Includes that go against the arrows or out of the plain core. The tables of
/// paper/ may include every room.
std::vector<std::string> include_faults(const File& file) {
  static const std::regex kForeign(
      R"(^(ATen/|c10/|caffe2/|Python\.h|pybind11/|nanobind/|omp\.h|cli/))");
  static const std::regex kTorch(R"(^(torch/|sbog_torch/))");
  std::vector<std::string> faults;
  if (!is_library(file.path)) return faults;
  const std::string room = room_of(file.path);
  if (!room.empty() && !kArrows.contains(room)) {
    return {file.path + " lies in a room without an entry in kArrows"};
  }
  const Names allowed = room.empty() ? Names() : reachable(room);
  for (const std::string& include : includes_of(file)) {
    const std::string target = room_of(include);
    const bool is_against_arrows =
        !room.empty() && ((!target.empty() && !allowed.contains(target)) ||
                          include.starts_with("paper/"));
    const bool is_relative = include.starts_with("../");
    const bool is_torch_outside = !file.path.starts_with("sbog_torch/") &&
                                  !file.path.starts_with("paper/torch/") &&
                                  std::regex_search(include, kTorch);
    if (is_against_arrows || is_relative || is_torch_outside ||
        std::regex_search(include, kForeign)) {
      faults.push_back(file.path + " must not include " + include);
    }
  }
  return faults;
}

/// Lines that print. errors.h is left out for its assertion, the main.cpp of
/// sbog-paper for being a program.
std::vector<std::string> printing_faults(const File& file) {
  static const std::regex kPrinting(
      R"(std::(cout|cerr|clog)\b|\b(printf|fprintf|puts|fputs|putchar|perror|vprintf)\s*\(|#\s*include\s*<iostream>)");
  std::vector<std::string> faults;
  if (!is_library(file.path) || file.path == "sbog/base/errors.h" ||
      file.path == "paper/main.cpp") {
    return faults;
  }
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (std::regex_search(file.lines[i], kPrinting)) {
      faults.push_back(file.path + ":" + std::to_string(i + 1) + " prints");
    }
  }
  return faults;
}

/// Every .h and .cpp below the source folders.
const std::vector<File>& all_files() {
  static const std::vector<File> kFiles = [] {
    const fs::path root = SBOG_SOURCE_DIR;
    std::vector<File> files;
    for (const char* folder :
         {"sbog", "sbog_torch", "paper", "cli", "tests", "examples", "bench"}) {
      if (!fs::exists(root / folder)) continue;
      for (const auto& found :
           fs::recursive_directory_iterator(root / folder)) {
        const std::string kind = found.path().extension().string();
        if (kind != ".h" && kind != ".cpp") continue;
        File file{fs::relative(found.path(), root).generic_string(), {}};
        std::ifstream in(found.path());
        for (std::string line; std::getline(in, line);) {
          file.lines.push_back(line);
        }
        files.push_back(std::move(file));
      }
    }
    return files;
  }();
  return kFiles;
}

std::string listed(const std::vector<std::string>& faults) {
  std::ostringstream out;
  for (const std::string& fault : faults) out << "\n  " << fault;
  return out.str();
}

template <typename Check>
std::vector<std::string> faults_of_tree(const Check& check) {
  std::vector<std::string> faults;
  for (const File& file : all_files()) {
    for (std::string& fault : check(file)) faults.push_back(std::move(fault));
  }
  return faults;
}

TEST(Tree, the_source_folders_are_found) {
  const auto is_there = [](const char* path) {
    return std::any_of(all_files().begin(), all_files().end(),
                       [&](const File& file) { return file.path == path; });
  };
  EXPECT_TRUE(is_there("sbog/base/matrix.h"));
  EXPECT_TRUE(is_there("tests/tree_test.cpp"));
}

TEST(Tree, includes_follow_the_arrows) {
  const auto faults = faults_of_tree(include_faults);
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST(Tree, an_include_against_the_arrows_is_detected) {
  const auto count = [](const char* path, const char* line) {
    return include_faults({path, {line}}).size();
  };
  EXPECT_EQ(count("sbog/base/a.h", "#include \"sbog/energy/b.h\""), 1u);
  EXPECT_EQ(count("sbog/data/a.h", "#include <sbog/energy/b.h>"), 1u);
  EXPECT_EQ(count("sbog/energy/a.h", "# include \"sbog/data/b.h\""), 1u);
  EXPECT_EQ(count("sbog/metrics/a.h", "#include \"sbog/sample/b.h\""), 1u);
  EXPECT_EQ(count("sbog/base/a.h", "#include <torch/torch.h>"), 1u);
  EXPECT_EQ(count("sbog/data/a.cpp", "#include <Python.h>"), 1u);
  EXPECT_EQ(count("sbog/data/a.cpp", "#include \"cli/options.h\""), 1u);
  EXPECT_EQ(count("sbog/data/a.cpp", "#include \"../base/matrix.h\""), 1u);
  EXPECT_EQ(count("sbog/cellar/a.cpp", ""), 1u);
  EXPECT_EQ(count("sbog/base/a.h", "#include \"sbog_torch/nn/b.h\""), 1u);
  EXPECT_EQ(count("sbog_torch/nn/a.h", "#include \"sbog/series/b.h\""), 1u);
  EXPECT_EQ(count("sbog_torch/cellar/a.h", ""), 1u);
  EXPECT_EQ(count("sbog/oracle/a.cpp", "#include \"paper/table.h\""), 1u);
  EXPECT_EQ(count("paper/a.cpp", "#include \"cli/console.h\""), 1u);
  EXPECT_EQ(count("paper/a.cpp", "#include \"sbog_torch/nn/b.h\""), 1u);
}

TEST(Tree, an_include_along_the_arrows_is_allowed) {
  const auto count = [](const char* path, const char* line) {
    return include_faults({path, {line}}).size();
  };
  EXPECT_EQ(count("sbog/base/a.h", "#include \"sbog/base/b.h\""), 0u);
  EXPECT_EQ(count("sbog/data/a.h", "#include \"sbog/base/b.h\""), 0u);
  EXPECT_EQ(count("sbog/certify/a.h", "#include \"sbog/base/b.h\""), 0u);
  EXPECT_EQ(count("sbog/oracle/a.h", "#include \"sbog/sample/b.h\""), 0u);
  EXPECT_EQ(count("sbog_torch/nn/a.h", "#include <torch/torch.h>"), 0u);
  EXPECT_EQ(count("sbog_torch/series/a.h", "#include \"sbog/base/b.h\""), 0u);
  EXPECT_EQ(count("paper/a.cpp", "#include \"sbog/oracle/b.h\""), 0u);
  EXPECT_EQ(count("paper/torch/a.cpp", "#include \"sbog_torch/nn/b.h\""), 0u);
  EXPECT_EQ(count("cli/a.cpp", "#include \"sbog/energy/b.h\""), 0u);
}

TEST(Tree, public_headers_include_nothing_that_is_not_installed) {
  const auto faults = faults_of_tree([](const File& file) {
    std::vector<std::string> found;
    const bool is_public = file.path.starts_with("sbog/") &&
                           file.path.ends_with(".h") &&
                           file.path.find("/detail/") == std::string::npos;
    if (!is_public) return found;
    for (const std::string& include : includes_of(file)) {
      if (include.find("/detail/") != std::string::npos) {
        found.push_back(file.path + " includes " + include);
      }
    }
    return found;
  });
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST(Tree, every_source_has_a_test_of_its_name) {
  std::vector<std::string> faults;
  for (const File& file : all_files()) {
    if (!is_library(file.path) || !file.path.ends_with(".cpp")) continue;
    const fs::path tests = fs::path(SBOG_SOURCE_DIR) / "tests";
    const fs::path inner = fs::path(file.path).lexically_relative(
        file.path.starts_with("sbog/") ? "sbog" : ".");
    const std::string name = inner.stem().string() + "_test.cpp";
    // What lies in detail/ may be tested one folder up.
    const fs::path folder = inner.parent_path();
    if (!fs::exists(tests / folder / name) &&
        !fs::exists(tests / folder.parent_path() / name)) {
      faults.push_back(file.path + " has no " + name + " below tests/" +
                       folder.string());
    }
  }
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST(Tree, every_file_begins_with_its_licence) {
  const auto faults = faults_of_tree([](const File& file) {
    std::vector<std::string> found;
    if (file.lines.empty() ||
        file.lines[0] != "// SPDX-License-Identifier: Apache-2.0") {
      found.push_back(file.path);
    }
    return found;
  });
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST(Tree, every_header_has_pragma_once) {
  const auto faults = faults_of_tree([](const File& file) {
    std::vector<std::string> found;
    if (file.path.ends_with(".h") && !file.path.ends_with("-inl.h") &&
        std::find(file.lines.begin(), file.lines.end(), "#pragma once") ==
            file.lines.end()) {
      found.push_back(file.path);
    }
    return found;
  });
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST(Tree, no_source_file_is_longer_than_500_lines) {
  const auto faults = faults_of_tree([](const File& file) {
    std::vector<std::string> found;
    const bool is_source =
        is_library(file.path) || file.path.starts_with("cli/");
    if (is_source && file.lines.size() > 500) found.push_back(file.path);
    return found;
  });
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST(Tree, the_library_does_not_print) {
  const auto faults = faults_of_tree(printing_faults);
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST(Tree, a_printing_line_is_detected) {
  const auto count = [](const char* path, const char* line) {
    return printing_faults({path, {line}}).size();
  };
  EXPECT_EQ(count("sbog/data/a.cpp", "  std::cout << 1;"), 1u);
  EXPECT_EQ(count("sbog/data/a.cpp", "  std::printf(\"x\");"), 1u);
  EXPECT_EQ(count("sbog/data/a.cpp", "#include <iostream>"), 1u);
  EXPECT_EQ(count("paper/a.cpp", "  std::puts(\"x\");"), 1u);
  EXPECT_EQ(count("sbog/data/a.cpp", "  std::snprintf(b, n, \"x\");"), 0u);
  EXPECT_EQ(count("cli/a.cpp", "  std::cout << 1;"), 0u);
  EXPECT_EQ(count("paper/main.cpp", "  std::puts(\"x\");"), 0u);
}

}  // namespace tree_test
