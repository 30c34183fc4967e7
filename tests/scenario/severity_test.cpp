// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/severity.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sbog::series {
namespace severity_test {

TEST(Severity, a_severity_is_a_decade_whose_rare_end_is_the_next) {
  EXPECT_EQ(severity_of(1.0), 0u);
  EXPECT_EQ(severity_of(0.1001), 0u);
  EXPECT_EQ(severity_of(0.1), 1u);
  EXPECT_EQ(severity_of(0.0101), 1u);
  EXPECT_EQ(severity_of(0.01), 2u);
  EXPECT_EQ(severity_of(0.001), 3u);
  EXPECT_EQ(severity_of(0.00011), 3u);
}

TEST(Severity, the_middle_of_a_band_lies_in_it) {
  for (std::size_t s = 1; s <= kMostSevere; ++s) {
    EXPECT_EQ(severity_of(band_middle(s)), s);
    EXPECT_NEAR(std::log10(band_middle(s)), -(static_cast<double>(s) + 0.5),
                1e-12);
  }
}

}  // namespace severity_test
}  // namespace sbog::series
