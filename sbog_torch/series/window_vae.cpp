// SPDX-License-Identifier: Apache-2.0
// Inference, decoding and files of the autoencoder; see window_vae.h.
#include "sbog_torch/series/window_vae.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"
#include "sbog_torch/series/detail/vae_network.h"

namespace sbog::series {
namespace {

constexpr const char* kWindowVaeFormat = "sbog-window-vae-1";
constexpr std::size_t kLeastWidth = 8;
constexpr std::size_t kMostSize = std::size_t{1} << 20;
// Rows that go through LibTorch together; a constant, so that no result depends
// on how many there are in all.
constexpr std::size_t kChunk = 16;
// Decoder networks move windows too little rather than too much.
constexpr double kGains[] = {0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0};

std::vector<std::pair<const char*, std::size_t VaeShape::*>> sizes() {
  return {{"channels", &VaeShape::channels}, {"width", &VaeShape::width},
          {"head", &VaeShape::head},         {"latent", &VaeShape::latent},
          {"filters", &VaeShape::filters},   {"hidden", &VaeShape::hidden}};
}

// What is wrong with a shape; empty when all is well. Weights are counted
// before any is allocated.
std::string fault_of(const VaeShape& shape) {
  for (const auto& [name, member] : sizes()) {
    if (shape.*member == 0 || shape.*member > kMostSize) {
      return std::string(name) + " must be at least 1 and at most 1,048,576";
    }
  }
  if (shape.width < kLeastWidth) return "windows of 8 samples are the least";
  const double weights =
      static_cast<double>(shape.filters) *
          static_cast<double>(10 * shape.channels + 40 * shape.filters) +
      static_cast<double>(shape.hidden) *
          static_cast<double>(shape.width * shape.filters / 2);
  if (weights > 1e8) return "the networks would have over 10^8 weights";
  return "";
}

torch::Tensor windows_tensor(MatrixView<const float> rows,
                             const VaeShape& shape) {
  return nn::to_tensor(rows, torch::kFloat32)
      .reshape({static_cast<std::int64_t>(rows.rows()),
                static_cast<std::int64_t>(shape.channels),
                static_cast<std::int64_t>(shape.width)});
}

void check_rows(MatrixView<const float> matrix, std::size_t rows,
                std::size_t cols, const char* what) {
  if (matrix.rows() == rows && matrix.cols() == cols) return;
  throw InvalidArgument(
      "WindowVae: " + std::string(what) + " of " + std::to_string(rows) +
      " x " + std::to_string(cols) + " numbers are expected, got " +
      std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols()));
}

// Rows of `out` from a function of [first, first + count). The last chunk is
// padded by repeating its first row: kernels may round a smaller batch
// otherwise.
template <typename Compute>
void in_chunks(MatrixView<const float> a, MatrixView<const float> b,
               Matrix<float>& out, const Compute& compute) {
  const torch::NoGradGuard no_gradients;
  for (std::size_t first = 0; first < a.rows(); first += kChunk) {
    const std::size_t count = std::min(kChunk, a.rows() - first);
    Matrix<float> left(kChunk, a.cols());
    Matrix<float> right(kChunk, b.cols());
    for (std::size_t i = 0; i < kChunk; ++i) {
      const std::size_t row = first + (i < count ? i : 0);
      std::copy_n(a.row(row).data(), a.cols(), left.row(i).data());
      std::copy_n(b.row(row).data(), b.cols(), right.row(i).data());
    }
    const Matrix<float> found = nn::to_matrix(compute(left, right));
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(found.row(i).data(), out.cols(), out.row(first + i).data());
    }
  }
}

double distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double step = double{a[k]} - double{b[k]};
    sum += step * step;
  }
  return std::sqrt(sum);
}

// x + gain (to - from) within the limits; returns the share that they moved.
// What lies outside already may stay where it is.
double move_window(std::span<const float> x, std::span<const float> from,
                   std::span<const float> to, double gain,
                   const WindowLimits& limits, std::size_t width,
                   std::span<float> out) {
  std::size_t clipped = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = i / width;
    const auto wanted =
        static_cast<float>(x[i] + gain * (double{to[i]} - double{from[i]}));
    out[i] = std::clamp(wanted, std::min(limits.low[c], x[i]),
                        std::max(limits.high[c], x[i]));
    if (out[i] != wanted) ++clipped;
  }
  return static_cast<double>(clipped) / static_cast<double>(x.size());
}

}  // namespace

WindowLimits training_limits(const WindowSource& windows, double widening) {
  WindowLimits limits;
  for (std::size_t c = 0; c < windows.channels(); ++c) {
    float low = windows.standardised(0, c)[0];
    float high = low;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      for (const float x : windows.standardised(i, c)) {
        low = std::min(low, x);
        high = std::max(high, x);
      }
    }
    const auto more = static_cast<float>(widening * (high - low));
    limits.low.push_back(low - more);
    limits.high.push_back(high + more);
  }
  return limits;
}

WindowVae::WindowVae(const VaeShape& shape, std::uint64_t seed)
    : shape_(shape) {
  if (const std::string fault = fault_of(shape); !fault.empty()) {
    throw InvalidArgument("WindowVae: " + fault);
  }
  nn::use_one_torch_thread();
  parameters_ = detail::make_vae_parameters(shape);
  constexpr std::string_view kWeight = ".weight";
  for (const nn::Parameter& entry : parameters_.entries()) {
    if (!entry.name.ends_with(kWeight)) continue;
    nn::initialise_layer(
        parameters_, entry.name.substr(0, entry.name.size() - kWeight.size()),
        seed);
  }
}

Matrix<float> WindowVae::infer(MatrixView<const float> windows,
                               MatrixView<const float> points) const {
  check_rows(windows, windows.rows(), shape_.channels * shape_.width,
             "windows");
  check_rows(points, windows.rows(), shape_.head, "points");
  const nn::TensorMap weights =
      nn::to_tensors(parameters_, torch::kFloat32, false);
  Matrix<float> latents(windows.rows(), shape_.latent);
  in_chunks(windows, points, latents,
            [&](const Matrix<float>& x, const Matrix<float>& z) {
              return detail::infer(weights, windows_tensor(x, shape_),
                                   nn::to_tensor(z, torch::kFloat32))
                  .mean;
            });
  return latents;
}

Matrix<float> WindowVae::generate(MatrixView<const float> latents,
                                  MatrixView<const float> points) const {
  check_rows(latents, latents.rows(), shape_.latent, "latents");
  check_rows(points, latents.rows(), shape_.head, "points");
  const nn::TensorMap weights =
      nn::to_tensors(parameters_, torch::kFloat32, false);
  Matrix<float> windows(latents.rows(), shape_.channels * shape_.width);
  in_chunks(latents, points, windows,
            [&](const Matrix<float>& u, const Matrix<float>& z) {
              return detail::generate(weights, shape_,
                                      nn::to_tensor(u, torch::kFloat32),
                                      nn::to_tensor(z, torch::kFloat32))
                  .flatten(1);
            });
  return windows;
}

Matrix<float> WindowVae::reconstruct(MatrixView<const float> windows,
                                     MatrixView<const float> points) const {
  return generate(infer(windows, points), points);
}

DecodedWindows WindowVae::decode(const Encoder& encoder,
                                 MatrixView<const float> targets,
                                 MatrixView<const float> sources,
                                 const WindowLimits& limits,
                                 const Context& context) const {
  const std::size_t count = sources.rows();
  const std::size_t size = shape_.channels * shape_.width;
  check_rows(targets, count, shape_.head, "targets");
  check_rows(sources, count, size, "sources");
  if (limits.low.size() != shape_.channels ||
      limits.high.size() != shape_.channels) {
    throw InvalidArgument("WindowVae: limits of every channel are expected");
  }
  const Matrix<float> points = encoder.embed(sources, context);
  check_rows(points, count, shape_.head, "points of the encoder");
  const Matrix<float> latents = infer(sources, points);
  const Matrix<float> from = generate(latents, points);
  const Matrix<float> to = generate(latents, targets);
  DecodedWindows best{Matrix<float>(count, size),
                      Matrix<float>(count, shape_.head),
                      std::vector<double>(count, -1.0),
                      std::vector<double>(count), std::vector<double>(count)};
  for (const double gain : kGains) {
    Matrix<float> tried(count, size);
    std::vector<double> clipped(count);
    for (std::size_t i = 0; i < count; ++i) {
      clipped[i] = move_window(sources.row(i), from.row(i), to.row(i), gain,
                               limits, shape_.width, tried.row(i));
    }
    const Matrix<float> reached = encoder.embed(tried, context);
    for (std::size_t i = 0; i < count; ++i) {
      const double whole = distance(points.row(i), targets.row(i));
      const double left = distance(reached.row(i), targets.row(i));
      const double ratio = whole > 0.0 ? left / whole : 0.0;
      if (best.ratios[i] >= 0.0 && ratio >= best.ratios[i]) continue;
      std::copy_n(tried.row(i).data(), size, best.windows.row(i).data());
      std::copy_n(reached.row(i).data(), shape_.head,
                  best.points.row(i).data());
      best.ratios[i] = ratio;
      best.gains[i] = gain;
      best.clipped_shares[i] = clipped[i];
    }
  }
  return best;
}

void WindowVae::save(const std::string& path) const {
  nn::Counts counts;
  for (const auto& [name, member] : sizes()) {
    counts.emplace_back(name, shape_.*member);
  }
  nn::save_parameters(path, parameters_,
                      nn::with_counts({{"format", kWindowVaeFormat}}, counts));
}

WindowVae WindowVae::load(const std::string& path) {
  const auto metadata = nn::read_metadata(path);
  const auto format = metadata.find("format");
  if (format == metadata.end() || format->second != kWindowVaeFormat) {
    throw IoError(path, "is not an autoencoder of windows of this version");
  }
  VaeShape shape;
  for (const auto& [name, member] : sizes()) {
    shape.*member = nn::read_count(metadata, name, path);
  }
  if (const std::string fault = fault_of(shape); !fault.empty()) {
    throw IoError(path, fault);
  }
  WindowVae vae(shape, 0);
  nn::load_parameters(path, vae.parameters_);
  return vae;
}

}  // namespace sbog::series
