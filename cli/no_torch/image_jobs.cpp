// SPDX-License-Identifier: Apache-2.0
// What a build without LibTorch says; see image_jobs.h.
#include "image_jobs.h"

#include "sbog/base/errors.h"

namespace sbog::cli {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw InvalidArgument(what +
                        ": this build has no LibTorch; build with "
                        "-DSBOG_WITH_TORCH=ON");
}

}  // namespace

int train_image(const TrainImageArguments& /*arguments*/,
                const CommonOptions& /*common*/) {
  refuse("train image");
}

int generate_image(const GenerateArguments& /*shared*/,
                   const ImageRunArguments& /*own*/,
                   const CommonOptions& /*common*/) {
  refuse("generate --kind image");
}

int train_image_detector(const TrainImageDetectorArguments& /*arguments*/,
                         const CommonOptions& /*common*/) {
  refuse("detect train --kind image");
}

int score_images(const ScoreImagesArguments& arguments,
                 const CommonOptions& /*common*/) {
  refuse(arguments.model + " is a detector of images");
}

}  // namespace sbog::cli
