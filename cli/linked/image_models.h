// SPDX-License-Identifier: Apache-2.0
// Encoder, bank and decoder from the command line, with progress; shared by
// the jobs on images of `sbog-torch`.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "image_jobs.h"
#include "sbog_torch/image/external_model.h"
#include "sbog_torch/image/image_model.h"

namespace sbog::cli {

/// Options of the library from those of the command line, for so many images.
/// The state of the training is kept in `checkpoint`. Throws InvalidArgument.
image::ImageTraining training_of(const ImageModelArguments& a,
                                 std::size_t images, std::uint64_t seed,
                                 const std::string& checkpoint);

/// The same for the decoder.
image::DecoderTraining decoder_training_of(const ImageModelArguments& a,
                                           std::size_t images,
                                           std::uint64_t seed);

/// Trains under a progress line and removes the checkpoint. Nothing when
/// interrupted, or when the loss diverged, which is warned of.
std::optional<image::ImageModel> train_model(const ImageSet& images,
                                             const image::ImageTraining& how,
                                             const CommonOptions& common);

/// A model of an encoder from elsewhere, under a progress line. Nothing when
/// interrupted.
std::optional<image::ImageModel> take_external_model(
    const ImageSet& images, const image::ExternalOptions& how,
    const CommonOptions& common);

/// The same for a decoder, which is also written to `path`. Null when
/// interrupted.
std::unique_ptr<image::Decoder> train_decoder_file(
    const image::ImageModel& model, const ImageSet& images,
    const image::DecoderTraining& how, const std::string& path,
    const CommonOptions& common);

}  // namespace sbog::cli
