// SPDX-License-Identifier: Apache-2.0
// The border to LibTorch. What needs it lies in one shared library,
// libsbog_torch.so, that is loaded when a job first asks for it: loading takes
// most of a second, and a program that never asks needs no LibTorch at all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/job/events.h"
#include "sbog/job/generate.h"
#include "sbog/job/image_detect.h"
#include "sbog/job/stress_model.h"
#include "sbog/job/train_image.h"
#include "sbog/scenario/scenario.h"

namespace sbog::job {

/// What the autoencoder of windows is made from.
struct WindowVaeOptions {
  std::string file;  ///< read if it is there, else written
  std::size_t epochs = 20;
  std::uint64_t seed = 0;
};

/// Everything that needs LibTorch. Each function throws InvalidArgument and
/// IoError as the job that it belongs to says.
class TorchLibrary {
 public:
  virtual ~TorchLibrary() = default;

  /// The release of LibTorch, such as "1.13.1".
  virtual std::string version() const = 0;
  /// `generate` on images; `options.kind` is taken to be kImages.
  virtual GenerateResult generate_images(const GenerateOptions& options,
                                         Events& events,
                                         const Context& context) const = 0;
  virtual TrainImageResult train_image(const TrainImageOptions& options,
                                       Events& events,
                                       const Context& context) const = 0;
  virtual ImageDetectorResult train_image_detector(
      const ImageDetectorOptions& options, Events& events,
      const Context& context) const = 0;
  virtual ImageScoreResult score_images(const ImageScoreOptions& options,
                                        Events& events,
                                        const Context& context) const = 0;
  /// A model under test: a detector of images or a TorchScript file.
  virtual StressSubject open_subject(const SubjectOptions& options,
                                     Events& events,
                                     const Context& context) const = 0;
  /// The conditional autoencoder of windows, read or trained, as a decoder of
  /// scenarios. Encoder and windows stay the caller's and must outlive it.
  /// Nothing when stopped; then the next call goes on.
  virtual std::optional<series::WindowDecoder> make_window_decoder(
      const series::Encoder& encoder, const series::WindowSource& windows,
      const WindowVaeOptions& options, Events& events,
      const Context& context) const = 0;
};

/// The library, loaded by the first call; safe from any thread. `what` begins
/// the sentence of the IoError that is thrown where the library is not
/// installed, does not load or belongs to another release of sbog.
const TorchLibrary& torch_library(std::string_view what = "this job");

/// Whether the file is there; it is not loaded.
bool has_torch_library();

/// Folders in which the library is looked for, the first first: beside the
/// program or module that this code is part of, and where an installation
/// places it.
std::vector<std::string> torch_library_folders();

/// Loads the library from the first of some folders that has it; see
/// torch_library.
const TorchLibrary& load_torch_library(std::string_view what,
                                       std::span<const std::string> folders);

/// Name of the file, and of its one entry function.
inline constexpr const char* kTorchLibraryFile = "libsbog_torch.so";
inline constexpr const char* kTorchLibraryEntry = "sbog_torch_library";

/// The entry function: the library, or null for another interface than its own.
using TorchLibraryEntry = const TorchLibrary*(std::uint64_t);

/// What both sides must agree on: a number that is raised by hand when a
/// function changes, and the sizes of what is passed, which change by
/// themselves.
constexpr std::uint64_t torch_interface() {
  std::uint64_t mixed = 1;
  for (const std::uint64_t size :
       {sizeof(GenerateOptions), sizeof(GenerateResult),
        sizeof(TrainImageOptions), sizeof(TrainImageResult),
        sizeof(ImageDetectorOptions), sizeof(ImageDetectorResult),
        sizeof(ImageScoreOptions), sizeof(ImageScoreResult),
        sizeof(WindowVaeOptions), sizeof(SubjectOptions), sizeof(StressSubject),
        sizeof(StressBatch)}) {
    mixed = mixed * 1000003 + size;
  }
  return mixed;
}

}  // namespace sbog::job
