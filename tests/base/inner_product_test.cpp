// SPDX-License-Identifier: Apache-2.0
// Inner products against long double loops.
#include "sbog/base/inner_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sbog {
namespace inner_product_test {

TEST(InnerProduct, agrees_with_the_plain_loop_for_every_length) {
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<float> a(n);
    std::vector<double> b(n);
    long double ab = 0;
    long double apart = 0;
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = static_cast<float>(std::sin(3.0 * static_cast<double>(i)));
      b[i] = std::cos(5.0 * static_cast<double>(i));
      const long double x = a[i];
      const long double y = b[i];
      ab += x * y;
      apart += (x - y) * (x - y);
    }
    const std::span<const float> left(a);
    const std::span<const double> right(b);
    EXPECT_NEAR((inner_product<float, double>(left, right)),
                static_cast<double>(ab), 1e-14);
    EXPECT_NEAR((squared_distance<float, double>(left, right)),
                static_cast<double>(apart), 1e-13);
  }
}

TEST(InnerProduct, cosine_and_norm_of_known_vectors) {
  const std::vector<double> a = {3.0, 4.0};
  const std::vector<double> b = {4.0, 3.0};
  const std::vector<double> zero = {0.0, 0.0};
  EXPECT_DOUBLE_EQ(norm_of<double>(a), 5.0);
  EXPECT_DOUBLE_EQ((cosine_of<double, double>(a, b)), 24.0 / 25.0);
  EXPECT_EQ((cosine_of<double, double>(a, zero)), 0.0);
}

}  // namespace inner_product_test
}  // namespace sbog
