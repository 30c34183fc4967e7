// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/decode_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "corpus.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace decode_image_test {

using testing_support::bytes_of;
using testing_support::CorpusFile;
using testing_support::message_of;

std::string refusal(const CorpusFile& file) {
  return message_of<IoError>(
      [&] { decode_image(bytes_of(file.bytes), file.name); });
}

TEST(DecodeImage, every_valid_file_of_the_corpus_is_read) {
  for (const CorpusFile& file : testing_support::valid_images()) {
    const Image image = decode_image(bytes_of(file.bytes), file.name);
    EXPECT_EQ(image.pixels.size(), image.shape.size()) << file.name;
    EXPECT_TRUE(image.shape.channels == 1 || image.shape.channels == 3);
  }
}

TEST(DecodeImage, every_malformed_file_is_refused_in_one_line_that_names_it) {
  const auto files = testing_support::malformed_images();
  EXPECT_GE(files.size(), 55u);
  std::set<std::string> names;
  for (const CorpusFile& file : files) {
    EXPECT_TRUE(names.insert(file.name).second) << file.name;
    const std::string message = refusal(file);
    EXPECT_TRUE(message.starts_with(file.name + ": "))
        << file.name << " gave: " << message;
    EXPECT_LT(message.size(), file.name.size() + 200) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(DecodeImage, the_bytes_tell_the_format_and_not_the_name) {
  const testing_support::TemporaryFolder folder;
  const std::string path = folder.file("wrong.jpg");
  testing_support::write_text(path, testing_support::blank_png({4, 2, 8, 0}));
  EXPECT_EQ(read_image(path).shape, (ImageShape{1, 2, 4}));
}

TEST(DecodeImage, a_file_that_is_not_there_is_named) {
  EXPECT_TRUE(message_of<IoError>([] {
                read_image("/no/such.png");
              }).starts_with("/no/such.png: "));
}

}  // namespace decode_image_test
}  // namespace sbog
