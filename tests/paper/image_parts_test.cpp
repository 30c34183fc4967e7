// SPDX-License-Identifier: Apache-2.0
// What rows of a table about images share.
#include "paper/torch/image_parts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "oracle/temporary_folder.h"

namespace sbog::paper {
namespace image_parts_test {

using testing_support::read_bytes;
using testing_support::TemporaryFolder;
namespace fs = std::filesystem;

TEST(ImageParts, a_damaged_file_is_made_again_with_the_same_bytes) {
  nn::use_one_torch_thread();
  const TemporaryFolder folder;
  const Json config =
      image_cells({Size::kSmall, {3}}, {{"x", "none"}})[0].configuration;
  const ImageBench bench = load_image_bench(config, "");
  CellContext context;
  context.scratch = folder.file("shared");
  const ImageParts parts(config, bench, context);
  parts.classifier();
  std::string path;
  for (const auto& entry : fs::directory_iterator(context.scratch)) {
    if (entry.path().extension() != ".lock") path = entry.path().string();
  }
  const std::string before = read_bytes(path);
  ASSERT_GT(before.size(), 1000u);
  std::ofstream(path, std::ios::binary) << before.substr(0, 500);
  parts.classifier();
  EXPECT_EQ(read_bytes(path), before);
}

TEST(ImageParts, plain_and_robust_encoders_are_kept_apart) {
  nn::use_one_torch_thread();
  const TemporaryFolder folder;
  const Json config =
      image_cells({Size::kSmall, {3}}, {{"x", "none"}})[0].configuration;
  const ImageBench bench = load_image_bench(config, "");
  CellContext context;
  context.scratch = folder.file("shared");
  const ImageParts parts(config, bench, context);
  EXPECT_FALSE(parts.model(false).is_robust);
  EXPECT_TRUE(parts.model(true).is_robust);
  EXPECT_FALSE(parts.model(false).is_robust);
}

}  // namespace image_parts_test
}  // namespace sbog::paper
