// SPDX-License-Identifier: Apache-2.0
// What a build without LibTorch says; see detect_clusters.h.
#include "detect_clusters.h"

#include "sbog/base/errors.h"

namespace sbog::cli {

int train_clusters(const ClusterTrainArguments& arguments,
                   const CommonOptions& /*common*/) {
  throw InvalidArgument("detect train --detector " + arguments.detector +
                        ": this build has no LibTorch; build with "
                        "-DSBOG_WITH_TORCH=ON, or use another detector");
}

ClusterScores score_clusters(const std::string& model, const Series& /*series*/,
                             double /*level*/, const Context& /*context*/) {
  throw InvalidArgument(model +
                        ": a detector of this kind needs LibTorch, which this "
                        "build does not have; build with -DSBOG_WITH_TORCH=ON");
}

}  // namespace sbog::cli
