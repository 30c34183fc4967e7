// SPDX-License-Identifier: Apache-2.0
// What is learned once from labelled images and used after: an aligned encoder
// with its class anchors, the bank of its latents and, if wanted, a decoder
// (external_model.h for encoders from elsewhere). In a folder:
//   encoder.safetensors   see aligned_encoder.h; what the model was trained on
//                         is part of the metadata
//   bank.safetensors      see feature_bank.h
//   decoder.safetensors   see decoder.h; may be missing
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/alignment.h"
#include "sbog_torch/image/class_anchors.h"
#include "sbog_torch/image/cvae_training.h"
#include "sbog_torch/image/decoder.h"
#include "sbog_torch/image/feature_bank.h"
#include "sbog_torch/image/flow_training.h"
#include "sbog_torch/image/mix.h"

namespace sbog::image {

/// How encoder and bank come about.
struct ImageTraining {
  std::vector<std::size_t> widths = {16, 32, 64};  ///< of the encoder
  std::size_t latent = 64;                         ///< m
  AnchorOptions anchors = {};
  AlignmentOptions alignment = {};
  FeatureBankOptions bank = {};
  /// Share of each class that is not trained on, to tell the accuracy.
  double held_out = 0.1;
};

/// See the top of the file; the decoder is kept apart.
struct ImageModel {
  /// Trained here; nothing for an encoder from elsewhere.
  std::optional<Encoder> encoder = {};
  /// Images to unit latents; empty where only features of the images are known.
  Embed embed = {};
  std::string script = {};               ///< TorchScript behind it, or empty
  ImageShape shape = {};                 ///< of the images
  Matrix<float> anchors = {};            ///< C x m unit rows
  std::vector<std::string> class_names;  ///< one per class, maybe empty strings
  /// Of images that were trained on; `sources` are rows of the whole set.
  FeatureBank bank;
  std::uint64_t images = 0;  ///< checksum_of the whole set
  double accuracy = 0.0;     ///< on the images that were not trained on
  std::size_t epochs = 0;
  bool is_robust = false;
  /// split_by_class(images, held_out, split_seed) tells what was not trained
  /// on; a share of 0 is that of a file that does not say.
  double held_out = 0.0;
  std::uint64_t split_seed = 0;
};

/// A model, or how far it came.
struct ImageModelResult {
  std::optional<ImageModel> model;  ///< nothing when cancelled or diverged
  SolveStatus status = SolveStatus::kDone;
  std::vector<EpochRecord> epochs;
};

/// Checksum of shape, pixels and labels.
std::uint64_t checksum_of(const ImageSet& images);

/// Trains the encoder and embeds the bank; progress counts steps of the
/// training. Same seed, same bits at one thread of LibTorch. Throws
/// InvalidArgument for images without at least two classes and for options out
/// of range, IoError for a checkpoint of another run.
ImageModelResult train_image_model(const ImageSet& images,
                                   const ImageTraining& training,
                                   const Context& context = {});

/// Writes encoder and bank into a folder, which is made. Throws IoError.
void save_image_model(const std::string& folder, const ImageModel& model);

/// Whether the folder holds a model, of whatever encoder.
bool has_image_model(const std::string& folder);

/// Reads them back. Throws IoError for files that are missing, damaged or do
/// not fit each other.
ImageModel load_image_model(const std::string& folder);

/// Where the decoder of such a folder lies.
std::string decoder_path(const std::string& folder);

/// Throws InvalidArgument, beginning with `name`, unless the model was trained
/// on exactly these images.
void require_same_images(const ImageModel& model, const ImageSet& images,
                         const std::string& name);

/// Which of its images the model was trained on and which it never saw. Throws
/// InvalidArgument, beginning with `name`, for other images and when the model
/// does not say.
ImageSplit split_of(const ImageModel& model, const ImageSet& images,
                    const std::string& name);

/// How a decoder comes about; the options of its kind are read.
struct DecoderTraining {
  DecoderKind kind = DecoderKind::kCvae;
  CvaeOptions cvae = {};
  FlowOptions flow = {};
  MixOptions mix = {};
};

/// A decoder, or how far it came.
struct DecoderResult {
  std::unique_ptr<Decoder> decoder;  ///< null when cancelled
  SolveStatus status = SolveStatus::kDone;
};

/// Trains or makes a decoder from the images of the bank. Without `embed` the
/// latents are those of the bank, and an autoencoder has no consistency term.
/// Throws InvalidArgument.
DecoderResult train_decoder(const ImageModel& model, const ImageSet& images,
                            const DecoderTraining& training,
                            const Context& context = {});

}  // namespace sbog::image
