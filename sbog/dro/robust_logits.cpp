// SPDX-License-Identifier: Apache-2.0
// Checks and scheduling of robust logits; see robust_logits.h.
#include "sbog/dro/robust_logits.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/dro/detail/robust_kernel.h"
#include "sbog/energy/detail/tile_kernel.h"
#include "sbog/energy/energy_model.h"

namespace sbog {
namespace {

// Values that a task reads: enough to be worth a task.
constexpr std::size_t kTaskValues = 8192;

std::string shape_of(std::size_t rows, std::size_t cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

template <typename T>
void check_view(const MatrixView<T>& view, std::size_t rows, std::size_t cols,
                const char* name) {
  if (view.is_empty()) return;
  if (view.rows() != rows || view.cols() != cols) {
    throw InvalidArgument(std::string(name) + ": " + shape_of(rows, cols) +
                          " is expected, got " +
                          shape_of(view.rows(), view.cols()));
  }
}

// B, C and S.
struct Sizes {
  std::size_t samples;
  std::size_t classes;
  std::size_t atoms;
};

template <typename T>
Sizes check_batch(const RobustBatch<T>& batch, const RobustOptions& options) {
  check_epsilon(options.epsilon);
  if (std::isnan(options.radius) || options.radius < 0.0) {
    throw InvalidArgument("radius: a number not below 0 is expected, got " +
                          std::to_string(options.radius));
  }
  const std::size_t rows = batch.similarities.rows();
  const std::size_t samples = batch.costs.rows();
  if (batch.similarities.is_empty() || batch.costs.is_empty()) {
    throw InvalidArgument("robust_logits: no similarities or no costs");
  }
  if (rows % samples != 0 || batch.similarities.cols() != batch.costs.cols()) {
    throw InvalidArgument(
        "similarities: " + shape_of(rows, batch.similarities.cols()) +
        " is not samples * classes x atoms for costs of " +
        shape_of(samples, batch.costs.cols()));
  }
  if (batch.similarities.row_stride() > detail::kLargestStride) {
    throw InvalidArgument("similarities: rows of at most " +
                          std::to_string(detail::kLargestStride) +
                          " values are expected, got " +
                          std::to_string(batch.similarities.row_stride()));
  }
  return {samples, rows / samples, batch.costs.cols()};
}

std::vector<double> log2_weights(std::span<const double> weights,
                                 std::size_t atoms) {
  if (!weights.empty() && weights.size() != atoms) {
    throw InvalidArgument("weights: one per atom (" + std::to_string(atoms) +
                          ") is expected, got " +
                          std::to_string(weights.size()));
  }
  std::vector<double> logs(atoms, 0.0);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!std::isfinite(weights[k]) || weights[k] < 0.0) {
      throw InvalidArgument("weights: entry " + std::to_string(k) + " is " +
                            std::to_string(weights[k]) +
                            "; finite and non-negative is expected");
    }
    logs[k] = weights[k] > 0.0 ? std::log2(weights[k]) : detail::kAbsentLogit;
  }
  return logs;
}

std::vector<double> signs_of(std::span<const std::size_t> labels,
                             RobustSign sign, const Sizes& sizes) {
  const bool raises = sign != RobustSign::kPaper;
  std::vector<double> signs(sizes.samples * sizes.classes, raises ? 1.0 : -1.0);
  if (sign != RobustSign::kAdversarial) return signs;
  if (labels.size() != sizes.samples) {
    throw InvalidArgument(
        "labels: one per sample (" + std::to_string(sizes.samples) +
        ") is expected, got " + std::to_string(labels.size()));
  }
  for (std::size_t b = 0; b < sizes.samples; ++b) {
    if (labels[b] >= sizes.classes) {
      throw InvalidArgument("labels: sample " + std::to_string(b) +
                            " has class " + std::to_string(labels[b]) + " of " +
                            std::to_string(sizes.classes));
    }
    signs[b * sizes.classes + labels[b]] = -1.0;
  }
  return signs;
}

// Find what the kernels have seen and throw with its place.
template <typename T>
void throw_bad_sample(const RobustBatch<T>& batch, std::size_t first,
                      std::size_t count) {
  for (std::size_t b = first; b < first + count; ++b) {
    bool has_support = false;
    for (std::size_t k = 0; k < batch.costs.cols(); ++k) {
      const auto cost = static_cast<double>(batch.costs(b, k));
      if (!(cost >= 0.0)) {
        throw InvalidArgument("costs: sample " + std::to_string(b) + ", atom " +
                              std::to_string(k) + " is " +
                              std::to_string(cost) +
                              "; non-negative or +inf is expected");
      }
      has_support |= std::isfinite(cost) &&
                     (batch.weights.empty() || batch.weights[k] > 0.0);
    }
    if (!has_support) {
      throw InvalidArgument("costs: sample " + std::to_string(b) +
                            " has no atom of finite cost and positive weight");
    }
  }
  throw InvalidArgument("costs: too large for this epsilon");
}

template <typename T>
void throw_bad_row(const RobustBatch<T>& batch, std::size_t first,
                   std::size_t count) {
  for (std::size_t r = first; r < first + count; ++r) {
    for (std::size_t k = 0; k < batch.costs.cols(); ++k) {
      const auto value = static_cast<double>(batch.similarities(r, k));
      if (std::abs(value) <= 1e300) continue;
      throw InvalidArgument("similarities: row " + std::to_string(r) +
                            ", atom " + std::to_string(k) + " is " +
                            std::to_string(value) +
                            "; finite, at most 1e300, is expected");
    }
  }
}

}  // namespace

template <typename T>
SolveStatus robust_logits(const RobustBatch<T>& batch,
                          const RobustOptions& options,
                          const RobustOutput<T>& out, const Context& context) {
  const Sizes sizes = check_batch(batch, options);
  const std::size_t row_count = sizes.samples * sizes.classes;
  check_view(out.values, sizes.samples, sizes.classes, "values");
  check_view(out.lambdas, sizes.samples, sizes.classes, "lambdas");
  check_view(out.tilted, row_count, sizes.atoms, "tilted");
  check_view(out.cost_gradients, row_count, sizes.atoms, "cost_gradients");
  const std::vector<double> logs = log2_weights(batch.weights, sizes.atoms);
  const std::vector<double> signs = signs_of(batch.labels, options.sign, sizes);
  // B x C results go through a dense copy when their rows are apart.
  const auto dense = [](const MatrixView<T>& view) {
    return view.is_empty() || view.row_stride() == view.cols()
               ? Matrix<T>()
               : Matrix<T>(view.rows(), view.cols());
  };
  Matrix<T> values = dense(out.values);
  Matrix<T> lambdas = dense(out.lambdas);
  const auto target = [](Matrix<T>& copy, const MatrixView<T>& view) {
    if (view.is_empty()) return static_cast<T*>(nullptr);
    return copy.size() > 0 ? copy.data() : view.data();
  };
  const std::size_t scratch_size = detail::robust_scratch() * sizes.atoms;
  // Matrices, because they are aligned: no load crosses a cache line.
  std::vector<Matrix<double>> scratch(worker_count(context));
  const std::size_t step =
      std::max<std::size_t>(kTaskValues / sizes.atoms / 64, 1) * 64;
  const auto in_steps = [&](std::size_t total, const auto& body) {
    parallel_for(context, (total + step - 1) / step,
                 [&](std::size_t index, std::size_t worker) {
                   const std::size_t first = index * step;
                   Matrix<double>& mine = scratch[worker];
                   if (mine.size() == 0) mine = Matrix<double>(1, scratch_size);
                   body(first, std::min(step, total - first), mine.data());
                 });
  };
  Matrix<double> log2_q(sizes.samples, sizes.atoms);
  Matrix<double> q(sizes.samples, sizes.atoms);
  const detail::RobustSamples<T> samples = {
      batch.costs.data(), batch.costs.row_stride(), sizes.atoms, logs.data(),
      options.epsilon};
  in_steps(sizes.samples,
           [&](std::size_t first, std::size_t count, double* memory) {
             if (!detail::robust_sample_laws(samples, first, count,
                                             log2_q.data(), q.data(), memory)) {
               throw_bad_sample(batch, first, count);
             }
           });
  const detail::RobustRows<T> rows = {batch.similarities.data(),
                                      batch.similarities.row_stride(),
                                      log2_q.data(),
                                      q.data(),
                                      sizes.atoms,
                                      sizes.classes,
                                      signs.data(),
                                      options.epsilon,
                                      options.radius};
  const detail::RobustTargets<T> targets = {
      target(values, out.values),
      target(lambdas, out.lambdas),
      out.tilted.is_empty() ? nullptr : out.tilted.data(),
      out.tilted.row_stride(),
      out.cost_gradients.is_empty() ? nullptr : out.cost_gradients.data(),
      out.cost_gradients.row_stride()};
  ProgressCounter progress(context.observer, row_count);
  in_steps(
      row_count, [&](std::size_t first, std::size_t count, double* memory) {
        if (progress.is_cancelled()) return;
        if (!detail::solve_robust_rows(rows, first, count, targets, memory)) {
          throw_bad_row(batch, first, count);
        }
        progress.add(count);
      });
  const auto copy_back = [](const Matrix<T>& from, const MatrixView<T>& to) {
    for (std::size_t i = 0; i < from.rows(); ++i) {
      std::copy(from.row(i).begin(), from.row(i).end(), to.row(i).begin());
    }
  };
  copy_back(values, out.values);
  copy_back(lambdas, out.lambdas);
  return progress.is_cancelled() ? SolveStatus::kCancelled : SolveStatus::kDone;
}

template SolveStatus robust_logits(const RobustBatch<float>&,
                                   const RobustOptions&,
                                   const RobustOutput<float>&, const Context&);
template SolveStatus robust_logits(const RobustBatch<double>&,
                                   const RobustOptions&,
                                   const RobustOutput<double>&, const Context&);

}  // namespace sbog
