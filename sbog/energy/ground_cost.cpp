// SPDX-License-Identifier: Apache-2.0
// The costs and derivatives of ground_cost.h, written as their formulas.
#include "sbog/energy/ground_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"

namespace sbog {
namespace {

constexpr std::array<std::pair<GroundCost, const char*>, 6> kNames = {{
    {GroundCost::kCosine, "cosine"},
    {GroundCost::kUnitCosine, "unit-cosine"},
    {GroundCost::kSquaredEuclidean, "squared-euclidean"},
    {GroundCost::kEuclidean, "euclidean"},
    {GroundCost::kSquaredMahalanobis, "squared-mahalanobis"},
    {GroundCost::kMahalanobis, "mahalanobis"},
}};

std::vector<double> difference(std::span<const double> z,
                               std::span<const double> u) {
  std::vector<double> result(z.begin(), z.end());
  for (std::size_t k = 0; k < z.size(); ++k) result[k] -= u[k];
  return result;
}

// W x = L (L' x).
std::vector<double> apply_metric(MatrixView<const double> factor,
                                 std::span<const double> x) {
  std::vector<double> inner(factor.cols());
  apply_factor(factor, x, inner);
  std::vector<double> result(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    result[k] = dot(factor.row(k), inner);
  }
  return result;
}

// W (z - u), or z - u where the metric is the identity.
std::vector<double> metric_difference(GroundCost cost,
                                      std::span<const double> z,
                                      std::span<const double> u,
                                      MatrixView<const double> factor) {
  std::vector<double> apart = difference(z, u);
  return is_mahalanobis(cost) ? apply_metric(factor, apart) : apart;
}

double squared_distance(GroundCost cost, std::span<const double> z,
                        std::span<const double> u,
                        MatrixView<const double> factor) {
  std::vector<double> apart = difference(z, u);
  if (is_mahalanobis(cost)) {
    std::vector<double> mapped(factor.cols());
    apply_factor(factor, apart, mapped);
    apart = std::move(mapped);
  }
  return dot(apart, apart);
}

struct CosineParts {
  double norm_z;
  double norm_u;
  double cosine;
};

CosineParts cosine_parts(std::span<const double> z, std::span<const double> u) {
  const double norm_z = std::sqrt(dot(z, z));
  const double norm_u = std::sqrt(dot(u, u));
  return {norm_z, norm_u, dot(z, u) / (norm_z * norm_u)};
}

void check_metric(MatrixView<const double> metric) {
  const std::size_t dim = metric.rows();
  if (dim == 0 || metric.cols() != dim) {
    throw InvalidArgument("metric: a square matrix is expected, got " +
                          std::to_string(metric.rows()) + " x " +
                          std::to_string(metric.cols()));
  }
  double scale = 0.0;
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      if (!std::isfinite(metric(i, j))) {
        throw InvalidArgument("metric: row " + std::to_string(i) + ", column " +
                              std::to_string(j) + " is not finite");
      }
      scale = std::max(scale, std::abs(metric(i, j)));
    }
  }
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(metric(i, j) - metric(j, i)) > 1e-12 * scale) {
        throw InvalidArgument(
            "metric: a symmetric matrix is expected, but row " +
            std::to_string(i) + ", column " + std::to_string(j) +
            " differs from its mirror");
      }
    }
  }
}

// Marks a pivot that has been used; no diagonal falls so low.
constexpr double kTaken = 1e300;

[[noreturn]] void throw_indefinite(std::size_t row) {
  throw InvalidArgument(
      "metric: a positive semidefinite matrix is expected, but row " +
      std::to_string(row) + " makes it indefinite");
}

// Roots of the diagonal; a zero one needs a row of zeros.
std::vector<double> scales_of(MatrixView<const double> metric) {
  std::vector<double> scale(metric.rows());
  for (std::size_t i = 0; i < scale.size(); ++i) {
    if (metric(i, i) < 0.0) throw_indefinite(i);
    scale[i] = std::sqrt(metric(i, i));
    for (std::size_t j = 0; j < scale.size() && scale[i] == 0.0; ++j) {
      if (metric(i, j) != 0.0 || metric(j, i) != 0.0) throw_indefinite(i);
    }
  }
  return scale;
}

}  // namespace

const char* to_string(GroundCost cost) {
  for (const auto& [value, name] : kNames) {
    if (value == cost) return name;
  }
  return "unknown";
}

GroundCost parse_ground_cost(std::string_view name) {
  // Names that people bring from SciPy and scikit-learn.
  if (name == "sqeuclidean") return GroundCost::kSquaredEuclidean;
  if (name == "l2") return GroundCost::kEuclidean;
  std::string known;
  for (const auto& [value, text] : kNames) {
    if (name == text) return value;
    known += known.empty() ? "" : ", ";
    known += text;
  }
  throw InvalidArgument("cost: '" + std::string(name) +
                        "' is not one of: " + known);
}

double chord_of_cost(GroundCost cost, double value) {
  if (is_rooted(cost)) return value;
  return std::sqrt(is_cosine(cost) ? 2.0 * value : value);
}

double cost_of_chord(GroundCost cost, double chord) {
  if (is_rooted(cost)) return chord;
  return is_cosine(cost) ? 0.5 * chord * chord : chord * chord;
}

Matrix<double> factor_metric(MatrixView<const double> metric) {
  check_metric(metric);
  // Cholesky of the correlations W_ij / (s_i s_j), so that the units of a
  // coordinate do not decide whether it counts; the largest pivot first, so
  // that rounding does not grow where W is singular.
  const std::size_t dim = metric.rows();
  const std::vector<double> scale = scales_of(metric);
  const double tolerance = 1e-12 * static_cast<double>(dim);
  std::vector<double> left(dim);  // diagonal of what is not factored yet
  for (std::size_t i = 0; i < dim; ++i) left[i] = scale[i] > 0.0 ? 1.0 : 0.0;
  Matrix<double> columns(dim, dim);
  std::size_t rank = 0;
  const auto residual = [&](std::size_t i, std::size_t j) {
    return 0.5 * (metric(i, j) + metric(j, i)) / (scale[i] * scale[j]) -
           dot(columns.row(i).first(rank), columns.row(j).first(rank));
  };
  for (; rank < dim; ++rank) {
    const auto pivot = static_cast<std::size_t>(
        std::max_element(left.begin(), left.end()) - left.begin());
    if (left[pivot] <= tolerance) break;
    const double root = std::sqrt(left[pivot]);
    columns(pivot, rank) = root;
    left[pivot] = -kTaken;
    for (std::size_t i = 0; i < dim; ++i) {
      if (left[i] == -kTaken || scale[i] == 0.0) continue;
      const double value = residual(i, pivot) / root;
      columns(i, rank) = value;
      left[i] -= value * value;
      if (left[i] < -tolerance) throw_indefinite(i);
    }
  }
  // What is left must vanish; a row that still couples to another does not.
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool is_left = left[i] != -kTaken && left[j] != -kTaken &&
                           scale[i] > 0.0 && scale[j] > 0.0;
      if (is_left && std::abs(residual(i, j)) > 2.0 * tolerance) {
        throw_indefinite(i);
      }
    }
  }
  Matrix<double> factor(dim, std::max<std::size_t>(rank, 1));
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t r = 0; r < rank; ++r) {
      factor(i, r) = scale[i] * columns(i, r);
    }
  }
  return factor;
}

void apply_factor(MatrixView<const double> factor, std::span<const double> z,
                  std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t k = 0; k < z.size(); ++k) {
    const auto row = factor.row(k);
    for (std::size_t r = 0; r < out.size(); ++r) out[r] += row[r] * z[k];
  }
}

double pair_cost(GroundCost cost, std::span<const double> z,
                 std::span<const double> u, MatrixView<const double> factor) {
  switch (cost) {
    case GroundCost::kCosine:
      return std::max(0.0, 1.0 - cosine_parts(z, u).cosine);
    case GroundCost::kUnitCosine:
      return std::max(0.0, 1.0 - dot(z, u));
    case GroundCost::kSquaredEuclidean:
    case GroundCost::kSquaredMahalanobis:
      return squared_distance(cost, z, u, factor);
    case GroundCost::kEuclidean:
    case GroundCost::kMahalanobis:
      return std::sqrt(squared_distance(cost, z, u, factor));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void pair_gradient(GroundCost cost, std::span<const double> z,
                   std::span<const double> u, std::span<double> out,
                   MatrixView<const double> factor) {
  const std::size_t dim = z.size();
  if (cost == GroundCost::kUnitCosine) {
    for (std::size_t k = 0; k < dim; ++k) out[k] = -u[k];
    return;
  }
  if (cost == GroundCost::kCosine) {  // -(uh - c zh) / |z|
    const CosineParts parts = cosine_parts(z, u);
    for (std::size_t k = 0; k < dim; ++k) {
      out[k] = -(u[k] / parts.norm_u - parts.cosine * z[k] / parts.norm_z) /
               parts.norm_z;
    }
    return;
  }
  const std::vector<double> apart = metric_difference(cost, z, u, factor);
  double coefficient = 2.0;  // 2 W (z-u), or W (z-u) / r
  if (is_rooted(cost)) {
    const double r = pair_cost(cost, z, u, factor);
    coefficient = r > 0.0 ? 1.0 / r : 0.0;
  }
  for (std::size_t k = 0; k < dim; ++k) out[k] = coefficient * apart[k];
}

void pair_hessian_product(GroundCost cost, std::span<const double> z,
                          std::span<const double> u, std::span<const double> p,
                          std::span<double> out,
                          MatrixView<const double> factor) {
  const std::size_t dim = z.size();
  std::fill(out.begin(), out.end(), 0.0);
  if (cost == GroundCost::kUnitCosine) return;
  if (cost == GroundCost::kCosine) {
    // [uh(zh.p) + zh(uh.p) + c(p - 3 zh(zh.p))] / |z|^2
    const CosineParts parts = cosine_parts(z, u);
    const double zp = dot(z, p) / parts.norm_z;
    const double up = dot(u, p) / parts.norm_u;
    const double norm2 = parts.norm_z * parts.norm_z;
    for (std::size_t k = 0; k < dim; ++k) {
      const double zh = z[k] / parts.norm_z;
      const double uh = u[k] / parts.norm_u;
      out[k] =
          (uh * zp + zh * up + parts.cosine * (p[k] - 3.0 * zh * zp)) / norm2;
    }
    return;
  }
  const std::vector<double> along =
      is_mahalanobis(cost) ? apply_metric(factor, p)
                           : std::vector<double>(p.begin(), p.end());
  if (!is_rooted(cost)) {  // 2 W p
    for (std::size_t k = 0; k < dim; ++k) out[k] = 2.0 * along[k];
    return;
  }
  const double r = pair_cost(cost, z, u, factor);
  if (r == 0.0) return;
  std::vector<double> gradient(dim);
  pair_gradient(cost, z, u, gradient, factor);
  const double gp = dot(gradient, p);
  for (std::size_t k = 0; k < dim; ++k) {  // (W p - g (g.p)) / r
    out[k] = (along[k] - gradient[k] * gp) / r;
  }
}

}  // namespace sbog
