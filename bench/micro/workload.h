// SPDX-License-Identifier: Apache-2.0
// Points to measure with: unit vectors from fixed seeds, the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sbog/base/matrix.h"
#include "sbog/energy/energy_model.h"

namespace sbog::bench {

/// What is measured: `queries` points against a bank of `bank` points.
struct Shape {
  std::size_t dim = 0;
  std::size_t bank = 0;
  std::size_t queries = 0;
  double epsilon = 0.05;
  /// 0: uniform on the sphere; otherwise narrow clusters around that many
  /// centres.
  std::size_t clusters = 0;

  double pairs() const {
    return static_cast<double>(bank) * static_cast<double>(queries);
  }
  /// Multiplications and additions of the inner products alone.
  double flops() const { return 2.0 * static_cast<double>(dim) * pairs(); }
  /// "dim:768/n:4096/queries:960/eps:0.05".
  std::string name() const;
};

/// Unit vectors, one per row; `seed` tells sets of points apart.
template <typename T>
Matrix<T> unit_points(std::size_t count, std::size_t dim, std::size_t clusters,
                      std::uint64_t seed);

/// Bank, queries and model of a shape, made when first asked for and shared by
/// the benchmarks of that shape.
template <typename T>
class Workload {
 public:
  explicit Workload(const Shape& shape) : shape_(shape) {}

  const Shape& shape() const { return shape_; }
  const EnergyModel<T>& model();
  MatrixView<const T> bank();
  MatrixView<const T> queries();

 private:
  void make();

  Shape shape_;
  Matrix<T> bank_;
  Matrix<T> queries_;
  std::optional<EnergyModel<T>> model_;
};

}  // namespace sbog::bench
