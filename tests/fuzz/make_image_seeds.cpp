// SPDX-License-Identifier: Apache-2.0
// Writes what the fuzzers of images start from: make_image_seeds KIND FOLDER
#include <cstdio>
#include <string>
#include <vector>

#include "image/corpus.h"

namespace {

using sbog::testing_support::CorpusFile;

std::vector<CorpusFile> seeds_of(const std::string& kind) {
  using namespace sbog::
      testing_support;  // NOLINT(google-build-using-namespace)
  if (kind == "cifar") {
    return {{"ten", std::string(2 * 3073, '\1')},
            {"hundred", std::string(2 * 3074, '\1')},
            {"cut", std::string(3072, '\1')},
            {"names", "cat\nbig dog\n"}};
  }
  std::vector<CorpusFile> files = valid_images();
  for (CorpusFile& file : malformed_images()) files.push_back(std::move(file));
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "use: make_image_seeds image|cifar FOLDER\n");
    return 2;
  }
  for (const CorpusFile& file : seeds_of(argv[1])) {
    sbog::testing_support::write_text(
        std::string(argv[2]) + "/seed-" + file.name, file.bytes);
  }
  return 0;
}
