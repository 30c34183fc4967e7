// SPDX-License-Identifier: Apache-2.0
// A linear classifier on points of the sphere that is shown outliers while it
// learns. With logits l = z W + c the loss is
//   mean CE(l, class) + mean softplus(-e_in) + mean softplus(e_out),
//   e = softplus(a) lse(l) + b,
// where W, c, a and b are learnt: outliers move a statistic that does not
// depend on the class, with a slope and an offset of its own. Without outliers
// it is the cross-entropy alone. Adam moves all weights at one rate: it works
// on sqrt(dim) (z - mean of the bank), whose coordinates are of order 1, and
// what comes out is a head on z again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/detect/exposure.h"
#include "sbog/detect/labelled_bank.h"

namespace sbog::detect {

/// What is learnt.
struct LinearHead {
  Matrix<float> weights;    ///< dim x classes
  std::vector<float> bias;  ///< c
  float slope = 0.0F;       ///< a, before its softplus
  float offset = 0.0F;      ///< b

  std::size_t dim() const { return weights.rows(); }
  std::size_t class_count() const { return weights.cols(); }
  /// e of a log-sum-exp.
  double energy(double lse) const;
};

/// How it is learnt.
struct HeadOptions {
  std::size_t epochs = 12;
  /// A bank of few rows is gone through more often, until there were so many
  /// steps of Adam: from zero weights fewer lead nowhere.
  std::size_t least_steps = 700;
  std::size_t outliers = 3000;  ///< fresh ones per epoch; 0: none
  std::size_t batch = 256;      ///< bank rows per step of Adam
  double rate = 2e-3;           ///< of the weights
  double fast_rate = 2e-2;      ///< of c, a and b
  double decay = 1e-3;          ///< L2 of the weights
  ExposureOptions exposure;
};

/// How often a bank of so many rows is gone through.
std::size_t head_epochs(const HeadOptions& options, std::size_t rows);

/// Throws InvalidArgument for numbers out of range.
void check_head(const HeadOptions& options);

/// Loss of a batch and its gradient.
struct HeadGradient {
  double loss = 0.0;
  Matrix<float> weights;
  std::vector<float> bias;
  double slope = 0.0;
  double offset = 0.0;
};

/// The loss of the formula above without L2. The first classes.size() rows of
/// `points` are of these classes, the others are outliers; when
/// `is_exposed` is false the cross-entropy alone.
HeadGradient head_gradient(const LinearHead& head,
                           MatrixView<const float> points,
                           std::span<const std::size_t> classes,
                           bool is_exposed, const Context& context = {});

/// Trains from zero weights; nullopt when the observer asked to stop. The order
/// of the rows and the outliers are keyed by seed and epoch; the result does
/// not depend on the number of threads. Throws InvalidArgument for fewer than
/// two classes.
std::optional<LinearHead> train_head(const LabelledBank& bank,
                                     const HeadOptions& options,
                                     std::uint64_t seed,
                                     const Context& context = {});

/// The same with outliers of another law; `options.outliers` and
/// `options.exposure` are not read. The cross-entropy alone where an epoch has
/// no outliers.
std::optional<LinearHead> train_head(const LabelledBank& bank,
                                     const HeadOptions& options,
                                     std::uint64_t seed,
                                     const OutlierSource& outliers,
                                     const Context& context = {});

/// Logits in double, rows x classes.
Matrix<double> head_logits(const LinearHead& head,
                           MatrixView<const float> points,
                           const Context& context = {});

/// log sum_j exp(values_j).
double log_sum_exp_of(std::span<const double> values);

}  // namespace sbog::detect
