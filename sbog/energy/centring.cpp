// SPDX-License-Identifier: Apache-2.0
// See centring.h.
#include "sbog/energy/centring.h"

#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/energy/reference_measure.h"

namespace sbog {
namespace {

constexpr double kSignedShare = 0.01;
// What is left of a row of float when its own direction is subtracted.
constexpr double kNothingLeft = 1e-6;

}  // namespace

template <typename T>
std::vector<double> mean_direction(MatrixView<const T> bank,
                                   std::span<const double> weights) {
  check_points(bank, GroundCost::kCosine, "bank");
  check_measure<T>({bank, weights, {}});
  std::vector<double> mean(bank.cols());
  double mass = 0.0;
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    const double factor = weight / norm_of<T>(bank.row(i));
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] += factor * static_cast<double>(bank(i, k));
    }
    mass += weight;
  }
  for (double& value : mean) value /= mass;
  return mean;
}

double mean_cosine(std::span<const double> mean, std::size_t rows) {
  if (rows < 2) return 1.0;
  // |mean|^2 is the mean over all pairs, a row with itself included.
  const auto n = static_cast<double>(rows);
  return (n * dot(mean, mean) - 1.0) / (n - 1.0);
}

template <typename T>
bool has_signed_features(MatrixView<const T> points) {
  std::size_t negative = 0;
  std::size_t present = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (const T value : points.row(i)) {
      negative += value < T(0) ? 1 : 0;
      present += value != T(0) ? 1 : 0;
    }
  }
  return negative > 0 && static_cast<double>(negative) >=
                             kSignedShare * static_cast<double>(present);
}

template <typename T>
Matrix<T> centre_rows(MatrixView<const T> points, std::span<const double> mean,
                      const std::string& name) {
  if (points.cols() != mean.size()) {
    throw InvalidArgument(name + ": dimension " + std::to_string(mean.size()) +
                          " of the bank is expected, got " +
                          std::to_string(points.cols()));
  }
  check_points(points, GroundCost::kCosine, name);
  Matrix<T> centred(points.rows(), points.cols());
  std::vector<double> rest(mean.size());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double length = norm_of<T>(points.row(i));
    for (std::size_t k = 0; k < rest.size(); ++k) {
      rest[k] = static_cast<double>(points(i, k)) / length - mean[k];
    }
    const double left = norm_of<double>(rest);
    if (left < kNothingLeft) {
      throw InvalidArgument(name + ": row " + std::to_string(i) +
                            " points to the mean of the bank, so that "
                            "centring leaves nothing of it");
    }
    for (std::size_t k = 0; k < rest.size(); ++k) {
      centred(i, k) = static_cast<T>(rest[k] / left);
    }
  }
  return centred;
}

template std::vector<double> mean_direction(MatrixView<const float>,
                                            std::span<const double>);
template std::vector<double> mean_direction(MatrixView<const double>,
                                            std::span<const double>);
template bool has_signed_features(MatrixView<const float>);
template bool has_signed_features(MatrixView<const double>);
template Matrix<float> centre_rows(MatrixView<const float>,
                                   std::span<const double>, const std::string&);
template Matrix<double> centre_rows(MatrixView<const double>,
                                    std::span<const double>,
                                    const std::string&);

}  // namespace sbog
