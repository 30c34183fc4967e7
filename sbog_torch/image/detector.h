// SPDX-License-Identifier: Apache-2.0
// A classifier of images that also says which images are none of its classes:
// the residual network of encoder.h with one output per class, or an aligned
// encoder whose logits are the cosines to class anchors, divided by a
// temperature; phi = Linear(1, 2) on the log-sum-exp of the logits, and a
// threshold on a score of the logits (high: in-distribution).
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/base/matrix.h"
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
  /// A copy of an aligned encoder with its anchors, C x m unit rows, C >= 2;
  /// 0 < temperature. Throws InvalidArgument.
  Detector(const Encoder& encoder, MatrixView<const float> anchors,
           double temperature);

  std::size_t classes() const;
  /// Whether the logits are cosines to anchors.
  bool is_aligned() const { return anchors_.defined(); }
  /// C x m, divided by the temperature; undefined when not aligned.
  const torch::Tensor& anchors() const { return anchors_; }
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
  /// The same of a batch in training, with its own statistics and gradients;
  /// see Encoder::train_forward.
  torch::Tensor train_logits(const torch::Tensor& images);

  /// A copy with its own memory.
  Detector clone() const;

  /// One safetensors file; one that names no score means the log-sum-exp. save
  /// throws InvalidArgument for another number of names than classes; both
  /// throw IoError.
  void save(const std::string& path) const;
  static Detector load(const std::string& path);

 private:
  torch::Tensor to_logits(const torch::Tensor& outputs) const;

  Encoder network_;
  torch::Tensor anchors_;  // fixed
  nn::TensorMap phi_;
};

}  // namespace sbog::image
