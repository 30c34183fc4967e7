// SPDX-License-Identifier: Apache-2.0
// Draws as tensors; see draws.h.
#include "sbog_torch/image/draws.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog::image {
namespace {

template <typename Draw>
torch::Tensor fill_rows(std::span<const std::uint64_t> streams,
                        std::size_t width, std::uint64_t seed, Purpose purpose,
                        const Draw& draw) {
  torch::Tensor out = torch::empty({static_cast<std::int64_t>(streams.size()),
                                    static_cast<std::int64_t>(width)},
                                   torch::kFloat32);
  float* next = out.data_ptr<float>();
  for (const std::uint64_t stream : streams) {
    nn::Draws draws = open_draws(seed, purpose, stream);
    for (std::size_t j = 0; j < width; ++j) {
      *next++ = static_cast<float>(draw(draws));
    }
  }
  return out;
}

// Where a crop begins in the image, which may be outside, and its direction.
struct View {
  std::int64_t top = 0;
  std::int64_t left = 0;
  bool is_flipped = false;
};

View draw_view(nn::Draws& draws, const AugmentOptions& options) {
  View view;
  const std::size_t steps = 2 * options.padding + 1;
  const auto padding = static_cast<std::int64_t>(options.padding);
  view.top = static_cast<std::int64_t>(draws.below(steps)) - padding;
  view.left = static_cast<std::int64_t>(draws.below(steps)) - padding;
  view.is_flipped = options.has_flips && draws.below(2) == 1;
  return view;
}

// One plane, rows that lie outside left black.
void copy_view(const float* in, std::int64_t height, std::int64_t width,
               const View& view, float* out) {
  const std::int64_t first = std::max<std::int64_t>(0, -view.left);
  const std::int64_t last = std::min(width, width - view.left);
  for (std::int64_t y = 0; y < height; ++y) {
    const std::int64_t from = y + view.top;
    float* row = out + y * width;
    if (from >= 0 && from < height && first < last) {
      const float* source = in + from * width + view.left;
      std::copy(source + first, source + last, row + first);
    }
    if (view.is_flipped) std::reverse(row, row + width);
  }
}

}  // namespace

nn::Draws open_draws(std::uint64_t seed, Purpose purpose, std::uint64_t index) {
  return {seed, static_cast<nn::Purpose>(purpose), index};
}

std::uint64_t epoch_stream(std::size_t image, std::size_t epoch) {
  if (image >> 32 != 0 || epoch >> 16 != 0) {
    throw InvalidArgument("epoch_stream: image " + std::to_string(image) +
                          " of epoch " + std::to_string(epoch) +
                          " has no stream; 2^32 images and 2^16 epochs do");
  }
  return image + (std::uint64_t{epoch} << 32);
}

std::vector<std::uint64_t> epoch_streams(std::span<const std::size_t> images,
                                         std::size_t epoch) {
  std::vector<std::uint64_t> streams;
  streams.reserve(images.size());
  for (const std::size_t image : images) {
    streams.push_back(epoch_stream(image, epoch));
  }
  return streams;
}

std::vector<std::size_t> draw_order(std::size_t count, std::uint64_t seed,
                                    Purpose purpose, std::uint64_t index) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  nn::Draws draws = open_draws(seed, purpose, index);
  for (std::size_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[draws.below(i)]);
  }
  return order;
}

torch::Tensor draw_normals(std::span<const std::uint64_t> streams,
                           std::size_t width, std::uint64_t seed,
                           Purpose purpose) {
  return fill_rows(streams, width, seed, purpose,
                   [](nn::Draws& draws) { return draws.normal(); });
}

torch::Tensor draw_uniforms(std::span<const std::uint64_t> streams,
                            std::size_t width, std::uint64_t seed,
                            Purpose purpose) {
  return fill_rows(streams, width, seed, purpose,
                   [](nn::Draws& draws) { return draws.uniform(); });
}

torch::Tensor crop_and_flip(const torch::Tensor& images,
                            std::span<const std::uint64_t> streams,
                            const AugmentOptions& options, std::uint64_t seed,
                            Purpose purpose) {
  if (images.dim() != 4 || images.scalar_type() != torch::kFloat32 ||
      static_cast<std::size_t>(images.size(0)) != streams.size()) {
    throw InvalidArgument(
        "crop_and_flip: float images N x C x H x W and N streams are expected");
  }
  const torch::Tensor in = images.detach().contiguous();
  torch::Tensor out = torch::zeros(in.sizes(), torch::kFloat32);
  const std::int64_t channels = in.size(1);
  const std::int64_t height = in.size(2);
  const std::int64_t width = in.size(3);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    nn::Draws draws = open_draws(seed, purpose, streams[i]);
    const View view = draw_view(draws, options);
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t offset =
          (static_cast<std::int64_t>(i) * channels + c) * height * width;
      copy_view(in.data_ptr<float>() + offset, height, width, view,
                out.data_ptr<float>() + offset);
    }
  }
  return out;
}

}  // namespace sbog::image
