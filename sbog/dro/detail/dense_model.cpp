// SPDX-License-Identifier: Apache-2.0
// Models of a given matrix of costs or Gibbs rows; see dro_model.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/dro/detail/compensated_sum.h"
#include "sbog/dro/detail/dro_model.h"

namespace sbog::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct DenseModel : DroModel {
  SolveStatus prepare(const Context& context) override {
    return problem->prepare(context);
  }
};

std::string place(std::size_t i, std::size_t j) {
  return "row " + std::to_string(i) + ", column " + std::to_string(j);
}

bool is_there(double logit) { return logit > kAbsentLogit; }

// Natural log of sum 2^logit over the atoms that `sees` admits; -inf if none.
template <class Sees>
double log_sum(std::span<const double> logits, const Sees& sees) {
  double max = -kInfinity;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    if (is_there(logits[j]) && sees(j)) max = std::max(max, logits[j]);
  }
  if (max == -kInfinity) return max;
  CompensatedSum sum;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    if (is_there(logits[j]) && sees(j)) sum.add(std::exp2(logits[j] - max));
  }
  return std::numbers::ln2 * max + std::log(sum.total());
}

// What a model needs to know of the losses, row by row: rows of weight 0 do not
// count.
void read_losses(DroModel& model, MatrixView<const double> logits,
                 std::span<const double> losses) {
  LossRange range;
  CompensatedSum divergence;
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    if (model.weights[i] == 0.0) continue;
    const auto row = std::span<const double>(logits.row(i));
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (!is_there(row[j])) continue;
      range.add(losses[j]);
      model.has_plus_infinity |= losses[j] == kInfinity;
      model.has_minus_infinity |= losses[j] == -kInfinity;
    }
    const double all = log_sum(row, [](std::size_t) { return true; });
    const double finite =
        log_sum(row, [&](std::size_t j) { return std::isfinite(losses[j]); });
    model.is_hopeless |= finite == -kInfinity;
    divergence.add(model.weights[i] * std::max(0.0, all - finite));
  }
  model.scale = range.scale();
  model.finite_divergence = divergence.total();
}

// The gains, and the largest gain of each row.
void set_problem(DroModel& model, Matrix<double>& logits,
                 std::span<const double> losses) {
  const std::size_t count = losses.size();
  const bool is_finite = !model.has_plus_infinity && !model.is_hopeless;
  std::vector<double> gains(count, 0.0);
  for (std::size_t j = 0; j < count && is_finite; ++j) {
    const double gain = (losses[j] - model.scale.top) / model.scale.range;
    gains[j] = std::clamp(gain, -1.0, 0.0);
  }
  std::vector<double> tops(logits.rows(), 0.0);
  model.is_constant = is_finite;
  for (std::size_t i = 0; i < logits.rows() && is_finite; ++i) {
    double top = -1.0;
    LossRange seen;
    for (std::size_t j = 0; j < count; ++j) {
      double& logit = logits(i, j);
      if (losses[j] == -kInfinity) logit = kAbsentLogit;
      if (!is_there(logit)) continue;
      top = std::max(top, gains[j]);
      seen.add(losses[j]);
    }
    if (model.weights[i] > 0.0) model.is_constant &= seen.is_constant();
    tops[i] = top;
  }
  model.problem = std::make_unique<TiltPasses<double>>(
      LogitBlocks<double>(logits), model.weights, std::move(gains),
      std::move(tops));
}

void check_shape(MatrixView<const double> matrix, const char* name) {
  if (matrix.is_empty()) {
    throw InvalidArgument(std::string(name) + ": no values, got " +
                          std::to_string(matrix.rows()) + " rows and " +
                          std::to_string(matrix.cols()) + " columns");
  }
}

std::unique_ptr<DenseModel> begin_model(MatrixView<const double> matrix,
                                        std::span<const double> nominal_weights,
                                        std::span<const double> losses,
                                        double epsilon, const char* name) {
  check_shape(matrix, name);
  check_epsilon(epsilon);
  check_losses(losses, matrix.cols());
  auto model = std::make_unique<DenseModel>();
  model->epsilon = epsilon;
  model->nominal_count = matrix.rows();
  model->reference_count = matrix.cols();
  model->weights =
      normalised_weights(nominal_weights, matrix.rows(), "nominal");
  return model;
}

void throw_unsupported(const char* name, std::size_t row) {
  throw InvalidArgument(std::string(name) + ": row " + std::to_string(row) +
                        " has positive weight and no support");
}

}  // namespace

std::unique_ptr<DroModel> make_kernel_model(
    MatrixView<const double> kernel, std::span<const double> nominal_weights,
    std::span<const double> losses, double epsilon) {
  auto model = begin_model(kernel, nominal_weights, losses, epsilon, "kernel");
  Matrix<double> logits(kernel.rows(), kernel.cols());
  for (std::size_t i = 0; i < kernel.rows(); ++i) {
    double largest = 0.0;
    for (std::size_t j = 0; j < kernel.cols(); ++j) {
      const double q = kernel(i, j);
      if (!std::isfinite(q) || q < 0.0) {
        throw InvalidArgument("kernel: " + place(i, j) + " is " +
                              std::to_string(q) +
                              "; finite and non-negative is expected");
      }
      largest = std::max(largest, q);
    }
    // Relative to the largest weight: rounding is small where Q is not.
    for (std::size_t j = 0; j < kernel.cols(); ++j) {
      const double q = kernel(i, j);
      const double share = q / largest;
      const bool is_normal = share >= std::numeric_limits<double>::min();
      logits(i, j) = is_normal ? std::log2(share)
                     : q > 0.0 ? std::log2(q) - std::log2(largest)
                               : kAbsentLogit;
    }
    if (largest == 0.0 && model->weights[i] > 0.0) {
      throw_unsupported("kernel", i);
    }
  }
  read_losses(*model, logits, losses);
  set_problem(*model, logits, losses);
  return model;
}

std::unique_ptr<DroModel> make_cost_model(
    MatrixView<const double> costs, std::span<const double> nominal_weights,
    std::span<const double> reference_weights, std::span<const double> losses,
    double epsilon) {
  auto model = begin_model(costs, nominal_weights, losses, epsilon, "costs");
  const std::vector<double> nu =
      normalised_weights(reference_weights, costs.cols(), "reference");
  Matrix<double> logits(costs.rows(), costs.cols());
  CompensatedSum energy;
  for (std::size_t i = 0; i < costs.rows(); ++i) {
    double lowest = kInfinity;
    for (std::size_t j = 0; j < costs.cols(); ++j) {
      if (std::isnan(costs(i, j)) || costs(i, j) < 0.0) {
        throw InvalidArgument("costs: " + place(i, j) + " is " +
                              std::to_string(costs(i, j)) +
                              "; non-negative or +inf is expected");
      }
      if (nu[j] > 0.0) lowest = std::min(lowest, costs(i, j));
    }
    const bool has_support = lowest < kInfinity;
    if (!has_support && model->weights[i] > 0.0) throw_unsupported("costs", i);
    // Relative to the lowest cost: then rounding is small where Q is not.
    for (std::size_t j = 0; j < costs.cols(); ++j) {
      const double above = costs(i, j) - lowest;
      const bool is_seen = nu[j] > 0.0 && costs(i, j) < kInfinity;
      const double logit =
          is_seen ? std::log2(nu[j]) - above / epsilon * std::numbers::log2e
                  : kAbsentLogit;
      logits(i, j) = std::max(logit, kAbsentLogit);
    }
    if (model->weights[i] == 0.0) continue;
    const auto row = std::span<const double>(logits.row(i));
    const double log_k = log_sum(row, [](std::size_t) { return true; });
    energy.add(model->weights[i] * std::max(0.0, lowest - epsilon * log_k));
  }
  model->has_energy = true;
  model->mean_energy = energy.total();
  read_losses(*model, logits, losses);
  set_problem(*model, logits, losses);
  return model;
}

}  // namespace sbog::detail
