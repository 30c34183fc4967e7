// SPDX-License-Identifier: Apache-2.0
// Atoms and the envelope gradient; see robust_alignment.h.
#include "sbog_torch/image/robust_alignment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog_torch/image/encoder.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

// 1 - <first atom, atom k>, not below 0: B x S.
torch::Tensor cosine_costs(const torch::Tensor& atoms) {
  return (1.0 - torch::matmul(atoms, atoms.select(1, 0).unsqueeze(2)))
      .squeeze(2)
      .clamp_min(0.0);
}

torch::Tensor maybe_detached(const torch::Tensor& costs,
                             const RobustAlignmentOptions& options) {
  return options.trains_costs ? costs : costs.detach();
}

template <typename T>
MatrixView<T> view_of(const torch::Tensor& tensor, std::int64_t rows,
                      std::int64_t cols) {
  return {tensor.data_ptr<T>(), static_cast<std::size_t>(rows),
          static_cast<std::size_t>(cols)};
}

// What the solver says at the optimum: q* and dV/dd, both B x C x S.
struct Optimum {
  torch::Tensor tilted;
  torch::Tensor cost_gradients;
};

template <typename T>
Optimum solve(const torch::Tensor& similarities, const torch::Tensor& costs,
              const std::vector<std::size_t>& labels, double kappa,
              const RobustAlignmentOptions& options) {
  const std::int64_t rows = similarities.size(0) * similarities.size(1);
  const std::int64_t atoms = similarities.size(2);
  const torch::Tensor a = similarities.detach().contiguous();
  const torch::Tensor d = costs.detach().contiguous();
  Optimum optimum{torch::empty_like(a), {}};
  RobustOutput<T> out;
  out.tilted = view_of<T>(optimum.tilted, rows, atoms);
  if (options.trains_costs) {
    optimum.cost_gradients = torch::empty_like(a);
    out.cost_gradients = view_of<T>(optimum.cost_gradients, rows, atoms);
  }
  const RobustBatch<T> batch{
      view_of<T>(a, rows, atoms), view_of<T>(d, d.size(0), atoms), {}, labels};
  // Without an observer nobody can cancel.
  static_cast<void>(robust_logits(
      batch, {options.epsilon, kappa * options.epsilon, options.sign}, out));
  return optimum;
}

std::vector<std::size_t> label_vector(const torch::Tensor& labels,
                                      std::int64_t count) {
  if (!labels.defined() || labels.dim() != 1 || labels.size(0) != count ||
      labels.scalar_type() != torch::kInt64) {
    throw InvalidArgument("robust_values: one int64 class per image expected");
  }
  const torch::Tensor flat = labels.contiguous();
  const auto* first = flat.data_ptr<std::int64_t>();
  return {first, first + count};
}

void check_shapes(const torch::Tensor& similarities,
                  const torch::Tensor& costs) {
  if (similarities.dim() != 3 || costs.dim() != 2 ||
      similarities.size(0) != costs.size(0) ||
      similarities.size(2) != costs.size(1) ||
      similarities.scalar_type() != costs.scalar_type() ||
      (similarities.scalar_type() != torch::kFloat32 &&
       similarities.scalar_type() != torch::kFloat64)) {
    throw InvalidArgument(
        "robust_values: similarities B x C x S and costs B x S of one "
        "floating type are expected");
  }
}

}  // namespace

void check_options(const RobustAlignmentOptions& options) {
  const auto is_size = [](double value) {
    return std::isfinite(value) && value >= 0.0;
  };
  require("RobustAlignmentOptions",
          options.atom_count >= 1 && options.atom_count <= 65536,
          "atom_count must be 1 to 65536");
  require("RobustAlignmentOptions",
          options.atoms != AtomKind::kInput || options.atom_count <= 256,
          "atom_count must be at most 256 for copies of the input");
  require("RobustAlignmentOptions",
          std::isfinite(options.epsilon) && options.epsilon > 0.0,
          "epsilon must be finite and positive");
  require("RobustAlignmentOptions", is_size(options.kappa),
          "kappa must be finite and not negative");
  require("RobustAlignmentOptions",
          options.warm_up >= 0.0 && options.warm_up <= 1.0,
          "warm_up must lie in [0, 1]");
  require("RobustAlignmentOptions",
          is_size(options.latent_noise) && is_size(options.pixel_noise),
          "latent_noise and pixel_noise must be finite and not negative");
  require("RobustAlignmentOptions",
          options.input_cost != InputCost::kPixel || options.pixel_noise > 0.0,
          "pixel_noise must be positive when costs are pixel distances");
}

double warmed_kappa(const RobustAlignmentOptions& options, std::size_t step,
                    std::size_t steps) {
  const double length = options.warm_up * static_cast<double>(steps);
  if (static_cast<double>(step) >= length) return options.kappa;
  return options.kappa * static_cast<double>(step) / length;
}

Atoms latent_atoms(const torch::Tensor& latents,
                   std::span<const std::uint64_t> streams,
                   const RobustAlignmentOptions& options, std::uint64_t seed) {
  const std::int64_t batch = latents.size(0);
  const std::int64_t width = latents.size(1);
  const std::int64_t others = extent(options.atom_count) - 1;
  if (static_cast<std::size_t>(batch) != streams.size()) {
    throw InvalidArgument("latent_atoms: one stream per latent is expected");
  }
  torch::Tensor noise = torch::empty({batch, others, width}, torch::kFloat32);
  const double scale =
      options.latent_noise / std::sqrt(static_cast<double>(width));
  float* next = noise.data_ptr<float>();
  for (const std::uint64_t stream : streams) {
    nn::Draws draws = open_draws(seed, Purpose::kLatentAtom, stream);
    for (std::int64_t k = 0; k < others; ++k) {
      const double size = scale * (0.5 + 0.5 * draws.uniform());
      for (std::int64_t j = 0; j < width; ++j) {
        *next++ = static_cast<float>(size * draws.normal());
      }
    }
  }
  const torch::Tensor first = latents.unsqueeze(1);
  if (others == 0) {
    return {first, torch::zeros({batch, 1}, latents.options())};
  }
  const torch::Tensor around = torch::nn::functional::normalize(
      first + noise.to(latents.scalar_type()),
      torch::nn::functional::NormalizeFuncOptions().dim(2));
  const torch::Tensor atoms = torch::cat({first, around}, 1);
  return {atoms, maybe_detached(cosine_costs(atoms), options)};
}

Atoms neighbour_atoms(const torch::Tensor& latents, const torch::Tensor& labels,
                      const RobustAlignmentOptions& options) {
  const std::int64_t batch = latents.size(0);
  const std::int64_t others = extent(options.atom_count) - 1;
  const double infinity = std::numeric_limits<double>::infinity();
  const torch::Tensor rows = latents.detach();
  torch::Tensor distances =
      (1.0 - torch::matmul(rows, rows.t())).clamp_min(0.0);
  const torch::Tensor is_other_class =
      labels.unsqueeze(0) != labels.unsqueeze(1);
  distances.masked_fill_(is_other_class, infinity);
  distances.fill_diagonal_(infinity);
  const auto [sorted, order] = distances.sort(true, 1, false);
  const std::int64_t there = std::min(others, batch);
  torch::Tensor costs = torch::full({batch, others + 1}, infinity,
                                    latents.options().requires_grad(false));
  costs.select(1, 0).zero_();
  costs.narrow(1, 1, there).copy_(sorted.narrow(1, 0, there));
  // An atom that is not there repeats z, so that its similarity is finite.
  const torch::Tensor found =
      rows.index_select(0, order.narrow(1, 0, there).reshape({-1}))
          .reshape({batch, there, rows.size(1)});
  torch::Tensor around =
      rows.unsqueeze(1).expand({batch, others, rows.size(1)}).clone();
  around.narrow(1, 0, there).copy_(found);
  return {torch::cat({latents.unsqueeze(1), around}, 1), costs};
}

torch::Tensor input_copies(const torch::Tensor& images,
                           std::span<const std::size_t> indices,
                           std::size_t epoch,
                           const RobustAlignmentOptions& options,
                           std::uint64_t seed) {
  if (static_cast<std::size_t>(images.size(0)) != indices.size() ||
      epoch >= 256 || options.atom_count > 256) {
    throw InvalidArgument(
        "input_copies: an index per image, at most 256 atoms and epochs below "
        "256 are expected");
  }
  const std::size_t pixels = static_cast<std::size_t>(images[0].numel());
  std::vector<torch::Tensor> copies = {images};
  for (std::size_t k = 1; k < options.atom_count; ++k) {
    const auto streams = epoch_streams(indices, 256 * epoch + k);
    const torch::Tensor noise =
        draw_normals(streams, pixels, seed, Purpose::kInputAtom)
            .reshape(images.sizes());
    const torch::Tensor moved = crop_and_flip(
        images, streams, options.input_augment, seed, Purpose::kAtomAugment);
    copies.push_back((moved + options.pixel_noise * noise).clamp(0.0, 1.0));
  }
  std::vector<std::int64_t> shape = images.sizes().vec();
  shape[0] = -1;
  return torch::stack(copies, 1).reshape(shape);
}

Atoms input_atoms(const torch::Tensor& copies, const torch::Tensor& latents,
                  const RobustAlignmentOptions& options) {
  const std::int64_t count = extent(options.atom_count);
  const std::int64_t batch = latents.size(0) / count;
  const torch::Tensor atoms = latents.reshape({batch, count, -1});
  if (options.input_cost == InputCost::kCosine) {
    return {atoms, maybe_detached(cosine_costs(atoms), options)};
  }
  const torch::Tensor flat = copies.detach().reshape({batch, count, -1});
  const double unit = 2.0 * static_cast<double>(flat.size(2)) *
                      options.pixel_noise * options.pixel_noise;
  const torch::Tensor costs =
      (flat - flat.narrow(1, 0, 1)).square().sum(2) / unit;
  return {atoms, costs.to(latents.scalar_type())};
}

torch::Tensor robust_values(const torch::Tensor& similarities,
                            const torch::Tensor& costs,
                            const torch::Tensor& labels, double kappa,
                            const RobustAlignmentOptions& options) {
  check_shapes(similarities, costs);
  std::vector<std::size_t> classes;
  if (options.sign == RobustSign::kAdversarial) {
    classes = label_vector(labels, similarities.size(0));
  }
  const Optimum optimum =
      similarities.scalar_type() == torch::kFloat64
          ? solve<double>(similarities, costs, classes, kappa, options)
          : solve<float>(similarities, costs, classes, kappa, options);
  // V = sum_k q*_k a_k: at the optimum q* may be held fixed, so this has the
  // exact value and the exact gradient.
  torch::Tensor values = (optimum.tilted * similarities).sum(2);
  if (options.trains_costs && costs.requires_grad()) {
    // Adds nothing to the value, dV/dd to the gradient.
    const torch::Tensor change = (costs - costs.detach()).unsqueeze(1);
    values = values + (optimum.cost_gradients * change).sum(2);
  }
  return values;
}

torch::Tensor robust_class_logits(const Atoms& atoms,
                                  const torch::Tensor& anchors,
                                  const torch::Tensor& labels,
                                  double temperature, double kappa,
                                  const RobustAlignmentOptions& options) {
  const std::int64_t batch = atoms.latents.size(0);
  const std::int64_t count = atoms.latents.size(1);
  const torch::Tensor flat =
      atoms.latents.reshape({batch * count, atoms.latents.size(2)});
  const torch::Tensor similarities =
      (torch::matmul(flat, anchors.t()) / temperature)
          .reshape({batch, count, -1})
          .transpose(1, 2);
  return robust_values(similarities, atoms.costs, labels, kappa, options);
}

}  // namespace sbog::image
