// SPDX-License-Identifier: Apache-2.0
// Children by posix_spawn; see child_processes.h.
#include "paper/child_processes.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "sbog/base/errors.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace sbog::paper {
namespace {

constexpr std::chrono::milliseconds kPause{5};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

struct Child {
  pid_t pid = 0;
  std::size_t index = 0;
  File words;  // its standard error
};

// posix_spawn's list of what to do with descriptors.
class FileActions {
 public:
  explicit FileActions(int standard_error) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null",
                                     O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, standard_error, STDERR_FILENO);
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::string first_line(std::FILE* file) {
  std::rewind(file);
  std::array<char, 1000> line{};
  if (std::fgets(line.data(), static_cast<int>(line.size()), file) == nullptr) {
    return "";
  }
  std::string text = line.data();
  text.erase(text.find_last_not_of("\r\n") + 1);
  return text;
}

std::string reason_of(int status, std::FILE* words) {
  std::string said = first_line(words);
  const std::string prefix = "sbog-paper: ";
  if (said.starts_with(prefix)) said.erase(0, prefix.size());
  if (!said.empty()) return said;
  if (WIFSIGNALED(status)) {
    return "it was ended by signal " + std::to_string(WTERMSIG(status));
  }
  return "it ended with status " + std::to_string(WEXITSTATUS(status));
}

// The running children; those that are left at the end are killed.
class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    for (const Child& child : running_) kill(child.pid, SIGKILL);
    for (const Child& child : running_) {
      while (waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }

  std::size_t size() const { return running_.size(); }

  void start(const std::vector<std::string>& command, std::size_t index) {
    Child child{0, index, File(std::tmpfile())};
    if (child.words == nullptr) {
      throw IoError(command[0], "no temporary file for its messages");
    }
    // posix_spawn takes pointers to mutable text but does not write there.
    std::vector<std::string> copies = command;
    std::vector<char*> arguments;
    arguments.reserve(copies.size() + 1);
    for (std::string& text : copies) arguments.push_back(text.data());
    arguments.push_back(nullptr);
    const FileActions actions(fileno(child.words.get()));
    const int error = posix_spawnp(&child.pid, arguments[0], actions.get(),
                                   nullptr, arguments.data(), environ);
    if (error != 0) {
      throw IoError(command[0],
                    std::string("cannot be started: ") + std::strerror(error));
    }
    running_.push_back(std::move(child));
  }

  // Those that have ended since the last call.
  std::vector<ChildEnd> reap() {
    std::vector<ChildEnd> ends;
    for (auto child = running_.begin(); child != running_.end();) {
      int status = 0;
      if (waitpid(child->pid, &status, WNOHANG) != child->pid) {
        ++child;
        continue;
      }
      const bool is_success = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      ends.push_back({child->index, is_success,
                      is_success ? "" : reason_of(status, child->words.get())});
      child = running_.erase(child);
    }
    return ends;
  }

 private:
  std::vector<Child> running_;
};

}  // namespace

bool run_children(const std::vector<std::vector<std::string>>& commands,
                  std::size_t jobs,
                  const std::function<bool(const ChildEnd*)>& on_end) {
  if (jobs == 0) throw InvalidArgument("jobs: at least 1 is expected");
  for (const auto& command : commands) {
    if (command.empty()) {
      throw InvalidArgument("commands: none may be empty");
    }
  }
  Children children;
  std::size_t next = 0;
  while (next < commands.size() || children.size() > 0) {
    while (next < commands.size() && children.size() < jobs) {
      children.start(commands[next], next);
      ++next;
    }
    const std::vector<ChildEnd> ends = children.reap();
    for (const ChildEnd& end : ends) {
      if (!on_end(&end)) return false;
    }
    if (!ends.empty()) continue;
    if (!on_end(nullptr)) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

void end_with_parent() {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

}  // namespace sbog::paper
