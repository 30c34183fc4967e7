// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/image_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "jpeg_writer.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/image/png.h"
#include "support.h"

namespace sbog {
namespace image_folder_test {

using testing_support::flat_jpeg;
using testing_support::message_of;
using testing_support::TemporaryFolder;
using testing_support::write_text;
using Names = std::vector<std::string>;

// A PNG of one level.
void write_flat(const TemporaryFolder& folder, const std::string& name,
                const ImageShape& shape, std::uint8_t level) {
  const std::filesystem::path path = folder.path() / name;
  std::filesystem::create_directories(path.parent_path());
  write_png(path.string(), shape,
            std::vector<std::uint8_t>(shape.size(), level));
}

ImageSet read(const TemporaryFolder& folder,
              const FolderOptions& options = {}) {
  return read_image_folder(folder.path().string(), options);
}

std::string refusal(const TemporaryFolder& folder,
                    const FolderOptions& options = {}) {
  return message_of<IoError>([&] { read(folder, options); });
}

TEST(ImageFolder, sub_folders_are_classes_in_the_order_of_names) {
  const TemporaryFolder folder;
  write_flat(folder, "dog/2.png", {1, 4, 5}, 20);
  write_flat(folder, "dog/1.PNG", {1, 4, 5}, 10);
  write_flat(folder, "cat/9.png", {1, 4, 5}, 90);
  write_text(folder.file("cat/notes.txt"), "words");
  write_text(folder.file("readme.txt"), "words");
  const ImageSet set = read(folder);
  EXPECT_NO_THROW(check_images(set, "set"));
  EXPECT_EQ(set.class_names, (Names{"cat", "dog"}));
  EXPECT_EQ(set.labels, (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(set.sources, (Names{"cat/9.png", "dog/1.PNG", "dog/2.png"}));
  EXPECT_EQ(set.pixels(0, 0), 90);
  EXPECT_EQ(set.pixels(1, 0), 10);
  EXPECT_EQ(set.pixels(2, 19), 20);
}

TEST(ImageFolder, a_flat_folder_has_no_classes) {
  const TemporaryFolder folder;
  write_text(folder.file("b.jpg"), flat_jpeg({8, 8, 3}, {50, 50, 50}));
  write_flat(folder, "a.png", {3, 8, 8}, 7);
  const ImageSet set = read(folder);
  EXPECT_TRUE(set.labels.empty());
  EXPECT_TRUE(set.class_names.empty());
  EXPECT_EQ(set.sources, (Names{"a.png", "b.jpg"}));
}

TEST(ImageFolder, different_sizes_are_refused_with_both_files) {
  const TemporaryFolder folder;
  write_flat(folder, "a.png", {1, 4, 4}, 1);
  write_flat(folder, "b.png", {1, 4, 5}, 2);
  EXPECT_EQ(refusal(folder),
            folder.path().string() +
                ": b.png is 1 x 4 x 5, but a.png is 1 x 4 x 4; name a size "
                "and channels for all");
  const ImageSet set = read(folder, {6, 6, 0, {}});
  EXPECT_EQ(set.shape, (ImageShape{1, 6, 6}));
  EXPECT_EQ(set.pixels(1, 35), 2);
}

TEST(ImageFolder, grey_beside_colour_needs_the_number_of_channels) {
  const TemporaryFolder folder;
  write_flat(folder, "a.png", {1, 4, 4}, 1);
  write_flat(folder, "b.png", {3, 4, 4}, 2);
  EXPECT_NE(refusal(folder).find("b.png is 3 x 4 x 4"), std::string::npos);
  EXPECT_EQ(read(folder, {0, 0, 3, {}}).shape, (ImageShape{3, 4, 4}));
  EXPECT_EQ(read(folder, {0, 0, 1, {}}).shape, (ImageShape{1, 4, 4}));
}

TEST(ImageFolder, the_file_that_cannot_be_read_is_named) {
  const TemporaryFolder folder;
  write_flat(folder, "c/a.png", {1, 4, 4}, 1);
  write_text(folder.file("c/b.png"), "no image");
  EXPECT_EQ(refusal(folder),
            folder.file("c/b.png") + ": is neither a PNG nor a JPEG");
}

TEST(ImageFolder, folders_without_images_or_with_both_kinds_are_refused) {
  const TemporaryFolder folder;
  EXPECT_NE(refusal(folder).find("holds no PNG or JPEG"), std::string::npos);
  write_flat(folder, "a/1.png", {1, 2, 2}, 1);
  std::filesystem::create_directory(folder.path() / "b");
  EXPECT_EQ(refusal(folder),
            folder.file("b") +
                ": holds no PNG or JPEG; a class of images is expected");
  write_flat(folder, "1.png", {1, 2, 2}, 1);
  EXPECT_NE(refusal(folder).find("images beside sub-folders"),
            std::string::npos);
}

TEST(ImageFolder, a_wanted_size_beyond_the_limits_is_refused_before_resizing) {
  const TemporaryFolder folder;
  write_flat(folder, "a.png", {1, 4, 4}, 1);
  EXPECT_NE(refusal(folder, {65535, 65535, 0, {}}).find("is too large"),
            std::string::npos);
}

TEST(ImageFolder, limits_hold_for_the_folder_and_for_each_image) {
  const TemporaryFolder folder;
  write_flat(folder, "a.png", {1, 4, 4}, 1);
  write_flat(folder, "b.png", {1, 4, 4}, 1);
  EXPECT_NE(refusal(folder, {0, 0, 0, {16, 1, 100}}).find("limit of 1"),
            std::string::npos);
  EXPECT_NE(refusal(folder, {0, 0, 0, {15, 2, 100}}).find("15 pixels"),
            std::string::npos);
  EXPECT_NE(refusal(folder, {0, 0, 0, {16, 2, 31}}).find("31 bytes"),
            std::string::npos);
  EXPECT_EQ(refusal(folder, {0, 0, 0, {16, 2, 32}}), "nothing was thrown");
}

}  // namespace image_folder_test
}  // namespace sbog
