// SPDX-License-Identifier: Apache-2.0
// Models of frozen encoders; see external_model.h.
#include "sbog_torch/image/external_model.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"
#include "sbog_torch/image/detail/model_notes.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/external_encoder.h"

namespace sbog::image {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "sbog external encoder 1";
constexpr std::size_t kMostClasses = 100000;
constexpr std::size_t kMostNumbers = std::size_t{1} << 20;

std::string facts_path(const std::string& folder) {
  return (fs::path(folder) / "external.safetensors").string();
}

std::string script_path(const std::string& folder) {
  return (fs::path(folder) / "encoder.pt").string();
}

Matrix<float> rows_of(const Matrix<float>& all,
                      const std::vector<std::size_t>& rows) {
  Matrix<float> taken(rows.size(), all.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(all.row(rows[i]), taken.row(i).begin());
  }
  return taken;
}

Matrix<float> read_rows(const std::string& spec, std::size_t images) {
  Matrix<float> features = read_features(spec);
  if (features.rows() != images) {
    throw InvalidArgument(spec + ": one row per image is expected (" +
                          std::to_string(images) + "), got " +
                          std::to_string(features.rows()));
  }
  return features;
}

// Of each class the direction of the mean of its rows.
Matrix<float> mean_anchors(const FeatureBank& bank) {
  const std::size_t width = bank.latents.cols();
  Matrix<double> sums(bank.counts.size(), width);
  for (std::size_t i = 0; i < bank.labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(bank.labels[i]);
    for (std::size_t k = 0; k < width; ++k) {
      sums(label, k) += bank.latents(i, k);
    }
  }
  Matrix<float> anchors(sums.rows(), width);
  for (std::size_t c = 0; c < sums.rows(); ++c) {
    double square = 0.0;
    for (const double value : sums.row(c)) square += value * value;
    if (!(std::sqrt(square) > 1e-6)) {
      throw InvalidArgument(
          "external encoder: the latents of class " + std::to_string(c) +
          " have no mean direction; give class anchors in a file");
    }
    for (std::size_t k = 0; k < width; ++k) {
      anchors(c, k) = static_cast<float>(sums(c, k) / std::sqrt(square));
    }
  }
  return anchors;
}

Matrix<float> anchors_of(const ExternalOptions& options,
                         const FeatureBank& bank) {
  if (options.anchors.empty()) return mean_anchors(bank);
  Matrix<float> anchors = read_features(options.anchors);
  if (anchors.rows() != bank.counts.size() ||
      anchors.cols() != bank.latents.cols()) {
    throw InvalidArgument(options.anchors +
                          ": one anchor per class, as wide as the latents, is "
                          "expected (" +
                          std::to_string(bank.counts.size()) + " x " +
                          std::to_string(bank.latents.cols()) + "), got " +
                          std::to_string(anchors.rows()) + " x " +
                          std::to_string(anchors.cols()));
  }
  return anchors;
}

double accuracy_of(const Matrix<float>& latents, const ImageModel& model,
                   const std::vector<std::int32_t>& labels) {
  return accuracy(nearest_anchors(latents, model.anchors), labels);
}

}  // namespace

bool is_script_name(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  return ending == ".pt" || ending == ".pth" || ending == ".ts";
}

ImageModelResult make_external_model(const ImageSet& images,
                                     const ExternalOptions& options,
                                     const Context& context) {
  detail::require_classes(images, "external encoder");
  const ImageSplit split =
      split_by_class(images, options.held_out, options.seed);
  const ImageSet train = take(images, split.train);
  const ImageSet held_out = take(images, split.held_out);
  ImageModel model;
  Matrix<float> seen;
  if (is_script_name(options.encoder)) {
    model.script = options.encoder;
    model.embed = load_script_encoder(options.encoder, {images.shape, 0});
    FeatureBankOptions bank;
    bank.per_class = options.per_class;
    FeatureBankResult built =
        build_feature_bank(model.embed, train, bank, context);
    if (built.status != SolveStatus::kDone) return {{}, built.status, {}};
    model.bank = std::move(built.bank);
    seen = embed_images(model.embed, held_out).latents;
  } else {
    const Matrix<float> features = read_rows(options.encoder, images.count());
    model.bank = bank_of_features(rows_of(features, split.train), train.labels,
                                  options.per_class);
    model.bank.counts.resize(class_count(images));
    seen = rows_of(features, split.held_out);
  }
  detail::name_sources(split.train, model.bank);
  model.anchors = anchors_of(options, model.bank);
  model.class_names = detail::names_of(images);
  model.shape = images.shape;
  model.images = checksum_of(images);
  model.held_out = options.held_out;
  model.split_seed = options.seed;
  model.accuracy = accuracy_of(seen, model, held_out.labels);
  ImageModelResult result;
  result.model = std::move(model);
  return result;
}

bool is_external_model(const std::string& folder) {
  return fs::exists(facts_path(folder));
}

void save_external_model(const std::string& folder, const ImageModel& model) {
  if (!model.script.empty()) {
    write_file_atomically(script_path(folder), read_file(model.script));
  }
  nn::Checkpoint file;
  file.buffers.add("anchors", {model.anchors.rows(), model.anchors.cols()});
  std::ranges::copy(model.anchors.elements(),
                    file.buffers.values("anchors").begin());
  file.texts["classes"] = model.class_names;
  file.metadata = detail::model_notes(model);
  file.metadata["kind"] = kKind;
  file.metadata["encoder"] = model.script.empty() ? "features" : "script";
  file.metadata["classes"] = std::to_string(model.anchors.rows());
  file.metadata["latent"] = std::to_string(model.anchors.cols());
  file.metadata["channels"] = std::to_string(model.shape.channels);
  file.metadata["height"] = std::to_string(model.shape.height);
  file.metadata["width"] = std::to_string(model.shape.width);
  nn::save_checkpoint(facts_path(folder), file);
}

ImageModel load_external_model(const std::string& folder) {
  const std::string path = facts_path(folder);
  const auto notes = nn::read_metadata(path);
  if (detail::note_of(notes, "kind", path) != kKind) {
    throw IoError(path, "this is not a file of an external encoder");
  }
  const auto count = [&](const char* key, std::size_t most) {
    return detail::count_of(notes, key, most, path);
  };
  const std::size_t classes = count("classes", kMostClasses);
  const std::size_t latent = count("latent", kMostNumbers);
  if (fs::file_size(path) < 4 * classes * latent) {
    throw IoError(path, "the file is too short for its anchors");
  }
  nn::Checkpoint file;
  file.buffers.add("anchors", {classes, latent});
  file.texts["classes"] = std::vector<std::string>(classes);
  nn::load_checkpoint(path, file);
  ImageModel model;
  model.anchors = Matrix<float>(classes, latent);
  std::ranges::copy(file.buffers.values("anchors"), model.anchors.data());
  model.class_names = file.texts.at("classes");
  model.shape = {count("channels", 3), count("height", 65535),
                 count("width", 65535)};
  detail::read_model_notes(notes, path, model);
  if (detail::note_of(notes, "encoder", path) == "script") {
    model.script = script_path(folder);
    model.embed = load_script_encoder(model.script, {model.shape, latent});
  }
  return model;
}

}  // namespace sbog::image
