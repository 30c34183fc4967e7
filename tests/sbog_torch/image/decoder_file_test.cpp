// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/detail/decoder_file.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"

namespace sbog::image::detail {
namespace decoder_file_test {

using namespace testing_support;
using sbog::testing_support::TemporaryFolder;

TEST(DecoderFile, kind_and_shape_are_read_back) {
  const TemporaryFolder folder;
  const std::string path = folder.file("decoder");
  nn::Checkpoint file;
  file.scalars["x"] = 1.0;
  file.metadata = decoder_metadata(
      DecoderKind::kFlow, {{"channels", 3}, {"height", 8}, {"width", 12}});
  nn::save_checkpoint(path, file);
  const DecoderFile found = read_decoder_file(path);
  EXPECT_EQ(found.kind, DecoderKind::kFlow);
  EXPECT_EQ(found.shape(), (ImageShape{3, 8, 12}));
  EXPECT_NO_THROW(read_decoder_file(path, DecoderKind::kFlow));
  EXPECT_NE(message_of<IoError>([&] {
              read_decoder_file(path, DecoderKind::kMix);
            }).find("of kind mix is expected"),
            std::string::npos);
  file.metadata["kind"] = "sd15";
  nn::save_checkpoint(path, file);
  EXPECT_THROW(read_decoder_file(path), IoError);
  file.metadata["format"] = "something else";
  nn::save_checkpoint(path, file);
  EXPECT_THROW(read_decoder_file(path), IoError);
}

TEST(DecoderFile, sides_are_multiples_of_4) {
  EXPECT_EQ(shape_fault({1, 28, 28}), "");
  EXPECT_EQ(shape_fault({3, 32, 32}), "");
  for (const ImageShape shape :
       {ImageShape{2, 28, 28}, ImageShape{1, 4, 28}, ImageShape{1, 28, 30},
        ImageShape{1, 28, 260}, ImageShape{1, 0, 28}}) {
    EXPECT_NE(shape_fault(shape), "");
  }
}

}  // namespace decoder_file_test
}  // namespace sbog::image::detail
