// SPDX-License-Identifier: Apache-2.0
// What the trainings of decoders have in common. `Options` have epochs, batch,
// seed and optimiser.
#pragma once

#include "sbog/base/errors.h"
#include "sbog_torch/image/decoder_problem.h"
#include "sbog_torch/image/detail/in_chunks.h"

namespace sbog::image::detail {

/// The walk over the images of the problem.
template <typename Options>
EpochPlan decoder_plan(const DecoderProblem& problem, const Options& options) {
  return {static_cast<std::size_t>(problem.images.size(0)), options.batch,
          options.epochs, options.seed, Purpose::kDecoderOrder};
}

/// Throws InvalidArgument, beginning with `kind`, for options out of range.
template <typename Options>
void check_training(const char* kind, const Options& options) {
  require(kind, options.epochs >= 1 && options.batch >= 1,
          "at least one epoch and one image per batch are expected");
  require(kind,
          options.optimiser.learning_rate > 0.0 &&
              options.optimiser.learning_rate < 1.0,
          "a learning rate between 0 and 1 is expected");
}

}  // namespace sbog::image::detail
