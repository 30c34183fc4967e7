// SPDX-License-Identifier: Apache-2.0
// Sets of images: the drawn one, and a data folder in miniature.
#include "paper/image_data.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"

namespace sbog::paper {
namespace image_data_test {

using testing_support::TemporaryFolder;

// Ten classes of two images, colour, in the files of cifar-10.
void write_cifar(const TemporaryFolder& folder) {
  const std::string base = folder.file("cifar-10");
  std::filesystem::create_directories(base);
  for (const char* part : {"train", "test"}) {
    constexpr std::size_t kCount = 20;
    const std::size_t bytes = kCount * 8 * 8 * 3;
    std::shared_ptr<std::byte> pixels(new std::byte[bytes],
                                      std::default_delete<std::byte[]>());
    for (std::size_t i = 0; i < bytes; ++i) {
      pixels.get()[i] = static_cast<std::byte>(i * 7 % 251);
    }
    write_npy(base + "/" + part + "_images.npy",
              Array("x", ElementType::kUInt8, {kCount, 8, 8, 3}, pixels));
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < kCount; ++i) {
      labels.push_back(static_cast<std::int64_t>(i / 2));
    }
    write_npy(base + "/" + part + "_labels.npy",
              std::span<const std::int64_t>(labels));
  }
}

TEST(ImageData, the_drawn_set_has_disjoint_parts_and_three_others) {
  const Settings settings{Size::kSmall, {1}};
  ASSERT_EQ(list_image_sets(settings), std::vector<std::string>{"shapes"});
  const ImageBench bench =
      load_image_bench(image_fields("shapes", settings), "");
  EXPECT_EQ(class_count(bench.train), 8u);
  EXPECT_EQ(bench.outside.size(), 3u);
  for (const auto& [name, images] : bench.outside) {
    EXPECT_EQ(images.shape, bench.test.shape) << name;
    EXPECT_EQ(images.count(), bench.test.count()) << name;
  }
  for (std::size_t i = 0; i < bench.test.count(); ++i) {
    for (std::size_t j = 0; j < bench.train.count(); ++j) {
      EXPECT_NE(0, std::memcmp(bench.test.pixels.row(i).data(),
                               bench.train.pixels.row(j).data(),
                               bench.train.shape.size()));
    }
  }
}

TEST(ImageData, a_folder_gives_what_it_has) {
  const TemporaryFolder folder;
  Settings settings{Size::kFull, {1}};
  settings.data = folder.path().string();
  EXPECT_THROW(list_image_sets(settings), IoError);
  write_cifar(folder);
  ASSERT_EQ(list_image_sets(settings), std::vector<std::string>{"cifar-10"});
  Json fields = image_fields("cifar-10", settings);
  EXPECT_EQ(fields["outside"], Json({"textures", "noise", "rotated"}));
  fields["train_per_class"] = 1;
  const ImageBench bench = load_image_bench(fields, settings.data);
  EXPECT_EQ(bench.train.count(), 10u);
  EXPECT_EQ(bench.test.count(), 20u);
  EXPECT_EQ(bench.test.shape, (ImageShape{3, 8, 8}));
  EXPECT_EQ(bench.outside[2].second.shape, bench.test.shape);
}

TEST(ImageData, an_unknown_set_is_refused) {
  Json fields = image_fields("shapes", {Size::kSmall, {1}});
  fields["outside"] = {"nothing"};
  EXPECT_THROW(load_image_bench(fields, ""), InvalidArgument);
}

}  // namespace image_data_test
}  // namespace sbog::paper
