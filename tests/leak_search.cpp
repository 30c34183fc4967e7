// SPDX-License-Identifier: Apache-2.0
// Part of programs that are built with the address sanitizer and may load
// LibTorch. Once a process has loaded it, leaks are not searched at its end:
// now and then the tracer of LeakSanitizer crashes on the threads that LibTorch
// leaves behind. Other processes are searched.
#include <link.h>

#include <cstddef>
#include <string_view>

namespace {

int is_libtorch(dl_phdr_info* library, std::size_t, void*) {
  const std::string_view name = library->dlpi_name;
  return name.find("libtorch_cpu.so") != std::string_view::npos ? 1 : 0;
}

}  // namespace

// LeakSanitizer asks this function, if a program has it.
extern "C" int __lsan_is_turned_off();   // NOLINT
extern "C" int __lsan_is_turned_off() {  // NOLINT
  return dl_iterate_phdr(is_libtorch, nullptr);
}
