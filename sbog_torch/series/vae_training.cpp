// SPDX-License-Identifier: Apache-2.0
// Training of the autoencoder; see vae_training.h.
#include "sbog_torch/series/vae_training.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"
#include "sbog/nn/random.h"
#include "sbog_torch/series/detail/vae_network.h"

namespace sbog::series {
namespace {

constexpr const char* kVaeTrainingFormat = "sbog-vae-training-1";

void check_options(const WindowSource& windows, const VaeOptions& options) {
  if (options.epochs < 1 || options.batch < 1 || windows.size() == 0) {
    throw InvalidArgument(
        "vae: at least one epoch, one window per batch and one window are "
        "expected");
  }
  if (!(options.noise_variance > 0.0 && options.noise_variance < 1e6)) {
    throw InvalidArgument("vae: a noise variance above 0 is expected");
  }
}

// All that the next steps depend on, the state aside.
std::string fingerprint(const WindowSource& windows,
                        MatrixView<const float> points,
                        const VaeOptions& options) {
  Checksum sum;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    for (std::size_t c = 0; c < windows.channels(); ++c) {
      const auto row = windows.standardised(i, c);
      sum.update(row.data(), row.size_bytes());
    }
    sum.update(points.row(i).data(), points.row(i).size_bytes());
  }
  const nn::AdamOptions& adam = options.optimiser;
  std::ostringstream text;
  text.precision(17);
  text << checksum_hex(sum.digest()) << ' ' << options.noise_variance << ' '
       << options.epochs << ' ' << options.batch << ' ' << options.seed << ' '
       << adam.learning_rate << ' ' << adam.beta1 << ' ' << adam.beta2 << ' '
       << adam.epsilon << ' ' << adam.weight_decay << adam.is_decoupled;
  return text.str();
}

class VaeTrainer {
 public:
  VaeTrainer(const Encoder& encoder, const WindowSource& windows,
             const VaeOptions& options, const Context& context)
      : windows_(windows),
        options_(options),
        points_(encoder.embed(windows, {context.pool, nullptr})),
        vae_({windows.channels(), windows.width(), points_.cols(),
              options.latent, options.filters, options.hidden},
             options.seed),
        optimiser_(nn::make_adam_state(vae_.parameters().size())) {}

  std::size_t epoch() const { return epoch_; }
  bool is_done() const { return epoch_ >= options_.epochs; }
  const WindowVae& vae() const { return vae_; }
  std::size_t batch() const {
    return std::min(options_.batch, windows_.size());
  }
  std::size_t steps_per_epoch() const { return windows_.size() / batch(); }

  // False when cancelled: then the state is that before the epoch.
  bool run_epoch(ProgressCounter& progress, VaeHistory& told) {
    const nn::ParameterSet before = vae_.parameters();
    const nn::AdamState adam_before = optimiser_;
    const auto order =
        nn::shuffled_order(windows_.size(), options_.seed, epoch_);
    double error = 0.0;
    double divergence = 0.0;
    for (std::size_t k = 0; k < steps_per_epoch(); ++k) {
      const auto [e, d] = step(std::span(order).subspan(k * batch(), batch()));
      error += e / static_cast<double>(steps_per_epoch());
      divergence += d / static_cast<double>(steps_per_epoch());
      if (!progress.add(1) && k + 1 < steps_per_epoch()) {
        vae_.parameters() = before;
        optimiser_ = adam_before;
        return false;
      }
    }
    ++epoch_;
    told.errors.push_back(error);
    told.divergences.push_back(divergence);
    told.losses.push_back(error + divergence_weight() * divergence);
    return true;
  }

  void save(const std::string& path) const {
    nn::save_checkpoint(path, checkpoint());
  }

  void load(const std::string& path) {
    nn::Checkpoint state = checkpoint();
    const auto expected = state.metadata;
    nn::load_checkpoint(path, state);
    if (state.metadata != expected) {
      throw IoError(path,
                    "this checkpoint belongs to a run with other options or "
                    "other windows");
    }
    const double epoch = state.scalars.at("epoch");
    if (!(epoch >= 0.0 && epoch <= static_cast<double>(options_.epochs) &&
          epoch == std::floor(epoch))) {
      throw IoError(path, "the counter epoch is out of range");
    }
    epoch_ = static_cast<std::size_t>(epoch);
    vae_.parameters() = std::move(state.parameters);
    optimiser_ = std::move(state.optimiser);
  }

 private:
  double divergence_weight() const {
    const auto size =
        static_cast<double>(windows_.channels() * windows_.width());
    return 2.0 * options_.noise_variance / size;
  }

  nn::Checkpoint checkpoint() const {
    return {vae_.parameters(),
            {},
            optimiser_,
            {{"epoch", static_cast<double>(epoch_)}},
            {{"format", kVaeTrainingFormat},
             {"run", fingerprint(windows_, points_, options_)}}};
  }

  // Standard normals of the windows of a batch, keyed by epoch and window.
  torch::Tensor noise_of(std::span<const std::size_t> batch) const {
    Matrix<float> noise(batch.size(), options_.latent);
    for (std::size_t b = 0; b < batch.size(); ++b) {
      nn::Draws draws(options_.seed, nn::Purpose::kVaeNoise,
                      (std::uint64_t{epoch_} << 32) | batch[b]);
      for (float& x : noise.row(b)) x = static_cast<float>(draws.normal());
    }
    return nn::to_tensor(noise, torch::kFloat32);
  }

  // Error and divergence of one batch, and a step of the optimiser.
  std::pair<double, double> step(std::span<const std::size_t> batch) {
    const auto count = static_cast<std::int64_t>(batch.size());
    torch::Tensor x =
        torch::empty({count, static_cast<std::int64_t>(windows_.channels()),
                      static_cast<std::int64_t>(windows_.width())},
                     torch::kFloat32);
    Matrix<float> z(batch.size(), points_.cols());
    const std::size_t size = windows_.channels() * windows_.width();
    for (std::size_t b = 0; b < batch.size(); ++b) {
      windows_.fill(batch[b], {x.data_ptr<float>() + b * size,
                               windows_.channels(), windows_.width()});
      std::copy_n(points_.row(batch[b]).data(), z.cols(), z.row(b).data());
    }
    nn::TensorMap weights =
        nn::to_tensors(vae_.parameters(), torch::kFloat32, true);
    const detail::VaeLoss loss =
        detail::vae_loss(weights, vae_.shape(), x,
                         nn::to_tensor(z, torch::kFloat32), noise_of(batch));
    (loss.error + divergence_weight() * loss.divergence).backward();
    nn::AdamOptions adam = options_.optimiser;
    adam.learning_rate =
        nn::cosine_rate(adam.learning_rate, epoch_, options_.epochs);
    nn::adam_step(adam, nn::gradients_of(weights, vae_.parameters()).flat(),
                  optimiser_, vae_.parameters().flat());
    return {loss.error.item<double>(), loss.divergence.item<double>()};
  }

  const WindowSource& windows_;
  VaeOptions options_;
  Matrix<float> points_;
  WindowVae vae_;
  nn::AdamState optimiser_;
  std::size_t epoch_ = 0;
};

}  // namespace

WindowVae train_window_vae(const Encoder& encoder, const WindowSource& windows,
                           const VaeOptions& options, const Context& context,
                           VaeHistory* history) {
  check_options(windows, options);
  VaeTrainer trainer(encoder, windows, options, context);
  const bool has_file = !options.checkpoint.empty();
  if (has_file && std::filesystem::exists(options.checkpoint)) {
    trainer.load(options.checkpoint);
  }
  VaeHistory local;
  VaeHistory& told = history == nullptr ? local : *history;
  told = {};
  ProgressCounter progress(context.observer,
                           options.epochs * trainer.steps_per_epoch());
  if (trainer.epoch() > 0) {
    progress.add(trainer.epoch() * trainer.steps_per_epoch());
  }
  while (!trainer.is_done()) {
    const bool is_whole = trainer.run_epoch(progress, told);
    if (has_file) trainer.save(options.checkpoint);
    if (!is_whole || (progress.is_cancelled() && !trainer.is_done())) {
      told.status = SolveStatus::kCancelled;
      break;
    }
  }
  told.epochs = trainer.epoch();
  return trainer.vae();
}

}  // namespace sbog::series
