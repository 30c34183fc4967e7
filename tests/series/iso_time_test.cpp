// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detail/iso_time.h"

#include <gtest/gtest.h>

namespace sbog::detail {
namespace iso_time_test {

TEST(IsoTime, known_times_have_known_seconds) {
  EXPECT_EQ(parse_iso_time("1970-01-01"), 0.0);
  EXPECT_EQ(parse_iso_time("1970-01-02 00:00"), 86400.0);
  EXPECT_EQ(parse_iso_time("2000-03-01T00:00:00Z"), 951868800.0);
  EXPECT_EQ(parse_iso_time("2001-09-09T01:46:40"), 1e9);
  EXPECT_EQ(parse_iso_time("1969-12-31T23:59:59"), -1.0);
}

TEST(IsoTime, fractions_and_offsets_count) {
  EXPECT_EQ(parse_iso_time("1970-01-01T00:00:01.5"), 1.5);
  EXPECT_EQ(parse_iso_time("1970-01-01T02:00:00+02:00"), 0.0);
  EXPECT_EQ(parse_iso_time("1970-01-01T00:00:00-0130"), 5400.0);
  EXPECT_EQ(parse_iso_time("1970-01-01T05:00+05"), 0.0);
}

TEST(IsoTime, a_leap_day_needs_a_leap_year) {
  EXPECT_TRUE(parse_iso_time("2024-02-29"));
  EXPECT_FALSE(parse_iso_time("2023-02-29"));
}

TEST(IsoTime, anything_else_is_no_time) {
  for (const char* text :
       {"", "2024", "2024-13-01", "2024-00-01", "2024-01-32", "24-01-01",
        "2024-01-01T", "2024-01-01T1:00", "2024-01-01T25:00",
        "2024-01-01T10:60", "2024-01-01T10:00:61", "2024-01-01T10:00:00.",
        "2024-01-01T10:00:00X", "2024-01-01T10:00:00+", "2024-01-01x",
        "2024-01-01T10:00Z0", "01/02/2024", "noon"}) {
    EXPECT_FALSE(parse_iso_time(text)) << text;
  }
}

}  // namespace iso_time_test
}  // namespace sbog::detail
