// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/dataset.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "data/deflate.h"
#include "data/support.h"
#include "data/zip_writer.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "sbog/data/safetensors.h"

namespace sbog {
namespace dataset_test {

using testing_support::array_of;
using testing_support::gzipped;
using testing_support::message_of;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;
using testing_support::write_text;
using testing_support::zip_file;
using Values = std::vector<double>;

class ReadArray : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.file(name); }

  std::string write_npy_file(const std::string& name, const Values& values) {
    write_npy(file(name), values);
    return file(name);
  }
  std::string npy_bytes(const Values& values) {
    const std::string path = write_npy_file("scratch.npy", values);
    const std::string bytes = read_bytes(path);
    std::filesystem::remove(path);
    return bytes;
  }
  std::string idx_bytes() const {
    return std::string("\0\0\x08\x01\0\0\0\x02\x05\x06", 10);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(ReadArray, every_format_is_read_by_its_extension) {
  EXPECT_EQ(to_vector(read_array(write_npy_file("a.npy", {1, 2}))),
            (Values{1, 2}));
  write_text(file("a.csv"), "x\n1\n2\n");
  EXPECT_EQ(to_vector(read_array(file("a.csv"))), (Values{1, 2}));
  write_text(file("a.NPZ"), zip_file({{"x.npy", npy_bytes({3})}}));
  EXPECT_EQ(to_vector(read_array(file("a.NPZ"))), Values{3});
  write_text(file("a.idx"), idx_bytes());
  EXPECT_EQ(to_vector(read_array(file("a.idx"))), (Values{5, 6}));
  write_text(file("labels-idx1-ubyte"), idx_bytes());
  EXPECT_EQ(to_vector(read_array(file("labels-idx1-ubyte"))), (Values{5, 6}));
  write_text(file("l.gz"), gzipped(idx_bytes()));
  EXPECT_EQ(to_vector(read_array(file("l.gz"))), (Values{5, 6}));
  const NamedArray tensor = {"w",
                             array_of<double>(ElementType::kFloat64, {1}, {4})};
  write_safetensors(file("m.safetensors"), {&tensor, 1});
  EXPECT_EQ(to_vector(read_array(file("m.safetensors"))), Values{4});
}

TEST_F(ReadArray, without_a_known_extension_the_first_bytes_tell) {
  write_npy_file("a.bin", {1});
  EXPECT_EQ(detect_format(file("a.bin")), FileFormat::kNpy);
  write_text(file("b.bin"), zip_file({{"x.npy", npy_bytes({3})}}));
  EXPECT_EQ(to_vector(read_array(file("b.bin") + ":x")), Values{3});
  write_text(file("c.bin"), idx_bytes());
  EXPECT_EQ(detect_format(file("c.bin")), FileFormat::kIdx);
  write_text(file("d.bin"), std::string("\2\0\0\0\0\0\0\0{}", 10));
  EXPECT_EQ(detect_format(file("d.bin")), FileFormat::kSafetensors);
  write_text(file("e.bin"), "hello");
  EXPECT_EQ(message_of<IoError>([&] { read_array(file("e.bin")); }),
            file("e.bin") +
                ": is of an unknown format; npy, npz, csv, idx and "
                "safetensors are accepted");
}

TEST_F(ReadArray, a_member_is_chosen_by_name) {
  const std::string path = file("a.npz");
  write_text(
      path, zip_file({{"x.npy", npy_bytes({1})}, {"y:z.npy", npy_bytes({2})}}));
  EXPECT_EQ(to_vector(read_array(path + ":x")), Values{1});
  EXPECT_EQ(to_vector(read_array(path + ":y:z")), Values{2});
  EXPECT_EQ(message_of<IoError>([&] { read_array(path + ":w"); }),
            path + ": has no member 'w'; it has 'x', 'y:z'");
  EXPECT_EQ(message_of<InvalidArgument>([&] { read_array(path); }),
            path + ": holds 2 arrays ('x', 'y:z'); choose one as FILE:NAME");
}

TEST_F(ReadArray, a_tensor_is_chosen_by_name) {
  const std::vector<NamedArray> tensors = {
      {"a", array_of<double>(ElementType::kFloat64, {1}, {1})},
      {"b", array_of<double>(ElementType::kFloat64, {1}, {2})}};
  const std::string path = file("m.safetensors");
  write_safetensors(path, tensors);
  EXPECT_EQ(to_vector(read_array(path + ":b")), Values{2});
  EXPECT_EQ(message_of<InvalidArgument>([&] { read_array(path); }),
            path + ": holds 2 arrays ('a', 'b'); choose one as FILE:NAME");
}

TEST_F(ReadArray, a_file_whose_name_has_a_colon_wins) {
  const std::string path = write_npy_file("odd:name.npy", {7});
  EXPECT_EQ(to_vector(read_array(path)), Values{7});
  write_npy_file("odd", {8});
  EXPECT_EQ(to_vector(read_array(path)), Values{7});
}

TEST_F(ReadArray, a_name_for_a_file_of_one_array_is_refused) {
  const std::string path = write_npy_file("a.npy", {1});
  EXPECT_EQ(message_of<InvalidArgument>([&] { read_array(path + ":x"); }),
            path + ": holds one array without a name, but 'x' is asked for");
}

TEST_F(ReadArray, options_reach_the_reader) {
  write_text(file("a.csv"), "x,y\n1,2\n3,4\n");
  ReadOptions options;
  options.csv.columns = {"y"};
  EXPECT_EQ(to_vector(read_array(file("a.csv"), options)), (Values{2, 4}));
  options.max_inflated_bytes = 3;
  write_text(file("l.gz"), gzipped(idx_bytes()));
  EXPECT_THROW(read_array(file("l.gz"), options), IoError);
}

TEST_F(ReadArray, a_missing_file_is_named_as_it_was_written) {
  const std::string spec = file("none.npz") + ":x";
  EXPECT_EQ(message_of<IoError>([&] { read_array(spec); }),
            spec + ": cannot be opened: No such file or directory");
}

}  // namespace dataset_test
}  // namespace sbog
