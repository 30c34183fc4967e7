// SPDX-License-Identifier: Apache-2.0
// Detectors in the latent space of a frozen image model: no network is trained
// on pixels, and an image is judged by where its unit latent z lies. Scores are
// high for in-distribution images:
//
//   knn    minus the k-th smallest 1 - cos of z to the bank
//   soe    minus the Sinkhorn outlier energy of z against the bank
//   head   log sum_c exp (W z + b)_c of a head of latent_head_training.h
//
// In a folder: the files of the model (image_model.h), whose bank and anchors
// they use, and
//   detector.safetensors   score, its settings, the threshold, the head; says
//                          which bank and anchors it was made with
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/image_model.h"
#include "sbog_torch/image/latent_head_training.h"

namespace sbog::image {

/// Which score; see the top of the file.
enum class LatentScore { kKnn, kSoe, kHead };

/// "knn", "soe", "head".
const char* to_string(LatentScore score);

/// The score of a name. Throws InvalidArgument listing the names.
LatentScore latent_score(std::string_view name);

/// Settings of the scores.
struct LatentDetectorOptions {
  LatentScore score = LatentScore::kKnn;
  std::size_t neighbours = 50;  ///< k of knn; at most the bank is used
  double epsilon = 0.05;        ///< of soe
};

/// See the top of the file.
class LatentDetector {
 public:
  /// `head` is expected for kHead and only there. Throws InvalidArgument for
  /// options out of range, for a model that cannot embed new images and for a
  /// head of another shape.
  LatentDetector(ImageModel model, const LatentDetectorOptions& options,
                 std::optional<LatentHead> head = std::nullopt);

  const ImageModel& model() const { return model_; }
  const LatentDetectorOptions& options() const { return options_; }
  /// With kHead.
  const std::optional<LatentHead>& head() const { return head_; }
  std::size_t classes() const { return model_.anchors.rows(); }
  ImageShape shape() const { return model_.shape; }

  /// Score below which an image is taken for an outlier.
  std::optional<double> threshold;

  /// Unit latents of images, N x m; a row depends on its own image alone.
  /// Throws InvalidArgument for images of another shape.
  Matrix<float> embed(const ImageSet& images) const;

  /// The score of each image. Throws as embed.
  std::vector<double> scores(const ImageSet& images,
                             const Context& context = {}) const;
  /// The score of each unit latent.
  std::vector<double> scores(MatrixView<const float> latents,
                             const Context& context = {}) const;

  /// The class of each image: of the nearest anchor for knn and soe, of the
  /// largest logit for head. Throws as embed.
  std::vector<std::int32_t> predict(const ImageSet& images) const;
  /// The class of each unit latent.
  std::vector<std::int32_t> predict(MatrixView<const float> latents) const;

  /// Writes the folder, which is made; its detector.safetensors last, so that a
  /// folder with one is complete. Throws IoError.
  void save(const std::string& folder) const;

  /// Reads it back. Throws IoError for files that are missing, damaged or do
  /// not belong together.
  static LatentDetector load(const std::string& folder);

 private:
  torch::Tensor logits(MatrixView<const float> latents) const;

  ImageModel model_;
  LatentDetectorOptions options_;
  std::optional<LatentHead> head_;
};

}  // namespace sbog::image
