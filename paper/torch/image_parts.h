// SPDX-License-Identifier: Apache-2.0
// Encoder, decoder and classifier of a cell about images, trained once and
// taken from the scratch folder after.
#pragma once

#include <memory>

#include "paper/image_cells.h"
#include "paper/image_data.h"
#include "sbog_torch/image/detector.h"
#include "sbog_torch/image/image_model.h"

namespace sbog::paper {

/// What the rows of a set and a seed share.
class ImageParts {
 public:
  /// Looks at both, which stay the caller's.
  ImageParts(const Json& configuration, const ImageBench& bench,
             const CellContext& context);

  /// Encoder and bank, aligned plainly or robustly.
  image::ImageModel model(bool is_robust) const;
  /// The decoder of that model.
  std::unique_ptr<image::Decoder> decoder(const image::ImageModel& model,
                                          bool is_robust) const;
  /// The classifier that has seen no outliers.
  image::Detector classifier() const;

 private:
  std::string file_of(const char* what, const Json& identity) const;
  Json encoder_identity(bool is_robust) const;

  const Json& config_;
  const ImageBench& bench_;
  const CellContext& context_;
};

}  // namespace sbog::paper
