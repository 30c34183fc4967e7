// SPDX-License-Identifier: Apache-2.0
// The simple rules of baselines.h.
#include "sbog/series/baselines.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"
#include "sbog/energy/local_reference.h"
#include "sbog/series/channel_scaling.h"
#include "sbog/series/detail/eigen_index.h"
#include "sbog/series/detail/window_means.h"
#include "sbog/series/windows.h"

namespace sbog {
namespace {

constexpr double kKeptVariance = 0.9;

std::vector<double> random_scores(std::size_t rows, std::uint64_t seed) {
  std::vector<double> scores(rows);
  const std::array<std::uint32_t, 2> key = {
      static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  for (std::size_t t = 0; t < rows; ++t) {
    scores[t] = to_uniform(
        philox4x32({static_cast<std::uint32_t>(t), 0, 0, 0}, key).low64());
  }
  return scores;
}

// Smallest value of each column.
std::vector<float> column_minima(MatrixView<const float> rows) {
  std::vector<float> low(rows.row(0).begin(), rows.row(0).end());
  for (std::size_t t = 1; t < rows.rows(); ++t) {
    for (std::size_t c = 0; c < low.size(); ++c) {
      low[c] = std::min(low[c], rows(t, c));
    }
  }
  return low;
}

std::vector<float> column_maxima(MatrixView<const float> rows) {
  std::vector<float> high(rows.row(0).begin(), rows.row(0).end());
  for (std::size_t t = 1; t < rows.rows(); ++t) {
    for (std::size_t c = 0; c < high.size(); ++c) {
      high[c] = std::max(high[c], rows(t, c));
    }
  }
  return high;
}

std::vector<double> norm_scores(MatrixView<const float> train,
                                MatrixView<const float> test) {
  const std::vector<float> low = column_minima(train);
  std::vector<double> scores(test.rows());
  for (std::size_t t = 0; t < test.rows(); ++t) {
    double square = 0.0;
    for (std::size_t c = 0; c < low.size(); ++c) {
      const double x = static_cast<double>(test(t, c)) - low[c];
      square += x * x;
    }
    scores[t] = std::sqrt(square);
  }
  return scores;
}

std::vector<double> range_scores(MatrixView<const float> train,
                                 MatrixView<const float> test) {
  const std::vector<float> low = column_minima(train);
  const std::vector<float> high = column_maxima(train);
  std::vector<double> scores(test.rows());
  for (std::size_t t = 0; t < test.rows(); ++t) {
    for (std::size_t c = 0; c < low.size(); ++c) {
      const double x = test(t, c);
      scores[t] += std::max({0.0, low[c] - x, x - high[c]});
    }
  }
  return scores;
}

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd row_of(MatrixView<const float> rows, std::size_t t) {
  return Eigen::Map<const Eigen::VectorXf>(rows.row(t).data(),
                                           detail::eigen_index(rows.cols()))
      .cast<double>();
}

std::vector<double> pca_scores(MatrixView<const float> train,
                               MatrixView<const float> test) {
  VectorXd mean = VectorXd::Zero(detail::eigen_index(train.cols()));
  for (std::size_t t = 0; t < train.rows(); ++t) mean += row_of(train, t);
  mean /= static_cast<double>(train.rows());
  MatrixXd covariance = MatrixXd::Zero(mean.size(), mean.size());
  for (std::size_t t = 0; t < train.rows(); ++t) {
    covariance.selfadjointView<Eigen::Lower>().rankUpdate(row_of(train, t) -
                                                          mean);
  }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(covariance);
  const VectorXd& variances = solver.eigenvalues();  // increasing
  const double wanted = kKeptVariance * variances.sum();
  Eigen::Index kept = 0;
  for (double sum = 0.0; kept < variances.size() && sum < wanted; ++kept) {
    sum += variances(variances.size() - 1 - kept);
  }
  const MatrixXd components = solver.eigenvectors().rightCols(kept);
  std::vector<double> scores(test.rows());
  for (std::size_t t = 0; t < test.rows(); ++t) {
    const VectorXd x = row_of(test, t) - mean;
    scores[t] = (x - components * (components.transpose() * x)).norm();
  }
  return scores;
}

std::vector<double> nearest_scores(MatrixView<const float> train,
                                   MatrixView<const float> test,
                                   const Context& context) {
  EnergyOptions options;
  options.cost = GroundCost::kEuclidean;
  options.epsilon = 1.0;
  const EnergyModel<float> model({train, {}, {}}, options);
  const Neighbours nearest = nearest_atoms<float>(model, test, 1, {}, context);
  std::vector<double> scores(test.rows());
  for (std::size_t t = 0; t < scores.size(); ++t) {
    scores[t] = nearest.costs(t, 0);
  }
  return scores;
}

std::vector<double> row_lengths(MatrixView<const float> rows) {
  std::vector<double> lengths(rows.rows());
  for (std::size_t t = 0; t < lengths.size(); ++t) {
    lengths[t] = row_of(rows, t).norm();
  }
  return lengths;
}

// Both series in the units of a rule.
struct ScaledPair {
  Matrix<float> train;
  Matrix<float> test;
};

ScaledPair scale(Baseline rule, MatrixView<const double> train,
                 MatrixView<const double> test) {
  const ChannelScaling scaling = fit_scaling(train);  // checks the series
  const bool is_z = rule == Baseline::kNormZ || rule == Baseline::kPcaZ ||
                    rule == Baseline::kNearestZ;
  if (!is_z) return {scaling.apply(train), scaling.apply(test)};
  if (train.cols() != test.cols()) {
    throw InvalidArgument(
        "test series: as many channels as in training are "
        "expected");
  }
  const ChannelStatistics statistics = channel_statistics(train);
  return {standardise(train, statistics), standardise(test, statistics)};
}

}  // namespace

std::string_view to_string(Baseline rule) {
  switch (rule) {
    case Baseline::kRandom:
      return "random";
    case Baseline::kNorm:
      return "l2norm";
    case Baseline::kRange:
      return "range";
    case Baseline::kPca:
      return "pca";
    case Baseline::kNearest:
      return "1nn";
    case Baseline::kKMeans:
      return "kmeans";
    case Baseline::kNormZ:
      return "l2norm-z";
    case Baseline::kPcaZ:
      return "pca-z";
    case Baseline::kNearestZ:
      return "1nn-z";
  }
  return "unknown";
}

std::vector<double> baseline_scores(Baseline rule,
                                    MatrixView<const double> train,
                                    MatrixView<const double> test,
                                    std::uint64_t seed,
                                    const Context& context) {
  if (test.rows() == 0) throw InvalidArgument("test series: rows are expected");
  const ScaledPair scaled = scale(rule, train, test);
  const Matrix<float>& known = scaled.train;
  const Matrix<float>& seen = scaled.test;
  const Context pool{context.pool, nullptr};
  switch (rule) {
    case Baseline::kRandom:
      return random_scores(test.rows(), seed);
    case Baseline::kNorm:
      return norm_scores(known, seen);
    case Baseline::kRange:
      return range_scores(known, seen);
    case Baseline::kNormZ:
      return row_lengths(seen);
    case Baseline::kPca:
    case Baseline::kPcaZ:
      return pca_scores(known, seen);
    case Baseline::kNearest:
    case Baseline::kNearestZ:
      return nearest_scores(known, seen, pool);
    case Baseline::kKMeans:
      return detail::window_mean_scores(known, seen, seed);
  }
  throw InvalidArgument("baseline: a known rule is expected");
}

}  // namespace sbog
