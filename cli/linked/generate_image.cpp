// SPDX-License-Identifier: Apache-2.0
// Outliers of images as a run folder; see image_jobs.h.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "exit_code.h"
#include "image_jobs.h"
#include "linked/image_files.h"
#include "linked/image_models.h"
#include "run_folder.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/energy/energy_model.h"
#include "sbog/sample/image_profile.h"
#include "sbog_torch/image/decoder_quality.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/latent_outliers.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::cli {
namespace {

namespace fs = std::filesystem;
using image::Decoder;
using image::DecoderKind;
using image::ImageModel;
using image::LatentOutliers;
using Clock = std::chrono::steady_clock;

// Ids of decoded bank latents begin here, apart from those of outliers.
constexpr std::uint64_t kInsideIds = std::uint64_t{1} << 40;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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
  if (fs::exists(fs::path(path) / "encoder.safetensors")) {
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

// The first `count` of each value of a list of classes, as rows.
std::vector<std::size_t> first_of_each(const std::vector<std::int64_t>& classes,
                                       std::size_t count) {
  std::vector<std::size_t> rows;
  std::size_t in_class = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    in_class = i > 0 && classes[i] == classes[i - 1] ? in_class + 1 : 0;
    if (in_class < count) rows.push_back(i);
  }
  return rows;
}

template <typename T>
std::vector<T> at_rows(const std::vector<T>& values,
                       const std::vector<std::size_t>& rows) {
  std::vector<T> taken;
  for (const std::size_t row : rows) taken.push_back(values[row]);
  return taken;
}

torch::Tensor rows_tensor(const Matrix<float>& matrix,
                          const std::vector<std::size_t>& rows) {
  Matrix<float> taken(rows.size(), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(matrix.row(rows[i]), taken.row(i).begin());
  }
  return nn::to_tensor(taken.view(), torch::kFloat32);
}

torch::Tensor classes_tensor(const std::vector<std::int64_t>& classes) {
  return torch::tensor(classes, torch::kInt64);
}

// Decoded latents as 8-bit images with their classes.
ImageSet decode_rows(const Decoder& decoder, const Matrix<float>& latents,
                     const std::vector<std::int64_t>& classes,
                     const std::vector<std::size_t>& rows, std::uint64_t id,
                     const std::vector<std::string>& names) {
  const std::vector<std::int64_t> labels = at_rows(classes, rows);
  std::vector<std::uint64_t> ids;
  for (const std::size_t row : rows) ids.push_back(id + row);
  ImageSet images = image::to_images(
      decoder.decode(rows_tensor(latents, rows), classes_tensor(labels), ids));
  images.labels.assign(labels.begin(), labels.end());
  images.class_names = names;
  return images;
}

// Energies of latents against all bank latents of their class.
std::vector<double> class_energies(const image::FeatureBank& bank,
                                   const Matrix<float>& latents,
                                   const std::vector<std::int64_t>& classes,
                                   const EnergyOptions& options) {
  std::vector<double> energies(latents.rows());
  std::size_t first = 0;
  while (first < classes.size()) {
    std::size_t end = first;
    while (end < classes.size() && classes[end] == classes[first]) ++end;
    std::vector<std::size_t> atoms;
    for (std::size_t i = 0; i < bank.labels.size(); ++i) {
      if (bank.labels[i] == classes[first]) atoms.push_back(i);
    }
    const EnergyModel<float> model({bank.latents, {}, atoms}, options);
    Matrix<float> queries(end - first, latents.cols());
    for (std::size_t i = first; i < end; ++i) {
      std::ranges::copy(latents.row(i), queries.row(i - first).begin());
    }
    std::ranges::copy(model.evaluate(queries, {}, {}).energies,
                      energies.begin() + static_cast<std::ptrdiff_t>(first));
    first = end;
  }
  return energies;
}

DecodedOutliers decode_outliers(const Decoder& decoder, const ImageModel& model,
                                const ImageSet& images,
                                const LatentOutliers& outliers,
                                const ImageRunArguments& own,
                                const EnergyOptions& energy) {
  const std::vector<std::string>& names = model.aligned.class_names;
  DecodedOutliers decoded;
  decoded.rows = first_of_each(outliers.classes, own.decoded);
  decoded.images = decode_rows(decoder, outliers.latents, outliers.classes,
                               decoded.rows, 0, names);
  std::vector<std::size_t> sources;
  for (const std::size_t row : decoded.rows) {
    sources.push_back(
        static_cast<std::size_t>(model.bank.sources[outliers.bank_rows[row]]));
  }
  decoded.sources = take(images, sources);
  // As many of each class as there are outliers of it, at most.
  const std::size_t inside = std::max<std::size_t>(
      1, decoded.rows.size() / std::max<std::size_t>(1, names.size()));
  decoded.inside =
      decode_rows(decoder, model.bank.latents, model.bank.labels,
                  first_of_each(model.bank.labels, inside), kInsideIds, names);
  const std::vector<std::int64_t> classes =
      at_rows(outliers.classes, decoded.rows);
  const torch::Tensor targets = rows_tensor(outliers.latents, decoded.rows);
  const image::Embed embed = model.aligned.encoder.embedding();
  const torch::Tensor pixels = image::to_tensor(decoded.images);
  decoded.class_energy =
      class_energies(model.bank, nn::to_matrix(targets), classes, energy);
  decoded.energy = class_energies(
      model.bank, image::embed_images(embed, decoded.images).latents, classes,
      energy);
  decoded.consistency = image::consistencies(embed, pixels, targets);
  const std::vector<std::size_t> trained(model.bank.sources.begin(),
                                         model.bank.sources.end());
  const image::NearestImages nearest =
      image::nearest_images(pixels, image::to_tensor(images, trained));
  for (const std::size_t row : nearest.rows) {
    decoded.nearest.push_back(model.bank.sources[row]);
  }
  decoded.distance = nearest.distances;
  return decoded;
}

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

double least_of(const std::vector<double>& values) {
  return values.empty() ? 0.0 : *std::min_element(values.begin(), values.end());
}

// Share of decoded images whose energy reaches the threshold of their class.
double outside_share(const LatentOutliers& outliers,
                     const DecodedOutliers& decoded) {
  if (decoded.rows.empty()) return 0.0;
  std::size_t outside = 0;
  for (std::size_t i = 0; i < decoded.rows.size(); ++i) {
    const std::int64_t label = outliers.classes[decoded.rows[i]];
    for (const ClassReport& report : outliers.reports) {
      if (report.label == label && decoded.energy[i] >= report.plan.threshold) {
        ++outside;
      }
    }
  }
  return static_cast<double>(outside) /
         static_cast<double>(decoded.rows.size());
}

nlohmann::ordered_json metrics_json(const ImageModel& model,
                                    const LatentOutliers& outliers,
                                    const DecodedOutliers& decoded) {
  std::vector<double> energies;
  std::vector<double> cosines;
  for (const Output<float>& output : outliers.outputs) {
    energies.push_back(output.energy);
    cosines.push_back(output.class_cosine);
  }
  nlohmann::ordered_json json;
  json["accuracy"] = model.accuracy;
  json["outliers"] = outliers.latents.rows();
  json["energy"] = mean_of(energies);
  json["class_cosine"] = mean_of(cosines);
  json["decoded"] = decoded.rows.size();
  if (decoded.rows.empty()) return json;
  json["class_energy"] = mean_of(decoded.class_energy);
  json["decoded_energy"] = mean_of(decoded.energy);
  json["decoded_outside"] = outside_share(outliers, decoded);
  json["consistency"] = mean_of(decoded.consistency);
  json["least_consistency"] = least_of(decoded.consistency);
  json["nearest_distance"] = mean_of(decoded.distance);
  json["least_nearest_distance"] = least_of(decoded.distance);
  return json;
}

nlohmann::json class_json(const ClassReport& report, const std::string& name) {
  return {{"label", report.label},
          {"name", name},
          {"requested", report.requested},
          {"produced", report.produced},
          {"status", to_string(report.status)},
          {"binding", report.binding},
          {"threshold", report.plan.threshold},
          {"semantic_floor", report.plan.semantic_floor},
          {"seed_eligibility", report.plan.seed_eligibility},
          {"eligibility_lowered", report.plan.is_eligibility_lowered},
          {"points", report.plan.point_count},
          {"acceptance", report.acceptance},
          {"fill_anchors", report.fill_anchors}};
}

void print_result(const nlohmann::json& manifest,
                  const nlohmann::ordered_json& metrics,
                  const GenerateArguments& shared, const CommonOptions& common,
                  double seconds) {
  if (common.is_json) {
    nlohmann::json result = manifest;
    result["out"] = shared.out;
    result["seconds"] = seconds;
    result["metrics"] = metrics;
    std::printf("%s\n", result.dump(2).c_str());
    return;
  }
  std::printf("%s of %s outliers in %s (%s)\n",
              with_commas(manifest["produced"].get<std::size_t>()).c_str(),
              with_commas(manifest["requested"].get<std::size_t>()).c_str(),
              shared.out.c_str(), duration(seconds).c_str());
  if (!metrics.contains("consistency")) return;
  std::printf(
      "decoded: %s images, taken by the encoder for their points by a cosine "
      "of %.2f; %.0f %% of them lie outside of their class\n"
      "nearest training image: %.3f away on average, %.3f at least (root mean "
      "square of pixels in [0, 1])\n"
      "see %s/decoded/grid.png: sources and outliers side by side, a line per "
      "class, by increasing energy\n",
      with_commas(metrics["decoded"].get<std::size_t>()).c_str(),
      metrics["consistency"].get<double>(),
      100.0 * metrics["decoded_outside"].get<double>(),
      metrics["nearest_distance"].get<double>(),
      metrics["least_nearest_distance"].get<double>(), shared.out.c_str());
}

int interrupted(const Console& console) {
  console.note("interrupted; go on with the same command and --resume");
  return kNotReached;
}

void warn_of_classes(const LatentOutliers& outliers,
                     const std::vector<std::string>& names,
                     const Console& console) {
  for (const ClassReport& report : outliers.reports) {
    if (report.produced == report.requested) continue;
    const std::string& name = names[static_cast<std::size_t>(report.label)];
    console.warn(
        "class " + std::to_string(report.label) +
        (name.empty() ? "" : " (" + name + ")") + ": " +
        with_commas(report.produced) + " of " + with_commas(report.requested) +
        " outliers are feasible; the " + report.binding + " test binds");
  }
}

}  // namespace

int generate_image(const GenerateArguments& shared,
                   const ImageRunArguments& own, const CommonOptions& common) {
  nn::use_one_torch_thread();
  const Clock::time_point start = Clock::now();
  const Console console(common.is_quiet);
  std::optional<ImageModel> model;
  if (!own.model.empty()) model = image::load_image_model(own.model);
  const std::size_t width =
      model ? model->bank.latents.cols() : own.training.latent;
  SamplerOptions options = to_sampler_options(
      image_profile(shared.profile, width), shared, common.seed);
  refuse_other_options(shared, options);
  check_sampler_options(options, width);
  const ImageSet images = load_images(own.input, console);
  if (class_count(images) < 2) {
    throw InvalidArgument(own.input.data +
                          ": images of at least two classes are expected; "
                          "name their labels by --labels");
  }
  if (model) require_same_images(*model, images, own.model);
  const RunFolder folder(shared.out, image_run_toml(shared, own, options),
                         image::checksum_of(images), shared.is_resumed);
  if (const nlohmann::json old = folder.finished_manifest(); !old.is_null()) {
    console.note("the run in " + shared.out + " is already finished");
    return old["state"] == "complete" ? kDone : kNotReached;
  }
  nlohmann::json manifest = {
      {"version", SBOG_VERSION},
      {"kind", "image"},
      {"seed", common.seed},
      {"input", shared.input},
      {"images", images.count()},
      {"shape",
       {images.shape.channels, images.shape.height, images.shape.width}},
      {"rule", to_string(options.rule)},
      {"profile", shared.profile},
      {"decoder", own.training.decoder},
      {"classes", nlohmann::json::array()}};
  folder.write_manifest(manifest, "running");
  if (!model) model = find_model(own, images, folder, common);
  if (!model) return is_interrupted() ? interrupted(console) : kNotReached;
  const std::unique_ptr<Decoder> decoder =
      find_decoder(own, *model, images, folder, common);
  if (!decoder || is_interrupted()) return interrupted(console);
  ThreadPool pool(common.threads);
  LatentOutliers outliers;
  {
    ProgressLine line("generating", common.is_quiet);
    outliers = draw_latent_outliers(model->bank, model->aligned.anchors,
                                    options, {&pool, &line});
  }
  if (outliers.status == SolveStatus::kCancelled) return interrupted(console);
  write_latent_files(folder, outliers);
  DecodedOutliers decoded;
  if (decoder->kind() != DecoderKind::kNone && outliers.latents.rows() > 0) {
    decoded = decode_outliers(*decoder, *model, images, outliers, own,
                              options.energy);
    write_decoded_files(folder, outliers, decoded, own.pictures);
  }
  const nlohmann::ordered_json metrics =
      metrics_json(*model, outliers, decoded);
  write_file_atomically(folder.file("metrics.json"), metrics.dump(2) + "\n");
  std::size_t requested = 0;
  for (const ClassReport& report : outliers.reports) {
    requested += report.requested;
    manifest["classes"].push_back(class_json(
        report,
        model->aligned.class_names[static_cast<std::size_t>(report.label)]));
  }
  manifest["requested"] = requested;
  manifest["produced"] = outliers.latents.rows();
  const bool is_done = outliers.status == SolveStatus::kDone;
  print_result(manifest, metrics, shared, common, seconds_since(start));
  warn_of_classes(outliers, model->aligned.class_names, console);
  folder.write_manifest(manifest, is_done ? "complete" : "partial");
  folder.remove_parts();
  return is_done ? kDone : kNotReached;
}

}  // namespace sbog::cli
