// SPDX-License-Identifier: Apache-2.0
// See torch_program.h.
#include "about/torch_program.h"

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "about/completion_words.h"

namespace sbog::cli {
namespace {

namespace fs = std::filesystem;

/// Standard output of a command line, and its exit status.
int output_of(const std::string& line, std::string& out) {
  std::FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return -1;
  char piece[256];
  while (std::fgets(piece, sizeof piece, pipe) != nullptr) out += piece;
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TorchProgram try_torch_program() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const std::string program = self.parent_path() / "sbog-torch";
  if (!fs::exists(program, error)) {
    return {"", program +
                    " is missing: jobs that need LibTorch cannot run "
                    "(`make` builds it)"};
  }
  std::string out;
  const int status = output_of(shell_quoted(program) + " --version 2>&1", out);
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = "LibTorch";
    if (status == 0 && line.starts_with(name)) {
      return {line.substr(line.find_first_not_of(' ', name.size())), ""};
    }
  }
  return {"", program + " does not start: " + out.substr(0, out.find('\n'))};
}

}  // namespace sbog::cli
