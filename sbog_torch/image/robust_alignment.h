// SPDX-License-Identifier: Apache-2.0
// Logits that are robust within a Sinkhorn ball around each image: for atoms
// x_1 .. x_S near x with costs d_k and similarities a_k = <t_c, z_k> / t,
//   log Q_k = -d_k / eps + const,   V_c = inf { sum_k q_k a_k :
//                                               KL(q || Q) <= kappa }.
// The core solves it; gradients follow from the envelope theorem, with q held
// fixed at its optimum (and lambda for the costs).
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "sbog/dro/robust_logits.h"
#include "sbog_torch/image/draws.h"

namespace sbog::image {

/// What the atoms beside x itself are.
enum class AtomKind {
  kLatent,    ///< unit(z + s eta): points around the latent; one encoder pass
  kInput,     ///< noisy, cropped and flipped copies of x; S encoder passes
  kNeighbour  ///< the nearest latents of the same class in the batch, detached
};

/// The cost of the atoms of kInput; the others use 1 - cosine.
enum class InputCost {
  kCosine,  ///< 1 - cosine of the latents, detached
  kPixel    ///< squared pixel distance / (2 pixels noise^2)
};

/// Settings of the robust loss.
struct RobustAlignmentOptions {
  AtomKind atoms = AtomKind::kLatent;
  /// S, x itself among them.
  std::size_t atom_count = 8;
  double epsilon = 0.05;
  /// Radius / epsilon: the size of the KL ball.
  double kappa = 0.1;
  /// kappa grows from 0 over this share of the steps.
  double warm_up = 0.2;
  /// kPaper lowers every logit, kAdversarial raises those of other classes.
  RobustSign sign = RobustSign::kPaper;
  /// kLatent: s = latent_noise / sqrt(m) u, u uniform on (1/2, 1).
  double latent_noise = 0.3326;
  /// kInput: deviation of the noise on pixels in [0, 1].
  double pixel_noise = 0.05;
  /// kInput: how the copies are cropped and flipped.
  AugmentOptions input_augment = {};
  InputCost input_cost = InputCost::kCosine;
  /// Gradients also flow through the costs of kLatent and kInput.
  bool trains_costs = false;
};

/// Throws InvalidArgument, one sentence.
void check_options(const RobustAlignmentOptions& options);

/// kappa at a step of so many.
double warmed_kappa(const RobustAlignmentOptions& options, std::size_t step,
                    std::size_t steps);

/// Atoms of B images.
struct Atoms {
  torch::Tensor latents;  ///< B x S x m unit rows; atom 0 is x itself
  torch::Tensor costs;    ///< B x S, >= 0; +inf: the atom is not there
};

/// z and S - 1 points around it; gradients flow through z for each. Draws are
/// float: per atom u, then m normals, of stream streams[b]
/// (Purpose::kLatentAtom).
Atoms latent_atoms(const torch::Tensor& latents,
                   std::span<const std::uint64_t> streams,
                   const RobustAlignmentOptions& options, std::uint64_t seed);

/// z and the S - 1 nearest others of its class in the batch, detached, ties by
/// the smaller index. A class that is too small leaves atoms with cost +inf.
Atoms neighbour_atoms(const torch::Tensor& latents, const torch::Tensor& labels,
                      const RobustAlignmentOptions& options);

/// The images (B x C x H x W) and S - 1 changed copies of each, (B S) images,
/// those of one image together. Copy k of an image draws from stream
/// image + 2^32 (256 epoch + k): crop and flip from Purpose::kAtomAugment,
/// noise from kInputAtom. S <= 256 and epoch < 256.
torch::Tensor input_copies(const torch::Tensor& images,
                           std::span<const std::size_t> indices,
                           std::size_t epoch,
                           const RobustAlignmentOptions& options,
                           std::uint64_t seed);

/// Atoms from the unit latents, (B S) x m, of such copies.
Atoms input_atoms(const torch::Tensor& copies, const torch::Tensor& latents,
                  const RobustAlignmentOptions& options);

/// V, B x C, from similarities B x C x S and costs B x S of the same type,
/// float or double; labels int64 B, read for kAdversarial only. Differentiable
/// in the similarities and, if trains_costs, in the costs. Throws
/// InvalidArgument for shapes that do not fit and values that are not finite.
torch::Tensor robust_values(const torch::Tensor& similarities,
                            const torch::Tensor& costs,
                            const torch::Tensor& labels, double kappa,
                            const RobustAlignmentOptions& options);

/// V of atoms with a_k = <t_c, z_k> / temperature; anchors C x m unit rows.
torch::Tensor robust_class_logits(const Atoms& atoms,
                                  const torch::Tensor& anchors,
                                  const torch::Tensor& labels,
                                  double temperature, double kappa,
                                  const RobustAlignmentOptions& options);

}  // namespace sbog::image
