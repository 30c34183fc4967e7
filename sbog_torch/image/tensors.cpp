// SPDX-License-Identifier: Apache-2.0
// Copies between image sets and tensors; see tensors.h.
#include "sbog_torch/image/tensors.h"

#include <algorithm>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/labels.h"

namespace sbog::image {
namespace {

void check_row(std::size_t row, std::size_t rows, const char* caller) {
  if (row >= rows) {
    throw InvalidArgument(std::string(caller) + ": row " + std::to_string(row) +
                          " is asked for; the set has " + std::to_string(rows));
  }
}

}  // namespace

torch::Tensor to_tensor(const ImageSet& images) {
  return to_tensor(images, all_rows(images.count()));
}

torch::Tensor to_tensor(const ImageSet& images,
                        std::span<const std::size_t> rows) {
  const ImageShape& shape = images.shape;
  if (images.pixels.cols() != shape.size()) {
    throw InvalidArgument(
        "to_tensor: a row has " + std::to_string(images.pixels.cols()) +
        " pixels; the shape says " + std::to_string(shape.size()));
  }
  torch::Tensor out = torch::empty({extent(rows.size()), extent(shape.channels),
                                    extent(shape.height), extent(shape.width)},
                                   torch::kFloat32);
  float* next = out.data_ptr<float>();
  for (const std::size_t row : rows) {
    check_row(row, images.pixels.rows(), "to_tensor");
    for (const std::uint8_t pixel : images.pixels.row(row)) {
      *next++ = static_cast<float>(pixel) / 255.0F;
    }
  }
  return out;
}

torch::Tensor to_labels(const ImageSet& images,
                        std::span<const std::size_t> rows) {
  if (images.labels.size() != images.pixels.rows()) {
    throw InvalidArgument("to_labels: " + std::to_string(images.pixels.rows()) +
                          " images have " +
                          std::to_string(images.labels.size()) +
                          " labels; one class per image is expected");
  }
  torch::Tensor out = torch::empty({extent(rows.size())}, torch::kInt64);
  std::int64_t* next = out.data_ptr<std::int64_t>();
  for (const std::size_t row : rows) {
    check_row(row, images.labels.size(), "to_labels");
    *next++ = images.labels[row];
  }
  return out;
}

torch::Tensor to_labels(const ImageSet& images) {
  return to_labels(images, all_rows(images.count()));
}

ImageSet to_images(const torch::Tensor& images) {
  if (images.dim() != 4 || !images.is_floating_point()) {
    throw InvalidArgument(
        "to_images: a floating tensor N x C x H x W is expected");
  }
  if (torch::isnan(images).any().item<bool>()) {
    throw InvalidArgument("to_images: a pixel is NaN; numbers are expected");
  }
  const torch::Tensor bytes = (images.detach().clamp(0.0, 1.0) * 255.0)
                                  .round()
                                  .to(torch::kUInt8)
                                  .contiguous();
  ImageSet set;
  set.shape = {static_cast<std::size_t>(bytes.size(1)),
               static_cast<std::size_t>(bytes.size(2)),
               static_cast<std::size_t>(bytes.size(3))};
  set.pixels = Matrix<std::uint8_t>(static_cast<std::size_t>(bytes.size(0)),
                                    set.shape.size());
  std::copy_n(bytes.data_ptr<std::uint8_t>(), set.pixels.size(),
              set.pixels.data());
  return set;
}

torch::Tensor quantise(const torch::Tensor& images) {
  return (images.clamp(0.0, 1.0) * 255.0).round() / 255.0;
}

void require_images(const torch::Tensor& images, const ImageShape& shape,
                    const std::string& caller) {
  const bool is_right = images.defined() && images.dim() == 4 &&
                        images.is_floating_point() &&
                        images.size(1) == extent(shape.channels) &&
                        images.size(2) == extent(shape.height) &&
                        images.size(3) == extent(shape.width);
  if (!is_right) {
    throw InvalidArgument(caller + ": floating images N x " + to_string(shape) +
                          " are expected");
  }
}

void require_finite(const torch::Tensor& tensor, const std::string& what) {
  if (!torch::isfinite(tensor).all().item<bool>()) {
    throw InvalidArgument(what +
                          ": a value is NaN or infinite; finite values are "
                          "expected");
  }
}

}  // namespace sbog::image
