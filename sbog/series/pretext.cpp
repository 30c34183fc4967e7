// SPDX-License-Identifier: Apache-2.0
// Training of the encoder; see pretext.h.
#include "sbog/series/pretext.h"

#include <cmath>
#include <filesystem>
#include <sstream>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/nn/random.h"

namespace sbog::series {
namespace {

const char* const kPretextFormat = "sbog-pretext-1";

EncoderOptions encoder_options(const WindowSource& windows,
                               const PretextOptions& options) {
  return {windows.channels(), windows.width(), options.mid,
          options.head,       options.layout,  options.has_block3_identity};
}

// All that the next steps depend on, the state aside. The number of epochs is
// part of it: the schedule follows it.
std::string fingerprint(const WindowSource& windows,
                        const PretextOptions& options) {
  Checksum sum;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    for (std::size_t c = 0; c < windows.channels(); ++c) {
      sum.update(windows.raw(i, c).data(), windows.width() * sizeof(double));
    }
  }
  const nn::AdamOptions& adam = options.optimiser;
  std::ostringstream text;
  text.precision(17);
  text << checksum_hex(sum.digest()) << ' ' << static_cast<int>(options.loss)
       << ' ' << options.temperature << ' ' << options.epochs << ' '
       << options.batch << ' ' << options.seed << ' '
       << options.rejects_identical << static_cast<int>(options.space)
       << options.resamples_triplets << static_cast<int>(options.layout)
       << options.has_block3_identity << ' ' << adam.learning_rate << ' '
       << adam.beta1 << ' ' << adam.beta2 << ' ' << adam.epsilon << ' '
       << adam.weight_decay << adam.is_decoupled;
  return text.str();
}

void check_options(const WindowSource& windows, const PretextOptions& options) {
  if (options.batch < 1 || options.epochs < 1) {
    throw InvalidArgument(
        "pretext: at least one epoch and one window per "
        "batch are expected");
  }
  if (windows.size() < options.batch) {
    throw InvalidArgument("pretext: " + std::to_string(windows.size()) +
                          " windows are too few for batches of " +
                          std::to_string(options.batch));
  }
}

}  // namespace

PretextOptions pretext_profile(std::string_view name) {
  PretextOptions options;
  if (name == "repaired") return options;
  if (name != "faithful") {
    throw InvalidArgument("profile: '" + std::string(name) +
                          "' is not one of: repaired, faithful");
  }
  options.layout = WindowLayout::kScramble;
  options.loss = ContrastiveLoss::kHinge;
  options.optimiser.weight_decay = 0.0;
  options.optimiser.is_decoupled = false;
  options.rejects_identical = false;
  return options;
}

PretextTrainer::PretextTrainer(const WindowSource& windows,
                               const PretextOptions& options)
    : windows_(&windows),
      options_((check_options(windows, options), options)),
      encoder_(encoder_options(windows, options), options.seed),
      backbone_(encoder_.options(), 3 * options.batch),
      gradients_(encoder_.parameters().zeros()),
      optimiser_(nn::make_adam_state(encoder_.parameters().size())) {
  start_epoch();
}

std::size_t PretextTrainer::steps_per_epoch() const {
  return windows_->size() / options_.batch;
}

void PretextTrainer::start_epoch() {
  order_ = nn::shuffled_order(windows_->size(), options_.seed, epoch_);
  if (triplets_ == nullptr || options_.resamples_triplets) {
    triplets_ = std::make_unique<Triplets>(
        *windows_, TripletOptions{options_.seed, options_.rejects_identical,
                                  options_.space,
                                  options_.resamples_triplets ? epoch_ : 0});
  }
}

double PretextTrainer::step() {
  if (is_done()) throw InvalidArgument("pretext: all epochs are over");
  if (batch_ > 0) margin_ = next_margin(margin_, last_loss_);
  const std::size_t batch = options_.batch;
  const FillWindow fill = [&](std::size_t b, MatrixView<float> rows) {
    const std::size_t i = order_[batch_ * batch + b % batch];
    if (b < batch) return triplets_->fill_anchor(i, rows);
    if (b < 2 * batch) return triplets_->fill_positive(i, rows);
    return triplets_->fill_negative(i, rows);
  };
  Matrix<float> features(3 * batch, encoder_.options().features());
  backbone_.forward_train(encoder_.parameters(), encoder_.buffers(), 3 * batch,
                          fill, features);
  const Matrix<float> points =
      projection_.forward(encoder_.parameters(), features);
  const LossResult loss =
      contrastive_loss(options_.loss, points, options_.temperature, margin_);
  gradients_.set_zero();
  const Matrix<float> d_features =
      projection_.backward(encoder_.parameters(), loss.gradients, &gradients_);
  backbone_.backward(d_features, fill, gradients_);
  nn::AdamOptions adam = options_.optimiser;
  adam.learning_rate =
      nn::cosine_rate(adam.learning_rate, epoch_, options_.epochs);
  nn::adam_step(adam, gradients_.flat(), optimiser_,
                encoder_.parameters().flat());
  last_loss_ = loss.value;
  if (++batch_ == steps_per_epoch()) {
    batch_ = 0;
    if (++epoch_ < options_.epochs) start_epoch();
  }
  return loss.value;
}

nn::Checkpoint PretextTrainer::checkpoint() const {
  return {
      encoder_.parameters(),
      encoder_.buffers(),
      optimiser_,
      {{"epoch", static_cast<double>(epoch_)},
       {"batch", static_cast<double>(batch_)},
       {"margin", margin_},
       {"last_loss", last_loss_}},
      {{"format", kPretextFormat}, {"run", fingerprint(*windows_, options_)}}};
}

void PretextTrainer::save(const std::string& path) const {
  nn::save_checkpoint(path, checkpoint());
}

void PretextTrainer::load(const std::string& path) {
  nn::Checkpoint state = checkpoint();
  const auto expected = state.metadata;
  nn::load_checkpoint(path, state);
  if (state.metadata != expected) {
    throw IoError(path,
                  "this checkpoint belongs to a run with other options "
                  "or other windows");
  }
  const auto count = [&](const char* name, std::size_t limit) {
    const double value = state.scalars.at(name);
    if (!(value >= 0.0 && value <= static_cast<double>(limit) &&
          value == std::floor(value))) {
      throw IoError(path,
                    std::string("the counter ") + name + " is out of range");
    }
    return static_cast<std::size_t>(value);
  };
  const std::size_t epoch = count("epoch", options_.epochs);
  const std::size_t batch = count("batch", steps_per_epoch() - 1);
  epoch_ = epoch;
  batch_ = batch;
  margin_ = state.scalars.at("margin");
  last_loss_ = state.scalars.at("last_loss");
  encoder_.parameters() = std::move(state.parameters);
  encoder_.buffers() = std::move(state.buffers);
  optimiser_ = std::move(state.optimiser);
  if (!is_done()) start_epoch();
}

Encoder train_pretext(const WindowSource& windows,
                      const PretextOptions& options, const Context& context,
                      PretextHistory* history) {
  PretextTrainer trainer(windows, options);
  const bool has_file = !options.checkpoint.empty();
  if (has_file && std::filesystem::exists(options.checkpoint)) {
    trainer.load(options.checkpoint);
  }
  PretextHistory local;
  PretextHistory& told = history == nullptr ? local : *history;
  told = {};
  told.identical_share = trainer.identical_share();
  ProgressCounter progress(context.observer,
                           options.epochs * trainer.steps_per_epoch());
  if (trainer.steps_done() > 0) progress.add(trainer.steps_done());
  while (!trainer.is_done()) {
    const std::size_t epoch = trainer.epoch();
    told.losses.push_back(trainer.step());
    told.margins.push_back(trainer.margin());
    const bool goes_on = progress.add(1);
    if (has_file && (trainer.epoch() != epoch || !goes_on)) {
      trainer.save(options.checkpoint);
    }
    if (!goes_on && !trainer.is_done()) {
      told.status = SolveStatus::kCancelled;
      break;
    }
  }
  told.epochs = trainer.epoch();
  return trainer.encoder();
}

}  // namespace sbog::series
