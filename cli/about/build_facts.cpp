// SPDX-License-Identifier: Apache-2.0
// See build_facts.h. Libraries say their releases by their headers or when they
// are asked. The commit comes by a call, so that a new one does not
// compile this file again.
#include "about/build_facts.h"

#include <hwy/highway.h>
#include <jpeglib.h>
#include <png.h>
#include <xxhash.h>
#include <zip.h>
#include <zlib.h>

#include <CLI/Version.hpp>
#include <boost/version.hpp>
#include <cstdio>  // jpeglib.h needs it and does not include it
#include <nlohmann/json.hpp>

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

std::string dotted(long major, long minor, long patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

std::string jpeg_version() {
#ifdef LIBJPEG_TURBO_VERSION_NUMBER
  constexpr long kVersion = LIBJPEG_TURBO_VERSION_NUMBER;
  return "turbo " +
         dotted(kVersion / 1000000, kVersion / 1000 % 1000, kVersion % 1000);
#else
  return std::to_string(JPEG_LIB_VERSION);
#endif
}

}  // namespace

BuildFacts build_facts() {
  return {build_version(), build_commit(), compiler_name(), SBOG_BUILD_TYPE};
}

std::vector<LibraryFact> used_libraries() {
  const unsigned xxhash = XXH_VERSION_NUMBER;
  return {
      {"Highway", dotted(HWY_MAJOR, HWY_MINOR, HWY_PATCH)},
      {"Eigen", SBOG_EIGEN_VERSION},
      {"Boost", dotted(BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000,
                       BOOST_VERSION % 100)},
      {"xxHash", dotted(xxhash / 10000, xxhash / 100 % 100, xxhash % 100)},
      {"zlib", zlibVersion()},
      {"libzip", zip_libzip_version()},
      {"libpng", png_get_libpng_ver(nullptr)},
      {"libjpeg", jpeg_version()},
      {"CLI11", CLI11_VERSION},
      {"nlohmann-json",
       dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
              NLOHMANN_JSON_VERSION_PATCH)},
  };
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
