// SPDX-License-Identifier: Apache-2.0
// Detectors on the latents of a model of images; see image_detectors.h.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "exit_code.h"
#include "linked/image_detectors.h"
#include "run_reader.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "sbog/energy/reference_measure.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/latent_detector.h"

namespace sbog::cli {
namespace {

namespace fs = std::filesystem;
using image::ImageModel;
using image::LatentDetector;
using image::LatentHead;
using image::LatentScore;

// What is said about a training besides its detector.
struct TrainingFacts {
  std::size_t held_out = 0;
  std::size_t outliers = 0;
  double accuracy = 0.0;
  std::optional<double> accuracy_before;
  double seconds = 0.0;
};

void require_empty(const std::string& folder) {
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder)) throw IoError(folder, "is not a folder");
  if (!fs::is_empty(folder)) {
    throw IoError(folder, "holds other files; choose an empty folder");
  }
}

ImageModel load_model(const std::string& folder) {
  ImageModel model = image::load_image_model(folder);
  if (!model.embed) {
    throw InvalidArgument(folder +
                          ": the model knows features of its own images alone; "
                          "a detector needs an encoder for new ones");
  }
  return model;
}

// A run keeps the bank it was made from, and no two encoders give the same.
void require_same_bank(const RunInputs<float>& run, const ImageModel& model,
                       const TrainImageDetectorArguments& a) {
  const MatrixView<const float> bank = run.bank.view();
  bool is_same = bank.rows() == model.bank.latents.rows() &&
                 bank.cols() == model.bank.latents.cols() &&
                 run.labels == model.bank.labels;
  for (std::size_t i = 0; is_same && i < bank.rows(); ++i) {
    is_same = std::ranges::equal(bank.row(i), model.bank.latents.row(i));
  }
  if (is_same) return;
  throw InvalidArgument(
      a.outliers + ": the run was made with another model than " + a.model);
}

Matrix<float> read_latents(const TrainImageDetectorArguments& a,
                           const ImageModel& model) {
  const FinishedRun run = open_run(a.outliers, "");
  if (run.manifest.value("kind", "latent") != "image") {
    throw InvalidArgument(a.outliers + ": a run on images is expected");
  }
  require_same_bank(load_run_inputs<float>(run), model, a);
  const std::string path = run.file("outliers.npy");
  const LoadedMatrix<float> points = to_matrix<float>(read_npy(path));
  if (points.rows() == 0) throw IoError(a.outliers, "has no outliers");
  if (points.cols() != model.anchors.cols()) {
    throw IoError(path, "the outliers are not as wide as the bank");
  }
  try {
    check_points(points.view(), GroundCost::kUnitCosine, "the outliers");
  } catch (const InvalidArgument& error) {
    throw IoError(path, error.what());
  }
  Matrix<float> latents(points.rows(), points.cols());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    std::ranges::copy(points.view().row(i), latents.row(i).begin());
  }
  return latents;
}

image::LatentHeadOptions head_options(const TrainImageDetectorArguments& a,
                                      std::uint64_t seed) {
  image::LatentHeadOptions options;
  if (a.epochs) options.epochs = *a.epochs;
  if (a.weight) options.weight = *a.weight;
  options.loss = image::outlier_loss(a.loss);
  options.seed = seed;
  check_options(options);
  return options;
}

// Nothing when interrupted.
std::optional<LatentHead> train_head(const TrainImageDetectorArguments& a,
                                     const ImageModel& model,
                                     const CommonOptions& common,
                                     TrainingFacts& facts) {
  Matrix<float> outliers;
  if (!a.outliers.empty()) outliers = read_latents(a, model);
  facts.outliers = outliers.rows();
  image::DetectorHistory history;
  ProgressLine line("training the head", common.is_quiet);
  LatentHead head = train_latent_head(
      {model.anchors, model.bank.latents, model.bank.labels, outliers},
      head_options(a, common.seed), {nullptr, &line}, &history);
  if (history.status == SolveStatus::kNotConverged) {
    throw InvalidArgument(
        "--weight: the head grew without bounds; choose a smaller one");
  }
  if (history.status != SolveStatus::kDone) return std::nullopt;
  return head;
}

// How the score reads in a sentence.
std::string words_of(const image::LatentDetectorOptions& options) {
  const std::string name = to_string(options.score);
  if (options.score == LatentScore::kHead) return name;
  char setting[60];
  if (options.score == LatentScore::kKnn) {
    std::snprintf(setting, sizeof setting, " (%zu neighbours)",
                  options.neighbours);
  } else {
    std::snprintf(setting, sizeof setting, " (epsilon %g)", options.epsilon);
  }
  return name + setting;
}

void print_json(const LatentDetector& detector,
                const TrainImageDetectorArguments& a,
                const TrainingFacts& facts) {
  const image::LatentDetectorOptions& options = detector.options();
  nlohmann::ordered_json json;
  json["model"] = a.out;
  json["kind"] = "image";
  json["score"] = a.score;
  json["encoder"] = a.model;
  if (options.score == LatentScore::kKnn) {
    json["neighbours"] = options.neighbours;
  }
  if (options.score == LatentScore::kSoe) json["epsilon"] = options.epsilon;
  json["bank"] = detector.model().bank.latents.rows();
  json["held_out"] = facts.held_out;
  json["classes"] = detector.classes();
  json["outliers"] = facts.outliers;
  json["level"] = a.level;
  json["threshold"] = *detector.threshold;
  if (facts.accuracy_before) json["accuracy_before"] = *facts.accuracy_before;
  json["accuracy"] = facts.accuracy;
  json["seconds"] = facts.seconds;
  std::printf("%s\n", json.dump(2).c_str());
}

void print_words(const LatentDetector& detector,
                 const TrainImageDetectorArguments& a,
                 const TrainingFacts& facts) {
  std::printf(
      "%s: score %s on a bank of %s latents of %zu classes, %s outliers (%s)\n",
      a.out.c_str(), words_of(detector.options()).c_str(),
      with_commas(detector.model().bank.latents.rows()).c_str(),
      detector.classes(), with_commas(facts.outliers).c_str(),
      duration(facts.seconds).c_str());
  std::printf("accuracy on %s images that the model did not see: %.1f %%",
              with_commas(facts.held_out).c_str(), 100.0 * facts.accuracy);
  if (facts.accuracy_before) {
    std::printf(", of its anchors %.1f %%", 100.0 * *facts.accuracy_before);
  }
  std::printf("\nthreshold %.4g: %.0f %% of these images lie above\n",
              *detector.threshold, 100.0 * a.level);
}

// Threshold and accuracies on the images that the model did not see.
void judge(const ImageSet& held_out, double level, const Context& context,
           LatentDetector& detector, TrainingFacts& facts) {
  const Matrix<float> latents = detector.embed(held_out);
  detector.threshold =
      image::score_threshold(detector.scores(latents.view(), context), level);
  facts.held_out = held_out.count();
  facts.accuracy =
      image::accuracy(detector.predict(latents.view()), held_out.labels);
  if (!detector.head()) return;
  facts.accuracy_before =
      image::accuracy(image::nearest_anchors(latents, detector.model().anchors),
                      held_out.labels);
}

}  // namespace

int train_latent_detector(const TrainImageDetectorArguments& a,
                          const CommonOptions& common) {
  nn::use_one_torch_thread();
  const auto start = std::chrono::steady_clock::now();
  require_empty(a.out);
  const Console console(common.is_quiet);
  image::LatentDetectorOptions options;
  options.score = image::latent_score(a.score);
  if (a.neighbours) options.neighbours = *a.neighbours;
  if (a.epsilon) options.epsilon = *a.epsilon;
  ImageModel model = load_model(a.model);
  const ImageSet images = load_known_classes(a.input, console);
  const ImageSplit split = split_of(model, images, a.model);
  TrainingFacts facts;
  std::optional<LatentHead> head;
  if (options.score == LatentScore::kHead) {
    head = train_head(a, model, common, facts);
    if (!head || is_interrupted()) {
      console.note("interrupted; nothing was written");
      return kNotReached;
    }
  }
  LatentDetector detector(std::move(model), options, std::move(head));
  ThreadPool pool(common.threads);
  judge(take(images, split.held_out), a.level, {&pool, nullptr}, detector,
        facts);
  detector.save(a.out);
  facts.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (common.is_json) {
    print_json(detector, a, facts);
  } else {
    print_words(detector, a, facts);
  }
  return kDone;
}

}  // namespace sbog::cli
