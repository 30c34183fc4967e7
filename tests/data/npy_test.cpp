// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/npy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "data/support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace npy_test {

using testing_support::append_value;
using testing_support::bytes_of;
using testing_support::has_bytes_of;
using testing_support::message_of;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;
using testing_support::write_text;

struct Layout {
  int version = 1;
  bool is_big = false;
  bool is_fortran = false;
};

// IEEE half of a small non-negative integer, by its definition.
std::uint16_t half_of(int value) {
  if (value == 0) return 0;
  int exponent = 0;
  while ((2 << exponent) <= value) ++exponent;
  const int fraction = (value - (1 << exponent)) << (10 - exponent);
  return static_cast<std::uint16_t>(((exponent + 15) << 10) | fraction);
}

void append_number(std::string& out, const std::string& kind, int value,
                   std::endian order) {
  const auto as = [&]<typename T>(T) {
    append_value(out, static_cast<T>(value), order);
  };
  if (kind == "f2") return append_value(out, half_of(value), order);
  if (kind == "f4") return as(float{});
  if (kind == "f8") return as(double{});
  if (kind == "i1") return as(std::int8_t{});
  if (kind == "i2") return as(std::int16_t{});
  if (kind == "i4") return as(std::int32_t{});
  if (kind == "i8") return as(std::int64_t{});
  if (kind == "u1" || kind == "b1") return as(std::uint8_t{});
  if (kind == "u2") return as(std::uint16_t{});
  if (kind == "u4") return as(std::uint32_t{});
  if (kind == "u8") return as(std::uint64_t{});
  FAIL() << kind;
}

// The slow writer: a 3 x 4 table that counts in row order, element by element.
std::string slow_npy(const std::string& kind, const Layout& layout) {
  const std::string order = kind[1] == '1' ? "|" : layout.is_big ? ">" : "<";
  const std::string dict =
      "{'descr': '" + order + kind +
      "', 'fortran_order': " + (layout.is_fortran ? "True" : "False") +
      ", 'shape': (3, 4), }\n";
  std::string out = "\x93NUMPY";
  out += static_cast<char>(layout.version);
  out += '\0';
  if (layout.version == 1) {
    append_value(out, static_cast<std::uint16_t>(dict.size()),
                 std::endian::little);
  } else {
    append_value(out, static_cast<std::uint32_t>(dict.size()),
                 std::endian::little);
  }
  out += dict;
  const auto endian = layout.is_big ? std::endian::big : std::endian::little;
  for (int n = 0; n < 12; ++n) {
    const int value = layout.is_fortran ? (n % 3) * 4 + n / 3 : n;
    append_number(out, kind, kind == "b1" ? value % 2 : value, endian);
  }
  return out;
}

TEST(Npy, every_type_order_endianness_and_version_is_read) {
  for (const char* kind : {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2",
                           "u4", "u8", "b1"}) {
    for (int bits = 0; bits < 12; ++bits) {
      const Layout layout{bits / 4 + 1, bits % 2 != 0, bits / 2 % 2 != 0};
      const std::string file = slow_npy(kind, layout);
      const Array array = parse_npy(bytes_of(file), "f");
      const auto matrix = to_matrix<double>(array);
      ASSERT_EQ(matrix.rows(), 3u);
      ASSERT_EQ(matrix.cols(), 4u);
      for (std::size_t i = 0; i < 12; ++i) {
        const auto expected =
            static_cast<double>(std::string(kind) == "b1" ? i % 2 : i);
        EXPECT_EQ(matrix.view()(i / 4, i % 4), expected) << kind << bits;
      }
    }
  }
}

TEST(Npy, a_native_file_is_mapped_and_viewed_in_place) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bank.npy");
  Matrix<float> bank(100, 7);
  for (std::size_t i = 0; i < 700; ++i) bank.data()[i] = static_cast<float>(i);
  write_npy(path, bank);
  const Array array = read_npy(path);
  EXPECT_TRUE(array.is_mapped());
  const auto matrix = to_matrix<float>(array);
  EXPECT_TRUE(matrix.is_mapped());
  EXPECT_EQ(static_cast<const void*>(matrix.view().data()),
            static_cast<const void*>(array.bytes()));
  EXPECT_EQ(matrix.view()(99, 6), 699.0f);
  EXPECT_FALSE(to_matrix<double>(array).is_mapped());
}

TEST(Npy, a_misaligned_file_is_copied) {
  const TemporaryFolder folder;
  const std::string file = slow_npy("f8", {});  // 10 + 59 bytes of header
  ASSERT_NE((file.size() - 96) % 8, 0u);
  write_text(folder.file("f.npy"), file);
  const auto matrix = to_matrix<double>(read_npy(folder.file("f.npy")));
  EXPECT_FALSE(matrix.is_mapped());
  EXPECT_EQ(matrix.view()(2, 3), 11.0);
}

TEST(Npy, a_view_with_a_stride_is_written_without_the_gaps) {
  const TemporaryFolder folder;
  Matrix<double> wide(3, 5);
  for (std::size_t i = 0; i < 15; ++i) wide.data()[i] = static_cast<double>(i);
  write_npy(folder.file("f.npy"),
            MatrixView<const double>(wide.data() + 1, 3, 2, 5));
  const auto matrix = to_matrix<double>(read_npy(folder.file("f.npy")));
  ASSERT_EQ(matrix.cols(), 2u);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_EQ(matrix.view()(i, j), wide(i, j + 1));
    }
  }
}

TEST(Npy, empty_matrices_and_vectors_are_written) {
  const TemporaryFolder folder;
  const std::string path = folder.file("f.npy");
  write_npy(path, Matrix<float>(0, 5));
  EXPECT_EQ(read_npy(path).shape(), (std::vector<std::size_t>{0, 5}));
  write_npy(path, Matrix<float>(5, 0));
  EXPECT_EQ(read_npy(path).shape(), (std::vector<std::size_t>{5, 0}));
  write_npy(path, std::span<const double>());
  EXPECT_EQ(read_npy(path).shape(), std::vector<std::size_t>{0});
}

template <typename T>
void check_round_trip(const std::vector<T>& values, ElementType type) {
  const TemporaryFolder folder;
  const std::string path = folder.file("f.npy");
  write_npy(path, std::span<const T>(values));
  const Array array = read_npy(path);
  RC_ASSERT(array.type() == type);
  RC_ASSERT(array.shape() == std::vector<std::size_t>{values.size()});
  RC_ASSERT(has_bytes_of(array, values));
  const std::string once = read_bytes(path);
  write_npy(path, array);
  RC_ASSERT(read_bytes(path) == once);
}

RC_GTEST_PROP(Npy, floats_come_back_bit_for_bit,
              (const std::vector<float>& values)) {
  check_round_trip(values, ElementType::kFloat32);
}
RC_GTEST_PROP(Npy, doubles_come_back_bit_for_bit,
              (const std::vector<double>& values)) {
  check_round_trip(values, ElementType::kFloat64);
}
RC_GTEST_PROP(Npy, labels_come_back_bit_for_bit,
              (const std::vector<std::int64_t>& values)) {
  check_round_trip(values, ElementType::kInt64);
}

TEST(Npy, every_truncation_and_any_extra_byte_is_refused) {
  const std::string file = slow_npy("f4", {});
  for (std::size_t n = 0; n < file.size(); ++n) {
    EXPECT_THROW(parse_npy(bytes_of(file.substr(0, n)), "f"), IoError) << n;
  }
  EXPECT_EQ(
      message_of<IoError>([&] { parse_npy(bytes_of(file + "x"), "f.npy"); }),
      "f.npy: the shape (3, 4) of float32 takes 48 bytes, but 49 bytes follow "
      "the header");
}

TEST(Npy, files_that_cannot_be_read_or_written_are_named) {
  const TemporaryFolder folder;
  const std::string missing = folder.file("missing.npy");
  EXPECT_EQ(message_of<IoError>([&] { read_npy(missing); }),
            missing + ": cannot be opened: No such file or directory");
  const std::string nowhere = folder.file("no/such/folder.npy");
  const std::string message =
      message_of<IoError>([&] { write_npy(nowhere, std::vector<float>{1}); });
  EXPECT_TRUE(message.starts_with(nowhere)) << message;
}

}  // namespace npy_test
}  // namespace sbog
