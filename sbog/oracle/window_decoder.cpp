// SPDX-License-Identifier: Apache-2.0
// Gauss-Newton of window_decoder.h.
#include "sbog/oracle/window_decoder.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace sbog {
namespace {

constexpr int kSteps = 8;
constexpr double kLongestStep = 1.0;
constexpr double kRidge = 1e-8;
constexpr double kLargestResidual = 1e-3;

using Square = Eigen::Matrix<double, kStatistics, kStatistics>;
using Column = Eigen::Matrix<double, kStatistics, 1>;
using Map = Eigen::Matrix<double, 2, 4>;  // (M, N)

// First and second moments of f_t = (xc_t, xc_{t-1}).
struct PairMoments {
  Eigen::Vector4d mean = Eigen::Vector4d::Zero();
  Eigen::Matrix4d covariance = Eigen::Matrix4d::Zero();
  Eigen::Matrix4d lagged = Eigen::Matrix4d::Zero();
};

Eigen::Vector4d pair_at(std::span<const double> centred, std::size_t t) {
  return {centred[2 * t], centred[2 * t + 1], t == 0 ? 0.0 : centred[2 * t - 2],
          t == 0 ? 0.0 : centred[2 * t - 1]};
}

PairMoments pair_moments(std::span<const double> centred) {
  const std::size_t length = centred.size() / 2;
  const auto n = static_cast<double>(length);
  PairMoments moments;
  for (std::size_t t = 0; t < length; ++t) {
    moments.mean += pair_at(centred, t) / n;
  }
  Eigen::Vector4d past = Eigen::Vector4d::Zero();
  for (std::size_t t = 0; t < length; ++t) {
    const Eigen::Vector4d now = pair_at(centred, t) - moments.mean;
    moments.covariance += now * now.transpose() / n;
    moments.lagged += now * past.transpose() / n;
    past = now;
  }
  return moments;
}

// The unknowns: b', log M00, log M11, M10, N by rows.
Map map_of(const Column& unknowns) {
  Map map;
  map << std::exp(unknowns[2]), 0.0, unknowns[5], unknowns[6],  //
      unknowns[4], std::exp(unknowns[3]), unknowns[7], unknowns[8];
  return map;
}

// d map / d unknown; zero for b'.
Map map_change(const Map& map, Eigen::Index unknown) {
  Map change = Map::Zero();
  switch (unknown) {
    case 2:
      change(0, 0) = map(0, 0);
      break;
    case 3:
      change(1, 1) = map(1, 1);
      break;
    case 4:
      change(1, 0) = 1.0;
      break;
    case 5:
    case 6:
      change(0, unknown - 3) = 1.0;
      break;
    case 7:
    case 8:
      change(1, unknown - 5) = 1.0;
      break;
    default:
      break;
  }
  return change;
}

Matrix2 to_matrix2(const Eigen::Matrix2d& m) {
  return {{{m(0, 0), m(0, 1)}, {m(1, 0), m(1, 1)}}};
}

WindowMoments moments_of(const PairMoments& pairs, const Map& map,
                         const Column& unknowns) {
  const Eigen::Vector2d mean = unknowns.head<2>() + map * pairs.mean;
  return {{mean[0], mean[1]},
          to_matrix2(map * pairs.covariance * map.transpose()),
          to_matrix2(map * pairs.lagged * map.transpose())};
}

WindowMoments moments_change(const PairMoments& pairs, const Map& map,
                             Eigen::Index unknown) {
  if (unknown < 2)
    return {{unknown == 0 ? 1.0 : 0.0, unknown == 1 ? 1.0 : 0.0}, {}, {}};
  const Map change = map_change(map, unknown);
  const Eigen::Vector2d mean = change * pairs.mean;
  const Eigen::Matrix2d half = change * pairs.covariance * map.transpose();
  return {{mean[0], mean[1]},
          to_matrix2(half + half.transpose()),
          to_matrix2(change * pairs.lagged * map.transpose() +
                     map * pairs.lagged * change.transpose())};
}

Column to_column(const Statistics& statistics) {
  return Eigen::Map<const Column>(statistics.data());
}

// What is missing to the target, in whitened units.
Column shortfall(const WindowEncoder& encoder, const Statistics& target,
                 const WindowMoments& moments) {
  Statistics missing = statistics_of(moments);
  for (std::size_t i = 0; i < kStatistics; ++i) {
    missing[i] = target[i] - missing[i];
  }
  return to_column(encoder.whiten_change(missing));
}

Column newton_step(const WindowEncoder& encoder, const PairMoments& pairs,
                   const Map& map, const WindowMoments& moments,
                   const Column& missing) {
  Square jacobian;
  for (Eigen::Index i = 0; i < jacobian.cols(); ++i) {
    jacobian.col(i) = to_column(encoder.whiten_change(
        statistics_change(moments, moments_change(pairs, map, i))));
  }
  Square normal = jacobian.transpose() * jacobian;
  normal.diagonal().array() += kRidge;
  Column step = normal.llt().solve(jacobian.transpose() * missing);
  const double length = step.norm();
  if (length > kLongestStep) step *= kLongestStep / length;
  return step;
}

std::vector<double> edit(std::span<const double> centred, const Map& map,
                         const Column& unknowns) {
  std::vector<double> window(centred.size());
  for (std::size_t t = 0; t < centred.size() / 2; ++t) {
    const Eigen::Vector2d point =
        unknowns.head<2>() + map * pair_at(centred, t);
    window[2 * t] = point[0];
    window[2 * t + 1] = point[1];
  }
  return window;
}

}  // namespace

DecodedWindow decode_window(const WindowEncoder& encoder,
                            std::span<const double> source,
                            std::span<const double> latent) {
  const Vector2 mean = window_moments(source).mean;
  DecodedWindow decoded;
  decoded.residual = std::numeric_limits<double>::infinity();
  const std::optional<Statistics> target = encoder.statistics_at(latent);
  if (!target) return decoded;
  std::vector<double> centred(source.begin(), source.end());
  for (std::size_t i = 0; i < centred.size(); ++i) centred[i] -= mean[i % 2];
  const PairMoments pairs = pair_moments(centred);
  Column unknowns = Column::Zero();  // no edit
  unknowns[0] = mean[0];
  unknowns[1] = mean[1];
  for (int step = 0;; ++step) {
    const Map map = map_of(unknowns);
    const WindowMoments moments = moments_of(pairs, map, unknowns);
    const Column missing = shortfall(encoder, *target, moments);
    if (!missing.allFinite()) return decoded;
    if (step == kSteps) {
      decoded.residual = missing.norm();
      decoded.is_decoded = decoded.residual <= kLargestResidual;
      decoded.window = edit(centred, map, unknowns);
      return decoded;
    }
    unknowns += newton_step(encoder, pairs, map, moments, missing);
  }
}

}  // namespace sbog
