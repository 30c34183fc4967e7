// SPDX-License-Identifier: Apache-2.0
// Arrays between NumPy and the library. Inputs are views: row-major, of the
// very type, never converted here (the package above converts on purpose, once)
// and never copied. Outputs hand their memory over.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog::python {

namespace nb = nanobind;

template <typename T>
using MatrixIn =
    nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using VectorIn =
    nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
using MatrixOut = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
template <typename T>
using VectorOut = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// What is known of a result by name, in the words of the stubs.
using Facts = nb::typed<nb::dict, nb::str, nb::any>;
using FactsList = nb::typed<nb::list, Facts>;

template <typename T>
MatrixView<const T> view_of(const MatrixIn<T>& array) {
  return {array.data(), array.shape(0), array.shape(1)};
}
template <typename T>
std::span<const T> span_of(const VectorIn<T>& array) {
  return {array.data(), array.shape(0)};
}

/// A NumPy array with one axis that owns the values.
template <typename T>
VectorOut<T> to_numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* pointer) noexcept {
    delete static_cast<std::vector<T>*>(pointer);
  });
  return VectorOut<T>(kept->data(), {kept->size()}, owner);
}

/// A NumPy array with two axes that owns the matrix.
template <typename T>
MatrixOut<T> to_numpy(Matrix<T> values) {
  auto* kept = new Matrix<T>(std::move(values));
  const nb::capsule owner(kept, [](void* pointer) noexcept {
    delete static_cast<Matrix<T>*>(pointer);
  });
  return MatrixOut<T>(kept->data(), {kept->rows(), kept->cols()}, owner);
}

}  // namespace sbog::python
