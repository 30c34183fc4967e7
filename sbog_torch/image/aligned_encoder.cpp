// SPDX-License-Identifier: Apache-2.0
// Files of aligned encoders; see aligned_encoder.h.
#include "sbog_torch/image/aligned_encoder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"

namespace sbog::image {
namespace {

const char* const kKind = "sbog image encoder 1";
constexpr std::size_t kMaxClasses = 100000;

std::size_t parse_count(std::string_view text, const std::string& key,
                        const std::string& path) {
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || last != end) {
    throw IoError(
        path, "the metadata entry " + key + " is not made of whole numbers");
  }
  return value;
}

std::size_t count_of(const std::map<std::string, std::string>& metadata,
                     const std::string& key, const std::string& path) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) {
    throw IoError(path, "there is no metadata entry " + key);
  }
  return parse_count(found->second, key, path);
}

// "16,32,64"
std::vector<std::size_t> parse_widths(const std::string& text,
                                      const std::string& path) {
  std::vector<std::size_t> widths;
  std::size_t begin = 0;
  // More than any network has are not read.
  while (begin <= text.size() && widths.size() < 16) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    widths.push_back(parse_count(
        std::string_view(text).substr(begin, end - begin), "widths", path));
    begin = end + 1;
  }
  return widths;
}

void check_model(const AlignedEncoder& model) {
  if (model.anchors.cols() != model.encoder.options().latent ||
      model.anchors.rows() != model.class_names.size() ||
      model.class_names.empty()) {
    throw InvalidArgument(
        "save_encoder: one anchor as wide as the latents and one name per "
        "class are expected");
  }
}

nn::ParameterSet with_anchors(nn::ParameterSet buffers, std::size_t classes,
                              std::size_t width) {
  buffers.add("anchors", {classes, width});
  return buffers;
}

void check_unit_rows(MatrixView<const float> rows, const std::string& path) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double square = 0.0;
    for (const float value : rows.row(i)) square += double{value} * value;
    if (std::abs(square - 1.0) > 1e-3) {
      throw IoError(path, "the anchor of class " + std::to_string(i) +
                              " is not a unit vector");
    }
  }
}

// The file must be at least as long as what it claims to hold; asked before
// anything of that size is made.
void check_size(const std::string& path, const EncoderOptions& options,
                std::size_t classes) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error || classes == 0 || classes > kMaxClasses ||
      bytes < 4 * (parameter_count(options) + classes * options.latent)) {
    throw IoError(path, "the file is too short for the network and the " +
                            std::to_string(classes) + " classes it names");
  }
}

}  // namespace

std::map<std::string, std::string> describe(const EncoderOptions& options) {
  std::string widths;
  for (const std::size_t width : options.widths) {
    if (!widths.empty()) widths += ',';
    widths += std::to_string(width);
  }
  return {{"kind", kKind},
          {"channels", std::to_string(options.shape.channels)},
          {"height", std::to_string(options.shape.height)},
          {"width", std::to_string(options.shape.width)},
          {"widths", widths},
          {"latent", std::to_string(options.latent)}};
}

EncoderOptions read_description(
    const std::map<std::string, std::string>& metadata,
    const std::string& path) {
  const auto kind = metadata.find("kind");
  const auto widths = metadata.find("widths");
  if (kind == metadata.end() || kind->second != kKind ||
      widths == metadata.end()) {
    throw IoError(path, "this is not a file of an image encoder");
  }
  EncoderOptions options;
  options.shape = {count_of(metadata, "channels", path),
                   count_of(metadata, "height", path),
                   count_of(metadata, "width", path)};
  options.widths = parse_widths(widths->second, path);
  options.latent = count_of(metadata, "latent", path);
  try {
    check_options(options);
  } catch (const InvalidArgument& error) {
    throw IoError(path, error.what());
  }
  return options;
}

void save_encoder(const std::string& path, const AlignedEncoder& model,
                  const std::map<std::string, std::string>& notes) {
  check_model(model);
  nn::Checkpoint file;
  file.parameters = model.encoder.parameter_set();
  file.buffers = with_anchors(model.encoder.buffer_set(), model.anchors.rows(),
                              model.anchors.cols());
  std::ranges::copy(model.anchors.elements(),
                    file.buffers.values("anchors").begin());
  file.metadata = notes;
  file.metadata.merge(describe(model.encoder.options()));
  file.metadata["classes"] = std::to_string(model.anchors.rows());
  file.texts["classes"] = model.class_names;
  nn::save_checkpoint(path, file);
}

AlignedEncoder load_encoder(const std::string& path) {
  const auto metadata = nn::read_metadata(path);
  EncoderOptions options = read_description(metadata, path);
  const std::size_t classes = count_of(metadata, "classes", path);
  check_size(path, options, classes);
  Encoder encoder(options, 0);
  nn::Checkpoint file;
  file.parameters = encoder.parameter_set();
  file.buffers = with_anchors(encoder.buffer_set(), classes, options.latent);
  file.texts["classes"] = std::vector<std::string>(classes);
  nn::load_checkpoint(path, file);

  const auto anchors = file.buffers.values("anchors");
  Matrix<float> rows(classes, options.latent);
  std::ranges::copy(anchors, rows.elements().begin());
  check_unit_rows(rows, path);
  const auto mean = file.buffers.values("input.mean");
  const auto deviation = file.buffers.values("input.deviation");
  options.mean.assign(mean.begin(), mean.end());
  options.deviation.assign(deviation.begin(), deviation.end());
  try {
    check_options(options);
  } catch (const InvalidArgument& error) {
    throw IoError(path, error.what());
  }
  // The same names and sizes without the anchors.
  encoder = Encoder(options, 0);
  nn::ParameterSet buffers = encoder.buffer_set();
  std::copy_n(file.buffers.flat().begin(), buffers.size(),
              buffers.flat().begin());
  encoder.set_values(file.parameters, buffers);
  return {std::move(encoder), std::move(rows), file.texts.at("classes")};
}

}  // namespace sbog::image
