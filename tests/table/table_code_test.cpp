// SPDX-License-Identifier: Apache-2.0
#include "sbog/table/table_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"

namespace sbog::table {
namespace table_code_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TextTable people() {
  return {{"age", "job", "pay", "code"},
          {{"18", "40", "65", "33"},
           {"cook", "", "smith", "cook"},
           {"1000.5", "2500.0", "NA", "1800.25"},
           {"7", "9", "7", "8"}}};
}

TEST(TableCode, rows_become_points_and_rows_again) {
  const TextTable table = people();
  const TableCode code(table, {"code"});
  EXPECT_EQ(code.width(), 1u + 3 + 2 + 3);
  const Matrix<double> points = code.encode(table);
  ASSERT_EQ(points.rows(), 4u);
  EXPECT_THAT(code.decode(points.row(0)),
              ElementsAre("18", "cook", "1000.50", "7"));
  EXPECT_THAT(code.decode(points.row(1)),
              ElementsAre("40", "", "2500.00", "9"));
  EXPECT_THAT(code.decode(points.row(2)), ElementsAre("65", "smith", "", "7"));
}

// Whatever a point was, settled it is the code of a row that may be written:
// decoding and encoding that row gives the same point.
TEST(TableCode, a_settled_point_is_the_code_of_its_row) {
  const TextTable table = people();
  const TableCode code(table, {"code"}, {{}, {"age=0:120"}, {}});
  for (std::uint32_t j = 0; j < 200; ++j) {
    std::vector<double> point(code.width());
    PhiloxStream(3, 0, 0, 0).normals(j, std::span<double>(point));
    for (double& x : point) x *= 2.0;
    ASSERT_TRUE(code.settle(point, {}));
    const auto fields = code.decode(point);
    TextTable row{table.names, {}};
    for (const std::string& field : fields) row.columns.push_back({field});
    const Matrix<double> again = code.encode(row);
    for (std::size_t k = 0; k < point.size(); ++k) {
      ASSERT_NEAR(again(0, k), point[k], 1e-12) << j;
    }
    std::vector<double> twice = point;
    ASSERT_TRUE(code.settle(twice, {}));
    for (std::size_t k = 0; k < point.size(); ++k) {
      ASSERT_NEAR(twice[k], point[k], 1e-12) << j;
    }
  }
}

TEST(TableCode, rules_hold_for_every_point) {
  const TextTable table = people();
  const TableCode code(table, {}, {{"job", "code"}, {}, {"age=40", "pay="}});
  const Matrix<double> points = code.encode(table);
  for (std::uint32_t j = 0; j < 50; ++j) {
    std::vector<double> point(code.width());
    PhiloxStream(4, 0, 0, 0).normals(j, std::span<double>(point));
    const std::size_t anchor = j % 4;
    ASSERT_TRUE(code.settle(point, points.row(anchor)));
    const auto fields = code.decode(point);
    EXPECT_EQ(fields[0], "40");
    EXPECT_EQ(fields[1], table.columns[1][anchor]);
    EXPECT_EQ(fields[2], "");
    EXPECT_EQ(fields[3], table.columns[3][anchor]);
  }
}

TEST(TableCode, a_table_that_would_fill_the_memory_is_refused) {
  TextTable table;
  for (const char* name : {"a", "b", "c", "d"}) {
    table.names.emplace_back(name);
    table.columns.emplace_back();
    for (std::size_t i = 0; i < 70000; ++i) {
      table.columns.back().push_back("t" + std::to_string(i % kMostTexts));
    }
  }
  EXPECT_THAT([&] { TableCode{table}; },
              ThrowsMessage<InvalidArgument>(
                  HasSubstr("70,000 rows of 4,000 coordinates")));
}

TEST(TableCode, a_table_that_says_nothing_is_refused) {
  const TextTable same{{"a", "b"}, {{"x", "x"}, {"y", "y"}}};
  EXPECT_THROW(TableCode{same}, InvalidArgument);
  EXPECT_THAT([] { TableCode(people(), {"town"}); },
              ThrowsMessage<InvalidArgument>(
                  HasSubstr("--categories: there is no column 'town'")));
}

}  // namespace table_code_test
}  // namespace sbog::table
