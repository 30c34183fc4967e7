// SPDX-License-Identifier: Apache-2.0
// Outliers of rows; see row_outliers.h.
#include "paper/torch/row_outliers.h"

#include <algorithm>
#include <numeric>

#include "paper/series_quality.h"
#include "sbog/base/mean.h"
#include "sbog/base/philox.h"
#include "sbog_torch/image/decoder_quality.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/faithful_decoding.h"
#include "sbog_torch/image/latent_outliers.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::paper {
namespace {

// Class of the Philox streams of noise images, above all that samplers use;
// key: the seed, index: the image.
constexpr std::uint32_t kNoiseClass = 65000;
constexpr std::uint64_t kInsideIds = std::uint64_t{1} << 40;
constexpr std::size_t kMapPerClass = 8;

// Independent normals with mean and deviation of each channel of the training
// images, limited to [0, 1].
torch::Tensor noise_images(const torch::Tensor& train, std::size_t count,
                           std::uint64_t seed) {
  std::vector<std::int64_t> shape = train.sizes().vec();
  shape[0] = static_cast<std::int64_t>(count);
  torch::Tensor noise = torch::empty(shape, torch::kFloat64);
  const auto pixels = static_cast<std::size_t>(noise[0].numel());
  for (std::size_t i = 0; i < count; ++i) {
    PhiloxStream(seed, kNoiseClass, 0, i)
        .normals(0, std::span<double>(noise.data_ptr<double>() + i * pixels,
                                      pixels));
  }
  const std::vector<std::int64_t> all = {0, 2, 3};
  const torch::Tensor values = train.to(torch::kFloat64);
  const torch::Tensor mean = values.mean(all, true);
  const torch::Tensor deviation =
      (values - mean).square().mean(all, true).sqrt();
  return (mean + deviation * noise).clamp(0.0, 1.0).to(torch::kFloat32);
}

torch::Tensor classes_tensor(const std::vector<std::int64_t>& classes) {
  return torch::tensor(classes, torch::kInt64);
}

// Images and latents of rows of the bank.
image::DecoderSources sources_of(const image::FeatureBank& bank,
                                 const std::vector<std::size_t>& rows,
                                 const torch::Tensor& train,
                                 bool keeps_detail) {
  std::vector<std::int64_t> latents;
  std::vector<std::int64_t> images;
  for (const std::size_t row : rows) {
    latents.push_back(static_cast<std::int64_t>(row));
    images.push_back(bank.sources[row]);
  }
  return {train.index_select(0, classes_tensor(images)),
          nn::to_tensor(bank.latents.view(), torch::kFloat32)
              .index_select(0, classes_tensor(latents)),
          keeps_detail};
}

// Where outliers lie between the classes: cosine to their own anchor and the
// highest one to another, for the first of each class as a map.
void add_map(const image::LatentOutliers& found,
             MatrixView<const float> anchors, Json& facts) {
  std::size_t pure = 0;
  double own_sum = 0.0;
  double other_sum = 0.0;
  std::size_t in_class = 0;
  Json map = Json::array();
  for (std::size_t i = 0; i < found.latents.rows(); ++i) {
    const auto own_class = static_cast<std::size_t>(found.classes[i]);
    double own = 0.0;
    double other = -1.0;
    for (std::size_t c = 0; c < anchors.rows(); ++c) {
      double cosine = 0.0;
      for (std::size_t k = 0; k < anchors.cols(); ++k) {
        cosine += double{found.latents(i, k)} * anchors(c, k);
      }
      if (c == own_class) own = cosine;
      if (c != own_class) other = std::max(other, cosine);
    }
    pure += own > other ? 1 : 0;
    own_sum += own;
    other_sum += other;
    const bool is_next = i > 0 && found.classes[i] == found.classes[i - 1];
    in_class = is_next ? in_class + 1 : 0;
    if (in_class < kMapPerClass) {
      map.push_back({number(own), number(other)});
    }
  }
  const auto count = static_cast<double>(found.latents.rows());
  facts["purity"] = static_cast<double>(pure) / count;
  facts["class_cosine"] = number(own_sum / count);
  facts["other_cosine"] = number(other_sum / count);
  facts["map"] = map;
}

RowOutliers drawn(const Json& config, const image::ImageModel& model,
                  const CellContext& context) {
  const Json& row = config.at("row");
  SamplerOptions options =
      image_row_sampler(row, config.at("encoder").at("latent"));
  options.count = config.at("outliers_per_class");
  options.seed = config.at("seed");
  const double start = processor_seconds();
  image::LatentOutliers found =
      draw_latent_outliers(model.bank, model.anchors, options, context);
  note_seconds(context, "sampling", processor_seconds() - start);
  RowOutliers made;
  made.facts["requested"] = options.count * found.reports.size();
  made.facts["produced"] = found.latents.rows();
  if (found.latents.rows() > 0) {
    std::vector<double> energies;
    for (const Output<float>& output : found.outputs) {
      energies.push_back(output.energy);
    }
    made.facts["energy"] = number(sbog::mean_of(energies));
    add_map(found, model.anchors, made.facts);
  }
  made.latents = std::move(found.latents);
  made.classes = std::move(found.classes);
  made.bank_rows = std::move(found.bank_rows);
  return made;
}

}  // namespace

bool keeps_detail(const Json& config) {
  return config.at("decoder").at("variation") == "detail";
}

image::LabelledImages decode_inside(const image::Decoder& decoder,
                                    const image::ImageModel& model,
                                    const torch::Tensor& train,
                                    const Json& config) {
  const image::FeatureBank& bank = model.bank;
  const std::size_t per_class = config.at("decoded_per_class");
  std::vector<std::size_t> rows;
  std::vector<std::int64_t> classes;
  std::vector<std::uint64_t> ids;
  std::size_t in_class = 0;
  for (std::size_t i = 0; i < bank.labels.size(); ++i) {
    const bool is_next = i > 0 && bank.labels[i] == bank.labels[i - 1];
    in_class = is_next ? in_class + 1 : 0;
    if (in_class >= per_class) continue;
    rows.push_back(i);
    classes.push_back(bank.labels[i]);
    ids.push_back(kInsideIds + i);
  }
  const image::DecoderSources sources =
      sources_of(bank, rows, train, keeps_detail(config));
  const torch::Tensor labels = classes_tensor(classes);
  return {
      image::quantise(decoder.decode(sources.latents, labels, ids, &sources)),
      labels};
}

RowOutliers draw_row(const Json& config, const image::ImageModel& model,
                     const torch::Tensor& train, const CellContext& context) {
  const Json& rule = config.at("row").at("rule");
  if (rule == "none") return {};
  if (rule != "noise") return drawn(config, model, context);
  const std::size_t per_class = config.at("outliers_per_class");
  RowOutliers made;
  made.images = noise_images(train, per_class * model.bank.counts.size(),
                             config.at("seed"));
  made.latents =
      image::embed_images(model.embed, image::to_images(made.images)).latents;
  return made;
}

void decode_row(const Json& config, const image::ImageModel& model,
                const image::Decoder& decoder, const torch::Tensor& train,
                RowOutliers& outliers) {
  if (outliers.bank_rows.empty()) return;
  const torch::Tensor latents =
      nn::to_tensor(outliers.latents.view(), torch::kFloat32);
  const image::DecoderSources sources =
      sources_of(model.bank, outliers.bank_rows, train, keeps_detail(config));
  const auto ids = image::number_ids(outliers.latents.rows());
  outliers.images = image::decode_faithfully(
      decoder, model.embed,
      {latents, classes_tensor(outliers.classes), ids, &sources},
      config.at("decoder").at("rounds"));
  outliers.facts["consistency"] = number(sbog::mean_of(
      image::consistencies(model.embed, outliers.images, latents)));
  outliers.facts["nearest_distance"] = number(
      sbog::mean_of(image::nearest_images(outliers.images, train).distances));
}

}  // namespace sbog::paper
