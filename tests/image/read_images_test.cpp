// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/read_images.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "data/deflate.h"
#include "data/zip_writer.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "sbog/image/png.h"
#include "support.h"

namespace sbog {
namespace read_images_test {

using testing_support::array_of;
using testing_support::message_of;
using testing_support::TemporaryFolder;
using testing_support::write_text;
using Bytes = std::vector<std::uint8_t>;
using Labels = std::vector<std::int32_t>;

std::string idx_file(const std::vector<std::uint32_t>& extents) {
  std::string out("\0\0\x08", 3);
  out += static_cast<char>(extents.size());
  std::size_t size = 1;
  for (const std::uint32_t extent : extents) {
    testing_support::append_value(out, extent, std::endian::big);
    size *= extent;
  }
  for (std::size_t k = 0; k < size; ++k) out += static_cast<char>(k);
  return out;
}

std::string gzip(const std::string& text) {
  return testing_support::gzipped(text);
}

void write_bytes_npy(const std::string& path, std::vector<std::size_t> shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  Bytes values(size);
  for (std::size_t k = 0; k < size; ++k) {
    values[k] = static_cast<std::uint8_t>(k);
  }
  write_npy(path, array_of(ElementType::kUInt8, std::move(shape), values));
}

std::string refusal(const std::string& path,
                    const ReadImagesOptions& options = {}) {
  return message_of<IoError>([&] { read_images(path, options); });
}

TEST(ReadImages, idx_finds_its_labels_beside) {
  const TemporaryFolder folder;
  const std::string path = folder.file("train-images-idx3-ubyte");
  write_text(path, idx_file({3, 4, 5}));
  EXPECT_TRUE(read_images(path).labels.empty());
  write_text(folder.file("train-labels-idx1-ubyte"), idx_file({3}));
  ImageSet set = read_images(path);
  EXPECT_EQ(set.shape, (ImageShape{1, 4, 5}));
  EXPECT_EQ(set.labels, (Labels{0, 1, 2}));
  EXPECT_EQ(set.pixels(2, 19), 59);
  ReadImagesOptions options;
  options.finds_labels = false;
  EXPECT_TRUE(read_images(path, options).labels.empty());
}

TEST(ReadImages, gzipped_idx_finds_labels_of_either_kind) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t10k-images-idx3-ubyte.gz");
  write_text(path, gzip(idx_file({3, 4, 5})));
  write_text(folder.file("t10k-labels-idx1-ubyte"), idx_file({3}));
  EXPECT_EQ(read_images(path).labels, (Labels{0, 1, 2}));
  std::filesystem::remove(folder.file("t10k-labels-idx1-ubyte"));
  write_text(folder.file("t10k-labels-idx1-ubyte.gz"), gzip(idx_file({3})));
  EXPECT_EQ(read_images(path).labels, (Labels{0, 1, 2}));
}

TEST(ReadImages, npy_finds_its_labels_beside) {
  const TemporaryFolder folder;
  const std::string path = folder.file("test_images.npy");
  write_bytes_npy(path, {2, 4, 5, 3});
  write_bytes_npy(folder.file("test_labels.npy"), {2});
  const ImageSet set = read_images(path);
  EXPECT_EQ(set.shape, (ImageShape{3, 4, 5}));
  EXPECT_EQ(set.labels, (Labels{0, 1}));
  EXPECT_EQ(set.reading, "uint8 in [0, 255], channels last");
}

TEST(ReadImages, labels_and_names_may_be_given) {
  const TemporaryFolder folder;
  write_bytes_npy(folder.file("a.npy"), {2, 4, 5});
  write_bytes_npy(folder.file("y.npy"), {2});
  write_text(folder.file("names.txt"), "cat\ndog\n");
  ReadImagesOptions options;
  options.labels = folder.file("y.npy");
  options.class_names = folder.file("names.txt");
  const ImageSet set = read_images(folder.file("a.npy"), options);
  EXPECT_EQ(set.labels, (Labels{0, 1}));
  EXPECT_EQ(set.class_names, (std::vector<std::string>{"cat", "dog"}));
  write_text(folder.file("names.txt"), "cat\n");
  EXPECT_EQ(refusal(folder.file("a.npy"), options),
            folder.file("a.npy") +
                ": has an image of class 1, but only 1 class names are there");
  write_bytes_npy(folder.file("y.npy"), {3});
  EXPECT_EQ(refusal(folder.file("a.npy"), options),
            folder.file("y.npy") +
                ": holds 3 labels for 2 images; one for each is expected");
}

TEST(ReadImages, npz_members_are_found_or_named) {
  const TemporaryFolder folder;
  write_bytes_npy(folder.file("x.npy"), {2, 4, 5});
  write_bytes_npy(folder.file("y.npy"), {2});
  const std::string images = testing_support::read_bytes(folder.file("x.npy"));
  const std::string labels = testing_support::read_bytes(folder.file("y.npy"));
  const std::string path = folder.file("a.npz");
  write_text(path, testing_support::zip_file(
                       {{"images.npy", images}, {"labels.npy", labels}}));
  EXPECT_EQ(read_images(path).labels, (Labels{0, 1}));
  write_text(path, testing_support::zip_file({{"x.npy", images}}));
  EXPECT_EQ(read_images(path).count(), 2u);
  write_text(path,
             testing_support::zip_file({{"x.npy", images}, {"y.npy", labels}}));
  EXPECT_EQ(refusal(path), path +
                               ": holds 'x', 'y', but nothing is called "
                               "'images'; name the member");
  ReadImagesOptions options;
  options.member = "x";
  options.labels = path + ":y";
  EXPECT_EQ(read_images(path, options).labels, (Labels{0, 1}));
}

TEST(ReadImages, cifar_folders_and_files_are_told_by_their_ending) {
  const TemporaryFolder folder;
  write_text(folder.file("a.bin"), std::string(3073, '\x02'));
  EXPECT_EQ(read_images(folder.file("a.bin")).labels, Labels{2});
  EXPECT_EQ(read_images(folder.path()).reading, "CIFAR-10 records");
}

TEST(ReadImages, folders_and_single_images_are_read) {
  const TemporaryFolder folder;
  write_png(folder.file("a.png"), {1, 2, 2}, Bytes{1, 2, 3, 4});
  const ImageSet one = read_images(folder.file("a.png"));
  EXPECT_EQ(one.count(), 1u);
  EXPECT_EQ(one.sources, std::vector<std::string>{"a.png"});
  const ImageSet all = read_images(folder.path());
  EXPECT_TRUE(testing_support::same_pixels(one, all));
}

TEST(ReadImages, every_format_can_be_resized_and_recoloured) {
  const TemporaryFolder folder;
  write_bytes_npy(folder.file("a.npy"), {2, 4, 6});
  write_png(folder.file("a.png"), {1, 2, 2}, Bytes{1, 2, 3, 4});
  ReadImagesOptions options;
  options.height = 3;
  options.width = 7;
  options.channels = 3;
  for (const char* name : {"a.npy", "a.png"}) {
    const ImageSet set = read_images(folder.file(name), options);
    EXPECT_EQ(set.shape, (ImageShape{3, 3, 7})) << name;
  }
  options.limits.max_bytes = 2 * 63 - 1;
  EXPECT_NE(refusal(folder.file("a.npy"), options).find("too large"),
            std::string::npos);
}

TEST(ReadImages, what_holds_no_images_is_refused) {
  const TemporaryFolder folder;
  write_text(folder.file("a.csv"), "1,2\n");
  EXPECT_NE(refusal(folder.file("a.csv")).find("holds no images"),
            std::string::npos);
  EXPECT_TRUE(
      refusal(folder.file("none.npy")).starts_with(folder.file("none.npy")));
  EXPECT_TRUE(refusal(folder.file("none")).starts_with(folder.file("none")));
  write_text(folder.file("train-images-idx3-ubyte"),
             idx_file({3, 4, 5}).substr(0, 40));
  EXPECT_TRUE(refusal(folder.file("train-images-idx3-ubyte"))
                  .starts_with(folder.file("train-images-idx3-ubyte")));
}

TEST(ReadImages, a_header_that_claims_more_than_the_limits_is_refused) {
  const TemporaryFolder folder;
  std::string bomb = idx_file({1, 1, 1});
  bomb.replace(4, 12, "\x7f\xff\xff\xff\x00\x00\xff\xff\x00\x00\xff\xff", 12);
  write_text(folder.file("a.idx.gz"), gzip(bomb));
  EXPECT_TRUE(
      refusal(folder.file("a.idx.gz")).starts_with(folder.file("a.idx.gz")));
}

TEST(ReadImages, options_out_of_range_are_refused) {
  ReadImagesOptions options;
  EXPECT_NO_THROW(check_options(options));
  options.channels = 2;
  EXPECT_THROW(check_options(options), InvalidArgument);
  options = {};
  options.cifar_classes = 20;
  EXPECT_THROW(check_options(options), InvalidArgument);
  options = {};
  options.width = 65536;
  EXPECT_THROW(read_images("x", options), InvalidArgument);
}

}  // namespace read_images_test
}  // namespace sbog
