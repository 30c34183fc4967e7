// SPDX-License-Identifier: Apache-2.0
// See torch_library.h.
#include "sbog/job/torch_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "sbog/base/errors.h"

namespace sbog::job {
namespace {

namespace fs = std::filesystem;

// Below the prefix of an installation; see cmake/SbogInstall.cmake.
#ifndef SBOG_LIBRARY_FOLDER
#define SBOG_LIBRARY_FOLDER "lib"
#endif

// Its address lies in the program or module that this code is linked into.
void here() {}

// The folder of that module. The system knows the main program by the name it
// was called with, which may be no path; /proc knows better then.
fs::path module_folder() {
  std::error_code error;
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&here), &info) != 0 &&
      info.dli_fname != nullptr) {
    const fs::path module(info.dli_fname);
    if (module.has_parent_path() && module.extension() == ".so") {
      return fs::canonical(module, error).parent_path();
    }
  }
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::string found_in(std::span<const std::string> folders) {
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::path file = fs::path(folder) / kTorchLibraryFile;
    if (fs::exists(file, error)) return file.string();
  }
  return "";
}

[[noreturn]] void refuse_torch(std::string_view what,
                               const std::string& sentence) {
  throw IoError(std::string(what) + " needs the library " + sentence);
}

}  // namespace

std::vector<std::string> torch_library_folders() {
  const fs::path folder = module_folder();
  std::vector<std::string> folders;
  for (const char* place :
       {".", "../lib", "../lib/sbog", "../" SBOG_LIBRARY_FOLDER "/sbog"}) {
    const std::string path = (folder / place).lexically_normal().string();
    if (std::ranges::find(folders, path) == folders.end()) {
      folders.push_back(path);
    }
  }
  return folders;
}

const TorchLibrary& load_torch_library(std::string_view what,
                                       std::span<const std::string> folders) {
  const std::string file = found_in(folders);
  if (file.empty()) {
    refuse_torch(what, std::string(kTorchLibraryFile) +
                           ", which is not installed beside sbog; build it "
                           "with LibTorch (libtorch-dev)");
  }
  // It stays loaded: what it returns is code of the library.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    refuse_torch(what, file + ", which does not load: " +
                           (why == nullptr ? "unknown reason" : why));
  }
  auto* entry =
      reinterpret_cast<TorchLibraryEntry*>(dlsym(library, kTorchLibraryEntry));
  const TorchLibrary* found =
      entry == nullptr ? nullptr : entry(torch_interface());
  if (found == nullptr) {
    refuse_torch(what, file +
                           ", which belongs to another release of sbog; build "
                           "both from the same sources");
  }
  return *found;
}

const TorchLibrary& torch_library(std::string_view what) {
  static std::mutex mutex;
  static const TorchLibrary* loaded = nullptr;
  const std::lock_guard lock(mutex);
  if (loaded == nullptr) {
    loaded = &load_torch_library(what, torch_library_folders());
  }
  return *loaded;
}

bool has_torch_library() { return !found_in(torch_library_folders()).empty(); }

}  // namespace sbog::job
