// SPDX-License-Identifier: Apache-2.0
// Training of shared parts; see image_parts.h.
#include "paper/torch/image_parts.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "paper/cell_store.h"
#include "paper/series_quality.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/detector_training.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::paper {
namespace {

namespace fs = std::filesystem;

// Keeps a second process from training the same thing; it waits instead.
class FileLock {
 public:
  explicit FileLock(const std::string& path)
      : descriptor_(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0 || flock(descriptor_, LOCK_EX) != 0) {
      throw IoError(path, "cannot be locked");
    }
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() { close(descriptor_); }

 private:
  int descriptor_;
};

// The part of a file, or a new one. A file that cannot be read is made again.
template <typename Part>
Part shared_part(const std::string& path, const std::function<Part()>& load,
                 const std::function<Part()>& make,
                 const std::function<void(const Part&)>& save) {
  if (path.empty()) return make();
  const FileLock lock(path + ".lock");
  if (fs::exists(path)) {
    try {
      return load();
    } catch (const IoError&) {
      fs::remove_all(path);
    }
  }
  Part part = make();
  save(part);
  return part;
}

}  // namespace

ImageParts::ImageParts(const Json& configuration, const ImageBench& bench,
                       const CellContext& context)
    : config_(configuration), bench_(bench), context_(context) {
  if (!context.scratch.empty()) fs::create_directories(context.scratch);
}

std::string ImageParts::file_of(const char* what, const Json& identity) const {
  if (context_.scratch.empty()) return "";
  const std::string name = std::string(what) + "-" + hash_of(identity);
  return (fs::path(context_.scratch) / name).string();
}

Json ImageParts::encoder_identity(bool is_robust) const {
  Json identity = Json::object();
  for (const char* field : {"set", "train_per_class", "seed", "encoder"}) {
    identity[field] = config_.at(field);
  }
  identity["robust"] = is_robust;
  identity["images"] = image::checksum_of(bench_.train);
  return identity;
}

image::ImageModel ImageParts::model(bool is_robust) const {
  const std::string path =
      file_of("image-encoder", encoder_identity(is_robust));
  return shared_part<image::ImageModel>(
      path, [&] { return image::load_image_model(path); },
      [&] {
        const double start = processor_seconds();
        const Json& fields = config_.at("encoder");
        image::ImageTraining training;
        training.widths = fields.at("widths").get<std::vector<std::size_t>>();
        training.latent = fields.at("latent");
        training.alignment.epochs = fields.at("epochs");
        training.alignment.seed = config_.at("seed");
        training.anchors.seed = config_.at("seed");
        if (is_robust) training.alignment.robust.emplace();
        image::ImageModelResult result =
            train_image_model(bench_.train, training, context_);
        if (!result.model) {
          throw InvalidArgument("the loss of an encoder became infinite");
        }
        note_seconds(context_, is_robust ? "robust encoder" : "encoder",
                     processor_seconds() - start);
        return std::move(*result.model);
      },
      [&](const image::ImageModel& model) { save_image_model(path, model); });
}

std::unique_ptr<image::Decoder> ImageParts::decoder(
    const image::ImageModel& model, bool is_robust) const {
  Json identity = encoder_identity(is_robust);
  // How it is trained, not how it is used.
  for (const char* field : {"kind", "width", "epochs"}) {
    identity["decoder"][field] = config_.at("decoder").at(field);
  }
  const std::string path = file_of("image-decoder", identity);
  using Held = std::unique_ptr<image::Decoder>;
  return shared_part<Held>(
      path, [&] { return image::load_decoder(path); },
      [&] {
        const double start = processor_seconds();
        const Json& fields = config_.at("decoder");
        image::DecoderTraining training;
        training.kind =
            image::decoder_kind(fields.at("kind").get<std::string>());
        training.cvae.width = fields.at("width");
        training.cvae.epochs = fields.at("epochs");
        training.cvae.seed = config_.at("seed");
        Held made =
            train_decoder(model, bench_.train, training, context_).decoder;
        note_seconds(context_, is_robust ? "robust decoder" : "decoder",
                     processor_seconds() - start);
        return made;
      },
      [&](const Held& made) { made->save(path); });
}

image::Detector ImageParts::classifier() const {
  Json identity = encoder_identity(false);
  identity.erase("encoder");
  identity["classifier"] = config_.at("classifier");
  const std::string path = file_of("image-classifier", identity);
  return shared_part<image::Detector>(
      path, [&] { return image::Detector::load(path); },
      [&] {
        const double start = processor_seconds();
        const Json& fields = config_.at("classifier");
        image::ClassifierOptions options;
        options.widths = fields.at("widths").get<std::vector<std::size_t>>();
        options.epochs = fields.at("epochs");
        options.seed = config_.at("seed");
        image::Detector made = train_classifier(
            {image::to_tensor(bench_.train), image::to_labels(bench_.train)},
            class_count(bench_.train), options, context_);
        note_seconds(context_, "classifier", processor_seconds() - start);
        return made;
      },
      [&](const image::Detector& made) { made.save(path); });
}

}  // namespace sbog::paper
