// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/array.h"

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>

#include "sbog/data/detail/checked_size.h"
#include "sbog/data/detail/element_visit.h"
#include "sbog/data/detail/text.h"

namespace sbog {
namespace {

// Integers up to this magnitude are exact in a double.
constexpr std::int64_t kMaxExact = std::int64_t{1} << 53;

std::string prefix(const Array& array) {
  return array.name().empty() ? "array" : array.name();
}

bool is_exact(std::int64_t value) {
  return value >= -kMaxExact && value <= kMaxExact;
}
bool is_exact(std::uint64_t value) {
  return value <= static_cast<std::uint64_t>(kMaxExact);
}

template <typename T, std::integral V>
bool fits(V value) {
  return is_exact(value);
}
template <typename T, std::floating_point V>
bool fits(V value) {
  constexpr double kLimit = std::numeric_limits<T>::max();
  return !std::isfinite(value) || std::abs(double{value}) <= kLimit;
}

// The shortest text that reads back as the value.
template <typename V>
std::string value_text(V value) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

template <typename T>
Matrix<T> convert(const Array& array) {
  Matrix<T> out(array.rows(), array.cols());
  T* data = out.data();
  const std::size_t cols = array.cols();
  detail::visit_elements(array, [&](std::size_t i, auto value) {
    if (!fits<T>(value)) {
      throw InvalidArgument(
          prefix(array) + ": row " + std::to_string(i / cols) + ", column " +
          std::to_string(i % cols) + " is " + value_text(value) +
          (std::integral<decltype(value)>
               ? "; integers up to 2^53 in magnitude are expected"
               : "; a value within the range of float is expected"));
    }
    data[i] = static_cast<T>(value);
  });
  return out;
}

void check_one_dimensional(const Array& array) {
  if (array.shape().size() <= 1) return;
  if (array.size() == array.rows() || array.size() == array.cols()) return;
  throw InvalidArgument(prefix(array) + ": the shape is " +
                        detail::shape_text(array.shape()) +
                        "; one row or one column is expected");
}

[[noreturn]] void refuse_label(const Array& array, std::size_t index,
                               const std::string& value) {
  throw InvalidArgument(prefix(array) + ": element " + std::to_string(index) +
                        " is " + value + "; an integral label is expected");
}

template <typename V>
std::int64_t to_label(const Array& array, std::size_t index, V value) {
  if constexpr (std::is_floating_point_v<V>) {
    const double wide = value;
    const bool is_integral = std::isfinite(wide) && std::trunc(wide) == wide &&
                             std::abs(wide) <= static_cast<double>(kMaxExact);
    if (!is_integral) refuse_label(array, index, value_text(value));
  } else if constexpr (std::is_unsigned_v<V>) {
    if (value > static_cast<V>(std::numeric_limits<std::int64_t>::max())) {
      refuse_label(array, index, value_text(value));
    }
  }
  return static_cast<std::int64_t>(value);
}

template <typename T>
constexpr ElementType kTypeOf = sizeof(T) == 4 ? ElementType::kFloat32
                                               : ElementType::kFloat64;

template <typename T>
bool is_aligned(const std::byte* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignof(T) == 0;
}

}  // namespace

std::size_t element_size(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
    case ElementType::kUInt8:
    case ElementType::kBool:
      return 1;
    case ElementType::kFloat16:
    case ElementType::kBFloat16:
    case ElementType::kInt16:
    case ElementType::kUInt16:
      return 2;
    case ElementType::kFloat32:
    case ElementType::kInt32:
    case ElementType::kUInt32:
      return 4;
    case ElementType::kFloat64:
    case ElementType::kInt64:
    case ElementType::kUInt64:
      return 8;
  }
  throw InvalidArgument("element_size: unknown element type");
}

const char* to_string(ElementType type) {
  switch (type) {
    case ElementType::kFloat16:
      return "float16";
    case ElementType::kBFloat16:
      return "bfloat16";
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kFloat64:
      return "float64";
    case ElementType::kInt8:
      return "int8";
    case ElementType::kInt16:
      return "int16";
    case ElementType::kInt32:
      return "int32";
    case ElementType::kInt64:
      return "int64";
    case ElementType::kUInt8:
      return "uint8";
    case ElementType::kUInt16:
      return "uint16";
    case ElementType::kUInt32:
      return "uint32";
    case ElementType::kUInt64:
      return "uint64";
    case ElementType::kBool:
      return "bool";
  }
  throw InvalidArgument("to_string: unknown element type");
}

bool is_floating(ElementType type) {
  return type == ElementType::kFloat16 || type == ElementType::kBFloat16 ||
         type == ElementType::kFloat32 || type == ElementType::kFloat64;
}

Array::Array(std::string name, ElementType type, std::vector<std::size_t> shape,
             std::shared_ptr<const std::byte> bytes, bool is_mapped)
    : name_(std::move(name)),
      type_(type),
      shape_(std::move(shape)),
      bytes_(std::move(bytes)),
      is_mapped_(is_mapped) {
  const auto count = detail::checked_byte_count(shape_, element_size(type));
  if (!count) {
    throw InvalidArgument(prefix(*this) + ": the shape " +
                          detail::shape_text(shape_) + " does not fit");
  }
  byte_count_ = *count;
}

std::size_t Array::rows() const { return shape_.empty() ? 1 : shape_[0]; }

std::size_t Array::cols() const {
  std::size_t product = 1;  // cannot wrap: checked_byte_count
  for (std::size_t i = 1; i < shape_.size(); ++i) product *= shape_[i];
  return product;
}

template <typename T>
LoadedMatrix<T> to_matrix(Array array) {
  const std::size_t rows = array.rows();
  const std::size_t cols = array.cols();
  if (array.type() == kTypeOf<T> && is_aligned<T>(array.bytes())) {
    // The bytes were written as T by a file or a Matrix<T>, aligned as T.
    const T* data = reinterpret_cast<const T*>(array.bytes());
    return {{array.shared_bytes(), data}, rows, cols, array.is_mapped()};
  }
  const auto owned = std::make_shared<Matrix<T>>(convert<T>(array));
  return {{owned, owned->data()}, rows, cols, false};
}

template LoadedMatrix<float> to_matrix(Array);
template LoadedMatrix<double> to_matrix(Array);

std::vector<double> to_vector(const Array& array) {
  check_one_dimensional(array);
  const LoadedMatrix<double> matrix = to_matrix<double>(array);
  const double* begin = matrix.view().data();
  return {begin, begin + array.size()};
}

std::vector<std::int64_t> to_labels(const Array& array) {
  check_one_dimensional(array);
  std::vector<std::int64_t> out(array.size());
  detail::visit_elements(array, [&](std::size_t i, auto value) {
    out[i] = to_label(array, i, value);
  });
  return out;
}

Array to_array(Matrix<double> matrix, std::string name) {
  const auto owned = std::make_shared<Matrix<double>>(std::move(matrix));
  const auto* bytes = reinterpret_cast<const std::byte*>(owned->data());
  return {std::move(name),
          ElementType::kFloat64,
          {owned->rows(), owned->cols()},
          {owned, bytes}};
}

}  // namespace sbog
