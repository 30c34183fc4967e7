// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/npy.h"

#include <array>

#include "sbog/base/atomic_file.h"
#include "sbog/data/detail/mapped_file.h"
#include "sbog/data/detail/npy_format.h"

namespace sbog {
namespace {

template <typename T>
void write_matrix(const std::string& path, ElementType type,
                  MatrixView<const T> matrix) {
  const std::array<std::size_t, 2> shape = {matrix.rows(), matrix.cols()};
  AtomicFile file(path);
  file.write(detail::npy_header(type, shape));
  for (std::size_t i = 0; i < matrix.rows() && matrix.cols() != 0; ++i) {
    file.write(matrix.row(i).data(), matrix.cols() * sizeof(T));
  }
  file.commit();
}

void write_bytes(const std::string& path, ElementType type,
                 std::span<const std::size_t> shape, const void* bytes,
                 std::size_t count) {
  AtomicFile file(path);
  file.write(detail::npy_header(type, shape));
  if (count != 0) file.write(bytes, count);
  file.commit();
}

template <typename T>
void write_vector(const std::string& path, ElementType type,
                  std::span<const T> values) {
  const std::array<std::size_t, 1> shape = {values.size()};
  write_bytes(path, type, shape, values.data(), values.size_bytes());
}

}  // namespace

Array read_npy(const std::string& path) {
  return detail::npy_array(detail::map_file(path));
}

Array parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  return detail::npy_array({name, bytes, nullptr});
}

void write_npy(const std::string& path, MatrixView<const float> matrix) {
  write_matrix(path, ElementType::kFloat32, matrix);
}
void write_npy(const std::string& path, MatrixView<const double> matrix) {
  write_matrix(path, ElementType::kFloat64, matrix);
}
void write_npy(const std::string& path, std::span<const float> values) {
  write_vector(path, ElementType::kFloat32, values);
}
void write_npy(const std::string& path, std::span<const double> values) {
  write_vector(path, ElementType::kFloat64, values);
}
void write_npy(const std::string& path, std::span<const std::int64_t> values) {
  write_vector(path, ElementType::kInt64, values);
}
void write_npy(const std::string& path, const Array& array) {
  write_bytes(path, array.type(), array.shape(), array.bytes(),
              array.byte_count());
}

}  // namespace sbog
