// SPDX-License-Identifier: Apache-2.0
// Options of detectors of images; see image_detector_options.h.
#include "image_detector_options.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "sbog/base/errors.h"

namespace sbog::cli {
namespace {

constexpr const char* kGroup = "Images";

// An option and the scores that have it.
struct ScoreOption {
  const char* name;
  std::vector<std::string_view> scores;
};

const std::vector<ScoreOption>& score_options() {
  static const std::vector<ScoreOption> kOptions = {
      {"--outliers", {"lse", "msp", "head"}},
      {"--epochs", {"lse", "msp", "head"}},
      {"--exposure-epochs", {"lse", "msp"}},
      {"--held-out", {"lse", "msp"}},
      {"--weight", {"lse", "msp", "head"}},
      {"--loss", {"lse", "msp", "head"}},
      {"--neighbours", {"knn"}},
      {"--epsilon", {"soe"}}};
  return kOptions;
}

void check_model(const TrainImageDetectorArguments& a) {
  if (!is_on_pixels(a.score) && a.model.empty()) {
    throw InvalidArgument("--score " + a.score +
                          ": it needs --model, a folder of sbog train image");
  }
}

}  // namespace

void declare_image_training(CLI::App& command, TrainImageDetectorArguments& a) {
  const auto grouped = [](CLI::Option* option) {
    return option->group(kGroup);
  };
  grouped(command.add_option(
              "--score", a.score,
              "What is held against the threshold. Of a classifier that is "
              "trained here, or of the encoder of --model, lse: log-sum-exp, "
              "msp: largest probability. Of "
              "the latents of --model, knn: nearness of the k-th neighbour, "
              "soe: Sinkhorn energy, head: log-sum-exp of a linear classifier"))
      ->check(CLI::IsMember({"lse", "msp", "knn", "soe", "head"}));
  grouped(command.add_option("--model", a.model,
                             "A folder of sbog train image on these images: "
                             "its encoder goes on to learn (lse, msp) or its "
                             "latents are judged (knn, soe, head)"));
  grouped(command.add_option("--outliers", a.outliers,
                             "A run of sbog generate on these images; without "
                             "it a classifier alone. head: also a run of "
                             "--decoder none"));
  grouped(command.add_option("--labels", a.input.labels,
                             "Class of each image, where the format has none"));
  declare_image_options(command, a.input, kGroup);
  grouped(command.add_option("--held-out", a.held_out,
                             "lse, msp: share of each class for the threshold; "
                             "with --model it is what the model did not see"));
  grouped(command.add_option("--exposure-epochs", a.exposure_epochs,
                             "lse, msp: passes with outliers (4)"));
  grouped(
      command.add_option("--weight", a.weight, "Weight of the outliers (1)"));
  grouped(command.add_option("--loss", a.loss, "energy, uniform or hinge"))
      ->check(CLI::IsMember({"energy", "uniform", "hinge"}));
  grouped(command.add_option("--neighbours", a.neighbours,
                             "knn: k, at most the bank (50)"))
      ->check(CLI::PositiveNumber);
  grouped(command.add_option("--epsilon", a.epsilon,
                             "soe: sharpness of the energy (0.05)"))
      ->check(CLI::PositiveNumber);
}

bool is_for_images(const TrainImageDetectorArguments& a) {
  return is_embedded_images(a.input.data) || !a.outliers.empty() ||
         !a.model.empty();
}

void check_image_training(const CLI::App& command,
                          const TrainImageDetectorArguments& a) {
  check_model(a);
  if (!(a.level > 0.0 && a.level <= 1.0)) {
    throw InvalidArgument(
        "--level: a share above 0 and at most 1 is expected, got " +
        std::to_string(a.level));
  }
  for (const ScoreOption& option : score_options()) {
    if (command.count(option.name) == 0 ||
        std::ranges::find(option.scores, a.score) != option.scores.end()) {
      continue;
    }
    const bool is_outliers = std::string_view(option.name) == "--outliers";
    throw InvalidArgument(std::string(option.name) + ": the score " + a.score +
                          (is_outliers ? " learns nothing from outliers"
                                       : " has no such option"));
  }
  for (const char* name : {"--epochs", "--held-out"}) {
    if (is_on_pixels(a.score) && !a.model.empty() && command.count(name) > 0) {
      throw InvalidArgument(std::string(name) +
                            ": the encoder of --model is trained already");
    }
  }
  for (const char* name : {"--exposure-epochs", "--weight", "--loss"}) {
    if (command.count(name) > 0 && a.outliers.empty()) {
      throw InvalidArgument(std::string(name) +
                            ": it is about outliers; name a run by --outliers");
    }
  }
}

}  // namespace sbog::cli
