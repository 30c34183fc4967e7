// SPDX-License-Identifier: Apache-2.0
// sbog train image: encoder, bank and decoder of labelled images.
#include <memory>

#include "commands.h"
#include "image_jobs.h"
#include "sbog/base/errors.h"

namespace sbog::cli {
namespace {

constexpr const char* kImageFooter =
    "The encoder turns images into points of a sphere, so that those of a\n"
    "class point to its anchor. DATA is an idx file (also .gz), npy, npz, "
    "CIFAR\n"
    "records, or a folder of PNG and JPEG files with a folder per class. The\n"
    "model is a folder with encoder, bank and decoder, for sbog generate\n"
    "--model. After Ctrl-C the same command with --resume goes on to the same\n"
    "encoder, bit for bit; the decoder begins again.\n"
    "\n"
    "With --encoder nothing is learned but the decoder. A TorchScript file is\n"
    "a program: use only those you trust. It gets images as float N x C x H x\n"
    "W in [0, 1] and gives a row each; rows are divided by their length.\n"
    "\n"
    "Examples:\n"
    "  sbog train image demo:shapes --out m --limit 24 --epochs 1 --decoder "
    "mix\n"
    "  sbog train image demo:shapes --out r --limit 24 --epochs 1 --decoder "
    "none "
    "--robust --anchors simplex --json";

void declare_image_training(CLI::App& command, TrainImageArguments& a) {
  command
      .add_option("DATA", a.input.data,
                  "The images: a file, a folder or demo:shapes")
      ->required();
  command.add_option("--out", a.out, "Folder of the model")->required();
  command.add_option("--labels", a.input.labels,
                     "Class of each image, where the format has none");
  command.add_option("--encoder", a.encoder,
                     "An encoder from elsewhere, used as it is: TorchScript "
                     "(.pt), or features of the images, a row each (npy, "
                     "FILE:NAME for npz and safetensors)");
  declare_image_options(command, a.input, "");
  command.add_option("--epochs", a.model.epochs, "Passes over the images");
  command.add_option("--anchors", a.model.anchors,
                     "Class anchors: orthonormal, simplex, or a file with one "
                     "row per class; with --encoder means (default) or a file");
  declare_image_model_options(command, a.model, "");
  command
      .add_option("--decoder", a.model.decoder,
                  "From points back to images: cvae, flow (sharper and "
                  "slower), mix or none")
      ->check(CLI::IsMember({"cvae", "flow", "mix", "none"}));
  command.add_option("--decoder-epochs", a.model.decoder_epochs,
                     "Passes over the images for the decoder (cvae 12, flow "
                     "30)");
  command.add_flag("--resume", a.is_resumed,
                   "Go on with an interrupted training");
}

// What a frozen encoder leaves no room for.
void check_encoder(const CLI::App& command, TrainImageArguments& a) {
  if (a.encoder.empty()) return;
  for (const char* name :
       {"--epochs", "--batch", "--latent", "--widths", "--robust"}) {
    if (command.count(name) > 0) {
      throw InvalidArgument(std::string(name) +
                            ": an encoder given by --encoder is not trained");
    }
  }
  if (command.count("--anchors") == 0) a.model.anchors = "means";
  if (a.model.anchors == "orthonormal" || a.model.anchors == "simplex") {
    throw InvalidArgument("--anchors " + a.model.anchors +
                          ": with --encoder means or a file is expected");
  }
}

}  // namespace

void add_train(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command = app.get_subcommand("train");
  CLI::App* image = command->add_subcommand(
      "image", "Learn encoder, bank and decoder of labelled images");
  const auto images = std::make_shared<TrainImageArguments>();
  image->footer(kImageFooter);
  declare_image_training(*image, *images);
  image->callback([image, images, &common, &exit_code] {
    check_encoder(*image, *images);
    exit_code = train_image(*images, common);
  });
}

}  // namespace sbog::cli
