// SPDX-License-Identifier: Apache-2.0
// A detector of points (sbog/detect) on the unit latents of a frozen image
// model: no network is trained on pixels, and an image is judged by where its
// latent lies.
//
// In a folder: the files of the model (image_model.h) and
//   detector.safetensors   the detector of points; its bank is that of the
//   model
#pragma once

#include <optional>
#include <string>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/detect/labelled_bank.h"
#include "sbog/detect/point_detector.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/image_model.h"

namespace sbog::image {

/// The latents of a model with their classes. Throws InvalidArgument for a
/// model without latents.
detect::LabelledBank labelled_bank(const ImageModel& model);

/// Unit latents of images, one row each; a row depends on its own image alone.
/// Throws InvalidArgument for images of another shape than the model knows.
Matrix<float> embed_with(const ImageModel& model, const ImageSet& images);

/// See the top of the file.
class LatentDetector {
 public:
  /// Throws InvalidArgument for a model that cannot embed new images, and for
  /// a detector with another bank than that of the model.
  LatentDetector(ImageModel model, detect::PointDetector points);

  const ImageModel& model() const { return model_; }
  const detect::PointDetector& points() const { return points_; }
  /// The name of the score; "sum" where there are several.
  std::string score() const;

  /// Verdicts on images; nullopt when the observer asked to stop. Throws as
  /// embed_with.
  std::optional<detect::PointVerdicts> judge(const ImageSet& images,
                                             const Context& context = {}) const;

  /// Writes the folder, which is made; its detector.safetensors last, so that a
  /// folder with one is complete. Throws IoError.
  void save(const std::string& folder) const;

  /// Reads it back. Throws IoError for files that are missing, damaged or do
  /// not belong together.
  static LatentDetector load(const std::string& folder);

 private:
  ImageModel model_;
  detect::PointDetector points_;
};

}  // namespace sbog::image
