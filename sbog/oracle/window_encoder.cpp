// SPDX-License-Identifier: Apache-2.0
// Fit and maps of window_encoder.h.
#include "sbog/oracle/window_encoder.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <map>
#include <vector>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

using Square = Eigen::Matrix<double, kStatistics, kStatistics>;
using Column = Eigen::Matrix<double, kStatistics, 1>;

Column column_of(const Statistics& statistics) {
  return Eigen::Map<const Column>(statistics.data());
}

// Sums over the rows of a lower triangle.
Statistics multiply(const std::array<Statistics, kStatistics>& triangle,
                    const Statistics& x) {
  Statistics out{};
  for (std::size_t i = 0; i < kStatistics; ++i) {
    for (std::size_t j = 0; j <= i; ++j) out[i] += triangle[i][j] * x[j];
  }
  return out;
}

Statistics difference(const Statistics& a, const Statistics& b) {
  Statistics out;
  for (std::size_t i = 0; i < kStatistics; ++i) out[i] = a[i] - b[i];
  return out;
}

struct ClassSum {
  Column sum = Column::Zero();
  double count = 0.0;
};

}  // namespace

WindowEncoder::WindowEncoder(MatrixView<const double> windows,
                             std::span<const std::int64_t> labels) {
  if (windows.rows() != labels.size() || labels.empty()) {
    throw InvalidArgument("encoder: one label per window is expected");
  }
  std::vector<Statistics> all(windows.rows());
  std::map<std::int64_t, ClassSum> classes;
  Column sum = Column::Zero();
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = window_statistics(windows.row(i));
    ClassSum& mine = classes[labels[i]];
    mine.sum += column_of(all[i]);
    mine.count += 1.0;
    sum += column_of(all[i]);
  }
  const auto count = static_cast<double>(all.size());
  Square scatter = Square::Zero();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ClassSum& mine = classes[labels[i]];
    const Column apart = column_of(all[i]) - mine.sum / mine.count;
    scatter.noalias() += apart * apart.transpose();
  }
  const double freedom = count - static_cast<double>(classes.size());
  const Eigen::LLT<Square> factor(scatter / freedom);
  if (!(freedom > 0.0) || factor.info() != Eigen::Success) {
    throw InvalidArgument(
        "encoder: the covariance of the statistics is singular; more windows "
        "are expected");
  }
  const Square lower = factor.matrixL();
  const Square inverse = factor.matrixL().solve(Square::Identity());
  for (std::size_t i = 0; i < kStatistics; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    centre_[i] = sum[row] / count;
    for (std::size_t j = 0; j <= i; ++j) {
      factor_[i][j] = lower(row, static_cast<Eigen::Index>(j));
      whitening_[i][j] = inverse(row, static_cast<Eigen::Index>(j));
    }
  }
}

Statistics WindowEncoder::whiten(const Statistics& statistics) const {
  return multiply(whitening_, difference(statistics, centre_));
}

Statistics WindowEncoder::whiten_change(const Statistics& change) const {
  return multiply(whitening_, change);
}

Statistics WindowEncoder::restore(const Statistics& whitened) const {
  Statistics out = multiply(factor_, whitened);
  for (std::size_t i = 0; i < kStatistics; ++i) out[i] += centre_[i];
  return out;
}

OraclePoint WindowEncoder::encode(std::span<const double> window) const {
  return lift_to_sphere(whiten(window_statistics(window)));
}

std::optional<Statistics> WindowEncoder::statistics_at(
    std::span<const double> latent) const {
  if (latent.size() != kOracleDim) {
    throw InvalidArgument("latent: " + std::to_string(kOracleDim) +
                          " coordinates are expected, got " +
                          std::to_string(latent.size()));
  }
  if (!(latent[kStatistics] > 0.0)) return std::nullopt;
  Statistics whitened;
  for (std::size_t i = 0; i < kStatistics; ++i) {
    whitened[i] = kLift * latent[i] / latent[kStatistics];
  }
  return restore(whitened);
}

OraclePoint lift_to_sphere(const Statistics& whitened) {
  double squares = WindowEncoder::kLift * WindowEncoder::kLift;
  for (const double value : whitened) squares += value * value;
  const double length = std::sqrt(squares);
  OraclePoint point;
  for (std::size_t i = 0; i < kStatistics; ++i) point[i] = whitened[i] / length;
  point[kStatistics] = WindowEncoder::kLift / length;
  return point;
}

}  // namespace sbog
