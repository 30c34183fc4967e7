// SPDX-License-Identifier: Apache-2.0
// The file of a training; see alignment_state.h.
#include "sbog_torch/image/alignment_state.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/nn/checkpoint.h"

namespace sbog::image {
namespace {

std::string listed(std::initializer_list<double> values) {
  std::string text;
  for (const double value : values) {
    if (!text.empty()) text += ',';
    text += shortest(value);
  }
  return text;
}

double number(std::size_t value) { return static_cast<double>(value); }

std::string robust_text(const std::optional<RobustAlignmentOptions>& robust) {
  if (!robust) return "none";
  const RobustAlignmentOptions& r = *robust;
  return listed(
      {static_cast<double>(r.atoms), number(r.atom_count), r.epsilon, r.kappa,
       r.warm_up, static_cast<double>(r.sign), r.latent_noise, r.pixel_noise,
       number(r.input_augment.padding), r.input_augment.has_flips ? 1.0 : 0.0,
       static_cast<double>(r.input_cost), r.trains_costs ? 1.0 : 0.0});
}

template <typename T>
void add(Checksum& sum, std::span<const T> values) {
  sum.update(values.data(), values.size_bytes());
}

nn::Checkpoint to_checkpoint(const AlignmentState& state) {
  nn::Checkpoint file;
  file.parameters = state.encoder.parameter_set();
  file.buffers = state.encoder.buffer_set();
  file.buffers.add("anchors",
                   {static_cast<std::size_t>(state.anchors.size(0)),
                    static_cast<std::size_t>(state.anchors.size(1))});
  nn::TensorMap extra = state.encoder.buffers();
  extra["anchors"] = state.anchors;
  for (const nn::Parameter& entry : file.parameters.entries()) {
    file.buffers.add("velocity." + entry.name, entry.shape);
    extra["velocity." + entry.name] = state.velocities.at(entry.name);
  }
  nn::from_tensors(extra, file.buffers);
  file.scalars = {{"step", number(state.step)},
                  {"loss_sum", state.loss_sum},
                  {"right", state.right}};
  file.vectors = {{"losses", state.losses}, {"correct", state.correct}};
  return file;
}

}  // namespace

std::map<std::string, std::string> fingerprint(
    const ImageSet& images, const EncoderOptions& encoder,
    MatrixView<const float> anchors, const AlignmentOptions& options) {
  auto text = describe(encoder);
  text["kind"] = "sbog image alignment 1";
  Checksum data;
  add<std::uint8_t>(data, images.pixels.elements());
  add<std::int32_t>(data, images.labels);
  add<float>(data, encoder.mean);
  add<float>(data, encoder.deviation);
  for (std::size_t c = 0; c < anchors.rows(); ++c) {
    add<float>(data, anchors.row(c));
  }
  text["data"] = checksum_hex(data.digest());
  text["training"] = listed(
      {options.temperature, number(options.epochs), number(options.batch),
       options.sgd.learning_rate, options.sgd.final_rate, options.sgd.momentum,
       options.sgd.weight_decay, options.sgd.is_nesterov ? 1.0 : 0.0,
       number(options.augment.padding), options.augment.has_flips ? 1.0 : 0.0,
       options.mean_decay});
  text["robust"] = robust_text(options.robust);
  text["seed"] = std::to_string(options.seed);
  return text;
}

void save_state(const std::string& path, const AlignmentState& state,
                const std::map<std::string, std::string>& fingerprint) {
  nn::Checkpoint file = to_checkpoint(state);
  file.metadata = fingerprint;
  nn::save_checkpoint(path, file);
}

void load_state(const std::string& path,
                const std::map<std::string, std::string>& fingerprint,
                AlignmentState& state) {
  if (nn::read_metadata(path) != fingerprint) {
    throw IoError(path,
                  "the checkpoint belongs to a training with other images or "
                  "options; remove it or give another name");
  }
  nn::Checkpoint file = to_checkpoint(state);
  nn::load_checkpoint(path, file);
  const double step = file.scalars.at("step");
  if (!(step >= 0.0 && step < 9e15 && step == std::floor(step))) {
    throw IoError(path, "the step of the checkpoint is not a count");
  }
  const torch::NoGradGuard no_gradient;
  nn::ParameterSet buffers = state.encoder.buffer_set();
  std::copy_n(file.buffers.flat().begin(), buffers.size(),
              buffers.flat().begin());
  state.encoder.set_values(file.parameters, buffers);
  const nn::TensorMap tensors =
      nn::to_tensors(file.buffers, torch::kFloat32, false);
  for (auto& [name, velocity] : state.velocities) {
    velocity.copy_(tensors.at("velocity." + name));
  }
  state.anchors.copy_(tensors.at("anchors"));
  state.step = static_cast<std::size_t>(step);
  state.loss_sum = file.scalars.at("loss_sum");
  state.right = file.scalars.at("right");
  state.losses = file.vectors.at("losses");
  state.correct = file.vectors.at("correct");
}

}  // namespace sbog::image
