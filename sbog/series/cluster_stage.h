// SPDX-License-Identifier: Apache-2.0
// The classification stage: a linear head learns to give an item and one of
// its neighbours the same class, and all classes their share. Items of the pool
// are windows, which pass through the network, or points of the head's input
// space that have no window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/nn/adam.h"
#include "sbog/nn/cluster_loss.h"
#include "sbog/series/encoder.h"
#include "sbog/series/neighbours.h"

namespace sbog::series {

/// What the head reads.
enum class HeadInput {
  kFeatures,  ///< f, 2 mid numbers; the projection is not trained
  kPoints,    ///< z, on the sphere
};

/// Settings; the defaults are those of the repaired profile.
struct ClusterOptions {
  std::size_t classes = 10;
  std::size_t epochs = 50;
  std::size_t batch = 50;
  nn::AdamOptions optimiser{1e-2, 0.9, 0.999, 1e-8, 1e-3, false};
  ClusterWeights weights;
  NeighbourOptions neighbours;
  bool redraws_neighbours = true;  ///< in every epoch; otherwise once
  std::uint64_t seed = 4;
};

/// The items: windows first, then items without one.
struct ClusterPool {
  std::size_t originals =
      0;                    ///< windows that are no negatives; they come first
  std::size_t windows = 0;  ///< originals and negatives that are windows
  FillWindow fill;          ///< of items [0, windows)
  Matrix<float> latents;    ///< the other items, as the head reads them
  Matrix<float> points;     ///< all items where neighbours are searched
  std::vector<std::size_t> positions;  ///< for the exclusion; may be empty

  std::size_t size() const { return windows + latents.rows(); }
};

/// The network and its head.
class ClusterModel {
 public:
  /// A copy of the encoder and a fresh head.
  ClusterModel(const Encoder& encoder, HeadInput input, std::size_t classes,
               std::uint64_t seed);

  /// Class probabilities in evaluation mode, one row per window.
  Matrix<float> probabilities(std::size_t count, const FillWindow& fill,
                              const Context& context = {}) const;
  /// Of points of the head's input space.
  Matrix<float> probabilities(MatrixView<const float> inputs) const;
  /// Of all items of a pool.
  Matrix<float> probabilities(const ClusterPool& pool,
                              const Context& context = {}) const;
  /// What the head reads, for windows in evaluation mode.
  Matrix<float> inputs(std::size_t count, const FillWindow& fill,
                       const Context& context = {}) const;

  HeadInput input() const { return input_; }
  std::size_t input_size() const;
  Encoder& encoder() { return encoder_; }
  const Encoder& encoder() const { return encoder_; }
  nn::ParameterSet& head() { return head_; }
  const nn::ParameterSet& head() const { return head_; }

 private:
  Encoder encoder_;
  HeadInput input_;
  nn::ParameterSet head_;
};

/// Whether the network moves with the head.
struct ClusterTraining {
  bool is_frozen = false;  ///< only the head learns; batch statistics stay
  /// Every so many epochs (0: never) the pool is made again from the network
  /// as it is, and neighbours are searched again.
  std::size_t refresh_epochs = 0;
  std::function<void(const Encoder& encoder, ClusterPool& pool)> refresh;
};

/// Means of the epochs.
struct ClusterHistory {
  SolveStatus status = SolveStatus::kDone;  ///< or kCancelled
  std::vector<double> totals;
  std::vector<double> consistencies;
  std::vector<double> entropies;
};

/// Trains `model` on the pool. Throws InvalidArgument for options out of range,
/// latents of another size, and fewer items than a batch. Progress counts
/// epochs.
ClusterHistory train_clusters(ClusterModel& model, ClusterPool& pool,
                              const ClusterOptions& options,
                              const ClusterTraining& training,
                              const Context& context = {});

}  // namespace sbog::series
