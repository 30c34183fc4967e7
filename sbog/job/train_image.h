// SPDX-License-Identifier: Apache-2.0
// The job `train image`: encoder, bank and decoder of labelled images, learnt
// once, as a folder that other jobs read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/image/image_set.h"
#include "sbog/job/events.h"
#include "sbog/job/image_options.h"

namespace sbog::job {

/// What `train image` can be told.
struct TrainImageOptions {
  std::string data;
  std::string out;     ///< folder of the model
  std::string labels;  ///< class of each image; empty: as the format has it
  ImageInput input;
  std::string encoder;  ///< from elsewhere, frozen; empty: one is trained
  std::size_t epochs = 10;
  /// orthonormal, simplex or a file; with `encoder` means or a file. Empty:
  /// orthonormal, or means.
  std::string anchors;
  ImageModelSettings model;
  std::string decoder = "cvae";               ///< or flow, mix, none
  std::optional<std::size_t> decoder_epochs;  ///< cvae 12, flow 30
  bool resume = false;
  std::uint64_t seed = 0;
};

const OptionTable<TrainImageOptions>& train_image_option_table();

/// Names of the decoders of images.
std::vector<std::string> image_decoder_names();

/// What came out.
struct TrainImageResult {
  /// kNotReached: the loss of the encoder became infinite, and there is no
  /// model.
  Status status = Status::kDone;
  TrainImageOptions options;
  std::size_t images = 0;
  ImageShape shape;
  std::size_t classes = 0;
  std::size_t latent = 0;  ///< coordinates of an embedding
  std::size_t bank = 0;    ///< embeddings
  std::string encoder;     ///< trained, script or features
  std::size_t epochs = 0;
  bool is_robust = false;
  double accuracy = 0.0;  ///< on images that were not trained on
  double seconds = 0.0;
};

/// Trains and writes the model. A stopped training leaves its checkpoint; with
/// `resume` the next call goes on to the same encoder. Throws InvalidArgument,
/// IoError; also IoError where the library that uses LibTorch is not installed.
TrainImageResult run(const TrainImageOptions& options, Events& events,
                     const Context& context = {});
nlohmann::ordered_json to_json(const TrainImageResult& result);

}  // namespace sbog::job
