// SPDX-License-Identifier: Apache-2.0
// What this program was built from, with and for.
#pragma once

#include <string>
#include <vector>

namespace sbog::cli {

/// A library and its release.
struct LibraryFact {
  std::string name;
  std::string version;
};

/// How the program was made.
struct BuildFacts {
  std::string version;   ///< of the project
  std::string commit;    ///< or "unknown"; see sbog/base/build_info.h
  std::string compiler;  ///< name and release
  std::string type;      ///< such as "Release"
};

BuildFacts build_facts();

/// The libraries that the program is made of: linked ones as they answer now,
/// headers as they were compiled.
std::vector<LibraryFact> used_libraries();

/// What `sbog --version` says: "sbog X.Y.Z" and one line per fact.
std::string version_text();

}  // namespace sbog::cli
