// SPDX-License-Identifier: Apache-2.0
// The outliers of a row of a table about images: drawn, then decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "paper/image_cells.h"
#include "sbog/base/matrix.h"
#include "sbog_torch/image/decoder.h"
#include "sbog_torch/image/detector_training.h"
#include "sbog_torch/image/image_model.h"

namespace sbog::paper {

/// None for the rule "none".
struct RowOutliers {
  Matrix<float> latents;
  std::vector<std::int64_t> classes;   ///< of each; empty for noise
  std::vector<std::size_t> bank_rows;  ///< each started from; empty for noise
  torch::Tensor images;                ///< of noise, or once decoded
  Json facts = Json::object();         ///< what the result tells about them
};

/// Points by the sampler of the row, or images of noise with their latents.
RowOutliers draw_row(const Json& config, const image::ImageModel& model,
                     const torch::Tensor& train, const CellContext& context);

/// Adds the images of points; noise stays as it is.
void decode_row(const Json& config, const image::ImageModel& model,
                const image::Decoder& decoder, const torch::Tensor& train,
                RowOutliers& outliers);

/// The first latents of each class of the bank, decoded.
image::LabelledImages decode_inside(const image::Decoder& decoder,
                                    const image::ImageModel& model,
                                    const torch::Tensor& train,
                                    const Json& config);

/// True when what is decoded has the detail of its source.
bool keeps_detail(const Json& config);

}  // namespace sbog::paper
