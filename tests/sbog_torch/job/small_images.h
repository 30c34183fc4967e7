// SPDX-License-Identifier: Apache-2.0
// 160 embedded images of 12 x 12 pixels, and a model of them that is trained
// once for all tests of a program: enough to show that everything works.
#pragma once

#include <string>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/job/image_input.h"
#include "sbog_torch/image/image_model.h"
#include "sbog_torch/job/jobs.h"

namespace sbog::torch_jobs::testing_support {

using sbog::testing_support::read_bytes;
using sbog::testing_support::RecordedEvents;
using sbog::testing_support::TemporaryFolder;

inline job::ImageInput small_input() {
  job::ImageInput input;
  input.side = 12;
  input.limit = 20;
  return input;
}

/// Without a decoder, a quarter of the images held out.
inline job::TrainImageOptions small_training(const std::string& out) {
  job::TrainImageOptions options;
  options.data = "demo:shapes";
  options.out = out;
  options.input = small_input();
  options.epochs = 2;
  options.model.widths = {4, 8};
  options.model.latent = 8;
  options.model.held_out = 0.25;
  options.decoder = "none";
  options.seed = 3;
  return options;
}

/// Folder of the model.
inline const std::string& small_model() {
  static const TemporaryFolder kFolder;
  static const std::string kPath = [] {
    std::string path = kFolder.file("m");
    RecordedEvents events;
    train_image(small_training(path), events, {});
    return path;
  }();
  return kPath;
}

/// The images it was trained on.
inline ImageSet small_images() {
  RecordedEvents events;
  return job::load_known_classes("demo:shapes", "", small_input(), events);
}

/// As many of each class that their scores tell a severity, which takes 20 of
/// them in the bank.
inline job::ImageInput graded_input() {
  job::ImageInput input = small_input();
  input.limit = 28;
  return input;
}

/// Folder of a model of these.
inline const std::string& graded_model() {
  static const TemporaryFolder kFolder;
  static const std::string kPath = [] {
    std::string path = kFolder.file("m");
    RecordedEvents events;
    job::TrainImageOptions options = small_training(path);
    options.input = graded_input();
    train_image(options, events, {});
    return path;
  }();
  return kPath;
}

}  // namespace sbog::torch_jobs::testing_support
