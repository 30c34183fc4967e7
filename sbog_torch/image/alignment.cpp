// SPDX-License-Identifier: Apache-2.0
// The training loop; see alignment.h.
#include "sbog_torch/image/alignment.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog_torch/image/alignment_state.h"
#include "sbog_torch/image/class_anchors.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

void check_problem(const ImageSet& images, const EncoderOptions& encoder,
                   MatrixView<const float> anchors) {
  sbog::check_images(images, "align_encoder");
  if (images.labels.empty() || images.count() < 2) {
    throw InvalidArgument(
        "align_encoder: two or more images with classes are expected");
  }
  if (!(images.shape == encoder.shape)) {
    throw InvalidArgument("align_encoder: the images are " +
                          to_string(images.shape) + "; the encoder takes " +
                          to_string(encoder.shape));
  }
  if (anchors.rows() < class_count(images) ||
      anchors.cols() != encoder.latent) {
    throw InvalidArgument(
        "align_encoder: " + std::to_string(class_count(images)) +
        " anchors of " + std::to_string(encoder.latent) +
        " numbers are expected; there are " + std::to_string(anchors.rows()) +
        " of " + std::to_string(anchors.cols()));
  }
  for (std::size_t c = 0; c < anchors.rows(); ++c) {
    double square = 0.0;
    for (const float value : anchors.row(c)) square += double{value} * value;
    if (!(std::abs(square - 1.0) < 1e-3)) {
      throw InvalidArgument("align_encoder: anchor " + std::to_string(c) +
                            " is not a unit vector");
    }
  }
}

/// The run: what is fixed, and the state that moves.
class Training {
 public:
  Training(const ImageSet& images, const EncoderOptions& encoder,
           MatrixView<const float> anchors, const AlignmentOptions& options)
      : images_(images),
        options_(options),
        state_{Encoder(encoder, options.seed),
               {},
               nn::to_tensor(anchors, torch::kFloat32),
               0,
               0.0,
               0.0,
               std::vector<double>(options.epochs),
               std::vector<double>(options.epochs)},
        sgd_(state_.encoder.parameters(), options.sgd),
        steps_per_epoch_((images.count() + options.batch - 1) / options.batch) {
    state_.velocities = sgd_.velocities();
    if (options.checkpoint.empty()) return;
    fingerprint_ = fingerprint(images, encoder, anchors, options);
    if (std::filesystem::exists(options.checkpoint)) {
      load_state(options.checkpoint, fingerprint_, state_);
      if (state_.step > steps()) {
        throw IoError(options.checkpoint, "the checkpoint is past its end");
      }
    }
  }

  std::size_t steps() const { return options_.epochs * steps_per_epoch_; }
  AlignmentResult run(const Context& context);

 private:
  AlignmentResult result() const;
  std::vector<std::size_t> batch_rows();
  torch::Tensor logits(const std::vector<std::size_t>& rows,
                       const torch::Tensor& labels, std::size_t epoch);
  torch::Tensor robust_logits_of(const torch::Tensor& batch,
                                 const std::vector<std::size_t>& rows,
                                 const torch::Tensor& labels,
                                 std::size_t epoch);
  torch::Tensor latents_of(const torch::Tensor& batch) {
    return unit_rows(state_.encoder.train_forward(batch));
  }
  void follow_means(const torch::Tensor& latents, const torch::Tensor& labels);
  bool step();
  void end_epoch(std::size_t epoch);
  void save() const {
    if (!options_.checkpoint.empty()) {
      save_state(options_.checkpoint, state_, fingerprint_);
    }
  }

  const ImageSet& images_;
  const AlignmentOptions& options_;
  AlignmentState state_;
  Sgd sgd_;
  std::size_t steps_per_epoch_;
  std::map<std::string, std::string> fingerprint_;
  std::vector<std::size_t> order_;
  std::size_t order_epoch_ = static_cast<std::size_t>(-1);
  torch::Tensor last_latents_;  // of the images themselves, for the means
};

std::vector<std::size_t> Training::batch_rows() {
  const std::size_t epoch = state_.step / steps_per_epoch_;
  if (epoch != order_epoch_) {
    order_ = draw_order(images_.count(), options_.seed, Purpose::kOrder, epoch);
    order_epoch_ = epoch;
  }
  const std::size_t k = state_.step % steps_per_epoch_;
  const std::size_t first = k * images_.count() / steps_per_epoch_;
  const std::size_t last = (k + 1) * images_.count() / steps_per_epoch_;
  return {order_.begin() + static_cast<std::ptrdiff_t>(first),
          order_.begin() + static_cast<std::ptrdiff_t>(last)};
}

torch::Tensor Training::robust_logits_of(const torch::Tensor& batch,
                                         const std::vector<std::size_t>& rows,
                                         const torch::Tensor& labels,
                                         std::size_t epoch) {
  const RobustAlignmentOptions& robust = *options_.robust;
  Atoms atoms;
  if (robust.atoms == AtomKind::kInput) {
    const torch::Tensor copies =
        input_copies(batch, rows, epoch, robust, options_.seed);
    atoms = input_atoms(copies, latents_of(copies), robust);
  } else if (robust.atoms == AtomKind::kLatent) {
    atoms = latent_atoms(latents_of(batch), epoch_streams(rows, epoch), robust,
                         options_.seed);
  } else {
    atoms = neighbour_atoms(latents_of(batch), labels, robust);
  }
  last_latents_ = atoms.latents.select(1, 0).detach();
  // A network that has diverged is found by its loss.
  if (!torch::isfinite(atoms.latents).all().item<bool>()) {
    return class_logits(last_latents_, state_.anchors, options_.temperature);
  }
  return robust_class_logits(
      atoms, state_.anchors, labels, options_.temperature,
      warmed_kappa(robust, state_.step, steps()), robust);
}

torch::Tensor Training::logits(const std::vector<std::size_t>& rows,
                               const torch::Tensor& labels, std::size_t epoch) {
  const torch::Tensor batch =
      crop_and_flip(to_tensor(images_, rows), epoch_streams(rows, epoch),
                    options_.augment, options_.seed);
  if (options_.robust) return robust_logits_of(batch, rows, labels, epoch);
  const torch::Tensor latents = latents_of(batch);
  last_latents_ = latents.detach();
  return class_logits(latents, state_.anchors, options_.temperature);
}

void Training::follow_means(const torch::Tensor& latents,
                            const torch::Tensor& labels) {
  ClassMeans means(state_.anchors, options_.mean_decay);
  means.update(latents, labels);
  state_.anchors.copy_(means.anchors());
}

// False, with nothing changed, when the loss is not finite.
bool Training::step() {
  const std::size_t epoch = state_.step / steps_per_epoch_;
  const std::vector<std::size_t> rows = batch_rows();
  const torch::Tensor labels = to_labels(images_, rows);
  const torch::Tensor values = logits(rows, labels, epoch);
  const torch::Tensor loss = torch::cross_entropy_loss(values, labels);
  const double loss_value = loss.item<double>();
  if (!std::isfinite(loss_value)) return false;
  loss.backward();
  sgd_.step(cosine_rate(options_.sgd, state_.step, steps()));
  if (options_.mean_decay > 0.0) follow_means(last_latents_, labels);
  state_.loss_sum += loss_value * static_cast<double>(rows.size());
  state_.right +=
      static_cast<double>((values.argmax(1) == labels).sum().item<long>());
  ++state_.step;
  return true;
}

void Training::end_epoch(std::size_t epoch) {
  const double count = static_cast<double>(images_.count());
  state_.losses[epoch] = state_.loss_sum / count;
  state_.correct[epoch] = state_.right / count;
  state_.loss_sum = state_.right = 0.0;
  save();
}

AlignmentResult Training::run(const Context& context) {
  ProgressCounter progress(context.observer, steps());
  bool goes_on = state_.step == 0 || progress.add(state_.step);
  while (goes_on && state_.step < steps()) {
    if (!step()) {
      AlignmentResult end = result();
      end.status = SolveStatus::kNotConverged;
      return end;
    }
    if (state_.step % steps_per_epoch_ == 0) {
      end_epoch(state_.step / steps_per_epoch_ - 1);
    }
    goes_on = progress.add(1);
  }
  AlignmentResult end = result();
  if (state_.step < steps()) {
    end.status = SolveStatus::kCancelled;
    save();
  }
  return end;
}

AlignmentResult Training::result() const {
  std::vector<std::string> names = images_.class_names;
  names.resize(static_cast<std::size_t>(state_.anchors.size(0)));
  AlignmentResult end{
      {state_.encoder, nn::to_matrix(state_.anchors), std::move(names)},
      SolveStatus::kDone,
      state_.step,
      steps(),
      {}};
  for (std::size_t e = 0; e < state_.step / steps_per_epoch_; ++e) {
    end.epochs.push_back({state_.losses[e], state_.correct[e]});
  }
  return end;
}

}  // namespace

void check_options(const AlignmentOptions& options) {
  if (!(options.temperature > 0.0) || !std::isfinite(options.temperature)) {
    throw InvalidArgument(
        "AlignmentOptions: temperature must be finite and positive");
  }
  if (options.epochs < 1 || options.epochs > 65535 || options.batch < 2) {
    throw InvalidArgument(
        "AlignmentOptions: 1 to 65535 epochs of batches of 2 or more images "
        "are expected");
  }
  if (!(options.mean_decay >= 0.0 && options.mean_decay < 1.0)) {
    throw InvalidArgument("AlignmentOptions: mean_decay must lie in [0, 1)");
  }
  check_options(options.sgd);
  if (!options.robust) return;
  check_options(*options.robust);
  if (options.robust->atoms == AtomKind::kInput && options.epochs > 255) {
    throw InvalidArgument(
        "AlignmentOptions: copies of the input are drawn for at most 255 "
        "epochs");
  }
}

torch::Tensor class_logits(const torch::Tensor& latents,
                           const torch::Tensor& anchors, double temperature) {
  return torch::matmul(latents, anchors.t()) / temperature;
}

AlignmentResult align_encoder(const ImageSet& images,
                              const EncoderOptions& encoder,
                              MatrixView<const float> anchors,
                              const AlignmentOptions& options,
                              const Context& context) {
  check_options(options);
  check_options(encoder);
  check_problem(images, encoder, anchors);
  Training training(images, encoder, anchors, options);
  return training.run(context);
}

}  // namespace sbog::image
