// SPDX-License-Identifier: Apache-2.0
// Detectors on the latents of a model of images; see jobs.h.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/data/npy.h"
#include "sbog/energy/reference_measure.h"
#include "sbog/job/image_input.h"
#include "sbog/job/run_inputs.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/latent_detector.h"
#include "sbog_torch/job/jobs.h"

namespace sbog::torch_jobs {
namespace {

namespace fs = std::filesystem;
using image::ImageModel;
using image::LatentDetector;
using image::LatentHead;
using image::LatentScore;

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
void require_same_bank(const job::RunInputs<float>& run,
                       const ImageModel& model,
                       const job::ImageDetectorSettings& s) {
  const MatrixView<const float> bank = run.bank.view();
  bool is_same = bank.rows() == model.bank.latents.rows() &&
                 bank.cols() == model.bank.latents.cols() &&
                 run.labels == model.bank.labels;
  for (std::size_t i = 0; is_same && i < bank.rows(); ++i) {
    is_same = std::ranges::equal(bank.row(i), model.bank.latents.row(i));
  }
  if (is_same) return;
  throw InvalidArgument(
      s.outliers + ": the run was made with another model than " + s.model);
}

Matrix<float> read_latents(const job::ImageDetectorSettings& s,
                           const ImageModel& model) {
  const FinishedRun run(s.outliers);
  if (run.kind() != "image") {
    throw InvalidArgument(s.outliers + ": a run on images is expected");
  }
  require_same_bank(job::load_run_inputs<float>(run, job::options_of_run(run)),
                    model, s);
  const std::string path = run.file("outliers.npy");
  const LoadedMatrix<float> points = to_matrix<float>(read_npy(path));
  if (points.rows() == 0) throw IoError(s.outliers, "has no outliers");
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

image::LatentHeadOptions head_options(const job::ImageDetectorOptions& o) {
  const job::ImageDetectorSettings& s = o.settings;
  image::LatentHeadOptions options;
  if (o.epochs) options.epochs = *o.epochs;
  if (s.weight) options.weight = *s.weight;
  if (!s.loss.empty()) options.loss = image::outlier_loss(s.loss);
  options.seed = o.seed;
  check_options(options);
  return options;
}

// Nothing when stopped.
std::optional<LatentHead> train_head(const job::ImageDetectorOptions& o,
                                     const ImageModel& model,
                                     job::Events& events,
                                     job::ImageDetectorResult& result) {
  Matrix<float> outliers;
  if (!o.settings.outliers.empty()) outliers = read_latents(o.settings, model);
  result.outliers = outliers.rows();
  image::DetectorHistory history;
  job::Stage stage(events, {}, "training the head");
  LatentHead head = train_latent_head(
      {model.anchors, model.bank.latents, model.bank.labels, outliers},
      head_options(o), stage.context(), &history);
  if (history.status == SolveStatus::kNotConverged) {
    throw InvalidArgument(
        "--weight: the head grew without bounds; choose a smaller one");
  }
  if (history.status != SolveStatus::kDone) return std::nullopt;
  return head;
}

// Threshold and accuracies on the images that the model did not see.
void judge(const ImageSet& held_out, const Context& context,
           LatentDetector& detector, job::ImageDetectorResult& result) {
  const Matrix<float> latents = detector.embed(held_out);
  result.threshold = image::score_threshold(
      detector.scores(latents.view(), context), result.options.level);
  detector.threshold = result.threshold;
  result.held_out = held_out.count();
  result.accuracy =
      image::accuracy(detector.predict(latents.view()), held_out.labels);
  if (!detector.head()) return;
  result.accuracy_before =
      image::accuracy(image::nearest_anchors(latents, detector.model().anchors),
                      held_out.labels);
}

}  // namespace

job::ImageDetectorResult train_latent_detector(
    const job::ImageDetectorOptions& o, job::Events& events,
    const Context& context) {
  nn::use_one_torch_thread();
  const Stopwatch watch;
  const job::ImageDetectorSettings& s = o.settings;
  require_empty(o.out);
  image::LatentDetectorOptions options;
  options.score = image::latent_score(s.score);
  if (s.neighbours) options.neighbours = *s.neighbours;
  if (s.epsilon) options.epsilon = *s.epsilon;
  ImageModel model = load_model(s.model);
  const ImageSet images =
      job::load_known_classes(o.data, s.labels, s.input, events);
  const ImageSplit split = split_of(model, images, s.model);
  job::ImageDetectorResult result;
  result.options = o;
  std::optional<LatentHead> head;
  if (options.score == LatentScore::kHead) {
    head = train_head(o, model, events, result);
    if (!head || events.is_stopped()) {
      return stopped_unwritten(std::move(result), events);
    }
  }
  LatentDetector detector(std::move(model), options, std::move(head));
  judge(take(images, split.held_out), context, detector, result);
  detector.save(o.out);
  // As resolved: no more neighbours than the bank has.
  if (options.score == LatentScore::kKnn) {
    result.neighbours = detector.options().neighbours;
  }
  if (options.score == LatentScore::kSoe) {
    result.epsilon = detector.options().epsilon;
  }
  result.bank = detector.model().bank.latents.rows();
  result.classes = detector.classes();
  result.seconds = watch.seconds();
  return result;
}

}  // namespace sbog::torch_jobs
