// SPDX-License-Identifier: Apache-2.0
// Encoder, bank and decoder from the options of jobs, with progress; shared by
// `train image` and `generate` on images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sbog/job/generate.h"
#include "sbog/job/train_image.h"
#include "sbog_torch/image/external_model.h"
#include "sbog_torch/image/image_model.h"

namespace sbog::torch_jobs {

/// How encoder, bank and decoder are made, whichever job asks.
struct TrainingSettings {
  job::ImageModelSettings model;
  std::size_t epochs = 10;
  std::string anchors;  ///< orthonormal, simplex or a file; empty: orthonormal
  std::string decoder;  ///< cvae, flow, mix or none
  std::optional<std::size_t> decoder_epochs;
  std::uint64_t seed = 0;
};

TrainingSettings settings_of(const job::TrainImageOptions& options);
TrainingSettings settings_of(const job::GenerateOptions& options);

/// Options of the library for so many images. The state of the training is kept
/// in `checkpoint`. Throws InvalidArgument.
image::ImageTraining training_of(const TrainingSettings& settings,
                                 std::size_t images,
                                 const std::string& checkpoint);

/// The same for the decoder.
image::DecoderTraining decoder_training_of(const TrainingSettings& settings,
                                           std::size_t images);

/// Trains and removes the checkpoint. Nothing when stopped, or when the loss
/// diverged, which is warned of.
std::optional<image::ImageModel> train_model(const ImageSet& images,
                                             const image::ImageTraining& how,
                                             job::Events& events,
                                             const Context& context);

/// A model of an encoder from elsewhere. Nothing when stopped.
std::optional<image::ImageModel> take_external_model(
    const ImageSet& images, const image::ExternalOptions& how,
    job::Events& events, const Context& context);

/// Trains a decoder and writes it to `path`. Null when stopped.
std::unique_ptr<image::Decoder> train_decoder_file(
    const image::ImageModel& model, const ImageSet& images,
    const image::DecoderTraining& how, const std::string& path,
    job::Events& events, const Context& context);

}  // namespace sbog::torch_jobs
