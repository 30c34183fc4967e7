// SPDX-License-Identifier: Apache-2.0
// Outliers of images as a run folder; see jobs.h.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/mean.h"
#include "sbog/base/number_text.h"
#include "sbog/base/stopwatch.h"
#include "sbog/job/image_input.h"
#include "sbog/job/outlier_rarity.h"
#include "sbog/run/run_folder.h"
#include "sbog/run/run_json.h"
#include "sbog/sample/image_profile.h"
#include "sbog_torch/job/draw_images.h"
#include "sbog_torch/job/image_files.h"
#include "sbog_torch/job/image_training.h"
#include "sbog_torch/job/jobs.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::torch_jobs {
namespace {

namespace fs = std::filesystem;
using image::Decoder;
using image::DecoderKind;
using image::ImageModel;
using image::LatentOutliers;

// What the width of the embeddings and the kind decide.
job::GenerateOptions resolved(const job::GenerateOptions& given,
                              std::size_t width) {
  job::GenerateOptions options = given;
  options.kind = job::Kind::kImages;
  if (options.decoder.empty()) options.decoder = "cvae";
  if (options.sampler.sigma == 0.0) {
    options.sampler.sigma = image_profile(options.profile, width).sigma;
  }
  if (options.sampler.certify) {
    throw InvalidArgument("--certify: this option is not for --kind image");
  }
  if (options.series.outside_only && options.decoder == "none") {
    throw InvalidArgument(
        "--outside-only: it is about decoded images, and --decoder none makes "
        "none");
  }
  job::check_image_model(options.images.model);
  check_sampler_options(options.sampler, width);
  return options;
}

// The model in the run, or a new one. Nothing when stopped, or when the loss
// diverged.
std::optional<ImageModel> find_model(const job::GenerateOptions& o,
                                     const ImageSet& images,
                                     const RunFolder& folder,
                                     job::Events& events,
                                     const Context& context) {
  const std::string path = folder.file("model");
  if (image::has_image_model(path)) return image::load_image_model(path);
  fs::create_directories(path);
  std::optional<ImageModel> model = train_model(
      images,
      training_of(settings_of(o), images.count(), path + "/encoder.checkpoint"),
      events, context);
  if (model) save_image_model(path, *model);
  return model;
}

// The decoder of the model's folder if it is of the right kind, or the one in
// the run, or a new one. Null when stopped.
std::unique_ptr<Decoder> find_decoder(const job::GenerateOptions& o,
                                      const ImageModel& model,
                                      const ImageSet& images,
                                      const RunFolder& folder,
                                      job::Events& events,
                                      const Context& context) {
  const image::DecoderTraining training =
      decoder_training_of(settings_of(o), images.count());
  const std::string in_run = folder.file("decoder.safetensors");
  const std::string given = o.model.empty() ? "" : image::decoder_path(o.model);
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
  return train_decoder_file(model, images, training, in_run, events, context);
}

Variation to_variation(const std::string& name) {
  if (name == "detail") return Variation::kDetail;
  return name == "fresh" ? Variation::kFresh : Variation::kSource;
}

nlohmann::json image_manifest(const job::GenerateOptions& o,
                              const ImageSet& images) {
  nlohmann::json manifest = job::first_manifest(o);
  manifest["images"] = images.count();
  manifest["shape"] = {images.shape.channels, images.shape.height,
                       images.shape.width};
  manifest["rule"] = to_string(o.sampler.rule);
  manifest["profile"] = o.profile;
  manifest["decoder"] = o.decoder;
  manifest["classes"] = nlohmann::json::array();
  return manifest;
}

DrawRules rules_of(const job::GenerateOptions& o) {
  return {o.sampler,
          {o.images.decoded, to_variation(o.images.variation),
           o.images.decode_rounds},
          o.series.outside_only,
          o.series.redraws};
}

// How rare the outliers are, those aside whose images lie inside.
job::RaritySummary rarity_of(const LatentScorer& scorer,
                             const DrawnImages& drawn) {
  job::RarityCounter counter(scorer.tails());
  for (std::size_t i = 0; i < drawn.rarities.size(); ++i) {
    if (drawn.is_outside[i] != false) counter.add(drawn.rarities[i]);
  }
  return counter.summary();
}

// What came out, and the points it came from.
void complete_manifest(const DrawnImages& drawn, const ImageModel& model,
                       std::uint64_t bank_checksum, nlohmann::json& manifest) {
  std::size_t requested = 0;
  for (const ClassReport& report : drawn.outliers.reports) {
    requested += report.requested;
    nlohmann::json entry = class_json(report);
    entry["name"] = model.class_names[static_cast<std::size_t>(report.label)];
    manifest["classes"].push_back(std::move(entry));
  }
  manifest["requested"] = requested;
  manifest["produced"] = drawn.outliers.latents.rows();
  manifest["bank_rows"] = model.bank.latents.rows();
  manifest["dimension"] = model.bank.latents.cols();
  manifest["bank_checksum"] = checksum_hex(bank_checksum);
}

// The content of image_metrics.json: accuracy of the encoder, and means over
// outliers and decoded images.
nlohmann::ordered_json image_metrics(const ImageModel& model,
                                     const DrawnImages& drawn) {
  const DecodedOutliers& decoded = drawn.decoded;
  std::vector<double> energies;
  std::vector<double> cosines;
  for (const Output<float>& output : drawn.outliers.outputs) {
    energies.push_back(output.energy);
    cosines.push_back(output.class_cosine);
  }
  nlohmann::ordered_json json;
  json["accuracy"] = model.accuracy;
  json["outliers"] = drawn.outliers.latents.rows();
  json["energy"] = mean_of(energies);
  json["class_cosine"] = mean_of(cosines);
  if (drawn.candidates > 0) json["candidates"] = drawn.candidates;
  json["decoded"] = decoded.rows.size();
  if (decoded.rows.empty()) return json;
  json["class_energy"] = mean_of(decoded.class_energy);
  if (!decoded.energy.empty()) {  // there is an encoder to ask
    json["decoded_energy"] = mean_of(decoded.energy);
    json["outside"] = drawn.outside_count();
    json["decoded_outside"] = static_cast<double>(drawn.outside_count()) /
                              static_cast<double>(drawn.known_count());
    json["consistency"] = mean_of(decoded.consistency);
    json["least_consistency"] = least_of(decoded.consistency);
  }
  json["nearest_distance"] = mean_of(decoded.distance);
  json["least_nearest_distance"] = least_of(decoded.distance);
  if (!decoded.unseen_distance.empty()) {
    json["unseen_nearest_distance"] = mean_of(decoded.unseen_distance);
  }
  return json;
}

// "3 of 10 outliers are feasible; the energy test binds", or what is wrong with
// the images.
std::string shortfall(std::size_t produced, std::size_t requested,
                      Constraint binding, bool is_of_severity) {
  const std::string counts =
      with_commas(produced) + " of " + with_commas(requested);
  if (binding != Constraint::kDecoding) {
    return counts + " outliers are feasible; the " + to_string(binding) +
           " test binds";
  }
  return counts + " images lie " +
         (is_of_severity ? "there" : "outside of the class") +
         " after decoding; the decoding binds (more --redraws or "
         "--decode-rounds make it easier)";
}

// A warning for each class, or severity of it, with fewer outliers than asked
// for.
void warn_of_classes(const LatentOutliers& outliers,
                     const std::vector<std::string>& names,
                     job::Events& events) {
  for (const ClassReport& report : outliers.reports) {
    if (report.produced == report.requested) continue;
    const std::string& name = names[static_cast<std::size_t>(report.label)];
    const std::string cls = "class " + std::to_string(report.label) +
                            (name.empty() ? "" : " (" + name + ")");
    if (report.bands.empty()) {
      events.on_warning(
          cls + ": " +
          shortfall(report.produced, report.requested, report.binding, false));
    }
    for (const BandReport& band : report.bands) {
      if (band.produced == band.requested) continue;
      events.on_warning(
          cls + ", severity " + std::to_string(band.severity) + ": " +
          shortfall(band.produced, band.requested, band.binding, true));
    }
  }
}

// Writes what was drawn and measured.
job::GenerateResult write_run(const job::GenerateOptions& o,
                              const DecodingTools& tools,
                              const DrawnImages& drawn, const RunFolder& folder,
                              job::Events& events, nlohmann::json& manifest) {
  const LatentOutliers& outliers = drawn.outliers;
  write_latent_files(folder, drawn);
  const std::uint64_t bank =
      write_bank_files(folder, tools.model.bank, outliers);
  if (!drawn.decoded.rows.empty()) {
    write_decoded_files(folder, drawn, o.images.pictures);
  }
  const nlohmann::ordered_json metrics = image_metrics(tools.model, drawn);
  write_file_atomically(folder.file("image_metrics.json"),
                        stored_json(metrics) + "\n");
  complete_manifest(drawn, tools.model, bank, manifest);
  const job::RaritySummary rarity = rarity_of(tools.scorer, drawn);
  manifest["rarity"] = job::rarity_json(rarity);
  warn_of_classes(outliers, tools.model.class_names, events);
  job::GenerateResult result;
  result.out = o.out;
  result.requested = manifest["requested"].get<std::size_t>();
  result.produced = manifest["produced"].get<std::size_t>();
  if (result.produced < result.requested) {
    result.status = job::Status::kNotReached;
  }
  result.classes = outliers.reports;
  result.severities = severities_text(o.sampler.severities);
  result.rarity = job::rarity_sentence(rarity);
  result.manifest = stored_json(manifest, -1);
  result.metrics = stored_json(metrics, -1);
  return result;
}

}  // namespace

job::GenerateResult generate_images(const job::GenerateOptions& given,
                                    job::Events& events,
                                    const Context& context) {
  nn::use_one_torch_thread();
  const Stopwatch watch;
  std::optional<ImageModel> model;
  if (!given.model.empty()) model = image::load_image_model(given.model);
  const job::GenerateOptions o = resolved(
      given, model ? model->bank.latents.cols() : given.images.model.latent);
  const ImageSet images =
      job::load_known_classes(o.input, o.labels, o.images.input, events);
  if (model) require_same_images(*model, images, o.model);
  if (o.series.outside_only && model && !model->embed) {
    throw InvalidArgument(
        "--outside-only: the model knows features of its own images alone; an "
        "encoder that sees decoded ones is expected");
  }
  if (model) require_severities(*model, o.sampler, context);
  const RunFolder folder(o.out, job::generate_config(o),
                         image::checksum_of(images), o.resume);
  if (const auto finished = job::finished_result(folder, o, events, context)) {
    return *finished;
  }
  nlohmann::json manifest = image_manifest(o, images);
  folder.write_manifest(manifest, "running");
  if (!model) model = find_model(o, images, folder, events, context);
  if (!model && !events.is_stopped()) {
    job::GenerateResult diverged;
    diverged.status = job::Status::kNotReached;
    diverged.kind = o.kind;
    diverged.out = o.out;
    return diverged;
  }
  if (!model) return job::stopped_result(o, events);
  if (given.model.empty()) require_severities(*model, o.sampler, context);
  const std::unique_ptr<Decoder> decoder =
      find_decoder(o, *model, images, folder, events, context);
  if (!decoder || events.is_stopped()) return job::stopped_result(o, events);
  DrawnImages drawn;
  const LatentScorer scorer(model->bank, o.sampler, {context.pool, nullptr});
  const DecodingTools tools{*decoder, *model, images, scorer};
  {
    job::Stage stage(events, context, "generating");
    drawn = draw_images(tools, rules_of(o), stage.context());
  }
  if (drawn.outliers.status == SolveStatus::kCancelled) {
    return job::stopped_result(o, events);
  }
  job::GenerateResult result =
      write_run(o, tools, drawn, folder, events, manifest);
  result.seconds = watch.seconds();
  job::finish_run(folder, manifest, o, result, events, context);
  return result;
}

}  // namespace sbog::torch_jobs
