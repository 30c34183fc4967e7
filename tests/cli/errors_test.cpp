// SPDX-License-Identifier: Apache-2.0
// Bad input from the outside: one sentence, exit 2 or 3, no file left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include "cli/tool.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/matrix.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace errors_test {

class ErrorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Matrix<float> bank(20, 3);
    for (std::size_t i = 0; i < 20; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        bank(i, k) = static_cast<float>(1 + (7 * i + 3 * k) % 11);
      }
    }
    write_npy(folder.file("bank.npy"), bank.view());
    good = read_bytes(folder.file("bank.npy"));
    bank(4, 2) = std::numeric_limits<float>::quiet_NaN();
    write_npy(folder.file("nan.npy"), bank.view());
    bank(4, 2) = std::numeric_limits<float>::infinity();
    write_npy(folder.file("inf.npy"), bank.view());
    for (std::size_t k = 0; k < 3; ++k) bank(4, k) = 0.0f;
    write_npy(folder.file("zero.npy"), bank.view());
    write_npy(folder.file("narrow.npy"),
              std::as_const(bank).view().subrows(0, 1));
  }

  void put(const std::string& name, const std::string& bytes) {
    std::ofstream(folder.file(name), std::ios::binary) << bytes;
  }
  std::string header_with(const std::string& shape) const {
    std::string text =
        "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    text.resize(117, ' ');
    text += '\n';
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text;
  }
  void expect_refused(const std::string& arguments, int code,
                      const std::string& words) {
    const ToolResult run = run_tool(folder, arguments + " --out e.npy");
    EXPECT_EQ(run.exit_code, code) << arguments << "\n" << run.err;
    EXPECT_THAT(run.err, ::testing::HasSubstr(words)) << arguments;
    EXPECT_THAT(run.err, ::testing::StartsWith("sbog: ")) << arguments;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_FALSE(std::filesystem::exists(folder.file("e.npy"))) << arguments;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder.path())) {
      EXPECT_FALSE(is_temporary_name(entry.path().filename().native()));
    }
  }

  TemporaryFolder folder;
  std::string good;
};

TEST_F(ErrorsTest, values_are_named_by_row_and_column) {
  expect_refused("score nan.npy", 2, "row 4, column 2 is NaN");
  expect_refused("score inf.npy", 2, "row 4, column 2 is infinite");
  expect_refused("score zero.npy", 2, "row 4 is a zero vector");
  expect_refused("score bank.npy --queries nan.npy", 2,
                 "queries: row 4, column 2 is NaN");
}

TEST_F(ErrorsTest, shapes_must_fit) {
  Matrix<float> other(5, 4);
  other.elements()[0] = 1.0f;
  write_npy(folder.file("other.npy"), other.view());
  expect_refused("score bank.npy --queries other.npy", 2, "dimension 3");
  expect_refused("score bank.npy --weights other.npy", 2, "other.npy");
  expect_refused("score bank.npy --labels narrow.npy --per-class", 2,
                 "labels: one per row is expected (20), got 3");
}

TEST_F(ErrorsTest, epsilon_must_be_a_positive_number) {
  for (const char* value : {"0", "-1", "nan", "inf", "much"}) {
    expect_refused(std::string("score bank.npy --epsilon ") + value, 2,
                   "epsilon: auto or a finite number above 0 is expected");
  }
}

TEST_F(ErrorsTest, options_out_of_range_are_refused) {
  expect_refused("score bank.npy --quantile 1.5", 2, "(0, 1)");
  expect_refused("score bank.npy --trim 1", 2, "[0, 1)");
  expect_refused("score bank.npy --local 21", 2, "between 1 and 20");
  expect_refused("score bank.npy --tolerance -1", 2, "tolerance");
  expect_refused("score bank.npy --cost manhattan", 2, "manhattan");
  expect_refused("score bank.npy --cost mahalanobis", 2, "--metric");
  expect_refused("score bank.npy --per-class", 2, "--labels");
  expect_refused("score bank.npy --shard 0/2", 2, "--state");
  expect_refused("score bank.npy --colour red", 2, "--colour");
  expect_refused("score bank.npy --threads 99999", 2, "thread");
}

TEST_F(ErrorsTest, damaged_files_are_refused) {
  put("short.npy", good.substr(0, good.size() - 5));
  put("long.npy", good + "x");
  put("cut.npy", good.substr(0, 40));
  put("empty.npy", "");
  put("huge.npy", header_with("(4611686018427387904, 4)"));
  put("many.npy", header_with("(1000000, 1000)"));
  put("object.npy", [&] {
    std::string text = header_with("(3,)");
    text.replace(text.find("<f4"), 3, "|O ");
    return text;
  }());
  put("lying.safetensors", std::string("\xff\xff\xff\xff\0\0\0\0{}", 10));
  put("bad.npz", "PK\x03\x04 not really");
  put("bad.idx", std::string("\0\0\x08\x03\0\0\0\x05", 8));
  for (const char* name :
       {"short.npy", "long.npy", "cut.npy", "empty.npy", "huge.npy", "many.npy",
        "object.npy", "lying.safetensors", "bad.npz", "bad.idx"}) {
    expect_refused(std::string("score ") + name, 3, name);
  }
}

TEST_F(ErrorsTest, things_that_are_no_files_are_refused) {
  expect_refused("score .", 3, "directory");
  expect_refused("score nothing.npy", 3, "nothing.npy");
  expect_refused("score bank.npy:name", 2, "one array without a name");
  ASSERT_EQ(::mkfifo(folder.file("pipe.npy").c_str(), 0600), 0);
  expect_refused("score pipe.npy", 3, "regular file");
}

TEST_F(ErrorsTest, a_folder_that_does_not_exist_is_told_before_the_work) {
  const ToolResult run = run_tool(folder, "score bank.npy --out missing/e.npy");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, ::testing::HasSubstr("folder does not exist"));
}

TEST_F(ErrorsTest, a_damaged_state_is_refused) {
  ASSERT_EQ(
      run_tool(folder, "score bank.npy --shard 0/1 --state s.state").exit_code,
      0);
  std::string state = read_bytes(folder.file("s.state"));
  state[100] = static_cast<char>(state[100] ^ 1);
  put("s.state", state);
  expect_refused("merge s.state", 3, "checksum");
}

}  // namespace errors_test
}  // namespace sbog::testing_support
