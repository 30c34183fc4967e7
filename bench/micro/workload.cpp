// SPDX-License-Identifier: Apache-2.0
// Implementation of workload.h.
#include "workload.h"

#include <cmath>
#include <span>
#include <sstream>
#include <vector>

#include "sbog/base/philox.h"

namespace sbog::bench {
namespace {

// Standard deviation of a cluster per coordinate, before projection.
constexpr double kClusterSpread = 0.05;
constexpr std::uint64_t kCenterSeed = 77;

std::vector<double> normals(std::uint64_t seed, std::size_t row,
                            std::size_t dim) {
  std::vector<double> values(dim);
  PhiloxStream(seed, 0, 0, row).normals(0, std::span<double>(values));
  return values;
}

void normalise(std::vector<double>& values) {
  double squares = 0.0;
  for (const double v : values) squares += v * v;
  const double length = std::sqrt(squares);
  for (double& v : values) v /= length;
}

}  // namespace

std::string Shape::name() const {
  std::ostringstream text;
  text << "dim:" << dim << "/n:" << bank << "/queries:" << queries
       << "/eps:" << epsilon;
  return text.str();
}

template <typename T>
Matrix<T> unit_points(std::size_t count, std::size_t dim, std::size_t clusters,
                      std::uint64_t seed) {
  Matrix<T> points(count, dim);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> point = normals(seed, i, dim);
    if (clusters > 0) {
      std::vector<double> center = normals(kCenterSeed, i % clusters, dim);
      normalise(center);
      for (std::size_t k = 0; k < dim; ++k) {
        point[k] = center[k] + kClusterSpread * point[k];
      }
    }
    normalise(point);
    for (std::size_t k = 0; k < dim; ++k) {
      points(i, k) = static_cast<T>(point[k]);
    }
  }
  return points;
}

template <typename T>
void Workload<T>::make() {
  if (model_) return;
  bank_ = unit_points<T>(shape_.bank, shape_.dim, shape_.clusters, 1);
  queries_ = unit_points<T>(shape_.queries, shape_.dim, shape_.clusters, 2);
  EnergyOptions options;
  options.cost = GroundCost::kCosine;
  options.epsilon = shape_.epsilon;
  model_.emplace(ReferenceMeasure<T>{bank_, {}, {}}, options);
}

template <typename T>
const EnergyModel<T>& Workload<T>::model() {
  make();
  return *model_;
}

template <typename T>
MatrixView<const T> Workload<T>::bank() {
  make();
  return bank_;
}

template <typename T>
MatrixView<const T> Workload<T>::queries() {
  make();
  return queries_;
}

template Matrix<float> unit_points(std::size_t, std::size_t, std::size_t,
                                   std::uint64_t);
template Matrix<double> unit_points(std::size_t, std::size_t, std::size_t,
                                    std::uint64_t);
template class Workload<float>;
template class Workload<double>;

}  // namespace sbog::bench
