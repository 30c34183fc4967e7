// SPDX-License-Identifier: Apache-2.0
// In `sbog`: every job on images becomes one of `sbog-torch`; see image_jobs.h.
#include <stdexcept>

#include "image_jobs.h"
#include "libtorch.h"

namespace sbog::cli {
namespace {

// need_libtorch() becomes another program or throws.
[[noreturn]] void hand_over() {
  need_libtorch();
  throw std::logic_error("a job on images is asked of a tool without LibTorch");
}

}  // namespace

int train_image(const TrainImageArguments& /*arguments*/,
                const CommonOptions& /*common*/) {
  hand_over();
}

int generate_image(const GenerateArguments& /*shared*/,
                   const ImageRunArguments& /*own*/,
                   const CommonOptions& /*common*/) {
  hand_over();
}

int train_image_detector(const TrainImageDetectorArguments& /*arguments*/,
                         const CommonOptions& /*common*/) {
  hand_over();
}

int score_images(const ScoreImagesArguments& /*arguments*/,
                 const CommonOptions& /*common*/) {
  hand_over();
}

}  // namespace sbog::cli
