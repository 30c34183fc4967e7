// SPDX-License-Identifier: Apache-2.0
// Parts of a stress test: what was kept comes back, what does not fit does not.
#include "sbog/job/answer_parts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "oracle/temporary_folder.h"

namespace sbog::job {
namespace answer_parts_test {

using testing_support::read_bytes;
using testing_support::TemporaryFolder;

Matrix<double> answers() {
  Matrix<double> values(3, 2);
  for (std::size_t k = 0; k < 6; ++k) values.data()[k] = 0.1 * k;
  return values;
}

TEST(AnswerParts, what_is_kept_comes_back_to_the_bit) {
  const TemporaryFolder folder;
  const AnswerParts parts(folder.file("stress"), 7);
  EXPECT_FALSE(parts.find("cases-0", 3).has_value());
  const Matrix<double> kept = answers();
  parts.keep("cases-0", kept.view());
  const auto found = parts.find("cases-0", 3);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->cols(), 2u);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(found->data()[k], kept.data()[k]);
  }
}

TEST(AnswerParts, what_does_not_fit_is_not_taken) {
  const TemporaryFolder folder;
  const std::string path = folder.file("stress");
  const AnswerParts parts(path, 7);
  const Matrix<double> kept = answers();
  parts.keep("a", kept.view());
  EXPECT_FALSE(parts.find("a", 4).has_value());
  EXPECT_FALSE(parts.find("a", 2).has_value());
  EXPECT_FALSE(AnswerParts(path, 8).find("a", 3).has_value());
  const std::string whole = read_bytes(path + "/a.part");
  for (std::size_t at : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    std::ofstream(path + "/a.part", std::ios::binary) << damaged;
    EXPECT_FALSE(parts.find("a", 3).has_value()) << at;
  }
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    std::ofstream(path + "/a.part", std::ios::binary) << whole.substr(0, size);
    EXPECT_FALSE(parts.find("a", 3).has_value()) << size;
  }
}

TEST(AnswerParts, removing_leaves_what_others_keep_there) {
  const TemporaryFolder folder;
  const std::string path = folder.file("stress");
  const AnswerParts parts(path, 7);
  const Matrix<double> kept = answers();
  parts.keep("a", kept.view());
  std::ofstream(path + "/cases.npy") << "x";
  parts.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
  const AnswerParts again(path, 7);
  std::ofstream(path + "/mine.txt") << "x";
  again.keep("a", kept.view());
  again.remove();
  EXPECT_TRUE(std::filesystem::exists(path + "/mine.txt"));
  EXPECT_FALSE(again.find("a", 3).has_value());
}

}  // namespace answer_parts_test
}  // namespace sbog::job
