// SPDX-License-Identifier: Apache-2.0
// In `sbog`: becoming `sbog-torch`; see libtorch.h.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "libtorch.h"
#include "sbog/base/errors.h"

namespace sbog::cli {
namespace {

char** arguments = nullptr;

}  // namespace

void prepare_program(char** argv) { arguments = argv; }

void need_libtorch() {
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = self.parent_path() / "sbog-torch";
  execv(program.c_str(), arguments);  // returns on failure only
  throw IoError(program, std::string("cannot be started: ") +
                             std::strerror(errno) +
                             "; `make` builds it where there is LibTorch");
}

const char* linked_libtorch() { return ""; }

}  // namespace sbog::cli
