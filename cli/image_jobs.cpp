// SPDX-License-Identifier: Apache-2.0
// What the jobs on images have in common and needs no LibTorch; see
// image_jobs.h.
#include "image_jobs.h"

#include <filesystem>

#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"
#include "toml_text.h"

namespace sbog::cli {
namespace {

constexpr const char* kGroup = "Images";
constexpr const char* kDetectorFile = "detector.safetensors";

}  // namespace

void declare_image_model_options(CLI::App& command, ImageModelArguments& a,
                                 const std::string& group) {
  const auto grouped = [&](CLI::Option* option) {
    return group.empty() ? option : option->group(group);
  };
  grouped(command.add_option("--batch", a.batch,
                             "Images per step, 0 = so that an epoch has 50 "
                             "steps, within 16 and 128"));
  grouped(command.add_option("--latent", a.latent, "Numbers per image"))
      ->check(CLI::Range(2, 4096));
  grouped(command.add_option("--widths", a.widths,
                             "Channels of the encoder's blocks"))
      ->delimiter(',');
  declare_robust_options(command, a.robust, group);
  grouped(command.add_option("--per-class", a.per_class,
                             "Latents of a class in the bank at most"))
      ->check(CLI::PositiveNumber);
  grouped(command.add_option("--held-out", a.held_out,
                             "Share of each class that is not trained on"));
}

void declare_image_run_options(CLI::App& command, ImageRunArguments& a) {
  declare_image_options(command, a.input, kGroup);
  declare_image_model_options(command, a.training, kGroup);
  command
      .add_option("--decoded", a.decoded,
                  "Outliers of a class to turn into images at most")
      ->group(kGroup);
  command
      .add_option("--pictures", a.pictures, "Images as PNG files of their own")
      ->group(kGroup);
  command
      .add_option("--variation", a.variation,
                  "What a latent leaves open (pose, brightness): that of the "
                  "source image, that and all the decoder cannot draw of it, "
                  "or drawn afresh (cvae)")
      ->check(CLI::IsMember({"source", "detail", "fresh"}))
      ->group(kGroup);
  command
      .add_option("--decode-rounds", a.rounds,
                  "Times an image is drawn again, nearer to its point as the "
                  "encoder sees it")
      ->group(kGroup);
}

std::string image_run_toml(const GenerateArguments& shared,
                           const ImageRunArguments& own,
                           const SamplerOptions& options) {
  Toml toml;
  if (!own.model.empty()) toml.add("model", own.model);
  if (!own.input.class_names.empty()) {
    toml.add("class-names", own.input.class_names);
  }
  toml.add("side", own.input.side);
  toml.add("limit", own.input.limit);
  const ImageModelArguments& training = own.training;
  toml.add("epochs", training.epochs);
  toml.add("batch", training.batch);
  toml.add("latent", training.latent);
  std::vector<double> widths(training.widths.begin(), training.widths.end());
  toml.add("widths", widths);
  add_robust(toml, training.robust);
  toml.add("per-class", training.per_class);
  toml.add("held-out", training.held_out);
  toml.add("decoder", training.decoder);
  if (training.decoder_epochs) {
    toml.add("decoder-epochs", *training.decoder_epochs);
  }
  toml.add("decoded", own.decoded);
  toml.add("pictures", own.pictures);
  toml.add("variation", own.variation);
  toml.add("decode-rounds", own.rounds);
  return to_toml(shared, options) + toml.text();
}

bool is_on_pixels(std::string_view score) {
  return score == "lse" || score == "msp";
}

bool is_image_detector(const std::string& path) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  const std::string file =
      is_folder ? (std::filesystem::path(path) / kDetectorFile).string() : path;
  if (is_folder && !std::filesystem::exists(file, error)) {
    throw IoError(path, std::string("is a folder without ") + kDetectorFile +
                            ", which a detector of images has");
  }
  const auto metadata = read_safetensors(file).metadata;
  const auto role = metadata.find("role");
  const bool is_known =
      role != metadata.end() &&
      role->second.starts_with(is_folder ? "sbog latent image detector"
                                         : "sbog image detector");
  if (is_folder && !is_known) {
    throw IoError(file, "is not a detector on latents");
  }
  return is_known;
}

}  // namespace sbog::cli
