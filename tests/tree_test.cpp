// SPDX-License-Identifier: Apache-2.0
// The rules of the tree, read from its files: direction of includes, a test
// for every source, tests in namespaces of their own, licence lines, file
// lengths, no printing in the library.
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
    {"table", {"data", "sample"}},
    {"metrics", {"energy"}},
    {"detect", {"nn", "sample", "metrics"}},
    {"oracle", {"sample", "metrics"}},
    {"nn", {"data"}},
    {"series", {"nn", "sample", "metrics"}},
    {"scenario", {"series"}},
    {"report", {"metrics"}},
    {"image", {"data"}},
    {"stress", {"sample", "metrics", "dro"}},
    {"run", {"data", "sample"}},
    {"job",
     {"run", "certify", "metrics", "detect", "dro", "scenario", "image",
      "report", "stress", "table"}},
    {"torch_nn", {"nn"}},
    {"torch_series", {"torch_nn", "series"}},
    {"torch_image",
     {"torch_nn", "image", "dro", "metrics", "sample", "detect"}},
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

/// Folders whose sources have tests and a length that is kept.
bool is_product(const std::string& path) {
  return is_library(path) || path.starts_with("cli/");
}

/// Whether this is a header of CLI11 in a file that has no business with it:
/// the words of a command line are known to two files, its release to one.
bool is_command_line_leak(const std::string& path, const std::string& include) {
  if (!include.starts_with("CLI/")) return false;
  if (path == "cli/about/build_facts.cpp") return include != "CLI/Version.hpp";
  return path != "cli/command_line.cpp" && path != "paper/main.cpp";
}

/// Includes that go against the arrows or out of the plain core. The tables of
/// paper/ may include every room, the tool every one of sbog/, by its public
/// headers.
std::vector<std::string> include_faults(const File& file) {
  static const std::regex kForeign(
      R"(^(ATen/|c10/|caffe2/|Python\.h|pybind11/|nanobind/|omp\.h|cli/))");
  static const std::regex kTorch(R"(^(torch/|sbog_torch/))");
  static const std::regex kNotForTool(R"(^(paper/|sbog/.*/detail/))");
  std::vector<std::string> faults;
  if (!is_product(file.path)) return faults;
  const bool is_tool = file.path.starts_with("cli/");
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
    const bool is_beyond_tool =
        is_tool && std::regex_search(include, kNotForTool);
    if (is_against_arrows || is_relative || is_torch_outside ||
        is_beyond_tool || is_command_line_leak(file.path, include) ||
        std::regex_search(include, kForeign)) {
      faults.push_back(file.path + " must not include " + include);
    }
  }
  return faults;
}

/// Where the test of a source may lie; what lies in detail/ or in paper/torch/
/// may be tested one folder up. Empty for what needs none.
std::vector<std::string> test_places(const std::string& path) {
  // It catches what nobody expected and calls command_line.cpp.
  static const Names kWithoutTest = {"cli/main.cpp"};
  if (!is_product(path) || !path.ends_with(".cpp") ||
      kWithoutTest.contains(path)) {
    return {};
  }
  const fs::path inner = fs::path(path).lexically_relative(
      path.starts_with("sbog/") ? "sbog" : ".");
  const std::string name = inner.stem().string() + "_test.cpp";
  std::vector<std::string> places;
  places.push_back(("tests" / inner.parent_path() / name).generic_string());
  const fs::path folder = inner.parent_path().filename();
  if (folder == "detail" || folder == "torch") {
    places.push_back(
        ("tests" / inner.parent_path().parent_path() / name).generic_string());
  }
  return places;
}

/// Lines of x_test.cpp outside a namespace x_test: several tests are compiled
/// together, and what they define must not meet.
std::vector<std::string> namespace_faults(const File& file) {
  if (!file.path.starts_with("tests/") || !file.path.ends_with("_test.cpp")) {
    return {};
  }
  static const std::regex kNeutral(
      R"(^\s*$|^\s*//|^#|^namespace [\w:]+ \{$|^\}  // namespace [\w:]+$)");
  const std::string name = fs::path(file.path).stem().string();
  const std::regex begin("^namespace (\\w+::)*" + name + " \\{$");
  const std::regex end("^\\}  // namespace (\\w+::)*" + name + "$");
  std::vector<std::string> faults;
  bool is_inside = false;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& line = file.lines[i];
    if (std::regex_search(line, begin)) is_inside = true;
    if (std::regex_search(line, end)) is_inside = false;
    if (!is_inside && !std::regex_search(line, kNeutral)) {
      faults.push_back(file.path + ":" + std::to_string(i + 1) +
                       " is not in a namespace " + name);
    }
  }
  return faults;
}

std::vector<std::string> length_faults(const File& file) {
  constexpr std::size_t kMost = 500;
  const bool is_kept_short =
      is_product(file.path) || file.path.starts_with("python/");
  if (!is_kept_short || file.lines.size() <= kMost) return {};
  return {file.path + " has " + std::to_string(file.lines.size()) + " lines"};
}

/// Lines that print. errors.h is left out for its assertion, the main.cpp of
/// sbog-paper for being a program.
std::vector<std::string> printing_faults(const File& file) {
  static const std::regex kPrinting(
      R"(std::(cout|cerr|clog)\b|\b(printf|fprintf|puts|fputs|putchar|perror|vprintf)\s*\(|\b(stdout|stderr)\b|#\s*include\s*<iostream>)");
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
    for (const char* folder : {"sbog", "sbog_torch", "paper", "cli", "python",
                               "tests", "examples", "bench"}) {
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
  EXPECT_EQ(count("cli/a.cpp", "#include \"sbog_torch/job/b.h\""), 1u);
  EXPECT_EQ(count("cli/a.cpp", "#include <torch/torch.h>"), 1u);
  EXPECT_EQ(count("cli/a.cpp", "#include \"paper/table.h\""), 1u);
  EXPECT_EQ(count("cli/a.cpp", "#include \"sbog/data/detail/b.h\""), 1u);
  EXPECT_EQ(count("cli/about/a.cpp", "#include \"../command.h\""), 1u);
  EXPECT_EQ(count("cli/a.cpp", "#include <CLI/CLI.hpp>"), 1u);
  EXPECT_EQ(count("sbog/job/a.cpp", "#include <CLI/CLI.hpp>"), 1u);
  EXPECT_EQ(count("cli/about/build_facts.cpp", "#include <CLI/CLI.hpp>"), 1u);
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
  EXPECT_EQ(count("cli/a.cpp", "#include \"sbog/job/b.h\""), 0u);
  EXPECT_EQ(count("cli/a.cpp", "#include \"about/b.h\""), 0u);
  EXPECT_EQ(count("cli/command_line.cpp", "#include <CLI/CLI.hpp>"), 0u);
  EXPECT_EQ(count("cli/about/build_facts.cpp", "#include <CLI/Version.hpp>"),
            0u);
  EXPECT_EQ(count("paper/main.cpp", "#include <CLI/CLI.hpp>"), 0u);
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
  const fs::path root = SBOG_SOURCE_DIR;
  const auto faults = faults_of_tree([&](const File& file) {
    std::vector<std::string> found;
    const std::vector<std::string> places = test_places(file.path);
    if (!places.empty() && std::none_of(places.begin(), places.end(),
                                        [&](const std::string& place) {
                                          return fs::exists(root / place);
                                        })) {
      found.push_back(file.path + " has no " + places.front());
    }
    return found;
  });
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST(Tree, a_test_is_looked_for_in_the_folder_of_its_source) {
  using Places = std::vector<std::string>;
  EXPECT_EQ(test_places("sbog/base/a.cpp"), Places{"tests/base/a_test.cpp"});
  EXPECT_EQ(test_places("sbog_torch/nn/a.cpp"),
            Places{"tests/sbog_torch/nn/a_test.cpp"});
  EXPECT_EQ(test_places("cli/a.cpp"), Places{"tests/cli/a_test.cpp"});
  EXPECT_EQ(test_places("cli/about/a.cpp"),
            Places{"tests/cli/about/a_test.cpp"});
  EXPECT_EQ(test_places("sbog/data/detail/a.cpp"),
            (Places{"tests/data/detail/a_test.cpp", "tests/data/a_test.cpp"}));
  EXPECT_TRUE(test_places("sbog/base/a.h").empty());
  EXPECT_TRUE(test_places("cli/main.cpp").empty());
}

TEST(Tree, what_a_test_defines_is_in_a_namespace_of_its_name) {
  const auto faults = faults_of_tree(namespace_faults);
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST(Tree, a_definition_outside_the_namespace_of_its_test_is_detected) {
  const auto count = [](std::vector<std::string> lines) {
    return namespace_faults({"tests/base/a_test.cpp", std::move(lines)}).size();
  };
  EXPECT_EQ(
      count({"#include <string>", "", "namespace sbog {", "namespace a_test {",
             "int x = 1;", "}  // namespace a_test", "}  // namespace sbog"}),
      0u);
  EXPECT_EQ(count({"namespace sbog::a_test {", "int x = 1;",
                   "}  // namespace sbog::a_test"}),
            0u);
  EXPECT_EQ(count({"namespace sbog {", "int x = 1;", "}  // namespace sbog"}),
            1u);
  EXPECT_EQ(
      count({"namespace b_test {", "int x = 1;", "}  // namespace b_test"}),
      1u);
  EXPECT_EQ(count({"namespace a_test {", "}  // namespace a_test", "int x;"}),
            1u);
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
  const auto faults = faults_of_tree(length_faults);
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST(Tree, a_long_file_is_detected) {
  const auto count = [](const char* path, std::size_t lines) {
    return length_faults({path, std::vector<std::string>(lines)}).size();
  };
  EXPECT_EQ(count("sbog/base/a.h", 500), 0u);
  EXPECT_EQ(count("sbog/base/a.h", 501), 1u);
  EXPECT_EQ(count("cli/a.cpp", 501), 1u);
  EXPECT_EQ(count("python/bindings/a.cpp", 501), 1u);
  EXPECT_EQ(count("paper/a.cpp", 501), 1u);
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
  EXPECT_EQ(count("sbog_torch/nn/a.cpp", "  std::cerr << 1;"), 1u);
  EXPECT_EQ(count("sbog/job/a.cpp", "  fwrite(b, 1, n, stderr);"), 1u);
  EXPECT_EQ(count("sbog/data/a.cpp", "  std::snprintf(b, n, \"x\");"), 0u);
  EXPECT_EQ(count("cli/a.cpp", "  std::cout << 1;"), 0u);
  EXPECT_EQ(count("paper/main.cpp", "  std::puts(\"x\");"), 0u);
}

}  // namespace tree_test
