// SPDX-License-Identifier: Apache-2.0
// What a build without LibTorch says; see train_series.h.
#include "train_series.h"

#include "sbog/base/errors.h"

namespace sbog::cli {

int train_series(const TrainSeriesArguments& /*arguments*/,
                 const CommonOptions& /*common*/) {
  throw InvalidArgument(
      "train series: this build has no LibTorch; build with "
      "-DSBOG_WITH_TORCH=ON");
}

}  // namespace sbog::cli
