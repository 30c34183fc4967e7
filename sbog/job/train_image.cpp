// SPDX-License-Identifier: Apache-2.0
// See train_image.h.
#include "sbog/job/train_image.h"

#include <nlohmann/json.hpp>

#include "sbog/base/errors.h"
#include "sbog/job/torch_library.h"

namespace sbog::job {
namespace {

// What a frozen encoder leaves no room for.
void check_encoder(const TrainImageOptions& o) {
  if (o.encoder.empty()) return;
  const TrainImageOptions d;
  const auto refuse = [](bool is_changed, const char* name) {
    if (is_changed) {
      throw InvalidArgument(std::string(name) +
                            ": an encoder given by --encoder is not trained");
    }
  };
  refuse(o.epochs != d.epochs, "--epochs");
  refuse(o.model.batch != d.model.batch, "--batch");
  refuse(o.model.latent != d.model.latent, "--latent");
  refuse(o.model.widths != d.model.widths, "--widths");
  refuse(o.model.robust.robust, "--robust");
  if (o.anchors == "orthonormal" || o.anchors == "simplex") {
    throw InvalidArgument("--anchors " + o.anchors +
                          ": with --encoder means or a file is expected");
  }
}

}  // namespace

std::vector<std::string> image_decoder_names() {
  return {"cvae", "flow", "mix", "none"};
}

const OptionTable<TrainImageOptions>& train_image_option_table() {
  using O = TrainImageOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    table.stage("Input");
    table
        .add("data", &O::data,
             "Labelled images: a folder with a folder per class, idx, npy, "
             "npz, CIFAR records or demo:shapes")
        .positional()
        .value("DATA");
    table
        .add("labels", &O::labels,
             "Class of each image, where the format has none")
        .basic()
        .value("FILE")
        .without("those of the format");
    table.include(image_input_table(), &O::input);
    table.find("side")->basic();
    table.find("limit")->basic();
    table.stage("Image encoder");
    table.add("epochs", &O::epochs, "Number of passes over the images").basic();
    table
        .add("encoder", &O::encoder,
             "Encoder from elsewhere that is used as it is: TorchScript (.pt), "
             "or features of the images, a row each (npy, FILE:NAME for npz "
             "and safetensors)")
        .basic()
        .value("FILE")
        .without("one is trained");
    table
        .add("anchors", &O::anchors,
             "Class anchors: orthonormal, simplex, or a file with one row per "
             "class; with --encoder means or a file")
        .value("NAME|FILE")
        .without("orthonormal; with --encoder means");
    table.include(image_model_table(), &O::model);
    table.find("latent")->basic();
    table.find("robust")->basic();
    table.stage("Image decoder");
    table
        .add("decoder", &O::decoder,
             "Way from embeddings back to images: cvae, a conditional "
             "autoencoder; flow, sharper and slower; mix, two images laid "
             "together; none")
        .basic()
        .choices(image_decoder_names());
    table
        .add("decoder_epochs", &O::decoder_epochs,
             "Number of passes over the images for the decoder")
        .without("cvae 12, flow 30");
    table.stage("Output");
    table.add("out", &O::out, "Folder of the model")
        .basic()
        .required()
        .writes()
        .value("FOLDER");
    table.add("resume", &O::resume, "Go on with an interrupted training")
        .basic()
        .flag();
    table.add("seed", &O::seed, "Seed of weights, batches and the split")
        .also("random_state");
    return table;
  }();
  return kTable;
}

TrainImageResult run(const TrainImageOptions& options, Events& events,
                     const Context& context) {
  check_image_model(options.model);
  check_encoder(options);
  return torch_library("train image").train_image(options, events, context);
}

nlohmann::ordered_json to_json(const TrainImageResult& result) {
  nlohmann::ordered_json json;
  json["model"] = result.options.out;
  json["images"] = result.images;
  json["shape"] = {result.shape.channels, result.shape.height,
                   result.shape.width};
  json["classes"] = result.classes;
  json["latent"] = result.latent;
  json["bank"] = result.bank;
  json["encoder"] = result.encoder;
  json["epochs"] = result.epochs;
  json["robust"] = result.is_robust;
  json["decoder"] = result.options.decoder;
  json["accuracy"] = result.accuracy;
  json["seconds"] = result.seconds;
  return json;
}

}  // namespace sbog::job
