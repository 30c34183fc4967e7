// SPDX-License-Identifier: Apache-2.0
// One loop over the elements of an Array, whatever their type and alignment.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sbog/data/array.h"
#include "sbog/data/detail/half_float.h"

namespace sbog::detail {

struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};
struct Boolean {
  std::uint8_t bits;
};

/// The stored value as float, double, int64 or uint64, always exactly.
inline float widen(Half value) { return half_to_float(value.bits); }
inline float widen(BFloat16 value) { return bfloat16_to_float(value.bits); }
inline float widen(float value) { return value; }
inline double widen(double value) { return value; }
inline std::uint64_t widen(Boolean value) { return value.bits != 0 ? 1 : 0; }
inline std::uint64_t widen(std::unsigned_integral auto value) { return value; }
inline std::int64_t widen(std::signed_integral auto value) { return value; }

/// Calls visit(index, widened value) for each of `count` elements.
template <typename Stored, typename Visit>
void visit_stored(const std::byte* bytes, std::size_t count, Visit&& visit) {
  for (std::size_t i = 0; i < count; ++i) {
    Stored value;
    std::memcpy(&value, bytes + i * sizeof(Stored), sizeof(Stored));
    visit(i, widen(value));
  }
}

/// Calls visit(index, value) for each element in row-major order; value is a
/// float, double, int64 or uint64 that equals the element.
template <typename Visit>
void visit_elements(const Array& array, Visit&& visit) {
  const std::byte* bytes = array.bytes();
  const std::size_t count = array.size();
  switch (array.type()) {
    case ElementType::kFloat16:
      return visit_stored<Half>(bytes, count, visit);
    case ElementType::kBFloat16:
      return visit_stored<BFloat16>(bytes, count, visit);
    case ElementType::kFloat32:
      return visit_stored<float>(bytes, count, visit);
    case ElementType::kFloat64:
      return visit_stored<double>(bytes, count, visit);
    case ElementType::kInt8:
      return visit_stored<std::int8_t>(bytes, count, visit);
    case ElementType::kInt16:
      return visit_stored<std::int16_t>(bytes, count, visit);
    case ElementType::kInt32:
      return visit_stored<std::int32_t>(bytes, count, visit);
    case ElementType::kInt64:
      return visit_stored<std::int64_t>(bytes, count, visit);
    case ElementType::kUInt8:
      return visit_stored<std::uint8_t>(bytes, count, visit);
    case ElementType::kUInt16:
      return visit_stored<std::uint16_t>(bytes, count, visit);
    case ElementType::kUInt32:
      return visit_stored<std::uint32_t>(bytes, count, visit);
    case ElementType::kUInt64:
      return visit_stored<std::uint64_t>(bytes, count, visit);
    case ElementType::kBool:
      return visit_stored<Boolean>(bytes, count, visit);
  }
}

}  // namespace sbog::detail
