// SPDX-License-Identifier: Apache-2.0
// The simple rules of baselines.h.
#include "sbog/series/baselines.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/base/philox.h"
#include "sbog/base/symmetric.h"
#include "sbog/energy/local_reference.h"
#include "sbog/series/channel_scaling.h"
#include "sbog/series/detail/window_means.h"
#include "sbog/series/windows.h"

namespace sbog {
namespace {

constexpr double kKeptVariance = 0.9;
constexpr std::size_t kRowsAtOnce = 256;

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

// The mean of the training rows and the directions that hold most of their
// variance.
struct Components {
  std::vector<double> mean;
  Matrix<double> axes;  // one in a row
  std::size_t kept = 0;
};

void subtract(std::span<const float> row, std::span<const double> mean,
              std::span<double> out) {
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c] = static_cast<double>(row[c]) - mean[c];
  }
}

Components fit_components(MatrixView<const float> train) {
  Components result;
  result.mean.assign(train.cols(), 0.0);
  for (std::size_t t = 0; t < train.rows(); ++t) {
    for (std::size_t c = 0; c < train.cols(); ++c) {
      result.mean[c] += static_cast<double>(train(t, c));
    }
  }
  for (double& x : result.mean) x /= static_cast<double>(train.rows());
  Matrix<double> covariance(train.cols(), train.cols());
  Matrix<double> block(std::min(kRowsAtOnce, train.rows()), train.cols());
  for (std::size_t first = 0; first < train.rows(); first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, train.rows() - first);
    for (std::size_t i = 0; i < count; ++i) {
      subtract(train.row(first + i), result.mean, block.row(i));
    }
    add_gram(block.view().subrows(0, count), covariance);
  }
  SymmetricEigen eigen = symmetric_eigen(covariance);
  const double total =
      std::accumulate(eigen.values.begin(), eigen.values.end(), 0.0);
  for (double sum = 0.0;
       result.kept < eigen.values.size() && sum < kKeptVariance * total;
       ++result.kept) {
    sum += eigen.values[result.kept];
  }
  result.axes = std::move(eigen.vectors);
  return result;
}

std::vector<double> pca_scores(MatrixView<const float> train,
                               MatrixView<const float> test) {
  const Components components = fit_components(train);
  std::vector<double> scores(test.rows());
  std::vector<double> rest(test.cols());
  for (std::size_t t = 0; t < test.rows(); ++t) {
    subtract(test.row(t), components.mean, rest);
    for (std::size_t k = 0; k < components.kept; ++k) {
      const std::span<const double> axis = components.axes.row(k);
      const double along = inner_product<double, double>(axis, rest);
      for (std::size_t c = 0; c < rest.size(); ++c) rest[c] -= along * axis[c];
    }
    scores[t] = norm_of<double>(rest);
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
    lengths[t] = norm_of<float>(rows.row(t));
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
