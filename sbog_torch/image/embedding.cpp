// SPDX-License-Identifier: Apache-2.0
// Batched embedding; see embedding.h.
#include "sbog_torch/image/embedding.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "sbog/base/errors.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

void check_latents(const torch::Tensor& latents, std::size_t rows,
                   std::size_t width) {
  const bool is_matrix = latents.defined() && latents.dim() == 2 &&
                         latents.is_floating_point() &&
                         static_cast<std::size_t>(latents.size(0)) == rows;
  if (!is_matrix || latents.size(1) == 0 ||
      (width != 0 && static_cast<std::size_t>(latents.size(1)) != width)) {
    throw InvalidArgument(
        "embed_images: the encoder must give a matrix of " +
        std::to_string(rows) + " rows, one per image" +
        (width != 0 ? ", of " + std::to_string(width) + " numbers as before"
                    : ""));
  }
  require_finite(latents, "embed_images");
  const double worst =
      (latents.square().sum(1) - 1.0).abs().max().item<double>();
  if (worst > 1e-3) {
    throw InvalidArgument("embed_images: the encoder must give unit rows");
  }
}

}  // namespace

EmbeddingResult embed_images(const Embed& embed, const ImageSet& images,
                             std::size_t batch, const Context& context) {
  if (batch == 0) throw InvalidArgument("embed_images: the batch is 0");
  const torch::NoGradGuard no_gradient;
  const std::size_t count = images.count();
  EmbeddingResult result;
  ProgressCounter progress(context.observer, count);
  for (std::size_t first = 0; first < count; first += batch) {
    std::vector<std::size_t> rows(std::min(batch, count - first));
    std::iota(rows.begin(), rows.end(), first);
    const torch::Tensor latents = embed(to_tensor(images, rows));
    check_latents(latents, rows.size(), result.latents.cols());
    const Matrix<float> part = nn::to_matrix(latents);
    if (first == 0) result.latents = Matrix<float>(count, part.cols());
    std::ranges::copy(part.elements(), result.latents.row(first).data());
    if (!progress.add(rows.size())) {
      result.status = SolveStatus::kCancelled;
      break;
    }
  }
  return result;
}

std::vector<std::int32_t> nearest_anchors(MatrixView<const float> latents,
                                          MatrixView<const float> anchors) {
  if (latents.cols() != anchors.cols() || anchors.rows() == 0) {
    throw InvalidArgument(
        "nearest_anchors: anchors as wide as the latents are expected");
  }
  std::vector<std::int32_t> classes(latents.rows());
  for (std::size_t i = 0; i < latents.rows(); ++i) {
    double best = -2.0;
    for (std::size_t c = 0; c < anchors.rows(); ++c) {
      double cosine = 0.0;
      for (std::size_t j = 0; j < anchors.cols(); ++j) {
        cosine += double{latents(i, j)} * anchors(c, j);
      }
      if (cosine > best) {
        best = cosine;
        classes[i] = static_cast<std::int32_t>(c);
      }
    }
  }
  return classes;
}

double accuracy(const std::vector<std::int32_t>& found,
                const std::vector<std::int32_t>& labels) {
  if (found.size() != labels.size() || found.empty()) {
    throw InvalidArgument(
        "accuracy: as many classes as labels, one or more, are expected");
  }
  std::size_t right = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    right += found[i] == labels[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(found.size());
}

}  // namespace sbog::image
