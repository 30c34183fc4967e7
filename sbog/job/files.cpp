// SPDX-License-Identifier: Apache-2.0
// See files.h.
#include "sbog/job/files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"

namespace sbog::job {
namespace {

namespace fs = std::filesystem;

// A file that an option names.
struct NamedFile {
  const OptionInfo* option;
  std::string path;
};

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  return fs::weakly_canonical(fs::absolute(a), error) ==
         fs::weakly_canonical(fs::absolute(b), error);
}

// Files behind a value: the path, and what stands before the name of an array
// within the file.
std::vector<std::string> paths_of(const std::string& value) {
  std::vector<std::string> paths = {value};
  const std::size_t colon = value.rfind(':');
  if (colon != std::string::npos) paths.push_back(value.substr(0, colon));
  std::error_code error;
  std::erase_if(paths, [&](const std::string& path) {
    return !fs::is_regular_file(path, error);
  });
  return paths;
}

bool may_name_input(const OptionInfo& option) {
  return !option.is_output &&
         (option.is_positional || option.value_name == "FILE" ||
          option.value_name == "DATA");
}

}  // namespace

void check_outputs(std::span<const BoundOption> options) {
  std::vector<NamedFile> inputs;
  std::vector<NamedFile> outputs;
  for (const BoundOption& option : options) {
    for (const std::string& value :
         option.values.value_or(std::vector<std::string>{})) {
      if (option.info.is_output) outputs.push_back({&option.info, value});
      if (!may_name_input(option.info)) continue;
      for (std::string& path : paths_of(value)) {
        inputs.push_back({&option.info, std::move(path)});
      }
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string name = command_line_name(*outputs[i].option);
    for (const NamedFile& input : inputs) {
      if (!is_same_file(outputs[i].path, input.path)) continue;
      throw InvalidArgument(name + ": " + outputs[i].path + " is read by " +
                            command_line_name(*input.option) +
                            " and would be overwritten; choose another name");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same_file(outputs[i].path, outputs[j].path)) continue;
      throw InvalidArgument(name + ": " + outputs[i].path +
                            " is the output of " +
                            command_line_name(*outputs[j].option) +
                            " already; choose another name");
    }
  }
}

void check_writable(const std::string& path) {
  if (path.empty()) return;
  const std::filesystem::path folder =
      std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw IoError(path, "cannot be written: its folder does not exist");
  }
  if (std::filesystem::is_directory(path)) {
    throw IoError(path, "cannot be written: it is a folder");
  }
}

void write_column(const std::string& path, const std::string& name,
                  std::span<const double> values) {
  if (!path.ends_with(".csv")) {
    write_npy(path, values);
    return;
  }
  std::string text = name + '\n';
  for (const double value : values) text += shortest(value) + '\n';
  write_file_atomically(path, text);
}

void check_ending(const std::string& path, const std::string& option,
                  std::span<const std::string_view> endings) {
  if (path.empty()) return;
  const bool is_known = std::ranges::any_of(
      endings, [&](std::string_view ending) { return path.ends_with(ending); });
  if (is_known) return;
  std::string known;
  for (const std::string_view ending : endings) {
    known += (known.empty() ? "" : " or ") + std::string(ending);
  }
  throw InvalidArgument(option + ": a name that ends with " + known +
                        " is expected, got '" + path + "'");
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_word(const std::string& text) {
  const bool is_plain =
      !text.empty() &&
      text.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
          "_-./:,=+@%") == std::string::npos;
  return is_plain ? text : shell_quoted(text);
}

}  // namespace sbog::job
