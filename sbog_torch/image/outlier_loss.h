// SPDX-License-Identifier: Apache-2.0
// The terms that tell a classifier what is not in-distribution. With logits f
// and S(x) = log sum_c exp f_c(x), high for in-distribution images:
//
//   energy   CE2(phi(S(x)), 1[x is in-distribution]), phi = Linear(1, 2)
//   uniform  mean over outliers of S(x) - mean_c f_c(x)   (Hendrycks, 2019)
//   hinge    mean relu(-S - m_in)^2 over in-distribution images
//              + mean relu(m_out + S)^2 over outliers     (Liu, 2020)
#pragma once

#include <torch/torch.h>

#include <string_view>

#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image {

/// Which term is used; see the top of the file.
enum class OutlierLoss { kEnergy, kUniform, kHinge };

/// "energy", "uniform", "hinge".
const char* to_string(OutlierLoss loss);

/// The loss of a name. Throws InvalidArgument listing the names.
OutlierLoss outlier_loss(std::string_view name);

/// S of each row of the logits.
torch::Tensor log_sum_exp(const torch::Tensor& logits);

/// The energy term over both kinds in equal weight per image; `weight` and
/// `bias` of phi have 2 x 1 and 2 elements, column 1 is "in-distribution".
torch::Tensor energy_term(const torch::Tensor& inside,
                          const torch::Tensor& outside,
                          const torch::Tensor& weight,
                          const torch::Tensor& bias);

/// Moves the bias of phi so that a log-sum-exp of `at` is as likely of either
/// kind.
void set_border(const torch::Tensor& weight, const torch::Tensor& bias,
                double at);

/// The uniform term from the logits of outliers.
torch::Tensor uniform_term(const torch::Tensor& outlier_logits);

/// The hinge term; margins are energies -S, so inner < outer.
torch::Tensor hinge_term(const torch::Tensor& inside,
                         const torch::Tensor& outside, double inner_margin,
                         double outer_margin);

/// Energies -S beyond which the hinge asks for no more; inner < outer.
struct HingeMargins {
  double inner = 0.0;
  double outer = 0.0;
};

/// Throws InvalidArgument, beginning with `operation`, unless the weight of the
/// term is from 0 to below 10^6 and the inner margin below the outer one.
void check_outlier_term(const char* operation, double weight,
                        const HingeMargins& margins);

/// The term of a loss from the logits of both kinds; `phi` holds "phi.weight"
/// and "phi.bias".
torch::Tensor outlier_term(OutlierLoss loss, const torch::Tensor& inside,
                           const torch::Tensor& outside,
                           const nn::TensorMap& phi,
                           const HingeMargins& margins);

}  // namespace sbog::image
