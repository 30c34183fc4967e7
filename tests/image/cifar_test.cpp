// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/cifar.h"

#include <gtest/gtest.h>

#include <string>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace cifar_test {

using testing_support::bytes_of;
using testing_support::message_of;
using testing_support::write_text;

// A record whose pixel k of plane c is c * 50 + k % 50 + shift.
std::string record(const std::string& labels, int shift = 0) {
  std::string out = labels;
  for (int c = 0; c < 3; ++c) {
    for (int k = 0; k < 1024; ++k) {
      out += static_cast<char>(c * 50 + k % 50 + shift);
    }
  }
  return out;
}

ImageSet parse(const std::string& bytes, const CifarOptions& options = {}) {
  return parse_cifar(bytes_of(bytes), "b.bin", options);
}

std::string refusal(const std::string& bytes,
                    const CifarOptions& options = {}) {
  return message_of<IoError>([&] { parse(bytes, options); });
}

TEST(Cifar, records_of_3073_bytes_have_ten_classes) {
  const ImageSet set = parse(record("\x03") + record("\x09", 7));
  EXPECT_EQ(set.shape, (ImageShape{3, 32, 32}));
  EXPECT_EQ(set.labels, (std::vector<std::int32_t>{3, 9}));
  EXPECT_EQ(set.reading, "CIFAR-10 records");
  EXPECT_EQ(set.pixels(0, 1024), 50);
  EXPECT_EQ(set.pixels(1, 2048 + 60), 117);
}

TEST(Cifar, records_of_3074_bytes_carry_the_fine_label_second) {
  const ImageSet set = parse(record("\x13\x63"));
  EXPECT_EQ(set.labels, (std::vector<std::int32_t>{99}));
  EXPECT_EQ(set.reading, "CIFAR-100 records");
  EXPECT_EQ(set.pixels(0, 0), 0);
}

TEST(Cifar, sizes_that_are_no_records_are_refused) {
  for (const std::size_t size : {0, 1, 3072, 3075, 6145}) {
    EXPECT_NE(refusal(std::string(size, '\0'))
                  .find("has " + std::to_string(size) + " bytes"),
              std::string::npos);
  }
  EXPECT_EQ(refusal(record("\x01"), {100}),
            "b.bin: has 3073 bytes; records of 3074 bytes are expected");
}

TEST(Cifar, a_size_that_fits_both_kinds_needs_the_number_of_classes) {
  const std::string both(3073 * 3074, '\0');
  EXPECT_NE(refusal(both).find("name the number of classes"),
            std::string::npos);
  EXPECT_EQ(parse(both, {10}).count(), 3074u);
  EXPECT_EQ(parse(both, {100}).count(), 3073u);
  EXPECT_THROW(parse(both, {20}), InvalidArgument);
}

TEST(Cifar, labels_out_of_range_are_refused_with_their_image) {
  EXPECT_EQ(refusal(record("\x01") + record("\x0a")),
            "b.bin: the label of image 1 is out of range; 0 to 9 is expected");
  EXPECT_NE(refusal(record("\x01\x64")).find("0 to 99"), std::string::npos);
  EXPECT_NE(refusal(record("\x14\x01")).find("image 0"), std::string::npos);
}

TEST(Cifar, more_images_than_allowed_are_refused) {
  CifarOptions options;
  options.limits.max_images = 1;
  EXPECT_NE(refusal(record("\x01") + record("\x02"), options).find("too many"),
            std::string::npos);
}

TEST(Cifar, a_folder_is_read_in_the_order_of_names_without_its_test_file) {
  const testing_support::TemporaryFolder folder;
  write_text(folder.file("data_batch_2.bin"), record("\x02"));
  write_text(folder.file("data_batch_1.bin"), record("\x01") + record("\x05"));
  write_text(folder.file("test_batch.bin"), record("\x07"));
  write_text(folder.file("readme.html"), "words");
  ImageSet set = read_cifar(folder.path().string());
  EXPECT_EQ(set.labels, (std::vector<std::int32_t>{1, 5, 2}));
  EXPECT_TRUE(set.class_names.empty());
  write_text(folder.file("batches.meta.txt"),
             "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n");
  set = read_cifar(folder.path().string());
  ASSERT_EQ(set.class_names.size(), 10u);
  EXPECT_EQ(set.class_names[9], "j");
  EXPECT_EQ(read_cifar(folder.file("test_batch.bin")).labels,
            (std::vector<std::int32_t>{7}));
}

TEST(Cifar, a_folder_of_two_kinds_or_none_is_refused) {
  const testing_support::TemporaryFolder folder;
  EXPECT_THROW(read_cifar(folder.path().string()), IoError);
  write_text(folder.file("a.bin"), record("\x02"));
  write_text(folder.file("b.bin"), record("\x02\x02"));
  const std::string message =
      message_of<IoError>([&] { read_cifar(folder.path().string()); });
  EXPECT_EQ(message, folder.file("b.bin") +
                         ": has 3074 bytes; records of 3073 bytes are "
                         "expected");
}

}  // namespace cifar_test
}  // namespace sbog
