// SPDX-License-Identifier: Apache-2.0
// Normal equations in blocks of rows; see autoregression.h.
#include "sbog/series/autoregression.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/symmetric.h"
#include "sbog/series/detail/signal_kernel.h"

namespace sbog {
namespace {

constexpr std::size_t kLags = Autoregression::kLags;
constexpr double kRidge = 1e-3;
constexpr std::size_t kBlockRows = 256;

std::size_t lagged(std::size_t t, std::size_t lag) {
  return t >= lag ? t - lag : 0;
}

// X'X (lower triangle) and X'Y over some rows.
struct Sums {
  Matrix<double> gram;
  Matrix<double> cross;
  std::size_t rows = 0;

  Sums(std::size_t predictors, std::size_t targets)
      : gram(predictors, predictors), cross(predictors, targets) {}

  Sums without(const Sums& part) const {
    Sums rest(gram.rows(), cross.cols());
    const auto subtract = [](const Matrix<double>& from,
                             const Matrix<double>& what, Matrix<double>& out) {
      std::transform(from.elements().begin(), from.elements().end(),
                     what.elements().begin(), out.elements().begin(),
                     std::minus<>());
    };
    subtract(gram, part.gram, rest.gram);
    subtract(cross, part.cross, rest.cross);
    rest.rows = rows - part.rows;
    return rest;
  }

  Matrix<double> solve() const {
    // Where no channel varies there is nothing to solve for.
    if (cross.cols() == 0) return Matrix<double>(cross.rows(), 0);
    Matrix<double> normal = gram.clone();
    for (std::size_t p = 0; p < normal.rows(); ++p) {
      normal(p, p) += kRidge * static_cast<double>(rows);
    }
    return cholesky_solve(normal, cross);
  }
};

// The predictors of row t for some channels, a constant last.
void fill_predictors(MatrixView<const float> rows,
                     std::span<const std::size_t> channels, std::size_t t,
                     double* out) {
  for (std::size_t lag = 1; lag <= kLags; ++lag) {
    const std::span<const float> past = rows.row(lagged(t, lag));
    for (const std::size_t c : channels) *out++ = past[c];
  }
  *out = 1.0;
}

Sums sum_products(MatrixView<const float> rows,
                  std::span<const std::size_t> channels, RowRange range) {
  const std::size_t width = kLags * channels.size() + 1;
  Sums sums(width, channels.size());
  sums.rows = range.size();
  Matrix<double> x(kBlockRows, width);
  Matrix<double> y(kBlockRows, channels.size());
  for (std::size_t first = range.first; first < range.end;
       first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, range.end - first);
    for (std::size_t i = 0; i < count; ++i) {
      fill_predictors(rows, channels, first + i, x.row(i).data());
      for (std::size_t k = 0; k < channels.size(); ++k) {
        y(i, k) = rows(first + i, channels[k]);
      }
    }
    const MatrixView<const double> block = x.view().subrows(0, count);
    add_gram(block, sums.gram);
    add_products(block, y.view().subrows(0, count), sums.cross);
  }
  return sums;
}

std::vector<std::size_t> varying_channels(MatrixView<const float> rows) {
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < rows.cols(); ++c) {
    bool varies = false;
    for (std::size_t t = 1; t < rows.rows() && !varies; ++t) {
      varies = rows(t, c) != rows(0, c);
    }
    if (varies) found.push_back(c);
  }
  return found;
}

std::vector<Matrix<double>> solve_all(MatrixView<const float> rows,
                                      std::span<const std::size_t> channels,
                                      std::span<const RowRange> holes) {
  const Sums all = sum_products(rows, channels, {0, rows.rows()});
  std::vector<Matrix<double>> solved;
  solved.push_back(all.solve());
  for (const RowRange& hole : holes) {
    solved.push_back(all.without(sum_products(rows, channels, hole)).solve());
  }
  return solved;
}

}  // namespace

Autoregression::Autoregression(std::vector<std::size_t> active,
                               Matrix<double> coefficients,
                               std::size_t channels)
    : active_(std::move(active)),
      coefficients_(std::move(coefficients)),
      channels_(channels) {
  const std::size_t width = is_joint() ? kLags * active_.size() + 1 : kLags + 1;
  if (coefficients_.rows() != width || coefficients_.cols() != active_.size()) {
    throw InvalidArgument("autoregression: " + std::to_string(width) + " x " +
                          std::to_string(active_.size()) +
                          " coefficients are expected, got " +
                          std::to_string(coefficients_.rows()) + " x " +
                          std::to_string(coefficients_.cols()));
  }
}

void Autoregression::residual(
    std::span<const float> row,
    const std::array<std::span<const float>, kLags>& lags,
    std::span<float> out) const {
  std::copy(row.begin(), row.end(), out.begin());
  const std::size_t count = active_.size();
  if (count == 0) return;
  std::vector<double> prediction(count);
  const double* weights = coefficients_.data();
  if (is_joint()) {
    std::vector<double> predictors;
    predictors.reserve(kLags * count + 1);
    for (const std::span<const float> past : lags) {
      for (const std::size_t c : active_) predictors.push_back(past[c]);
    }
    predictors.push_back(1.0);
    detail::add_scaled_rows(predictors, weights, prediction);
  } else {
    for (const std::span<const float> past : lags) {
      for (std::size_t k = 0; k < count; ++k) {
        prediction[k] += past[active_[k]] * weights[k];
      }
      weights += count;
    }
    for (std::size_t k = 0; k < count; ++k) prediction[k] += weights[k];
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t c = active_[k];
    out[c] = static_cast<float>(row[c] - prediction[k]);
  }
}

Matrix<float> Autoregression::residuals(MatrixView<const float> rows) const {
  Matrix<float> result(rows.rows(), rows.cols());
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    residual(rows.row(t),
             {rows.row(lagged(t, 1)), rows.row(lagged(t, 2)),
              rows.row(lagged(t, 3))},
             result.row(t));
  }
  return result;
}

std::vector<Autoregression> fit_autoregressions(
    MatrixView<const float> rows, std::span<const RowRange> holes) {
  const std::vector<std::size_t> active = varying_channels(rows);
  const std::size_t fits = 1 + holes.size();
  std::vector<Matrix<double>> solved;
  if (active.size() <= Autoregression::kMaxJointChannels) {
    solved = solve_all(rows, active, holes);
  } else {
    for (std::size_t f = 0; f < fits; ++f) {
      solved.emplace_back(kLags + 1, active.size());
    }
    for (std::size_t k = 0; k < active.size(); ++k) {
      const auto own = solve_all(rows, std::span(active).subspan(k, 1), holes);
      for (std::size_t f = 0; f < fits; ++f) {
        for (std::size_t p = 0; p <= kLags; ++p) solved[f](p, k) = own[f](p, 0);
      }
    }
  }
  std::vector<Autoregression> result;
  result.reserve(solved.size());
  for (Matrix<double>& coefficients : solved) {
    result.emplace_back(active, std::move(coefficients), rows.cols());
  }
  return result;
}

}  // namespace sbog
