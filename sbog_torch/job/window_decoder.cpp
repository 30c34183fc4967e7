// SPDX-License-Identifier: Apache-2.0
// The autoencoder of windows, read or trained; see jobs.h.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog_torch/job/jobs.h"
#include "sbog_torch/series/vae_training.h"

namespace sbog::torch_jobs {
namespace {

using series::Encoder;
using series::WindowSource;
using series::WindowVae;

WindowVae read_vae(const std::string& path, const Encoder& encoder,
                   const WindowSource& windows) {
  WindowVae vae = WindowVae::load(path);
  const series::VaeShape& shape = vae.shape();
  if (shape.channels != windows.channels() || shape.width != windows.width() ||
      shape.head != encoder.options().head) {
    throw IoError(path, "is an autoencoder of other windows");
  }
  return vae;
}

std::optional<WindowVae> train_vae(const Encoder& encoder,
                                   const WindowSource& windows,
                                   const job::WindowVaeOptions& asked,
                                   job::Events& events) {
  series::VaeOptions options;
  options.epochs = asked.epochs;
  options.seed = asked.seed;
  options.checkpoint = asked.file + ".checkpoint";
  series::VaeHistory history;
  job::Stage stage(events, {}, "training the decoder");
  WindowVae vae =
      train_window_vae(encoder, windows, options, stage.context(), &history);
  if (history.status != SolveStatus::kDone) return std::nullopt;
  vae.save(asked.file);
  std::filesystem::remove(options.checkpoint);
  return vae;
}

}  // namespace

std::optional<series::WindowDecoder> make_window_decoder(
    const Encoder& encoder, const WindowSource& windows,
    const job::WindowVaeOptions& options, job::Events& events,
    const Context& /*context*/) {
  std::optional<WindowVae> trained;
  if (std::filesystem::exists(options.file)) {
    trained = read_vae(options.file, encoder, windows);
  } else {
    trained = train_vae(encoder, windows, options, events);
  }
  if (!trained) return std::nullopt;
  const auto vae = std::make_shared<const WindowVae>(std::move(*trained));
  const series::WindowLimits limits = series::training_limits(windows);
  return [vae, limits, &encoder, &windows](std::size_t window,
                                           std::span<const double> target) {
    const std::size_t channels = windows.channels();
    const std::size_t width = windows.width();
    Matrix<float> source(1, channels * width);
    windows.fill(window, {source.data(), channels, width});
    Matrix<float> point(1, target.size());
    for (std::size_t k = 0; k < target.size(); ++k) {
      point(0, k) = static_cast<float>(target[k]);
    }
    const series::DecodedWindows decoded =
        vae->decode(encoder, point, source, limits);
    Matrix<float> drawn(channels, width);
    std::copy_n(decoded.windows.data(), drawn.size(), drawn.data());
    return drawn;
  };
}

}  // namespace sbog::torch_jobs
