// SPDX-License-Identifier: Apache-2.0
// See gaussians.h.
#include "sbog/detect/gaussians.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/base/symmetric.h"
#include "sbog/detect/detail/products.h"
#include "sbog/sample/within_class.h"

namespace sbog::detect {
namespace {

// Rows of one piece of work.
constexpr std::size_t kScoreRows = 64;

void mirror_lower(Matrix<double>& square) {
  for (std::size_t i = 0; i < square.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) square(j, i) = square(i, j);
  }
}

// S_0 = S + sum_c n_c / n (m_c - m)(m_c - m)'.
Matrix<double> covariance_of_all(const LabelledBank& bank,
                                 MatrixView<const double> within,
                                 MatrixView<const double> means,
                                 std::span<const double> mean) {
  const std::vector<std::size_t> sizes = class_sizes(bank);
  Matrix<double> steps(means.rows(), means.cols());
  for (std::size_t c = 0; c < means.rows(); ++c) {
    const double root = std::sqrt(static_cast<double>(sizes[c]) /
                                  static_cast<double>(bank.rows()));
    for (std::size_t j = 0; j < means.cols(); ++j) {
      steps(c, j) = root * (means(c, j) - mean[j]);
    }
  }
  Matrix<double> all(within.rows(), within.cols());
  add_gram(steps, all);
  mirror_lower(all);
  for (std::size_t i = 0; i < all.rows(); ++i) {
    for (std::size_t j = 0; j < all.cols(); ++j) all(i, j) += within(i, j);
  }
  return all;
}

Matrix<double> mean_of_all(const LabelledBank& bank,
                           MatrixView<const double> means) {
  const std::vector<std::size_t> sizes = class_sizes(bank);
  Matrix<double> mean(1, means.cols());
  for (std::size_t c = 0; c < means.rows(); ++c) {
    const double share =
        static_cast<double>(sizes[c]) / static_cast<double>(bank.rows());
    for (std::size_t j = 0; j < means.cols(); ++j) {
      mean(0, j) += share * means(c, j);
    }
  }
  return mean;
}

// V diag(values^-1/2) of a shrunk covariance.
Matrix<double> whitening_map(MatrixView<const double> covariance,
                             double shrinkage) {
  const SymmetricEigen eigen =
      symmetric_eigen(shrunk_covariance(covariance, shrinkage));
  const std::size_t dim = covariance.rows();
  Matrix<double> map(dim, dim);
  for (std::size_t k = 0; k < dim; ++k) {
    if (!(eigen.values[k] > 0.0)) {
      throw InvalidArgument(
          "covariance: at least one class with two different rows is expected");
    }
    const double scale = 1.0 / std::sqrt(eigen.values[k]);
    for (std::size_t j = 0; j < dim; ++j) {
      map(j, k) = scale * eigen.vectors(k, j);
    }
  }
  return map;
}

Matrix<double> whitened(MatrixView<const double> rows,
                        MatrixView<const double> map) {
  Matrix<double> out(rows.rows(), map.cols());
  detail::add_product<double>(rows, map, out);
  return out;
}

void check_whitener(const Whitener& whitener, std::size_t dim) {
  if (dim > 0 && whitener.map.rows() == dim && whitener.map.cols() == dim &&
      whitener.means.cols() == dim && whitener.means.rows() > 0) {
    return;
  }
  throw InvalidArgument("gaussians: " + std::to_string(dim) +
                        " dimensions are expected everywhere");
}

}  // namespace

Matrix<double> within_class_covariance(const LabelledBank& bank) {
  const std::vector<std::uint32_t> classes = class_numbers(bank);
  Matrix<double> covariance =
      WithinClass<float>(bank.points.view(), classes, bank.class_count(), false)
          .covariance();
  mirror_lower(covariance);
  return covariance;
}

Matrix<double> shrunk_covariance(MatrixView<const double> covariance,
                                 double share) {
  if (!(share >= 0.0 && share <= 1.0)) {
    throw InvalidArgument("shrinkage: a number in [0, 1] is expected, got " +
                          std::to_string(share));
  }
  const std::size_t dim = covariance.rows();
  double trace = 0.0;
  for (std::size_t i = 0; i < dim; ++i) trace += covariance(i, i);
  Matrix<double> shrunk(dim, dim);
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      shrunk(i, j) = (1.0 - share) * covariance(i, j);
    }
    shrunk(i, i) += share * trace / static_cast<double>(dim);
  }
  return shrunk;
}

ClassGaussians::ClassGaussians(Whitener tied, Whitener global)
    : tied_(std::move(tied)), global_(std::move(global)) {
  check_whitener(tied_, tied_.map.rows());
  check_whitener(global_, tied_.map.rows());
  tied_means_ = whitened(tied_.means, tied_.map);
  global_means_ = whitened(global_.means, global_.map);
}

GaussianScores ClassGaussians::score(MatrixView<const float> points,
                                     const Context& context) const {
  GaussianScores result;
  result.scores.resize(points.rows());
  result.classes.resize(points.rows());
  const auto score_rows = [&](std::size_t first, std::size_t count) {
    Matrix<double> rows(count, dim());
    for (std::size_t i = 0; i < count; ++i) {
      std::ranges::copy(points.row(first + i), rows.row(i).begin());
    }
    const Matrix<double> tied = whitened(rows, tied_.map);
    const Matrix<double> global = whitened(rows, global_.map);
    for (std::size_t i = 0; i < count; ++i) {
      double least = 0.0;
      std::size_t nearest = 0;
      for (std::size_t c = 0; c < class_count(); ++c) {
        const double distance =
            squared_distance<double, double>(tied.row(i), tied_means_.row(c));
        if (c > 0 && distance >= least) continue;
        least = distance;
        nearest = c;
      }
      const double usual = class_count() == 1
                               ? 0.0
                               : squared_distance<double, double>(
                                     global.row(i), global_means_.row(0));
      result.scores[first + i] = least - usual;
      result.classes[first + i] = nearest;
    }
  };
  const std::size_t pieces = (points.rows() + kScoreRows - 1) / kScoreRows;
  parallel_for(context, pieces, [&](std::size_t piece, std::size_t) {
    const std::size_t first = piece * kScoreRows;
    score_rows(first, std::min(kScoreRows, points.rows() - first));
  });
  return result;
}

std::vector<double> ClassGaussians::contributions(std::span<const float> point,
                                                  std::size_t cls) const {
  Matrix<double> step(1, dim());
  for (std::size_t j = 0; j < dim(); ++j) {
    step(0, j) = static_cast<double>(point[j]) - tied_.means(cls, j);
  }
  const Matrix<double> white = whitened(step, tied_.map);
  std::vector<double> shares(dim());
  for (std::size_t j = 0; j < dim(); ++j) {
    shares[j] = step(0, j) * dot(tied_.map.row(j), white.row(0));
  }
  return shares;
}

ClassGaussians fit_gaussians(const LabelledBank& bank, double shrinkage) {
  if (!(shrinkage > 0.0 && shrinkage <= 1.0)) {
    throw InvalidArgument("shrinkage: a number in (0, 1] is expected, got " +
                          std::to_string(shrinkage));
  }
  Whitener tied;
  tied.means = class_means(bank);
  const Matrix<double> within = within_class_covariance(bank);
  Whitener global;
  global.means = mean_of_all(bank, tied.means);
  const Matrix<double> all =
      covariance_of_all(bank, within, tied.means, global.means.row(0));
  global.map = whitening_map(all, shrinkage);
  tied.map = whitening_map(within, shrinkage);
  return {std::move(tied), std::move(global)};
}

}  // namespace sbog::detect
