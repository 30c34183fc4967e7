// SPDX-License-Identifier: Apache-2.0
// Everything here goes through latents of a real encoder, in double.
#include "sbog_torch/image/robust_alignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "encoder_support.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/alignment.h"
#include "sbog_torch/image/class_anchors.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace robust_alignment_test {

using namespace testing_support;

constexpr double kTemperature = 0.1;
constexpr std::int64_t kBatch = 6;
constexpr std::int64_t kClasses = 4;

/// Latents of six images by a small network, and anchors, of one type.
struct World {
  explicit World(torch::ScalarType type = torch::kFloat64)
      : encoder(Encoder(small_options(small_shapes(kBatch)), 3).clone(type)),
        images(to_tensor(small_shapes(kBatch)).to(type)),
        labels(torch::tensor({0, 1, 2, 3, 0, 1}, torch::kInt64)),
        anchors(nn::to_tensor(orthonormal_anchors(kClasses, 8, 1), type)) {}

  torch::Tensor latents() const { return encoder.embed(images); }
  Atoms atoms(const RobustAlignmentOptions& options) const {
    return latent_atoms(latents(), std::vector<std::uint64_t>(kIds, kIds + 6),
                        options, 9);
  }
  torch::Tensor similarities(const Atoms& atoms) const {
    return (torch::matmul(atoms.latents, anchors.t()) / kTemperature)
        .transpose(1, 2)
        .detach()
        .contiguous();
  }

  static constexpr std::uint64_t kIds[6] = {0, 1, 2, 3, 4, 5};
  Encoder encoder;
  torch::Tensor images;
  torch::Tensor labels;
  torch::Tensor anchors;
};

RobustAlignmentOptions with_atoms(std::size_t count) {
  RobustAlignmentOptions options;
  options.atom_count = count;
  return options;
}

torch::Tensor gibbs(const torch::Tensor& costs, double epsilon) {
  return torch::softmax(-costs / epsilon, 1);
}

/// q*, which is dV/da, B x C x S.
torch::Tensor tilted(const torch::Tensor& similarities,
                     const torch::Tensor& costs, double kappa,
                     const RobustAlignmentOptions& options) {
  torch::Tensor a = similarities.detach().clone().set_requires_grad(true);
  robust_values(a, costs, {}, kappa, options).sum().backward();
  return a.grad();
}

double kl(const torch::Tensor& q, const torch::Tensor& reference) {
  return torch::where(q > 0, q * (q / reference).log(), torch::zeros_like(q))
      .sum()
      .item<double>();
}

// (a)
TEST(RobustAlignment, one_atom_gives_the_plain_loss_and_gradient_to_the_bit) {
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    for (const AtomKind kind : {AtomKind::kLatent, AtomKind::kNeighbour}) {
      World plain(type);
      World robust(type);
      RobustAlignmentOptions options = with_atoms(1);
      options.atoms = kind;
      const torch::Tensor loss = torch::cross_entropy_loss(
          class_logits(plain.latents(), plain.anchors, kTemperature),
          plain.labels);
      const Atoms atoms =
          kind == AtomKind::kLatent
              ? robust.atoms(options)
              : neighbour_atoms(robust.latents(), robust.labels, options);
      const torch::Tensor other = torch::cross_entropy_loss(
          robust_class_logits(atoms, robust.anchors, robust.labels,
                              kTemperature, 0.1, options),
          robust.labels);
      EXPECT_TRUE(torch::equal(loss, other));
      loss.backward();
      other.backward();
      for (const auto& [name, tensor] : plain.encoder.parameters()) {
        EXPECT_TRUE(torch::equal(tensor.grad(),
                                 robust.encoder.parameters().at(name).grad()))
            << name;
      }
    }
  }
}

// (b)
TEST(RobustAlignment, equal_atoms_give_the_plain_loss) {
  World world;
  World plain;
  RobustAlignmentOptions options;
  options.latent_noise = 0.0;
  const torch::Tensor logits =
      class_logits(plain.latents(), plain.anchors, kTemperature);
  const torch::Tensor values =
      robust_class_logits(world.atoms(options), world.anchors, world.labels,
                          kTemperature, 0.3, options);
  EXPECT_LT(distance(values.detach(), logits.detach()), 1e-12);
  torch::cross_entropy_loss(logits, plain.labels).backward();
  torch::cross_entropy_loss(values, world.labels).backward();
  for (const auto& [name, tensor] : plain.encoder.parameters()) {
    EXPECT_LT(
        distance(tensor.grad(), world.encoder.parameters().at(name).grad()),
        1e-11)
        << name;
  }
}

// (c)
TEST(RobustAlignment, kappa_zero_gives_the_gibbs_mean) {
  const World world;
  const RobustAlignmentOptions options;
  const Atoms atoms = world.atoms(options);
  const torch::Tensor a = world.similarities(atoms);
  const torch::Tensor mean =
      (a * gibbs(atoms.costs, options.epsilon).unsqueeze(1)).sum(2);
  EXPECT_LT(distance(robust_values(a, atoms.costs, {}, 0.0, options), mean),
            1e-12);
}

// (d)
TEST(RobustAlignment, a_large_kappa_gives_the_worst_atom) {
  const World world;
  const RobustAlignmentOptions options;
  const Atoms atoms = world.atoms(options);
  const torch::Tensor a = world.similarities(atoms);
  const double enough =
      -gibbs(atoms.costs, options.epsilon).min().log().item<double>();
  EXPECT_LT(distance(robust_values(a, atoms.costs, {}, enough, options),
                     std::get<0>(a.min(2))),
            1e-9);
}

// The worst mean over two atoms: bisection on the weight of the worse one.
double two_atoms(double better, double worse, double share_of_worse,
                 double kappa) {
  double low = share_of_worse;
  double high = 1.0;
  for (int i = 0; i < 200; ++i) {
    const double q = 0.5 * (low + high);
    const double divergence =
        q * std::log(q / share_of_worse) +
        (q < 1.0 ? (1.0 - q) * std::log((1.0 - q) / (1.0 - share_of_worse))
                 : 0.0);
    (divergence <= kappa ? low : high) = q;
  }
  return low * worse + (1.0 - low) * better;
}

// (e)
TEST(RobustAlignment, two_atoms_have_a_closed_form) {
  const World world;
  const RobustAlignmentOptions options = with_atoms(2);
  const Atoms atoms = world.atoms(options);
  const torch::Tensor a = world.similarities(atoms);
  const torch::Tensor q = gibbs(atoms.costs, options.epsilon);
  for (const double kappa : {1e-3, 0.1, 0.4}) {
    const torch::Tensor values =
        robust_values(a, atoms.costs, {}, kappa, options);
    for (std::int64_t b = 0; b < kBatch; ++b) {
      for (std::int64_t c = 0; c < kClasses; ++c) {
        const double first = a[b][c][0].item<double>();
        const double second = a[b][c][1].item<double>();
        const std::int64_t worse = second < first ? 1 : 0;
        EXPECT_NEAR(values[b][c].item<double>(),
                    two_atoms(std::max(first, second), std::min(first, second),
                              q[b][worse].item<double>(), kappa),
                    1e-7);
      }
    }
  }
}

// (f), dual: a fine grid of lambda.
TEST(RobustAlignment, the_value_is_the_minimum_of_the_dual) {
  const World world;
  const RobustAlignmentOptions options;
  const Atoms atoms = world.atoms(options);
  const torch::Tensor a = world.similarities(atoms);
  const torch::Tensor log_q =
      torch::log_softmax(-atoms.costs / options.epsilon, 1).unsqueeze(1);
  const double kappa = 0.1;
  torch::Tensor best =
      torch::full({kBatch, kClasses}, std::numeric_limits<double>::infinity(),
                  torch::kFloat64);
  // scale = lambda eps, 1e-4 to 1e4 in steps of 0.2 %.
  for (double log_scale = -9.2; log_scale < 9.2; log_scale += 0.002) {
    const double scale = std::exp(log_scale);
    best = torch::minimum(
        best, scale * kappa + scale * torch::logsumexp(log_q - a / scale, 2));
  }
  EXPECT_LT(distance(robust_values(a, atoms.costs, {}, kappa, options), -best),
            1e-5);
}

// (f), KKT conditions.
TEST(RobustAlignment, the_worst_law_uses_the_whole_ball_or_is_saturated) {
  const World world;
  const RobustAlignmentOptions options;
  const Atoms atoms = world.atoms(options);
  const torch::Tensor a = world.similarities(atoms);
  const torch::Tensor reference = gibbs(atoms.costs, options.epsilon);
  for (const double kappa : {0.01, 0.1, 1.0, 4.0}) {
    const torch::Tensor q = tilted(a, atoms.costs, kappa, options);
    EXPECT_LT(distance(q.sum(2), torch::ones({kBatch, kClasses})), 1e-9);
    for (std::int64_t b = 0; b < kBatch; ++b) {
      for (std::int64_t c = 0; c < kClasses; ++c) {
        const double used = kl(q[b][c], reference[b]);
        const double most = -std::log(
            reference[b][a[b][c].argmin().item<std::int64_t>()].item<double>());
        EXPECT_NEAR(used, std::min(kappa, most), 1e-6);
      }
    }
  }
}

// (g)
TEST(RobustAlignment, values_fall_with_kappa_between_mean_and_worst) {
  const World world;
  const RobustAlignmentOptions options;
  const Atoms atoms = world.atoms(options);
  const torch::Tensor a = world.similarities(atoms);
  torch::Tensor before = robust_values(a, atoms.costs, {}, 0.0, options);
  for (const double kappa : {1e-6, 1e-3, 0.1, 0.5, 1.0, 2.0, 5.0}) {
    const torch::Tensor values =
        robust_values(a, atoms.costs, {}, kappa, options);
    EXPECT_TRUE((values <= before + 1e-9).all().item<bool>());
    EXPECT_TRUE((values >= std::get<0>(a.min(2)) - 1e-9).all().item<bool>());
    before = values;
  }
}

// (h)
TEST(RobustAlignment, a_shift_shifts_and_a_factor_scales_the_value) {
  const World world;
  const RobustAlignmentOptions options;
  const Atoms atoms = world.atoms(options);
  const torch::Tensor a = world.similarities(atoms);
  const torch::Tensor values = robust_values(a, atoms.costs, {}, 0.1, options);
  EXPECT_LT(distance(robust_values(a + 3.5, atoms.costs, {}, 0.1, options),
                     values + 3.5),
            1e-9);
  EXPECT_LT(distance(robust_values(a * 7.0, atoms.costs, {}, 0.1, options),
                     values * 7.0),
            1e-8);
}

/// The robust loss of the small network; costs carry gradients, so that this
/// is the whole derivative.
torch::Tensor network_loss(const World& world,
                           const RobustAlignmentOptions& options) {
  const Atoms atoms = options.atoms == AtomKind::kInput
                          ? input_atoms(world.images, world.latents(), options)
                          : world.atoms(options);
  const std::int64_t count = atoms.latents.size(0);
  const torch::Tensor labels = world.labels.narrow(0, 0, count);
  return torch::cross_entropy_loss(
      robust_class_logits(atoms, world.anchors, labels, kTemperature, 0.1,
                          options),
      labels);
}

/// Weights of convolutions lie with channels innermost.
torch::Tensor in_memory_order(const torch::Tensor& gradient) {
  if (gradient.dim() != 4) return gradient.contiguous().reshape({-1});
  return gradient.permute({0, 2, 3, 1}).contiguous().reshape({-1});
}

// (i)
TEST(RobustAlignment, gradients_of_the_network_equal_differences) {
  for (const RobustSign sign : {RobustSign::kPaper, RobustSign::kAdversarial}) {
    for (const AtomKind kind : {AtomKind::kLatent, AtomKind::kInput}) {
      const World world;
      RobustAlignmentOptions options = with_atoms(3);
      options.trains_costs = true;
      options.sign = sign;
      options.atoms = kind;
      network_loss(world, options).backward();
      const auto value = [&] {
        return network_loss(world, options).item<double>();
      };
      for (const char* name : {"head.weight", "head.bias",
                               "block1.second.weight", "stem.norm.bias"}) {
        const torch::Tensor tensor = world.encoder.parameters().at(name);
        const torch::Tensor gradient = in_memory_order(tensor.grad());
        for (std::int64_t i = 0; i < 4; ++i) {
          const double truth = slope(value, tensor.detach(), i, 1e-6);
          EXPECT_NEAR(gradient[i].item<double>(), truth,
                      1e-6 * std::max(1.0, std::abs(truth)))
              << name;
        }
      }
    }
  }
}

// (i), a smooth network of two layers, all parameters.
TEST(RobustAlignment, gradients_of_two_smooth_layers_equal_differences) {
  const torch::Tensor in = double_normals({5, 7}, 1);
  torch::Tensor first =
      (0.5 * double_normals({6, 7}, 2)).set_requires_grad(true);
  torch::Tensor second =
      (0.5 * double_normals({8, 6}, 3)).set_requires_grad(true);
  const World world;
  const torch::Tensor labels = world.labels.narrow(0, 0, 5);
  const std::vector<std::uint64_t> streams = {4, 5, 6, 7, 8};
  RobustAlignmentOptions options;
  options.trains_costs = true;
  const auto loss = [&] {
    const torch::Tensor latents = unit_rows(
        torch::matmul(torch::tanh(torch::matmul(in, first.t())), second.t()));
    return torch::cross_entropy_loss(
        robust_class_logits(latent_atoms(latents, streams, options, 1),
                            world.anchors, labels, kTemperature, 0.2, options),
        labels);
  };
  loss().backward();
  for (const torch::Tensor& tensor : {first, second}) {
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const double truth = slope([&] { return loss().item<double>(); },
                                 tensor.detach(), i, 1e-6);
      EXPECT_NEAR(tensor.grad().reshape({-1})[i].item<double>(), truth,
                  1e-6 * std::max(1.0, std::abs(truth)));
    }
  }
}

// 3.4: without trains_costs the costs are constants.
TEST(RobustAlignment, detached_costs_get_no_gradient) {
  const World world;
  const RobustAlignmentOptions options;
  EXPECT_FALSE(world.atoms(options).costs.requires_grad());
  RobustAlignmentOptions trains = options;
  trains.trains_costs = true;
  EXPECT_TRUE(world.atoms(trains).costs.requires_grad());
}

// (j)
TEST(RobustAlignment, extremes_give_finite_values_and_gradients) {
  const auto expect_finite = [](const torch::Tensor& similarities,
                                const torch::Tensor& costs, double epsilon,
                                double kappa) {
    RobustAlignmentOptions options;
    options.epsilon = epsilon;
    options.trains_costs = true;
    for (const auto type : {torch::kFloat32, torch::kFloat64}) {
      torch::Tensor a =
          similarities.to(type).detach().clone().set_requires_grad(true);
      torch::Tensor d = costs.to(type).detach().clone().set_requires_grad(true);
      const torch::Tensor values = robust_values(a, d, {}, kappa, options);
      values.sum().backward();
      EXPECT_TRUE(torch::isfinite(values).all().item<bool>());
      EXPECT_TRUE(torch::isfinite(a.grad()).all().item<bool>());
      EXPECT_TRUE(torch::isfinite(d.grad()).all().item<bool>());
    }
  };
  for (const double kappa : {0.0, 0.1, 3.0}) {
    for (const double epsilon : {1e-6, 0.05, 1e6}) {
      const torch::Tensor costs = double_normals({2, 16}, 1).abs();
      const torch::Tensor a = double_normals({2, 3, 16}, 2);
      expect_finite(a, costs, epsilon, kappa);
      expect_finite(a * 1e4, costs, epsilon, kappa);
      expect_finite(torch::zeros_like(a), costs, epsilon, kappa);  // constant
      expect_finite(a.round(), costs.round(), epsilon, kappa);     // ties
    }
    expect_finite(double_normals({1, 2, 4096}, 3) * 10.0,
                  double_normals({1, 4096}, 4).abs(), 0.05, kappa);
  }
}

// (k)
TEST(RobustAlignment, the_order_of_atoms_images_and_classes_does_not_matter) {
  const World world;
  const RobustAlignmentOptions options;
  const Atoms atoms = world.atoms(options);
  const torch::Tensor a = world.similarities(atoms);
  const torch::Tensor values = robust_values(a, atoms.costs, {}, 0.1, options);
  const torch::Tensor turned = torch::tensor({5, 2, 7, 0, 1, 6, 3, 4});
  EXPECT_LT(distance(robust_values(a.index_select(2, turned),
                                   atoms.costs.index_select(1, turned), {}, 0.1,
                                   options),
                     values),
            1e-9);
  const torch::Tensor images = torch::tensor({3, 0, 5, 1, 2, 4});
  EXPECT_TRUE(torch::equal(
      robust_values(a.index_select(0, images),
                    atoms.costs.index_select(0, images), {}, 0.1, options),
      values.index_select(0, images)));
  const torch::Tensor classes = torch::tensor({2, 3, 0, 1});
  EXPECT_TRUE(torch::equal(
      robust_values(a.index_select(1, classes), atoms.costs, {}, 0.1, options),
      values.index_select(1, classes)));
}

// (l)
TEST(RobustAlignment, float_agrees_with_double) {
  const World exact;
  const World rounded(torch::kFloat32);
  const RobustAlignmentOptions options;
  const auto values = [&](const World& world) {
    return robust_class_logits(world.atoms(options), world.anchors,
                               world.labels, kTemperature, 0.1, options);
  };
  // Similarities reach 10; some hundred roundings of the network.
  EXPECT_LT(distance(values(exact).detach(), values(rounded).detach()),
            10.0 * 200.0 * std::numeric_limits<float>::epsilon());
}

TEST(RobustAlignment, adversarial_lowers_the_class_and_raises_the_others) {
  const World world;
  RobustAlignmentOptions options;
  options.sign = RobustSign::kAdversarial;
  const Atoms atoms = world.atoms(options);
  const torch::Tensor a = world.similarities(atoms);
  const torch::Tensor mean =
      robust_values(a, atoms.costs, world.labels, 0.0, options);
  const torch::Tensor values =
      robust_values(a, atoms.costs, world.labels, 0.1, options);
  for (std::int64_t b = 0; b < kBatch; ++b) {
    for (std::int64_t c = 0; c < kClasses; ++c) {
      const bool is_own = world.labels[b].item<std::int64_t>() == c;
      const double change = (values - mean)[b][c].item<double>();
      EXPECT_GT(is_own ? -change : change, 0.0);
    }
  }
}

TEST(RobustAlignment, what_does_not_fit_is_refused) {
  const auto refuses = [](auto change) {
    RobustAlignmentOptions options;
    change(options);
    EXPECT_THROW(check_options(options), InvalidArgument);
  };
  refuses([](RobustAlignmentOptions& o) { o.atom_count = 0; });
  refuses([](RobustAlignmentOptions& o) { o.epsilon = 0.0; });
  refuses([](RobustAlignmentOptions& o) { o.kappa = std::nan(""); });
  refuses([](RobustAlignmentOptions& o) { o.warm_up = 1.5; });
  refuses([](RobustAlignmentOptions& o) {
    o.atoms = AtomKind::kInput;
    o.atom_count = 257;
  });
  refuses([](RobustAlignmentOptions& o) {
    o.input_cost = InputCost::kPixel;
    o.pixel_noise = 0.0;
  });
  const RobustAlignmentOptions options;
  EXPECT_THROW(robust_values(torch::zeros({2, 3, 4}), torch::zeros({2, 5}), {},
                             0.1, options),
               InvalidArgument);
  EXPECT_THROW(robust_values(torch::full({2, 3, 4}, std::nan("")),
                             torch::zeros({2, 4}), {}, 0.1, options),
               InvalidArgument);
}

}  // namespace robust_alignment_test
}  // namespace sbog::image
