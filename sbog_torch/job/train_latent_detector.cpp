// SPDX-License-Identifier: Apache-2.0
// Detectors on the latents of a model of images; see jobs.h.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/data/npy.h"
#include "sbog/detect/exposure.h"
#include "sbog/detect/point_detector.h"
#include "sbog/energy/reference_measure.h"
#include "sbog/energy/threshold.h"
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

// Outliers of a run, if one is named.
detect::OutlierSource outliers_of(const job::ImageDetectorOptions& o,
                                  const ImageModel& model,
                                  job::ImageDetectorResult& result) {
  if (o.settings.outliers.empty()) return {};
  Matrix<float> latents = read_latents(o.settings, model);
  result.outliers = latents.rows();
  return detect::outliers_in_turn(std::move(latents),
                                  o.points.outliers_per_epoch);
}

// Names of the classes that have latents.
std::vector<std::string> names_of(const detect::LabelledBank& bank,
                                  const ImageModel& model) {
  std::vector<std::string> names;
  for (const std::int64_t label : bank.class_labels) {
    names.push_back(model.class_names[static_cast<std::size_t>(label)]);
  }
  return names;
}

// What a detector became.
void describe(const detect::PointDetectorState& state,
              job::ImageDetectorResult& result) {
  for (const detect::PointScore score : state.options.scores) {
    result.scores.emplace_back(to_string(score));
    if (score == detect::PointScore::kKnn) {
      result.neighbours = state.options.score.neighbours;
    }
  }
  if (!state.epsilons.empty()) {
    result.epsilon = quantile(state.epsilons, 0.5);
  }
  if (state.exposed_head && result.options.settings.outliers.empty()) {
    result.outliers = head_epochs(state.options.head, state.bank.rows()) *
                      state.options.head.outliers;
  }
  result.bank = state.bank.rows();
  result.classes = state.bank.class_count();
}

// Accuracies on the images that the model did not see.
void judge(MatrixView<const float> latents, const ImageSet& held_out,
           const LatentDetector& detector, const Context& context,
           job::ImageDetectorResult& result) {
  const auto& labels = detector.points().state().bank.class_labels;
  const auto verdicts = detector.points().judge(latents, context);
  std::vector<std::int32_t> said;
  for (const std::size_t c : verdicts->classes) {
    said.push_back(static_cast<std::int32_t>(labels[c]));
  }
  result.accuracy = image::accuracy(said, held_out.labels);
  result.accuracy_before =
      image::accuracy(image::nearest_anchors(latents, detector.model().anchors),
                      held_out.labels);
  result.held_out = held_out.count();
}

}  // namespace

job::ImageDetectorResult train_latent_detector(
    const job::ImageDetectorOptions& o, job::Events& events,
    const Context& context) {
  nn::use_one_torch_thread();
  const Stopwatch watch;
  const job::ImageDetectorSettings& s = o.settings;
  const detect::PointDetectorOptions options =
      job::point_detector_options(job::embedding_options(o), true);
  require_empty(o.out);
  ImageModel model = load_model(s.model);
  const ImageSet images =
      job::load_known_classes(o.data, s.labels, s.input, events);
  const ImageSet held_out =
      take(images, split_of(model, images, s.model).held_out);
  job::ImageDetectorResult result;
  result.options = o;
  const detect::OutlierSource outliers = outliers_of(o, model, result);
  const Matrix<float> latents = image::embed_with(model, held_out);
  std::optional<detect::PointDetector> points;
  {
    job::Stage stage(events, context, "training");
    points = detect::train_point_detector(image::labelled_bank(model), latents,
                                          options, stage.context(), outliers);
  }
  if (!points || events.is_stopped()) {
    return stopped_unwritten(std::move(result), events);
  }
  points->set_words(names_of(points->state().bank, model), {});
  const LatentDetector detector(std::move(model), std::move(*points));
  result.threshold = -detector.points().threshold(options.level);
  describe(detector.points().state(), result);
  judge(latents, held_out, detector, {context.pool, nullptr}, result);
  detector.save(o.out);
  result.seconds = watch.seconds();
  if (std::isinf(result.threshold)) {
    events.on_warning(job::too_few_held_out(result.held_out, "images"));
  }
  return result;
}

}  // namespace sbog::torch_jobs
