// SPDX-License-Identifier: Apache-2.0
// A classifier of images that also says which images are none of its classes:
// the residual network of encoder.h with one output per class, phi =
// Linear(1, 2) on the log-sum-exp of the logits, and a threshold on a score of
// the logits (high: in-distribution).
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbog_torch/image/encoder.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image {

/// What is read off the logits: see lse_scores and msp_scores.
enum class LogitScore { kLogSumExp, kProbability };

/// "lse", "msp".
const char* to_string(LogitScore score);

/// The score of a name. Throws InvalidArgument listing the names.
LogitScore logit_score(std::string_view name);

/// See the top of the file. Copies share their tensors; clone() does not.
class Detector {
 public:
  /// A fresh network; options.latent is the number of classes, at least 2.
  /// Throws InvalidArgument.
  Detector(const EncoderOptions& options, std::uint64_t seed);

  std::size_t classes() const { return network_.options().latent; }
  ImageShape shape() const { return network_.options().shape; }
  Encoder& network() { return network_; }
  const Encoder& network() const { return network_; }
  /// "phi.weight" (2 x 1) and "phi.bias" (2).
  const nn::TensorMap& phi() const { return phi_; }

  /// One per class, or empty.
  std::vector<std::string> class_names;
  /// What the threshold is on.
  LogitScore score = LogitScore::kLogSumExp;
  /// Score below which an image is taken for an outlier.
  std::optional<double> threshold;

  /// Logits N x classes, float32, without gradients; a row depends on its own
  /// image alone. Throws InvalidArgument for images of another shape.
  torch::Tensor logits(const torch::Tensor& images) const;

  /// A copy with its own memory.
  Detector clone() const;

  /// One safetensors file; one that names no score means the log-sum-exp. save
  /// throws InvalidArgument for another number of names than classes; both
  /// throw IoError.
  void save(const std::string& path) const;
  static Detector load(const std::string& path);

 private:
  Encoder network_;
  nn::TensorMap phi_;
};

}  // namespace sbog::image
