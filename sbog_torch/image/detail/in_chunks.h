// SPDX-License-Identifier: Apache-2.0
// What the networks of decoders and detectors share: rows that go through in
// chunks of one size, first weights, and the walk over epochs.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/nn/adam.h"
#include "sbog/nn/parameter_set.h"
#include "sbog_torch/image/draws.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image::detail {

/// Rows that go through a network together; a constant, so that no result
/// depends on how many there are in all.
inline constexpr std::int64_t kChunk = 32;

/// The rows of compute(chunk of each input), joined. The last chunk is padded
/// by repeating its first row, since kernels may round a smaller batch
/// otherwise. At least one row is expected.
torch::Tensor in_chunks(
    const std::vector<torch::Tensor>& inputs,
    const std::function<torch::Tensor(const std::vector<torch::Tensor>&)>&
        compute);

/// nn::initialise_layer for every layer of the set; a weight of rank 1 belongs
/// to a normalisation and begins with ones.
void initialise_all(nn::ParameterSet& parameters, std::uint64_t seed);

/// How often and in which order rows are visited.
struct EpochPlan {
  std::size_t rows = 0;
  std::size_t batch = 1;  ///< fewer when there are fewer rows
  std::size_t epochs = 1;
  std::uint64_t seed = 0;
  Purpose order = Purpose::kOrder;  ///< stream of the order; index: epoch
};

/// Whole batches of an epoch; the rows of the last part are left out.
std::size_t steps_per_epoch(const EpochPlan& plan);

/// One batch of an epoch.
struct EpochStep {
  std::size_t epoch = 0;
  std::size_t step = 0;   ///< within the epoch
  std::size_t total = 0;  ///< of the run, this one not counted
  std::span<const std::size_t> rows;
};

/// Calls step for every batch; kCancelled when the observer asked to stop
/// before the last.
SolveStatus run_epochs(const EpochPlan& plan, const Context& context,
                       const std::function<void(const EpochStep&)>& step);

/// Rows of a batch whose gradients are computed together; a constant, so that
/// the bits of a training do not depend on the number of threads.
inline constexpr std::size_t kPartRows = 16;

/// Means over the rows of one part of a batch.
struct PartLoss {
  torch::Tensor loss;        ///< one number, to be differentiated
  std::vector<double> told;  ///< whatever the training wants to tell
};

/// Means over the rows of a whole batch.
struct BatchGradients {
  nn::ParameterSet gradients;  ///< of the mean loss
  std::vector<double> told;
};

/// The gradients of a loss that is a mean over the rows of a batch. The batch
/// is cut into parts of kPartRows, which go to the threads of the context;
/// their gradients are added in the order of the parts. `loss` is called with
/// tensors of its own for each part, from several threads at a time.
BatchGradients batch_gradients(
    const nn::ParameterSet& parameters, std::span<const std::size_t> rows,
    const Context& context,
    const std::function<PartLoss(const nn::TensorMap& weights,
                                 std::span<const std::size_t> part)>& loss);

/// A step of Adam at this place of the walk, whose rate follows a cosine down
/// to a hundredth.
void cosine_adam_step(const EpochPlan& plan, const EpochStep& at,
                      nn::AdamOptions adam, const nn::ParameterSet& gradients,
                      nn::AdamState& state, nn::ParameterSet& parameters);

/// The rows of a tensor, copied.
torch::Tensor take_rows(const torch::Tensor& tensor,
                        std::span<const std::size_t> rows);

}  // namespace sbog::image::detail
