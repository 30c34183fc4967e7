// SPDX-License-Identifier: Apache-2.0
// Detectors of images of no known class, trained and used to score: the part of
// the jobs `detect train` and `detect score` that is about images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/job/events.h"
#include "sbog/job/image_options.h"
#include "sbog/job/point_train.h"

namespace sbog::job {

/// What only `detect train` on images is told. Fields that are optional or
/// empty stand for the defaults that the comments name.
struct ImageDetectorSettings {
  ImageInput input;
  std::string labels;  ///< class of each image; empty: as the format has it
  /// lse, msp: of a network on pixels, a classifier or the encoder of `model`;
  /// other scores of points, and sum: on embeddings of `model`.
  std::string score = "lse";
  std::string model;               ///< a folder of `train image`; empty: none
  std::string outliers;            ///< a run on images; empty: none
  std::optional<double> held_out;  ///< 0.1
  std::optional<std::size_t> exposure_epochs;  ///< 4
  std::optional<double> weight;                ///< 1
  std::string loss;  ///< energy, uniform or hinge; empty: energy
  std::optional<std::size_t> neighbours;  ///< of knn; 5
  EpsilonSetting epsilon;                 ///< of soe
};

OptionTable<ImageDetectorSettings> image_detector_table();

/// The whole of a training.
struct ImageDetectorOptions {
  std::string data;
  std::string out;      ///< a file for lse and msp, a folder for the others
  double level = 0.95;  ///< share of held-out images above the threshold
  /// Passes of the classifier (8) or of the head on embeddings (12).
  std::optional<std::size_t> epochs;
  ImageDetectorSettings settings;
  PointDetectorSettings points;  ///< of a score on embeddings
  std::uint64_t seed = 0;
};

/// Whether a score is one of the logits of a network.
bool is_on_pixels(std::string_view score);

/// The same detector as one of points, for a score on embeddings.
PointTrainOptions embedding_options(const ImageDetectorOptions& options);

/// Whether a detector of images is asked for where no kind is named: embedded
/// images, and settings that only images have, say so.
bool is_for_images(const std::string& data,
                   const ImageDetectorSettings& settings);

/// Throws InvalidArgument for settings that the chosen score does not have, for
/// a score without what it needs, and for numbers out of range.
void check_image_detector(const ImageDetectorOptions& options);

/// What came of a training.
struct ImageDetectorResult {
  Status status = Status::kDone;
  ImageDetectorOptions options;
  std::size_t images = 0;    ///< trained on; 0 for a score on embeddings
  std::size_t bank = 0;      ///< embeddings; 0 for a score on pixels
  std::size_t held_out = 0;  ///< images behind threshold and accuracies
  std::size_t classes = 0;
  std::size_t outliers = 0;
  std::vector<std::string> scores;  ///< of a sum, or the one; on embeddings
  std::optional<std::size_t> neighbours;  ///< of knn
  std::optional<double> epsilon;          ///< of soe; the median of its classes
  double threshold = 0.0;                 ///< -inf: too few held-out images
  double accuracy = 0.0;
  /// Before outliers were shown: of the classifier, or of the anchors.
  std::optional<double> accuracy_before;
  /// AUROC of real against decoded images of the classes.
  std::optional<double> artifact_auroc;
  double seconds = 0.0;
};

/// Trains a detector and writes it. Throws InvalidArgument, IoError; also
/// IoError where the library that uses LibTorch is not installed.
ImageDetectorResult train_image_detector(const ImageDetectorOptions& options,
                                         Events& events,
                                         const Context& context = {});
nlohmann::ordered_json to_json(const ImageDetectorResult& result);

/// What only `detect score` on images is told.
struct ImageScoreSettings {
  ImageInput input;
  std::string outside;  ///< images of something else; empty: none
};

OptionTable<ImageScoreSettings> image_score_table();

/// The whole of a scoring.
struct ImageScoreOptions {
  std::string model;  ///< what train_image_detector wrote
  std::string data;
  std::string labels;  ///< class of each image; empty: as the format has it
  std::string out;     ///< scores as csv; empty: not written
  ImageScoreSettings settings;
};

/// How well images of something else are told apart.
struct OutsideQuality {
  std::size_t images = 0;
  double outlier_share = 0.0;
  double fpr95 = 0.0;
  double fpr95_closest = 0.0;
  double auroc = 0.0;
  double aupr = 0.0;
};

/// What came of a scoring.
struct ImageScoreResult {
  Status status = Status::kDone;
  ImageScoreOptions options;
  std::string score;  ///< of the detector
  std::size_t images = 0;
  double threshold = 0.0;
  double outlier_share = 0.0;      ///< of images below the threshold
  std::optional<double> accuracy;  ///< where the classes are known
  std::optional<OutsideQuality> outside;
};

/// Scores images with a detector of either kind; throws as
/// train_image_detector.
ImageScoreResult score_images(const ImageScoreOptions& options, Events& events,
                              const Context& context = {});
nlohmann::ordered_json to_json(const ImageScoreResult& result);

/// Whether a safetensors file, or a folder with a detector.safetensors, is a
/// detector of images. Throws IoError.
bool is_image_detector(const std::string& path);

}  // namespace sbog::job
