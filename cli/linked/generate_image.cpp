// SPDX-License-Identifier: Apache-2.0
// Outliers of images as a run folder; see image_jobs.h.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sbog/run/class_json.h"
#include "exit_code.h"
#include "image_jobs.h"
#include "linked/image_facts.h"
#include "linked/image_files.h"
#include "linked/image_models.h"
#include "report_run.h"
#include "run_folder.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/build_info.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/sample/image_profile.h"

namespace sbog::cli {
namespace {

namespace fs = std::filesystem;
using image::Decoder;
using image::DecoderKind;
using image::ImageModel;
using image::LatentOutliers;
void refuse_other_options(const GenerateArguments& a,
                          const SamplerOptions& options) {
  const auto refuse = [](bool is_given, const char* name) {
    if (is_given) {
      throw InvalidArgument(std::string(name) +
                            ": this option is not for --kind image");
    }
  };
  refuse(!a.losses.empty(), "--losses");
  refuse(!a.metric.empty(), "--metric");
  refuse(!a.columns.empty(), "--columns");
  refuse(a.precision != "float", "--precision");
  refuse(a.total != 0, "--total");
  refuse(options.splits_bank, "--certify");
}

// The model that is given, or the one in the run, or a new one. Nothing when
// interrupted.
std::optional<ImageModel> find_model(const ImageRunArguments& own,
                                     const ImageSet& images,
                                     const RunFolder& folder,
                                     const CommonOptions& common) {
  const std::string path = folder.file("model");
  if (image::has_image_model(path)) {
    return image::load_image_model(path);
  }
  fs::create_directories(path);
  std::optional<ImageModel> model =
      train_model(images,
                  training_of(own.training, images.count(), common.seed,
                              path + "/encoder.checkpoint"),
                  common);
  if (model) save_image_model(path, *model);
  return model;
}

// The decoder of the model's folder if it is of the right kind, or the one in
// the run, or a new one. Null when interrupted.
std::unique_ptr<Decoder> find_decoder(const ImageRunArguments& own,
                                      const ImageModel& model,
                                      const ImageSet& images,
                                      const RunFolder& folder,
                                      const CommonOptions& common) {
  const image::DecoderTraining training =
      decoder_training_of(own.training, images.count(), common.seed);
  const std::string in_run = folder.file("decoder.safetensors");
  const std::string given =
      own.model.empty() ? "" : image::decoder_path(own.model);
  for (const std::string& path : {given, in_run}) {
    if (path.empty() || !fs::exists(path)) continue;
    std::unique_ptr<Decoder> decoder = image::load_decoder(path);
    if (decoder->kind() != training.kind) continue;
    if (decoder->latent_width() != model.bank.latents.cols() ||
        decoder->shape() != images.shape) {
      throw IoError(path, "is a decoder of other images");
    }
    return decoder;
  }
  return train_decoder_file(model, images, training, in_run, common);
}

Variation to_variation(const std::string& name) {
  if (name == "detail") return Variation::kDetail;
  return name == "fresh" ? Variation::kFresh : Variation::kSource;
}

int interrupted(const Console& console) {
  console.note("interrupted; go on with the same command and --resume");
  return kNotReached;
}

nlohmann::json first_manifest(const GenerateArguments& shared,
                              const ImageRunArguments& own,
                              const SamplerOptions& options,
                              const ImageSet& images) {
  return {{"version", build_version()},
          {"kind", "image"},
          {"seed", options.seed},
          {"input", shared.input},
          {"images", images.count()},
          {"shape",
           {images.shape.channels, images.shape.height, images.shape.width}},
          {"rule", to_string(options.rule)},
          {"profile", shared.profile},
          {"decoder", own.training.decoder},
          {"classes", nlohmann::json::array()}};
}

// What came out, and the points it came from.
void complete_manifest(const LatentOutliers& outliers, const ImageModel& model,
                       std::uint64_t bank_checksum, nlohmann::json& manifest) {
  std::size_t requested = 0;
  for (const ClassReport& report : outliers.reports) {
    requested += report.requested;
    nlohmann::json entry = class_json(report);
    entry["name"] = model.class_names[static_cast<std::size_t>(report.label)];
    manifest["classes"].push_back(std::move(entry));
  }
  manifest["requested"] = requested;
  manifest["produced"] = outliers.latents.rows();
  manifest["bank_rows"] = model.bank.latents.rows();
  manifest["dimension"] = model.bank.latents.cols();
  manifest["bank_checksum"] = checksum_hex(bank_checksum);
}

// Samples, decodes, measures and writes. Returns the exit code.
int make_run(const GenerateArguments& shared, const ImageRunArguments& own,
             const SamplerOptions& options, const ImageSet& images,
             const ImageModel& model, const Decoder& decoder,
             const RunFolder& folder, const Stopwatch& watch,
             const CommonOptions& common, nlohmann::json manifest) {
  const Console console(common.is_quiet);
  ThreadPool pool(common.threads);
  LatentOutliers outliers;
  {
    ProgressLine line("generating", common.is_quiet);
    outliers = draw_latent_outliers(model.bank, model.anchors, options,
                                    {&pool, &line});
  }
  if (outliers.status == SolveStatus::kCancelled) return interrupted(console);
  write_latent_files(folder, outliers);
  const std::uint64_t bank = write_bank_files(folder, model.bank, outliers);
  DecodedOutliers decoded;
  if (decoder.kind() != DecoderKind::kNone && outliers.latents.rows() > 0) {
    decoded = decode_outliers(
        decoder, model, images, outliers,
        {own.decoded, to_variation(own.variation), own.rounds}, options.energy);
    write_decoded_files(folder, outliers, decoded, own.pictures);
  }
  const nlohmann::ordered_json metrics =
      image_metrics_json(model, outliers, decoded);
  write_file_atomically(folder.file("image_metrics.json"),
                        metrics.dump(2) + "\n");
  complete_manifest(outliers, model, bank, manifest);
  const bool is_done = outliers.status == SolveStatus::kDone;
  print_image_run(manifest, metrics, shared, common, watch.seconds());
  warn_of_classes(outliers, model.class_names, console);
  folder.write_manifest(manifest, is_done ? "complete" : "partial");
  folder.remove_parts();
  return is_done ? kDone : kNotReached;
}

}  // namespace

int generate_image(const GenerateArguments& shared,
                   const ImageRunArguments& own, const CommonOptions& common) {
  nn::use_one_torch_thread();
  const Stopwatch watch;
  const Console console(common.is_quiet);
  std::optional<ImageModel> model;
  if (!own.model.empty()) model = image::load_image_model(own.model);
  const std::size_t width =
      model ? model->bank.latents.cols() : own.training.latent;
  const SamplerOptions options = to_sampler_options(
      image_profile(shared.profile, width), shared, common.seed);
  refuse_other_options(shared, options);
  check_sampler_options(options, width);
  const ImageSet images = load_known_classes(own.input, console);
  if (model) require_same_images(*model, images, own.model);
  const RunFolder folder(shared.out, image_run_toml(shared, own, options),
                         image::checksum_of(images), shared.is_resumed);
  if (const nlohmann::json old = folder.finished_manifest(); !old.is_null()) {
    console.note("the run in " + shared.out + " is already finished");
    end_with_report(shared, common);
    return old["state"] == "complete" ? kDone : kNotReached;
  }
  const nlohmann::json manifest = first_manifest(shared, own, options, images);
  folder.write_manifest(manifest, "running");
  if (!model) model = find_model(own, images, folder, common);
  if (!model) return is_interrupted() ? interrupted(console) : kNotReached;
  const std::unique_ptr<Decoder> decoder =
      find_decoder(own, *model, images, folder, common);
  if (!decoder || is_interrupted()) return interrupted(console);
  const int code = make_run(shared, own, options, images, *model, *decoder,
                            folder, watch, common, manifest);
  end_with_report(shared, common);
  return code;
}

}  // namespace sbog::cli
