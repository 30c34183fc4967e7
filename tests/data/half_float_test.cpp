// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/half_float.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sbog::detail {
namespace half_float_test {

// The definition of a binary format with `bits` of fraction, in double.
double by_definition(unsigned value, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (value >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = value & ((1 << fraction_bits) - 1);
  const double sign = (value >> (exponent_bits + fraction_bits)) ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  }
  const double implicit = exponent == 0 ? 0 : 1;
  const double mantissa = implicit + std::ldexp(fraction, -fraction_bits);
  return sign * std::ldexp(mantissa, std::max(exponent, 1) - bias);
}

void expect_equal(double expected, float actual, unsigned bits) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << bits;
  } else {
    EXPECT_EQ(expected, actual) << bits;
    EXPECT_EQ(std::signbit(expected), std::signbit(actual)) << bits;
  }
}

TEST(HalfFloat, every_half_has_the_value_of_its_definition) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    expect_equal(by_definition(bits, 5, 10),
                 half_to_float(static_cast<std::uint16_t>(bits)), bits);
  }
}

TEST(HalfFloat, every_bfloat16_has_the_value_of_its_definition) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    expect_equal(by_definition(bits, 8, 7),
                 bfloat16_to_float(static_cast<std::uint16_t>(bits)), bits);
  }
}

}  // namespace half_float_test
}  // namespace sbog::detail
