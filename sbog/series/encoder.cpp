// SPDX-License-Identifier: Apache-2.0
// Embedding, gradients and files of an encoder; see encoder.h.
#include "sbog/series/encoder.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"

namespace sbog::series {
namespace {

// Windows that one work item embeds.
constexpr std::size_t kWindowsAtOnce = 32;
const char* const kEncoderFormat = "sbog-encoder-1";

std::size_t number_of(const std::map<std::string, std::string>& metadata,
                      const std::string& key, const std::string& path) {
  const auto found = metadata.find(key);
  std::size_t value = 0;
  if (found != metadata.end()) {
    const std::string& text = found->second;
    const auto result =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec == std::errc() && result.ptr == text.data() + text.size() &&
        value <= (std::size_t{1} << 20)) {
      return value;
    }
  }
  throw IoError(path, "the metadata of an encoder needs a count named " + key);
}

}  // namespace

Encoder::Encoder(const EncoderOptions& options, std::uint64_t seed)
    : options_(options) {
  const ResnetPlan plan = make_plan(options);
  add_backbone(plan, parameters_);
  add_projection(options, parameters_);
  buffers_ = make_buffers(plan);
  initialise(parameters_, seed);
}

Embedding Encoder::embed_all(std::size_t count, const FillWindow& fill,
                             const Context& context) const {
  Embedding result{Matrix<float>(count, options_.features()),
                   Matrix<float>(count, options_.head)};
  std::vector<std::unique_ptr<Backbone>> spaces(worker_count(context));
  const std::size_t chunks = (count + kWindowsAtOnce - 1) / kWindowsAtOnce;
  parallel_for(context, chunks, [&](std::size_t chunk, std::size_t worker) {
    if (!spaces[worker]) {
      spaces[worker] = std::make_unique<Backbone>(options_, 1);
    }
    const std::size_t first = chunk * kWindowsAtOnce;
    const std::size_t size = std::min(kWindowsAtOnce, count - first);
    const MatrixView<float> features =
        result.features.view().subrows(first, size);
    for (std::size_t i = 0; i < size; ++i) {
      spaces[worker]->forward_eval(
          parameters_, buffers_, 1,
          [&](std::size_t, MatrixView<float> rows) { fill(first + i, rows); },
          features.subrows(i, 1));
    }
    Projection projection;
    const Matrix<float> points = projection.forward(parameters_, features);
    std::copy_n(points.data(), points.size(), result.points.row(first).data());
  });
  return result;
}

Matrix<float> Encoder::embed(const WindowSource& windows,
                             const Context& context) const {
  if (windows.channels() != options_.channels ||
      windows.width() != options_.width) {
    throw InvalidArgument("Encoder: windows of " +
                          std::to_string(options_.channels) + " channels and " +
                          std::to_string(options_.width) +
                          " samples are expected");
  }
  return embed_all(
             windows.size(),
             [&](std::size_t i, MatrixView<float> rows) {
               windows.fill(i, rows);
             },
             context)
      .points;
}

Matrix<float> Encoder::embed(MatrixView<const float> windows,
                             const Context& context) const {
  if (windows.cols() != options_.channels * options_.width) {
    throw InvalidArgument(
        "Encoder: rows of " + std::to_string(options_.channels) + " x " +
        std::to_string(options_.width) + " numbers are expected");
  }
  return embed_all(
             windows.rows(),
             [&](std::size_t i, MatrixView<float> rows) {
               for (std::size_t c = 0; c < rows.rows(); ++c) {
                 std::copy_n(windows.row(i).data() + c * options_.width,
                             options_.width, rows.row(c).data());
               }
             },
             context)
      .points;
}

Matrix<float> Encoder::input_gradient(MatrixView<const float> window,
                                      std::span<const float> direction) const {
  EncoderProbe probe(*this);
  probe.embed(window);
  Matrix<float> gradient(options_.channels, options_.width);
  probe.gradient(direction, gradient);
  return gradient;
}

void Encoder::save(const std::string& path) const {
  nn::Checkpoint checkpoint{parameters_, buffers_, {}, {}, {}};
  checkpoint.metadata = {
      {"format", kEncoderFormat},
      {"channels", std::to_string(options_.channels)},
      {"width", std::to_string(options_.width)},
      {"mid", std::to_string(options_.mid)},
      {"head", std::to_string(options_.head)},
      {"scramble", options_.layout == WindowLayout::kScramble ? "1" : "0"},
      {"block3_identity", options_.has_block3_identity ? "1" : "0"}};
  nn::save_checkpoint(path, checkpoint);
}

Encoder Encoder::load(const std::string& path) {
  const auto metadata = nn::read_metadata(path);
  const auto format = metadata.find("format");
  if (format == metadata.end() || format->second != kEncoderFormat) {
    throw IoError(path, "this is not an encoder of this version");
  }
  EncoderOptions options;
  options.channels = number_of(metadata, "channels", path);
  options.width = number_of(metadata, "width", path);
  options.mid = number_of(metadata, "mid", path);
  options.head = number_of(metadata, "head", path);
  if (number_of(metadata, "scramble", path) != 0) {
    options.layout = WindowLayout::kScramble;
  }
  options.has_block3_identity =
      number_of(metadata, "block3_identity", path) != 0;
  if (options.channels == 0 || options.width == 0 || options.mid == 0 ||
      options.mid > 1024 || options.head < 2) {
    throw IoError(path, "the shape of the encoder is out of range");
  }
  Encoder encoder(options, 0);
  nn::Checkpoint checkpoint{encoder.parameters_, encoder.buffers_, {}, {}, {}};
  nn::load_checkpoint(path, checkpoint);
  encoder.parameters_ = std::move(checkpoint.parameters);
  encoder.buffers_ = std::move(checkpoint.buffers);
  return encoder;
}

EncoderProbe::EncoderProbe(const Encoder& encoder)
    : encoder_(&encoder),
      backbone_(encoder.options(), 1),
      window_(encoder.options().channels, encoder.options().width),
      features_(1, encoder.options().features()) {}

std::span<const float> EncoderProbe::embed(MatrixView<const float> window) {
  if (window.rows() != window_.rows() || window.cols() != window_.cols()) {
    throw InvalidArgument(
        "EncoderProbe: a window of " + std::to_string(window_.rows()) + " x " +
        std::to_string(window_.cols()) + " numbers is expected");
  }
  for (std::size_t c = 0; c < window.rows(); ++c) {
    std::copy_n(window.row(c).data(), window.cols(), window_.row(c).data());
  }
  backbone_.forward_eval(
      encoder_->parameters(), encoder_->buffers(), 1,
      [&](std::size_t, MatrixView<float> rows) {
        for (std::size_t c = 0; c < rows.rows(); ++c) {
          std::copy_n(window_.row(c).data(), rows.cols(), rows.row(c).data());
        }
      },
      features_);
  point_ = projection_.forward(encoder_->parameters(), features_);
  return point_.row(0);
}

void EncoderProbe::gradient(std::span<const float> direction,
                            MatrixView<float> out) {
  if (point_.rows() == 0 || direction.size() != point_.cols()) {
    throw InvalidArgument(
        "EncoderProbe: gradient needs an embedded window and a direction of "
        "its point's dimension");
  }
  const Matrix<float> d_features = projection_.backward(
      encoder_->parameters(),
      MatrixView<const float>(direction.data(), 1, direction.size()), nullptr);
  backbone_.input_gradient(d_features, out);
}

}  // namespace sbog::series
