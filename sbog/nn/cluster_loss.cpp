// SPDX-License-Identifier: Apache-2.0
// Values and gradients; see cluster_loss.h.
#include "sbog/nn/cluster_loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sbog/base/errors.h"

namespace sbog::series {
namespace {

constexpr double kLeastLog = -100.0;
constexpr double kLeastMass = 1e-8;

Matrix<double> softmax(MatrixView<const float> logits) {
  Matrix<double> p(logits.rows(), logits.cols());
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const auto row = logits.row(i);
    const double highest = *std::max_element(row.begin(), row.end());
    double sum = 0.0;
    for (std::size_t c = 0; c < row.size(); ++c) {
      p(i, c) = std::exp(row[c] - highest);
      sum += p(i, c);
    }
    for (std::size_t c = 0; c < row.size(); ++c) p(i, c) /= sum;
  }
  return p;
}

double dot(const Matrix<double>& a, const Matrix<double>& b, std::size_t i) {
  double sum = 0.0;
  for (std::size_t c = 0; c < a.cols(); ++c) sum += a(i, c) * b(i, c);
  return sum;
}

// From gradients of probabilities to those of logits.
Matrix<float> through_softmax(const Matrix<double>& p,
                              const Matrix<double>& d_p) {
  Matrix<float> d_logits(p.rows(), p.cols());
  for (std::size_t i = 0; i < p.rows(); ++i) {
    const double along = dot(p, d_p, i);
    for (std::size_t c = 0; c < p.cols(); ++c) {
      d_logits(i, c) = static_cast<float>(p(i, c) * (d_p(i, c) - along));
    }
  }
  return d_logits;
}

// -mean log value_i and, per row, its slope with respect to value_i.
struct LogTerm {
  double mean = 0.0;
  std::vector<double> slopes;

  void add(double value, double count) {
    const double log_value = value > 0.0 ? std::log(value) : kLeastLog;
    mean -= std::max(log_value, kLeastLog) / count;
    slopes.push_back(log_value > kLeastLog ? -1.0 / (value * count) : 0.0);
  }
};

void add_scaled(const Matrix<double>& from, std::size_t i, double factor,
                Matrix<double>& to) {
  for (std::size_t c = 0; c < from.cols(); ++c) {
    to(i, c) += factor * from(i, c);
  }
}

// H of the mean of the rows; adds weight * dH to d_p.
double mean_entropy(const Matrix<double>& p, double weight,
                    Matrix<double>& d_p) {
  const double count = static_cast<double>(p.rows());
  double entropy = 0.0;
  for (std::size_t c = 0; c < p.cols(); ++c) {
    double mass = 0.0;
    for (std::size_t i = 0; i < p.rows(); ++i) mass += p(i, c) / count;
    const double held = std::max(mass, kLeastMass);
    entropy -= held * std::log(held);
    if (mass <= kLeastMass) continue;
    const double slope = -(std::log(mass) + 1.0) * weight / count;
    for (std::size_t i = 0; i < p.rows(); ++i) d_p(i, c) += slope;
  }
  return entropy;
}

}  // namespace

Matrix<float> softmax_rows(MatrixView<const float> logits) {
  const Matrix<double> p = softmax(logits);
  Matrix<float> rounded(p.rows(), p.cols());
  for (std::size_t k = 0; k < p.size(); ++k) {
    rounded.elements()[k] = static_cast<float>(p.elements()[k]);
  }
  return rounded;
}

ClusterLoss cluster_loss(MatrixView<const float> anchor,
                         MatrixView<const float> near,
                         MatrixView<const float> far,
                         const ClusterWeights& weights) {
  const auto fits = [&](MatrixView<const float> other) {
    return other.rows() == anchor.rows() && other.cols() == anchor.cols();
  };
  const bool has_far = !far.is_empty();
  if (anchor.is_empty() || !fits(near) || (has_far && !fits(far)) ||
      (!has_far && weights.inconsistency != 0.0)) {
    throw InvalidArgument(
        "cluster_loss: logits of anchors, near and (with a "
        "weight) far items of equal shape are expected");
  }
  const double count = static_cast<double>(anchor.rows());
  const Matrix<double> p = softmax(anchor);
  const Matrix<double> q = softmax(near);
  Matrix<double> d_p(p.rows(), p.cols());
  Matrix<double> d_q(p.rows(), p.cols());
  ClusterLoss loss;
  LogTerm pull;
  for (std::size_t i = 0; i < p.rows(); ++i) {
    pull.add(dot(p, q, i), count);
    add_scaled(q, i, pull.slopes[i], d_p);
    add_scaled(p, i, pull.slopes[i], d_q);
  }
  loss.consistency = pull.mean;
  loss.entropy = mean_entropy(p, -weights.entropy, d_p);
  if (has_far) {
    const Matrix<double> r = softmax(far);
    Matrix<double> d_r(p.rows(), p.cols());
    LogTerm push;
    for (std::size_t i = 0; i < p.rows(); ++i) {
      push.add(1.0 - dot(p, r, i), count);
      const double slope = -weights.inconsistency * push.slopes[i];
      add_scaled(r, i, slope, d_p);
      add_scaled(p, i, slope, d_r);
    }
    loss.inconsistency = push.mean;
    loss.d_far = through_softmax(r, d_r);
  }
  loss.total = loss.consistency - weights.entropy * loss.entropy +
               weights.inconsistency * loss.inconsistency;
  loss.d_anchor = through_softmax(p, d_p);
  loss.d_near = through_softmax(q, d_q);
  return loss;
}

}  // namespace sbog::series
