// SPDX-License-Identifier: Apache-2.0
// Logits and files of detectors; see detector.h.
#include "sbog_torch/image/detector.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/reference_measure.h"
#include "sbog/nn/checkpoint.h"
#include "sbog_torch/image/aligned_encoder.h"
#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/tensors.h"
#include "sbog_torch/nn/linear_rows.h"

namespace sbog::image {
namespace {

constexpr const char* kRole = "sbog image detector 1";
constexpr const char* kAnchors = "detector.anchors";
constexpr std::uint64_t kMostAnchors = 65536;
constexpr LogitScore kScores[] = {LogitScore::kLogSumExp,
                                  LogitScore::kProbability};

const EncoderOptions& with_classes(const EncoderOptions& options) {
  if (options.latent < 2) {
    throw InvalidArgument("detector: at least two classes are expected");
  }
  return options;
}

nn::ParameterSet make_phi() {
  nn::ParameterSet phi;
  phi.add("phi.weight", {2, 1});
  phi.add("phi.bias", {2});
  // High log-sum-exp is in-distribution from the first step on.
  phi.values("phi.weight")[0] = -0.5F;
  phi.values("phi.weight")[1] = 0.5F;
  return phi;
}

// Tensors of both sets in one.
nn::ParameterSet joined(const nn::ParameterSet& a, const nn::ParameterSet& b) {
  nn::ParameterSet all = a;
  for (const nn::Parameter& entry : b.entries()) {
    all.add(entry.name, entry.shape);
    std::ranges::copy(b.values(entry.name), all.values(entry.name).begin());
  }
  return all;
}

void copy_named(const nn::ParameterSet& from, nn::ParameterSet& to) {
  for (const nn::Parameter& entry : to.entries()) {
    std::ranges::copy(from.values(entry.name), to.values(entry.name).begin());
  }
}

LogitScore read_score(const std::map<std::string, std::string>& metadata,
                      const std::string& path) {
  const auto name = metadata.find("score");
  if (name == metadata.end()) return LogitScore::kLogSumExp;
  for (const LogitScore score : kScores) {
    if (name->second == to_string(score)) return score;
  }
  throw IoError(path, "the score is neither lse nor msp");
}

// 0 for a file of a network whose outputs are the logits.
std::size_t read_anchor_count(
    const std::map<std::string, std::string>& metadata,
    const std::string& path) {
  if (!metadata.contains("anchors")) return 0;
  const std::uint64_t count = nn::read_count(metadata, "anchors", path);
  if (count > kMostAnchors) throw IoError(path, "has too many anchors");
  return count;
}

nn::ParameterSet anchor_set(const torch::Tensor& anchors) {
  nn::ParameterSet set;
  set.add(kAnchors, {static_cast<std::size_t>(anchors.size(0)),
                     static_cast<std::size_t>(anchors.size(1))});
  const torch::Tensor values = anchors.contiguous();
  std::copy_n(values.data_ptr<float>(), values.numel(),
              set.values(kAnchors).begin());
  return set;
}

nn::Checkpoint file_of(const Detector& detector) {
  nn::Checkpoint file;
  nn::ParameterSet phi = make_phi();
  nn::from_tensors(detector.phi(), phi);
  file.parameters = joined(detector.network().parameter_set(), phi);
  file.buffers = detector.network().buffer_set();
  if (detector.is_aligned()) {
    file.buffers = joined(file.buffers, anchor_set(detector.anchors()));
  }
  file.scalars["has_threshold"] = detector.threshold ? 1.0 : 0.0;
  file.scalars["threshold"] = detector.threshold.value_or(0.0);
  if (!detector.class_names.empty()) {
    file.texts["classes"] = detector.class_names;
  }
  return file;
}

}  // namespace

const char* to_string(LogitScore score) {
  return score == LogitScore::kLogSumExp ? "lse" : "msp";
}

LogitScore logit_score(std::string_view name) {
  for (const LogitScore score : kScores) {
    if (name == to_string(score)) return score;
  }
  throw InvalidArgument("logit score: lse or msp is expected, got " +
                        std::string(name));
}

Detector::Detector(const EncoderOptions& options, std::uint64_t seed)
    : network_(with_classes(options), seed),
      phi_(nn::to_tensors(make_phi(), torch::kFloat32, true)) {}

Detector::Detector(const Encoder& encoder, MatrixView<const float> anchors,
                   double temperature)
    : network_(encoder.clone()),
      phi_(nn::to_tensors(make_phi(), torch::kFloat32, true)) {
  if (anchors.rows() < 2 || anchors.cols() != encoder.options().latent) {
    throw InvalidArgument(
        "detector: anchors of two classes or more, as wide as the encoder's "
        "latents, are expected");
  }
  if (!(temperature > 0.0 && temperature < 1e6)) {
    throw InvalidArgument("detector: a temperature above 0 is expected");
  }
  check_points(anchors, GroundCost::kUnitCosine, "detector: anchors");
  anchors_ = (nn::to_tensor(anchors, torch::kFloat64) / temperature)
                 .to(torch::kFloat32);
}

std::size_t Detector::classes() const {
  return is_aligned() ? static_cast<std::size_t>(anchors_.size(0))
                      : network_.options().latent;
}

torch::Tensor Detector::to_logits(const torch::Tensor& outputs) const {
  if (!is_aligned()) return outputs;
  return nn::linear_rows(unit_rows(outputs), anchors_);
}

torch::Tensor Detector::train_logits(const torch::Tensor& images) {
  return to_logits(network_.train_forward(images));
}

torch::Tensor Detector::logits(const torch::Tensor& images) const {
  require_images(images, shape(), "detector");
  const torch::NoGradGuard no_gradients;
  if (images.size(0) == 0) {
    return torch::empty({0, static_cast<std::int64_t>(classes())},
                        torch::kFloat32);
  }
  return detail::in_chunks({images.detach().to(torch::kFloat32)},
                           [&](const std::vector<torch::Tensor>& rows) {
                             return to_logits(network_.forward(rows[0]));
                           });
}

Detector Detector::clone() const {
  Detector copy = *this;
  copy.network_ = network_.clone();
  for (auto& [name, tensor] : copy.phi_) {
    tensor = tensor.detach().clone().set_requires_grad(true);
  }
  return copy;
}

void Detector::save(const std::string& path) const {
  if (!class_names.empty() && class_names.size() != classes()) {
    throw InvalidArgument("detector: one name per class is expected");
  }
  nn::Checkpoint file = file_of(*this);
  file.metadata = describe(network_.options());
  file.metadata["role"] = kRole;
  file.metadata["score"] = to_string(score);
  file.metadata["names"] = std::to_string(class_names.size());
  file.metadata["anchors"] = std::to_string(is_aligned() ? classes() : 0);
  nn::save_checkpoint(path, file);
}

Detector Detector::load(const std::string& path) {
  const auto metadata = nn::read_metadata(path);
  const auto role = metadata.find("role");
  if (role == metadata.end() || role->second != kRole) {
    throw IoError(path, "is not a detector of images of this version");
  }
  const EncoderOptions options = read_description(metadata, path);
  const std::size_t names = nn::read_count(metadata, "names", path);
  const std::size_t anchors = read_anchor_count(metadata, path);
  const std::size_t classes = anchors > 0 ? anchors : options.latent;
  if (classes < 2 || (names != 0 && names != classes)) {
    throw IoError(path,
                  "two classes or more, with no names or one each, are "
                  "expected");
  }
  Detector detector(options, 0);
  if (anchors > 0) {
    detector.anchors_ =
        torch::zeros({static_cast<std::int64_t>(anchors),
                      static_cast<std::int64_t>(options.latent)});
  }
  detector.score = read_score(metadata, path);
  detector.class_names.resize(names);
  nn::Checkpoint file = file_of(detector);
  nn::load_checkpoint(path, file);
  for (const float deviation : file.buffers.values("input.deviation")) {
    if (!(deviation > 0.0F)) {
      throw IoError(path, "input.deviation must be positive");
    }
  }
  nn::ParameterSet network = detector.network_.parameter_set();
  copy_named(file.parameters, network);
  nn::ParameterSet buffers = detector.network_.buffer_set();
  copy_named(file.buffers, buffers);
  detector.network_.set_values(network, buffers);
  if (anchors > 0) {
    std::ranges::copy(file.buffers.values(kAnchors),
                      detector.anchors_.data_ptr<float>());
  }
  nn::ParameterSet phi = make_phi();
  copy_named(file.parameters, phi);
  detector.phi_ = nn::to_tensors(phi, torch::kFloat32, true);
  if (file.scalars.at("has_threshold") != 0.0) {
    detector.threshold = file.scalars.at("threshold");
  }
  if (names > 0) detector.class_names = file.texts.at("classes");
  return detector;
}

}  // namespace sbog::image
