// SPDX-License-Identifier: Apache-2.0
// What a build without LibTorch says; see generate_series.h.
#include "generate_series.h"

#include "sbog/base/errors.h"

namespace sbog::cli {

int generate_series(const GenerateArguments& /*shared*/,
                    const SeriesRunArguments& /*own*/,
                    const CommonOptions& /*common*/) {
  throw InvalidArgument(
      "generate --kind series: this build has no LibTorch; build with "
      "-DSBOG_WITH_TORCH=ON, or give --kind latent when the input holds "
      "points");
}

const char* second_generate_example() {
  return "  sbog generate demo:bank --profile paper-series --margin 0 --count "
         "20 "
         "--out run2";
}

}  // namespace sbog::cli
