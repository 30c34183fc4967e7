// SPDX-License-Identifier: Apache-2.0
// VOS and BOOD; see rivals.h.
#include "sbog/sample/rivals.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"
#include "sbog/base/symmetric.h"
#include "sbog/sample/proposals.h"
#include "sbog/sample/within_class.h"

namespace sbog {
namespace {

constexpr double kRidge = 1e-4;

}  // namespace

template <typename T>
TiedGaussian::TiedGaussian(MatrixView<const T> bank,
                           std::span<const std::uint32_t> labels,
                           std::size_t classes, bool is_sphere) {
  const WithinClass<T> within(bank, labels, classes, is_sphere);
  means_ = within.means().clone();
  Matrix<double> covariance = within.covariance();
  for (std::size_t k = 0; k < bank.cols(); ++k) covariance(k, k) += kRidge;
  factor_ = cholesky_factor(covariance);
}

std::vector<double> TiedGaussian::draw(std::uint64_t seed, std::uint32_t cls,
                                       std::uint32_t k,
                                       std::size_t draws) const {
  const std::size_t dim = factor_.rows();
  const RoundKey key{seed, cls, 0, k};
  double longest = -1.0;
  for (std::size_t j = 0; j < draws; ++j) {
    longest = std::max(longest, draw_chi(key, static_cast<std::uint32_t>(j),
                                         static_cast<double>(dim)));
  }
  std::vector<double> direction(dim);
  PhiloxStream(seed, cls, 0, k).normals(0, std::span<double>(direction));
  const double norm =
      std::sqrt(inner_product<double, double>(direction, direction));
  std::vector<double> point(means_.row(cls).begin(), means_.row(cls).end());
  for (std::size_t i = 0; i < dim; ++i) {
    double moved = 0.0;
    for (std::size_t j = 0; j <= i; ++j) moved += factor_(i, j) * direction[j];
    point[i] += moved * longest / norm;
  }
  return point;
}

std::size_t BoundaryWalk::classify(std::span<const double> point) const {
  std::size_t best = 0;
  double highest = -2.0;
  for (std::size_t c = 0; c < anchors_.rows(); ++c) {
    const double cosine = inner_product<double, double>(anchors_.row(c), point);
    if (cosine > highest) {
      highest = cosine;
      best = c;
    }
  }
  return best;
}

void BoundaryWalk::ascend(std::size_t cls, std::span<double> point) const {
  // Gradient of the cross entropy: (sum_c p_c t_c - t_y) / temperature, along
  // the sphere.
  std::vector<double> logits(anchors_.rows());
  for (std::size_t c = 0; c < logits.size(); ++c) {
    logits[c] =
        inner_product<double, double>(anchors_.row(c), point) / temperature_;
  }
  const double top = *std::max_element(logits.begin(), logits.end());
  double total = 0.0;
  for (double& logit : logits) total += logit = std::exp(logit - top);
  std::vector<double> gradient(point.size(), 0.0);
  for (std::size_t c = 0; c < logits.size(); ++c) {
    const double weight = logits[c] / total - (c == cls ? 1.0 : 0.0);
    for (std::size_t k = 0; k < point.size(); ++k) {
      gradient[k] += weight * anchors_(c, k);
    }
  }
  const double along = inner_product<double, double>(gradient, point);
  for (std::size_t k = 0; k < point.size(); ++k) {
    gradient[k] -= along * point[k];
  }
  const double length =
      std::sqrt(inner_product<double, double>(gradient, gradient));
  if (!(length > 0.0)) return;
  for (std::size_t k = 0; k < point.size(); ++k) {
    point[k] += step_ * gradient[k] / length;
  }
  const double norm = std::sqrt(inner_product<double, double>(point, point));
  for (double& x : point) x /= norm;
}

std::size_t BoundaryWalk::steps_to_flip(std::size_t cls,
                                        std::span<double> point,
                                        std::size_t limit) const {
  for (std::size_t step = 0; step <= limit; ++step) {
    if (classify(point) != cls) return step;
    ascend(cls, point);
  }
  return limit + 1;
}

template TiedGaussian::TiedGaussian(MatrixView<const float>,
                                    std::span<const std::uint32_t>, std::size_t,
                                    bool);
template TiedGaussian::TiedGaussian(MatrixView<const double>,
                                    std::span<const std::uint32_t>, std::size_t,
                                    bool);

}  // namespace sbog
