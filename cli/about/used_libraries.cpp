// SPDX-License-Identifier: Apache-2.0
// Releases of third-party libraries; see build_facts.h.
#include <hwy/highway.h>
#include <jpeglib.h>
#include <png.h>
#include <xxhash.h>
#include <zip.h>
#include <zlib.h>

#include <CLI/Version.hpp>
#include <Eigen/Core>
#include <boost/version.hpp>
#include <cstdio>  // jpeglib.h needs it and does not include it
#include <nlohmann/json.hpp>

#include "about/build_facts.h"

namespace sbog::cli {
namespace {

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

std::vector<LibraryFact> used_libraries() {
  const unsigned xxhash = XXH_VERSION_NUMBER;
  return {
      {"Highway", dotted(HWY_MAJOR, HWY_MINOR, HWY_PATCH)},
      {"Eigen",
       dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
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

}  // namespace sbog::cli
