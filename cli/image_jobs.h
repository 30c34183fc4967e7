// SPDX-License-Identifier: Apache-2.0
// The jobs on images without their command lines. linked/ does them in
// `sbog-torch`; in `sbog` they hand the job over to it, and no_torch/ says that
// this build cannot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console.h"
#include "generate_options.h"
#include "image_input.h"
#include "robust_options.h"

namespace sbog::cli {

/// How encoder, bank and decoder are made.
struct ImageModelArguments {
  std::size_t epochs = 10;
  std::size_t batch = 0;  ///< images per step; 0: 50 steps in an epoch
  std::size_t latent = 64;
  std::vector<std::size_t> widths = {16, 32, 64};
  std::string anchors = "orthonormal";  ///< or simplex, or a file
  RobustArguments robust;
  std::size_t per_class = 1000;  ///< latents of the bank at most
  double held_out = 0.1;
  std::string decoder = "cvae";  ///< cvae, flow, mix or none
  std::optional<std::size_t> decoder_epochs;
};

/// Declares the options that train and generate spell alike.
void declare_image_model_options(CLI::App& command, ImageModelArguments& a,
                                 const std::string& group);

/// `sbog train image`.
struct TrainImageArguments {
  ImageInput input;
  std::string out;
  std::string encoder;  ///< from elsewhere, frozen; empty: one is trained
  ImageModelArguments model;
  bool is_resumed = false;
};

/// Trains, writes the model and says how it went. Returns the exit code.
/// Throws IoError, InvalidArgument.
int train_image(const TrainImageArguments& arguments,
                const CommonOptions& common);

/// What only `sbog generate --kind image` is asked.
struct ImageRunArguments {
  ImageInput input;
  std::string model;  ///< a folder; empty: trained
  ImageModelArguments training;
  std::size_t decoded = 1000;  ///< outliers of a class to decode at most
  std::size_t pictures = 16;   ///< of them as PNG files of their own
  /// "source", "detail" or "fresh": where what a latent leaves open comes from.
  std::string variation = "detail";
  std::size_t rounds = 4;  ///< in which images are drawn nearer their points
};

/// Declares the options in a group of their own.
void declare_image_run_options(CLI::App& command, ImageRunArguments& a);

/// The resolved configuration: `sbog generate INPUT --config FILE` repeats it.
std::string image_run_toml(const GenerateArguments& shared,
                           const ImageRunArguments& own,
                           const SamplerOptions& options);

/// Makes the run and returns the exit code. Throws IoError, InvalidArgument.
int generate_image(const GenerateArguments& shared,
                   const ImageRunArguments& own, const CommonOptions& common);

/// `sbog detect train` on images.
struct TrainImageDetectorArguments {
  ImageInput input;
  std::string out;  ///< a file for lse and msp, a folder for the others
  /// lse, msp: of a network on pixels, a classifier or the encoder of `model`;
  /// knn, soe, head: on latents of `model`.
  std::string score = "lse";
  std::string model;     ///< a folder of train_image; empty: none
  std::string outliers;  ///< a run of generate_image; empty: none
  double level = 0.95;   ///< share of held-out images above the threshold
  double held_out = 0.1;
  std::optional<std::size_t> epochs;
  std::optional<std::size_t> exposure_epochs;
  std::optional<double> weight;
  std::string loss = "energy";
  std::optional<std::size_t> neighbours;  ///< of knn
  std::optional<double> epsilon;          ///< of soe
};

/// Whether a score is one of the logits of a network.
bool is_on_pixels(std::string_view score);

/// Trains, writes the detector and says how it went. Returns the exit code.
int train_image_detector(const TrainImageDetectorArguments& arguments,
                         const CommonOptions& common);

/// `sbog detect score` with a detector of images.
struct ScoreImagesArguments {
  ImageInput input;
  std::string model;
  std::string outside;  ///< images of something else; empty: none
  std::string out;      ///< scores as csv; empty: none
};

/// Scores and says how it went. Returns the exit code.
int score_images(const ScoreImagesArguments& arguments,
                 const CommonOptions& common);

/// Whether a safetensors file, or a folder with a detector.safetensors, is a
/// detector of images. Throws IoError.
bool is_image_detector(const std::string& path);

}  // namespace sbog::cli
