// SPDX-License-Identifier: Apache-2.0
// An n-dimensional array as read from a file, and the ways into a matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// What one element of an Array is.
enum class ElementType {
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kBool
};

/// Bytes of one element.
std::size_t element_size(ElementType type);

/// "float32", "int8", "bool" and so on.
const char* to_string(ElementType type);

/// True for the four floating types.
bool is_floating(ElementType type);

/// The most a compressed file may grow to unless the caller says otherwise.
inline constexpr std::uint64_t kDefaultMaxInflatedBytes = std::uint64_t{4}
                                                          << 30;

/// Elements of one type in row-major order and native byte order. The bytes
/// are owned or lie in a mapped file; copies of an Array share them. They need
/// not be aligned: safetensors files place tensors anywhere.
class Array {
 public:
  /// No elements, shape {0}.
  Array() = default;

  /// `bytes` keeps the elements alive and must hold byte_count() of them.
  /// `name` is what messages call the array. Throws InvalidArgument when the
  /// byte count of the shape does not fit in memory sizes.
  Array(std::string name, ElementType type, std::vector<std::size_t> shape,
        std::shared_ptr<const std::byte> bytes, bool is_mapped = false);

  /// Where the array came from, such as "bank.npz:latents".
  const std::string& name() const { return name_; }
  ElementType type() const { return type_; }
  const std::vector<std::size_t>& shape() const { return shape_; }
  /// Elements in all.
  std::size_t size() const { return byte_count_ / element_size(type_); }
  const std::byte* bytes() const { return bytes_.get(); }
  std::size_t byte_count() const { return byte_count_; }
  /// Shares ownership of the bytes.
  const std::shared_ptr<const std::byte>& shared_bytes() const {
    return bytes_;
  }
  /// True when the bytes lie in a memory-mapped file.
  bool is_mapped() const { return is_mapped_; }

  /// The first extent; 1 for rank 0.
  std::size_t rows() const;
  /// The product of the other extents; 1 for rank 0 and 1.
  std::size_t cols() const;

 private:
  std::string name_;
  ElementType type_ = ElementType::kFloat32;
  std::vector<std::size_t> shape_ = {0};
  std::shared_ptr<const std::byte> bytes_;
  std::size_t byte_count_ = 0;
  bool is_mapped_ = false;
};

/// An array and its name inside a file of several.
struct NamedArray {
  std::string name;
  Array array;
};

/// A matrix that either looks into a mapped file or owns its elements. Copies
/// share the elements.
template <typename T>
class LoadedMatrix {
 public:
  LoadedMatrix() = default;
  LoadedMatrix(std::shared_ptr<const T> data, std::size_t rows,
               std::size_t cols, bool is_mapped)
      : data_(std::move(data)),
        rows_(rows),
        cols_(cols),
        is_mapped_(is_mapped) {}

  MatrixView<const T> view() const { return {data_.get(), rows_, cols_}; }
  bool is_mapped() const { return is_mapped_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }

 private:
  std::shared_ptr<const T> data_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  bool is_mapped_ = false;
};

/// The array as rows() x cols() elements of T, float or double. Nothing is
/// copied when the elements are of type T and aligned. Otherwise they are
/// converted: floating values and integers up to 2^53 round to nearest.
/// Throws InvalidArgument, naming row and column, for a larger integer and for
/// a finite value that T cannot hold.
template <typename T>
LoadedMatrix<T> to_matrix(Array array);
extern template LoadedMatrix<float> to_matrix(Array);
extern template LoadedMatrix<double> to_matrix(Array);

/// The elements of an array of rank 0 or 1, of one row or of one column.
/// Throws InvalidArgument for another shape and for integers beyond 2^53.
std::vector<double> to_vector(const Array& array);

/// Class labels: as to_vector, every value integral. Throws InvalidArgument
/// naming the index of a value that is not, or that does not fit 64 bits.
std::vector<std::int64_t> to_labels(const Array& array);

/// An array that takes over the elements of a matrix, shape {rows, cols}.
Array to_array(Matrix<double> matrix, std::string name);

}  // namespace sbog
