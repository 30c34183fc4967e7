// SPDX-License-Identifier: Apache-2.0
// The jobs that need LibTorch, one source each; library.cpp offers them as the
// interface of sbog/job/torch_library.h, which says what each of them does.
#pragma once

#include <optional>

#include "sbog/job/torch_library.h"

namespace sbog::torch_jobs {

job::GenerateResult generate_images(const job::GenerateOptions& options,
                                    job::Events& events,
                                    const Context& context);

job::TrainImageResult train_image(const job::TrainImageOptions& options,
                                  job::Events& events, const Context& context);

/// A detector on pixels or on embeddings, by its score.
job::ImageDetectorResult train_image_detector(
    const job::ImageDetectorOptions& options, job::Events& events,
    const Context& context);

/// A detector on embeddings: the scores knn, soe and head.
job::ImageDetectorResult train_latent_detector(
    const job::ImageDetectorOptions& options, job::Events& events,
    const Context& context);

job::ImageScoreResult score_images(const job::ImageScoreOptions& options,
                                   job::Events& events, const Context& context);

/// A detector of images or a TorchScript file as a model under test.
job::StressSubject open_subject(const job::SubjectOptions& options,
                                job::Events& events, const Context& context);

std::optional<series::WindowDecoder> make_window_decoder(
    const series::Encoder& encoder, const series::WindowSource& windows,
    const job::WindowVaeOptions& options, job::Events& events,
    const Context& context);

}  // namespace sbog::torch_jobs
