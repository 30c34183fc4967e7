// SPDX-License-Identifier: Apache-2.0
// Energy, k-NN and KDE scores; see support_score.h.
#include "sbog/sample/support_score.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/proposals.h"

namespace sbog {
namespace {

constexpr std::size_t kMedianPoints = 1024;

// Rows as unit vectors for cosine costs, else as they are.
template <typename T>
Matrix<double> mapped_rows(MatrixView<const T> bank,
                           std::span<const std::size_t> rows, GroundCost cost) {
  Matrix<double> points(rows.size(), bank.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = bank.row(rows[i]);
    const double norm =
        is_cosine(cost) ? std::sqrt(inner_product<T, T>(row, row)) : 1.0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      points(i, k) = static_cast<double>(row[k]) / norm;
    }
  }
  return points;
}

double scott(const Matrix<double>& points, double intrinsic_dim) {
  const auto n = static_cast<double>(points.rows());
  double variance = 0.0;
  for (std::size_t k = 0; k < points.cols(); ++k) {
    double mean = 0.0;
    for (std::size_t i = 0; i < points.rows(); ++i) mean += points(i, k) / n;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      variance += (points(i, k) - mean) * (points(i, k) - mean) / n;
    }
  }
  variance /= static_cast<double>(points.cols());
  return std::sqrt(variance) * std::pow(n, -1.0 / (intrinsic_dim + 4.0));
}

double median_distance(const Matrix<double>& points) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < points.cols(); ++k) {
        const double apart = points(i, k) - points(j, k);
        sum += apart * apart;
      }
      distances.push_back(std::sqrt(sum));
    }
  }
  return distances.empty() ? 0.0 : quantile(distances, 0.5);
}

}  // namespace

ScoreKind score_kind(Rule rule) {
  switch (rule) {
    case Rule::kKnn:
      return ScoreKind::kKnn;
    case Rule::kKdeScott:
    case Rule::kKdeMedian:
    case Rule::kKdeMatched:
      return ScoreKind::kKde;
    default:
      return ScoreKind::kEnergy;
  }
}

template <typename T>
double kde_bandwidth(Rule rule, MatrixView<const T> bank,
                     std::span<const std::size_t> atoms,
                     const EnergyOptions& energy) {
  double bandwidth = std::sqrt(energy.epsilon);
  if (rule == Rule::kKdeScott) {
    const auto dim = static_cast<double>(bank.cols());
    bandwidth = scott(mapped_rows(bank, atoms, energy.cost),
                      is_cosine(energy.cost) ? dim - 1.0 : dim);
  } else if (rule == Rule::kKdeMedian) {
    std::vector<std::size_t> some;
    const std::size_t count = std::min(atoms.size(), kMedianPoints);
    for (std::size_t i = 0; i < count; ++i) {
      some.push_back(atoms[i * atoms.size() / count]);
    }
    bandwidth = median_distance(mapped_rows(bank, some, energy.cost));
  }
  if (!(bandwidth > 0.0)) {
    throw InvalidArgument(
        "kde: the bandwidth is 0 because the points coincide");
  }
  return bandwidth;
}

template <typename T>
SupportScore<T>::SupportScore(const ReferenceMeasure<T>& reference,
                              const SamplerOptions& options)
    : kind_(score_kind(options.rule)),
      neighbours_(options.knn),
      energy_(std::make_unique<EnergyModel<T>>(reference, options.energy)) {
  if (kind_ == ScoreKind::kKnn && neighbours_ >= reference.atom_count()) {
    throw InvalidArgument("knn: " + std::to_string(neighbours_) +
                          " neighbours are more than a reference of " +
                          std::to_string(reference.atom_count()) + " has");
  }
  if (kind_ != ScoreKind::kKde) return;
  std::vector<std::size_t> atoms(reference.atom_count());
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    atoms[i] = reference.point_of(i);
  }
  const double h =
      kde_bandwidth<T>(options.rule, reference.points, atoms, options.energy);
  EnergyOptions kernel = options.energy;
  if (is_cosine(kernel.cost)) {
    // exp(-|z-u|^2 / 2h^2) = exp(-d / h^2); matched: the very same epsilon.
    kernel.epsilon =
        options.rule == Rule::kKdeMatched ? options.energy.epsilon : h * h;
  } else {
    kernel.cost = GroundCost::kSquaredEuclidean;
    kernel.epsilon = 2.0 * h * h;
  }
  kernel_ = std::make_unique<EnergyModel<T>>(reference, kernel);
}

template <typename T>
std::vector<double> SupportScore<T>::score(MatrixView<const T> points,
                                           std::span<const std::size_t> self,
                                           const Context& context) const {
  if (kind_ == ScoreKind::kKnn) {
    const Neighbours near =
        nearest_atoms(*energy_, points, neighbours_, self, context);
    std::vector<double> scores(points.rows());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = near.costs(i, neighbours_ - 1);
    }
    return scores;
  }
  return kernel().evaluate(points, self, context).energies;
}

template double kde_bandwidth(Rule, MatrixView<const float>,
                              std::span<const std::size_t>,
                              const EnergyOptions&);
template double kde_bandwidth(Rule, MatrixView<const double>,
                              std::span<const std::size_t>,
                              const EnergyOptions&);
template class SupportScore<float>;
template class SupportScore<double>;

}  // namespace sbog
