// SPDX-License-Identifier: Apache-2.0
#include "sbog/job/bank_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::job {
namespace bank_rows_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BankRowsTest : public ::testing::Test {
 protected:
  // The array of a file whose header tells `shape`.
  std::string write(const std::string& shape, std::vector<float> values) {
    std::string header =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize(117, ' ');
    header += '\n';
    std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + "\x76" +
                        std::string(1, '\0') + header;
    bytes.append(reinterpret_cast<const char*>(values.data()),
                 values.size() * sizeof(float));
    std::ofstream(folder_.file("bank.npy"), std::ios::binary) << bytes;
    return folder_.file("bank.npy");
  }

  LoadedBank<float> loaded(const std::string& shape, std::vector<float> values,
                           GroundCost cost = GroundCost::kCosine) {
    return load_bank<float>(write(shape, std::move(values)), {}, cost);
  }

  std::string refusal(const std::string& shape, std::vector<float> values) {
    try {
      loaded(shape, std::move(values));
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  }

  testing_support::TemporaryFolder folder_;
};

TEST_F(BankRowsTest, a_table_of_rows_needs_no_words) {
  const LoadedBank<float> bank = loaded("2, 2", {1, 2, 2, 1});
  EXPECT_EQ(bank.rows.rows(), 2u);
  EXPECT_THAT(bank.remarks.notes, IsEmpty());
  EXPECT_THAT(bank.remarks.warnings, IsEmpty());
}

TEST_F(BankRowsTest, a_number_and_a_single_row_are_refused) {
  EXPECT_THAT(refusal("", {1}), HasSubstr("is a single number"));
  EXPECT_THAT(refusal("1, 3", {1, 2, 3}),
              HasSubstr("a bank of at least two points is expected"));
}

TEST_F(BankRowsTest, what_is_flattened_is_told) {
  const LoadedBank<float> bank = loaded("2, 1, 3", {1, 2, 3, 3, 2, 1});
  EXPECT_EQ(bank.rows.cols(), 3u);
  EXPECT_THAT(bank.remarks.notes,
              ElementsAre(HasSubstr("has the shape 2 x 1 x 3; each of its 2 "
                                    "parts is taken for a point of 3")));
}

TEST_F(BankRowsTest, a_column_that_decides_alone_is_told_for_cosines) {
  const std::vector<float> ages_and_incomes = {30, 5e4F, 60, 3e4F};
  testing_support::RecordedEvents events;
  loaded("2, 2", ages_and_incomes).remarks.tell(events);
  EXPECT_THAT(events.warnings,
              ElementsAre(HasSubstr("column 1 makes up 100.0 %")));
  EXPECT_THAT(
      loaded("2, 2", ages_and_incomes, GroundCost::kEuclidean).remarks.warnings,
      IsEmpty());
  EXPECT_THAT(loaded("2, 1", {1, 2}).remarks.warnings, IsEmpty());
}

}  // namespace bank_rows_test
}  // namespace sbog::job
