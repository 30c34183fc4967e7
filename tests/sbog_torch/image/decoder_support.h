// SPDX-License-Identifier: Apache-2.0
// Small images of two classes, a simple encoder and other help for the tests of
// decoders and detectors.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/nn/random.h"
#include "sbog_torch/image/decoder_problem.h"
#include "sbog_torch/image/embed.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image::testing_support {

inline nn::Draws draws_of(std::uint64_t index) {
  return {2024, nn::Purpose::kQuery, index};
}

/// float32, standard normal.
inline torch::Tensor normals(const std::vector<std::int64_t>& shape,
                             std::uint64_t index) {
  nn::use_one_torch_thread();
  torch::Tensor out = torch::empty(shape, torch::kFloat32);
  nn::Draws draws = draws_of(index);
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    out.data_ptr<float>()[i] = static_cast<float>(draws.normal());
  }
  return out;
}

inline torch::Tensor unit(const torch::Tensor& rows) {
  return rows / rows.norm(2, 1, true);
}

/// Bars: class 0 lies, class 1 stands, of random place and grey.
struct Bars {
  torch::Tensor images;   // count x 1 x 8 x 8
  torch::Tensor classes;  // int64
};

inline Bars make_bars(std::int64_t count, std::uint64_t index) {
  nn::use_one_torch_thread();
  Bars bars{torch::zeros({count, 1, 8, 8}),
            torch::empty({count}, torch::kInt64)};
  nn::Draws draws = draws_of(1000 + index);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t kind = i % 2;
    const auto place = static_cast<std::int64_t>(draws.below(6));
    const double grey = 0.5 + 0.5 * draws.uniform();
    bars.images[i][0].narrow(kind, place, 3).fill_(grey);
    bars.classes[i] = kind;
  }
  return bars;
}

/// Unit rows of a fixed random linear map of the pixels.
inline Embed linear_embed(std::int64_t pixels, std::int64_t latent) {
  const torch::Tensor map = normals({pixels, latent}, 7);
  return [map](const torch::Tensor& images) {
    return unit(
        torch::matmul(images.flatten(1) - 0.5, map.to(images.scalar_type())));
  };
}

inline DecoderProblem bar_problem(std::int64_t count, std::int64_t latent = 6) {
  const Embed embed = linear_embed(64, latent);
  const torch::Tensor images = make_bars(count, 0).images;
  return {images, embed(images), embed};
}

inline torch::Tensor no_classes(std::int64_t count) {
  return torch::zeros({count}, torch::kInt64);
}

/// Whether two tensors have the same shape and the same bytes.
inline bool same_bits(const torch::Tensor& a, const torch::Tensor& b) {
  if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type())
    return false;
  const torch::Tensor left = a.contiguous();
  const torch::Tensor right = b.contiguous();
  return std::memcmp(left.data_ptr(), right.data_ptr(), left.nbytes()) == 0;
}

/// The message of what `call` throws; empty when it throws nothing of this
/// type.
template <typename Error>
std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Asks to stop after so many steps.
class StopAfter : public Observer {
 public:
  explicit StopAfter(std::uint64_t steps) : steps_(steps) {}
  bool on_progress(std::uint64_t done, std::uint64_t) override {
    return done < steps_;
  }

 private:
  std::uint64_t steps_;
};

/// Largest |a - b| / (1 + |b|) between the gradient of `loss` in `at` (double)
/// and central differences in every `stride`-th element.
inline double gradient_error(
    torch::Tensor at, const std::function<torch::Tensor(torch::Tensor)>& loss,
    std::int64_t stride = 1) {
  torch::Tensor input = at.detach().clone().set_requires_grad(true);
  loss(input).backward();
  const torch::Tensor gradient = input.grad().contiguous().flatten();
  const torch::NoGradGuard no_gradients;
  constexpr double kStep = 1e-6;
  double worst = 0.0;
  for (std::int64_t i = 0; i < at.numel(); i += stride) {
    const auto moved = [&](double step) {
      torch::Tensor x = at.detach().clone().contiguous();
      x.data_ptr<double>()[i] += step;
      return loss(x).item<double>();
    };
    const double slope = (moved(kStep) - moved(-kStep)) / (2.0 * kStep);
    worst = std::max(worst, std::abs(gradient[i].item<double>() - slope) /
                                (1.0 + std::abs(slope)));
  }
  return worst;
}

}  // namespace sbog::image::testing_support
