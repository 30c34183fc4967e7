// SPDX-License-Identifier: Apache-2.0
// See model_command.h.
#include "sbog/job/model_command.h"

#include <cstdio>
#include <filesystem>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/byte_text.h"
#include "sbog/base/child_process.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/data/csv.h"
#include "sbog/data/dataset.h"
#include "sbog/data/npy.h"
#include "sbog/job/answer_shape.h"

namespace sbog::job {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestShown = 120;

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& from,
                     const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// The files of a call.
struct CallFiles {
  std::string cases;
  std::string out;
  bool has_table_in = false;
  bool has_table_out = false;
};

CallFiles files_of(const ModelCommand& command) {
  const fs::path folder = fs::absolute(command.folder);
  CallFiles files;
  files.has_table_in = has(command.text, "{cases.csv}");
  files.has_table_out = has(command.text, "{out.csv}");
  files.cases =
      (folder / (files.has_table_in ? "cases.csv" : "cases.npy")).string();
  files.out = (folder / (files.has_table_out ? "out.csv" : "out.npy")).string();
  return files;
}

std::vector<std::string> words_of(const ModelCommand& command,
                                  const CallFiles& files) {
  std::vector<std::string> words;
  for (const std::string& word : split_words(command.text)) {
    std::string filled = word;
    for (const char* name : {"{cases}", "{cases.csv}"}) {
      filled = replaced(std::move(filled), name, files.cases);
    }
    for (const char* name : {"{out}", "{out.csv}"}) {
      filled = replaced(std::move(filled), name, files.out);
    }
    words.push_back(std::move(filled));
  }
  return words;
}

// Quoted only where it must be: small programs read these tables.
std::string plain_field(const std::string& name) {
  const bool is_plain = name.find_first_of(",\"\r\n") == std::string::npos;
  return is_plain ? name : quote_csv(name);
}

// A row per point or image; of windows a row per row, with the numbers of both.
std::string table_of(const Array& cases,
                     const std::vector<std::string>& channels) {
  const bool has_windows = cases.shape().size() == 3;
  const std::size_t width = has_windows ? cases.shape()[1] : 1;
  const std::size_t columns = has_windows ? cases.shape().back() : cases.cols();
  std::string text = has_windows ? "window,row" : "";
  for (std::size_t c = 0; c < columns; ++c) {
    if (!text.empty()) text += ',';
    text += has_windows && c < channels.size() ? plain_field(channels[c])
                                               : "x" + std::to_string(c);
  }
  text += '\n';
  const LoadedMatrix<double> values = to_matrix<double>(cases);
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const auto row = values.view().row(i);
    for (std::size_t t = 0; t < width; ++t) {
      if (has_windows) text += std::to_string(i) + ',' + std::to_string(t);
      for (std::size_t c = 0; c < columns; ++c) {
        if (has_windows || c > 0) text += ',';
        text += shortest(row[t * columns + c]);
      }
      text += '\n';
    }
  }
  return text;
}

std::string name_of(const ModelCommand& command) {
  return "--model '" + shown_text(command.text, kLongestShown) + "'";
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

// What a user needs to go on: the last words of the command, and the log.
std::string trace_of(const ChildResult& ended, const ModelCommand& command) {
  if (ended.last_line.empty()) return "; it printed nothing";
  return "; its last line: " + shown_text(ended.last_line) +
         " (all of it: " + command.log + ")";
}

void check_end(const ChildResult& ended, const ModelCommand& command) {
  const std::string trace = trace_of(ended, command);
  switch (ended.end) {
    case ChildEnd::kTimedOut:
      throw IoError(name_of(command),
                    "was ended after the time limit of " +
                        seconds_text(command.timeout_seconds) + " (--timeout)" +
                        trace);
    case ChildEnd::kSignal:
      throw IoError(name_of(command), "was ended by signal " +
                                          std::to_string(ended.code) + trace);
    case ChildEnd::kExited:
    case ChildEnd::kStopped:
      break;
  }
  if (ended.code == 0) return;
  throw IoError(name_of(command),
                "ended with exit code " + std::to_string(ended.code) + trace);
}

Array read_answers_of(const ModelCommand& command, const CallFiles& files) {
  std::error_code error;
  if (!fs::exists(files.out, error)) {
    throw IoError(name_of(command),
                  std::string("left no file of answers at ") +
                      (files.has_table_out ? "{out.csv}" : "{out}"));
  }
  try {
    return files.has_table_out ? read_array(files.out) : read_npy(files.out);
  } catch (const std::exception& failure) {
    throw IoError(
        name_of(command),
        std::string("left answers that cannot be read: ") + failure.what());
  }
}

}  // namespace

void check_command(const ModelCommand& command) {
  std::vector<std::string> words;
  try {
    words = split_words(command.text);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(name_of(command) + ": " + error.what());
  }
  const auto mentions = [&](const char* plain, const char* table) {
    return has(command.text, plain) != has(command.text, table);
  };
  if (words.empty() || !mentions("{cases}", "{cases.csv}") ||
      !mentions("{out}", "{out.csv}")) {
    throw InvalidArgument(
        name_of(command) +
        ": a file of sbog detect train, or a command with {cases} and {out} "
        "(or {cases.csv} and {out.csv}), is expected");
  }
  if (!(command.timeout_seconds > 0.0)) {
    throw InvalidArgument("--timeout: a number of seconds above 0 is expected");
  }
}

Matrix<double> run_model_command(const ModelCommand& command,
                                 const Array& cases, Events& events) {
  const CallFiles files = files_of(command);
  std::error_code error;
  fs::remove(files.out, error);
  if (files.has_table_in) {
    write_file_atomically(files.cases, table_of(cases, command.channels));
  } else {
    write_npy(files.cases, cases);
  }
  ChildOptions child;
  child.words = words_of(command, files);
  child.log = command.log;
  child.timeout_seconds = command.timeout_seconds;
  child.is_stopped = [&] { return events.is_stopped(); };
  ChildResult ended;
  try {
    ended = run_child(child);
  } catch (const IoError& failure) {
    throw IoError("--model", failure.what());
  }
  if (ended.end == ChildEnd::kStopped) return {};
  check_end(ended, command);
  Matrix<double> answers = shaped_answers(
      name_of(command), read_answers_of(command, files), asked_cases(cases));
  fs::remove(files.cases, error);
  fs::remove(files.out, error);
  return answers;
}

}  // namespace sbog::job
