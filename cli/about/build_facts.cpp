// SPDX-License-Identifier: Apache-2.0
// See build_facts.h. The commit comes by a call, so that a new one does not
// compile this file again.
#include "about/build_facts.h"

#include "about/kernel_targets.h"
#include "sbog/base/build_info.h"
#include "sbog/energy/energy_model.h"
#include "sbog/job/torch_library.h"

namespace sbog::cli {
namespace {

std::string compiler_name() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." +
         std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#elif defined(__GNUC__)
  return "GCC " + std::to_string(__GNUC__) + "." +
         std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::string image_words() {
  std::string words;
  for (const LibraryFact& library : used_libraries()) {
    if (library.name != "libpng" && library.name != "libjpeg") continue;
    words += (words.empty() ? "" : ", ") + library.name + " " + library.version;
  }
  return words;
}

}  // namespace

BuildFacts build_facts() {
  return {build_version(), build_commit(), compiler_name(), SBOG_BUILD_TYPE};
}

std::string version_text() {
  const BuildFacts facts = build_facts();
  std::string kernels;
  for (const KernelTarget& target : kernel_targets()) {
    kernels += target.name + " ";
  }
  const auto line = [](const char* name, const std::string& value) {
    std::string text = std::string("\n") + name;
    return text.append(11 - text.size(), ' ') + value;
  };
  return "sbog " + facts.version + line("commit", facts.commit) +
         line("compiler", facts.compiler) + line("build", facts.type) +
         line("kernels",
              kernels + "(" + simd_target() + " is used on this CPU)") +
         line("LibTorch", job::has_torch_library()
                              ? std::string("yes, in ") + job::kTorchLibraryFile
                              : "no") +
         line("images", image_words());
}

}  // namespace sbog::cli
