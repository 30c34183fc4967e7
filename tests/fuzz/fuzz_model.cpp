// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model: a detector of points, of rows of a series, of windows,
// and an encoder of windows.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "fuzz_reader.h"
#include "sbog/detect/point_detector_file.h"
#include "sbog/series/cluster_detector_file.h"
#include "sbog/series/detector_file.h"
#include "sbog/series/series_model_file.h"

namespace {

// Models are read from files: this one, in a folder of its own.
constexpr const char* kName = "input";

template <typename Read>
void expect_refusal_or_model(const Read& read) {
  try {
    read();
  } catch (const sbog::IoError& error) {
    sbog::fuzz::check_message(error.what());
  } catch (const sbog::InvalidArgument& error) {
    sbog::fuzz::check_message(error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  char folder[] = "/tmp/fuzz_model.XXXXXX";
  sbog::fuzz::require(mkdtemp(folder) != nullptr && chdir(folder) == 0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::FILE* file = std::fopen(kName, "wb");
  sbog::fuzz::require(file != nullptr);
  sbog::fuzz::require(std::fwrite(data, 1, size, file) == size);
  std::fclose(file);
  expect_refusal_or_model([] { sbog::detect::read_point_detector(kName); });
  expect_refusal_or_model([] { sbog::read_detector(kName); });
  expect_refusal_or_model([] { sbog::series::read_cluster_detector(kName); });
  expect_refusal_or_model([] { sbog::series::read_series_model(kName); });
  return 0;
}
