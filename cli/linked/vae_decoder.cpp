// SPDX-License-Identifier: Apache-2.0
// Training or reading of the autoencoder; see vae_decoder.h.
#include "vae_decoder.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog_torch/series/vae_training.h"

namespace sbog::cli {
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
                                   const VaeArguments& arguments,
                                   bool is_quiet) {
  series::VaeOptions options;
  options.epochs = arguments.epochs;
  options.seed = arguments.seed;
  options.checkpoint = arguments.file + ".checkpoint";
  series::VaeHistory history;
  ProgressLine line("training the decoder", is_quiet);
  WindowVae vae =
      train_window_vae(encoder, windows, options, {nullptr, &line}, &history);
  if (history.status != SolveStatus::kDone) return std::nullopt;
  vae.save(arguments.file);
  std::filesystem::remove(options.checkpoint);
  return vae;
}

}  // namespace

std::optional<series::WindowDecoder> make_vae_decoder(
    const Encoder& encoder, const WindowSource& windows,
    const VaeArguments& arguments, bool is_quiet) {
  std::optional<WindowVae> trained;
  if (std::filesystem::exists(arguments.file)) {
    trained = read_vae(arguments.file, encoder, windows);
  } else {
    trained = train_vae(encoder, windows, arguments, is_quiet);
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

}  // namespace sbog::cli
