// SPDX-License-Identifier: Apache-2.0
// One row of a table about images; see image_cells.h.
#include <memory>

#include "paper/image_cells.h"
#include "paper/image_data.h"
#include "paper/series_quality.h"
#include "paper/torch/image_detection.h"
#include "paper/torch/image_parts.h"
#include "paper/torch/row_outliers.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/detector_training.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::paper {
namespace {

using image::LabelledImages;

constexpr double kTemperature = image::AlignmentOptions{}.temperature;

double accuracy_of(const image::Detector& detector, const ImageSet& images) {
  return image::classifier_accuracy(detector.logits(image::to_tensor(images)),
                                    image::to_labels(images));
}

image::Detector expose_row(const image::Detector& start, const Json& config,
                           const LabelledImages& train,
                           const torch::Tensor& outliers,
                           const LabelledImages& decoded_inside,
                           const CellContext& context) {
  const Json& fields = config.at("exposure");
  image::ExposureOptions options;
  options.loss = image::outlier_loss(fields.at("loss").get<std::string>());
  options.weight = fields.at("weight");
  options.epochs = fields.at("epochs");
  options.seed = config.at("seed");
  const double begin = processor_seconds();
  // With its detail kept a decoded known image is the image itself.
  const LabelledImages inside =
      keeps_detail(config) ? LabelledImages{} : decoded_inside;
  image::Detector exposed =
      expose(start, {train, outliers, inside}, options, context);
  note_seconds(context, "exposure", processor_seconds() - begin);
  return exposed;
}

// A head on the latents: neither images nor a decoder.
Json head_cell(const Json& config, const ImageBench& bench,
               const image::ImageModel& model, const CellContext& context) {
  const RowOutliers outliers =
      draw_row(config, model, image::to_tensor(bench.train), context);
  Json result = detection_by_head(model, outliers.latents, bench,
                                  config.at("seed"), context);
  result.update(outliers.facts);
  return result;
}

// A network that is shown images.
Json network_cell(const Json& config, const ImageBench& bench,
                  const ImageParts& parts, const image::ImageModel& model,
                  const CellContext& context) {
  const Json& row = config.at("row");
  const bool is_aligned = row.at("start") == "aligned";
  image::Detector detector =
      is_aligned ? image::Detector(*model.encoder, model.anchors, kTemperature)
                 : parts.classifier();
  const std::unique_ptr<image::Decoder> decoder =
      parts.decoder(model, row.at("robust"));
  const LabelledImages train{image::to_tensor(bench.train),
                             image::to_labels(bench.train)};
  const LabelledImages inside =
      decode_inside(*decoder, model, train.images, config);
  RowOutliers outliers = draw_row(config, model, train.images, context);
  decode_row(config, model, *decoder, train.images, outliers);
  Json result = {{"accuracy_before", accuracy_of(detector, bench.test)}};
  // Without outliers the network stays what it is.
  if (outliers.images.defined()) {
    detector =
        expose_row(detector, config, train, outliers.images, inside, context);
  }
  result["accuracy"] = accuracy_of(detector, bench.test);
  result["artifact_auroc"] =
      artifact_auroc(detector, image::to_tensor(bench.test), inside.images);
  result.update(outliers.facts);
  result.update(detection_by_logits(detector, bench));
  if (is_aligned) {
    result["latent"] = detection_by_latents(detector.network().embedding(),
                                            model.bank.sources, bench, context);
  }
  return result;
}

}  // namespace

// By C linkage, so that it is found by its name; see ImageCellEntry.
extern "C" void sbog_paper_compute_image_cell(const Json& configuration,
                                              const CellContext& context,
                                              Json& result) {
  nn::use_one_torch_thread();
  const ImageBench bench = load_image_bench(configuration, context.data);
  const ImageParts parts(configuration, bench, context);
  const Json& row = configuration.at("row");
  const image::ImageModel model = parts.model(row.at("robust"));
  result = row.at("start") == "head"
               ? head_cell(configuration, bench, model, context)
               : network_cell(configuration, bench, parts, model, context);
  result["encoder_accuracy"] = model.accuracy;
}

}  // namespace sbog::paper
