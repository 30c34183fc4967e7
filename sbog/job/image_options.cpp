// SPDX-License-Identifier: Apache-2.0
// See image_options.h.
#include "sbog/job/image_options.h"

#include "sbog/base/errors.h"

namespace sbog::job {
namespace {

constexpr std::size_t kMostLatent = 4096;

OptionTable<RobustSettings> robust_table() {
  using S = RobustSettings;
  OptionTable<S> table;
  table.stage("Robust encoder");
  table
      .add("robust", &S::robust,
           "Logits that are robust within a Sinkhorn ball, for the training of "
           "the encoder")
      .flag();
  table
      .add("robust_atoms", &S::atoms,
           "Atoms that mass may move to: latent, points around the latent; "
           "input, changed copies of the image, each a pass of the encoder; "
           "neighbour, the nearest latents of its class in the batch")
      .choices({"latent", "input", "neighbour"});
  table.add("robust_atom_count", &S::atom_count,
            "Number of atoms of an image, the image itself among them");
  table.add("robust_epsilon", &S::epsilon,
            "Sinkhorn temperature of the law that is moved, above 0");
  table.add("robust_kappa", &S::kappa,
            "Size of the ball: its radius divided by the temperature");
  table.add("robust_warm_up", &S::warm_up,
            "Share of the training steps in which the ball grows to its size, "
            "in [0, 1]");
  table
      .add("robust_sign", &S::sign,
           "Direction in which logits of other classes are moved: paper lowers "
           "them as the paper does, adversarial raises them")
      .choices({"paper", "adversarial"});
  return table;
}

// An option of robust logits without --robust would do nothing.
void check_robust(const RobustSettings& s) {
  if (s.robust) return;
  const RobustSettings d;
  const auto refuse = [](bool is_changed, const char* name) {
    if (is_changed) {
      throw InvalidArgument(std::string(name) + ": it goes with --robust only");
    }
  };
  refuse(s.atoms != d.atoms, "--robust-atoms");
  refuse(s.atom_count != d.atom_count, "--robust-atom-count");
  refuse(s.epsilon != d.epsilon, "--robust-epsilon");
  refuse(s.kappa != d.kappa, "--robust-kappa");
  refuse(s.warm_up != d.warm_up, "--robust-warm-up");
  refuse(s.sign != d.sign, "--robust-sign");
}

}  // namespace

OptionTable<ImageInput> image_input_table() {
  using S = ImageInput;
  OptionTable<S> table;
  table.stage("Images");
  table
      .add("class_names", &S::class_names, "Names of the classes, one per line")
      .kinds(kForImages)
      .value("FILE")
      .without("those of the format");
  table
      .add("side", &S::side,
           "Height and width that images are resized to, in pixels; 0: as they "
           "are")
      .kinds(kForImages);
  table
      .add("limit", &S::limit,
           "Number of images that are read of a class, at most; 0: all")
      .kinds(kForImages);
  return table;
}

OptionTable<ImageModelSettings> image_model_table() {
  using S = ImageModelSettings;
  OptionTable<S> table;
  table.stage("Image encoder");
  table.add("batch", &S::batch,
            "Number of images in a training step; 0: so that an epoch has 50 "
            "steps, from 16 to 128 images");
  table.add("latent", &S::latent,
            "Number of coordinates of an image's embedding, from 2 to 4096");
  table.add("widths", &S::widths,
            "Numbers of channels of the encoder's blocks, the first block "
            "first");
  table.add("per_class", &S::per_class,
            "Number of embeddings of a class in the bank, at most");
  table.add("held_out", &S::held_out,
            "Share of each class that is not trained on, in (0, 1)");
  table.include(robust_table(), &S::robust);
  for (const auto& entry : table.entries()) {
    table.find(entry.info().name)->kinds(kForImages);
  }
  return table;
}

void check_image_model(const ImageModelSettings& s) {
  if (s.latent < 2 || s.latent > kMostLatent) {
    throw InvalidArgument(
        "--latent: a number from 2 to 4096 is expected, got " +
        std::to_string(s.latent));
  }
  if (s.per_class == 0) {
    throw InvalidArgument("--per-class: at least 1 embedding is expected");
  }
  check_robust(s.robust);
}

OptionTable<ImageSettings> image_option_table() {
  using S = ImageSettings;
  OptionTable<S> table;
  table.include(image_input_table(), &S::input);
  table.include(image_model_table(), &S::model);
  table.stage("Image decoder");
  table
      .add("decoded", &S::decoded,
           "Number of outliers of a class that become images, at most")
      .kinds(kForImages);
  table
      .add("pictures", &S::pictures,
           "Number of decoded outliers that are written as PNG files of their "
           "own")
      .kinds(kForImages);
  table
      .add("variation", &S::variation,
           "Origin of what an embedding leaves open, such as pose and "
           "brightness: source, the source image as far as the decoder can "
           "draw it; detail, the source image with all its detail; fresh, "
           "drawn (decoder cvae)")
      .kinds(kForImages)
      .choices({"source", "detail", "fresh"});
  table
      .add("decode_rounds", &S::decode_rounds,
           "Number of times an image is drawn again, nearer to its embedding "
           "as the encoder sees it")
      .kinds(kForImages);
  return table;
}

}  // namespace sbog::job
