// SPDX-License-Identifier: Apache-2.0
// The pretext stage: the encoder learns to tell a window's neighbours from
// windows with injected anomalies. One forward pass takes the anchors,
// positives and negatives of a batch together, so batch statistics mix them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/nn/adam.h"
#include "sbog/nn/checkpoint.h"
#include "sbog/nn/contrastive_loss.h"
#include "sbog/series/encoder.h"
#include "sbog/series/triplets.h"

namespace sbog::series {

/// Settings; the defaults are the profile `repaired`.
struct PretextOptions {
  std::size_t mid = 4;
  std::size_t head = 4;
  WindowLayout layout = WindowLayout::kTranspose;
  bool has_block3_identity = false;

  ContrastiveLoss loss = ContrastiveLoss::kInfoNce;
  double temperature = 0.4;
  std::size_t epochs = 30;
  std::size_t batch = 50;
  /// Followed down a cosine over the epochs.
  nn::AdamOptions optimiser{1e-3, 0.9, 0.999, 1e-8, 1e-2, true};
  std::uint64_t seed = 4;

  bool rejects_identical = true;
  InjectionSpace space = InjectionSpace::kRaw;
  bool resamples_triplets = false;  ///< new triplets in every epoch

  /// A file to go on from, if it is there, and to write after every epoch and
  /// when cancelled; empty: none.
  std::string checkpoint;
};

/// `repaired`: as described above. `faithful`: what the public code of the
/// method runs (scrambled windows, shrinking hinge, Adam without decay,
/// identical negatives kept), which collapses.
PretextOptions pretext_profile(std::string_view name);

/// What happened, step by step; only the steps of this call.
struct PretextHistory {
  SolveStatus status = SolveStatus::kDone;  ///< or kCancelled
  std::vector<double> losses;
  std::vector<double> margins;  ///< of the hinge, at the step
  std::size_t epochs = 0;       ///< finished in all
  double identical_share = 0.0;
};

/// Trains step by step, and can be stopped after any of them. The windows stay
/// the caller's.
class PretextTrainer {
 public:
  /// Throws InvalidArgument for options out of range and for fewer windows
  /// than a batch.
  PretextTrainer(const WindowSource& windows, const PretextOptions& options);

  bool is_done() const { return epoch_ >= options_.epochs; }
  /// One batch; returns its loss.
  double step();
  std::size_t epoch() const { return epoch_; }
  std::size_t steps_per_epoch() const;
  /// Steps since the beginning, those before a load included.
  std::size_t steps_done() const { return epoch_ * steps_per_epoch() + batch_; }
  double margin() const { return margin_; }
  double identical_share() const { return triplets_->identical_share(); }
  const Encoder& encoder() const { return encoder_; }

  /// The whole state, and back: the steps that follow have the same bits.
  /// load throws IoError when the file belongs to other options or windows.
  void save(const std::string& path) const;
  void load(const std::string& path);

 private:
  void start_epoch();
  nn::Checkpoint checkpoint() const;

  const WindowSource* windows_;
  PretextOptions options_;
  Encoder encoder_;
  Backbone backbone_;
  Projection projection_;
  nn::ParameterSet gradients_;
  nn::AdamState optimiser_;
  std::unique_ptr<Triplets> triplets_;
  std::vector<std::size_t> order_;
  std::size_t epoch_ = 0;
  std::size_t batch_ = 0;  // within the epoch
  double margin_ = 1.0;
  double last_loss_ = 0.0;
};

/// Trains to the end, or until the observer of the context asks to stop; the
/// history tells which. Progress counts steps, those before a checkpoint
/// included.
Encoder train_pretext(const WindowSource& windows,
                      const PretextOptions& options,
                      const Context& context = {},
                      PretextHistory* history = nullptr);

}  // namespace sbog::series
