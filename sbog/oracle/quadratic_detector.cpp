// SPDX-License-Identifier: Apache-2.0
// Newton's method of quadratic_detector.h.
#include "sbog/oracle/quadratic_detector.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

using Design = Eigen::MatrixXd;  // one row per point, intercept first
using Row = Eigen::RowVectorXd;

// Squared Newton decrement at which the fit counts as exact.
constexpr double kTolerance = 1e-20;
constexpr int kHalvings = 40;

Eigen::Index as_index(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

std::size_t feature_count(std::size_t dim) { return dim + dim * (dim + 1) / 2; }

// Coordinates and products, after a 1 for the intercept.
void fill_features(MatrixView<const float> points, Eigen::Index first,
                   Design& design) {
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const Eigen::Index row = first + as_index(i);
    const auto point = points.row(i);
    Eigen::Index next = 0;
    design(row, next++) = 1.0;
    for (std::size_t j = 0; j < point.size(); ++j) {
      const auto x = static_cast<double>(point[j]);
      design(row, next++) = x;
      for (std::size_t k = 0; k <= j; ++k) {
        design(row, next++) = x * static_cast<double>(point[k]);
      }
    }
  }
}

void standardise(const std::vector<double>& centre,
                 const std::vector<double>& scale, Design& design) {
  for (std::size_t f = 0; f < centre.size(); ++f) {
    auto column = design.col(as_index(f) + 1).array();
    column = (column - centre[f]) * scale[f];
  }
}

double log_one_plus_exp(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

// The problem in the form Newton's method needs.
struct Logistic {
  Design design;
  Eigen::VectorXd signs;   // +1 or -1
  Eigen::VectorXd masses;  // of the points, 1 in total
  Eigen::VectorXd ridges;  // per weight

  double loss(const Eigen::VectorXd& weights) const {
    const Eigen::VectorXd margins = signs.cwiseProduct(design * weights);
    double sum = 0.5 * weights.cwiseProduct(ridges).dot(weights);
    for (Eigen::Index i = 0; i < margins.size(); ++i) {
      sum += masses[i] * log_one_plus_exp(-margins[i]);
    }
    return sum;
  }

  // The Newton step, and the decrement -gradient . step.
  Eigen::VectorXd step(const Eigen::VectorXd& weights,
                       double& decrement) const {
    const Eigen::VectorXd margins = signs.cwiseProduct(design * weights);
    Eigen::VectorXd slopes(margins.size());
    Eigen::VectorXd roots(margins.size());
    for (Eigen::Index i = 0; i < margins.size(); ++i) {
      const double wrong = 1.0 / (1.0 + std::exp(margins[i]));
      slopes[i] = -masses[i] * signs[i] * wrong;
      roots[i] = std::sqrt(masses[i] * wrong * (1.0 - wrong));
    }
    const Eigen::VectorXd gradient =
        design.transpose() * slopes + ridges.cwiseProduct(weights);
    const Design scaled = roots.asDiagonal() * design;
    Design hessian = Design::Zero(weights.size(), weights.size());
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    hessian.diagonal() += ridges;
    Eigen::VectorXd found =
        hessian.selfadjointView<Eigen::Lower>().ldlt().solve(-gradient);
    decrement = -gradient.dot(found);
    return found;
  }
};

}  // namespace

QuadraticDetector::QuadraticDetector(MatrixView<const float> negatives,
                                     MatrixView<const float> positives,
                                     const QuadraticDetectorOptions& options)
    : dim_(negatives.cols()) {
  if (negatives.is_empty() || positives.is_empty() ||
      positives.cols() != dim_) {
    throw InvalidArgument(
        "detector: points of both classes and of one dimension are expected");
  }
  if (!(options.ridge > 0.0) || !std::isfinite(options.ridge)) {
    throw InvalidArgument("ridge: a finite number above 0 is expected");
  }
  const Eigen::Index n0 = as_index(negatives.rows());
  const Eigen::Index n1 = as_index(positives.rows());
  const std::size_t features = feature_count(dim_);
  Logistic problem;
  problem.design.resize(n0 + n1, as_index(features) + 1);
  fill_features(negatives, 0, problem.design);
  fill_features(positives, n0, problem.design);
  for (std::size_t f = 0; f < features; ++f) {
    const auto column = problem.design.col(as_index(f) + 1).array();
    const double mean = column.mean();
    const double spread = std::sqrt((column - mean).square().mean());
    centre_.push_back(mean);
    scale_.push_back(spread > 0.0 ? 1.0 / spread : 0.0);
  }
  standardise(centre_, scale_, problem.design);
  problem.signs.resize(n0 + n1);
  problem.signs << Eigen::VectorXd::Constant(n0, -1.0),
      Eigen::VectorXd::Constant(n1, 1.0);
  problem.masses.resize(n0 + n1);
  problem.masses << Eigen::VectorXd::Constant(n0,
                                              0.5 / static_cast<double>(n0)),
      Eigen::VectorXd::Constant(n1, 0.5 / static_cast<double>(n1));
  problem.ridges =
      Eigen::VectorXd::Constant(as_index(features) + 1, options.ridge);
  problem.ridges[0] = 0.0;

  Eigen::VectorXd weights = Eigen::VectorXd::Zero(problem.ridges.size());
  double loss = problem.loss(weights);
  while (status_ != SolveStatus::kDone && steps_ < options.max_steps) {
    double decrement = 0.0;
    Eigen::VectorXd step = problem.step(weights, decrement);
    ++steps_;
    // Halve until the loss falls; near the minimum rounding hides the fall.
    double next = problem.loss(weights + step);
    for (int h = 0; h < kHalvings && next > loss && decrement > 1e-12; ++h) {
      step *= 0.5;
      next = problem.loss(weights + step);
    }
    weights += step;
    loss = next;
    if (decrement <= kTolerance) status_ = SolveStatus::kDone;
  }
  weights_.assign(weights.begin(), weights.end());
}

std::vector<double> QuadraticDetector::score(
    MatrixView<const float> points) const {
  if (points.cols() != dim_) {
    throw InvalidArgument("detector: points of dimension " +
                          std::to_string(dim_) + " are expected, got " +
                          std::to_string(points.cols()));
  }
  Design design(as_index(points.rows()), as_index(weights_.size()));
  fill_features(points, 0, design);
  standardise(centre_, scale_, design);
  const Eigen::VectorXd scores =
      design * Eigen::Map<const Eigen::VectorXd>(weights_.data(),
                                                 as_index(weights_.size()));
  return {scores.begin(), scores.end()};
}

}  // namespace sbog
