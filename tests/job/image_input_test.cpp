// SPDX-License-Identifier: Apache-2.0
// Images that jobs read: embedded sets, limits, sizes and notes.
#include "sbog/job/image_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/base/matrix.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace image_input_test {

using ::testing::HasSubstr;

TEST(ImageInput, embedded_sets_are_known_by_name) {
  for (const char* name : {"demo:shapes", "demo:shapes-test", "demo:noise",
                           "demo:unseen", "demo:rotated"}) {
    EXPECT_TRUE(job::is_embedded_images(name)) << name;
  }
  for (const char* name : {"demo:bank", "shapes", "demo:shape", "noise"}) {
    EXPECT_FALSE(job::is_embedded_images(name)) << name;
  }
}

TEST(ImageInput, a_limit_is_per_class_and_a_side_is_both_ways) {
  RecordedEvents events;
  job::ImageInput input;
  input.limit = 3;
  input.side = 12;
  const ImageSet images = job::load_images("demo:shapes", "", input, events);
  EXPECT_EQ(images.count(), 24u);
  EXPECT_EQ(images.shape, (ImageShape{1, 12, 12}));
  EXPECT_EQ(class_count(images), 8u);
  EXPECT_TRUE(events.notes.empty());
}

TEST(ImageInput, test_images_differ_from_those_for_training) {
  RecordedEvents events;
  const ImageSet train = job::load_images("demo:shapes", "", {}, events);
  const ImageSet test = job::load_images("demo:shapes-test", "", {}, events);
  EXPECT_EQ(train.count(), 1600u);
  ASSERT_EQ(test.count(), 400u);
  for (std::size_t i = 0; i < train.count(); ++i) {
    ASSERT_FALSE(std::ranges::equal(train.pixels.row(i), test.pixels.row(0)));
  }
}

TEST(ImageInput, an_unknown_embedded_set_is_answered_with_the_names) {
  RecordedEvents events;
  try {
    job::load_images("demo:circles", "", {}, events);
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("demo:shapes-test"));
  }
}

TEST(ImageInput, how_an_array_was_understood_is_noted_and_classes_are_needed) {
  const TemporaryFolder folder;
  Matrix<float> pixels(6, 64);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels.data()[i] = static_cast<float>(i % 7) / 7.0F;
  }
  std::shared_ptr<std::byte> bytes(new std::byte[6 * 64 * sizeof(float)],
                                   std::default_delete<std::byte[]>());
  std::copy_n(reinterpret_cast<const std::byte*>(pixels.data()),
              6 * 64 * sizeof(float), bytes.get());
  const std::string path = folder.file("images.npy");
  write_npy(path, Array(path, ElementType::kFloat32, {6, 8, 8}, bytes));
  RecordedEvents events;
  EXPECT_EQ(job::load_images(path, "", {}, events).count(), 6u);
  ASSERT_EQ(events.notes.size(), 1u);
  EXPECT_THAT(events.notes[0], HasSubstr(path));
  try {
    job::load_known_classes(path, "", {}, events);
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("--labels"));
  }
  const std::vector<std::int64_t> labels = {0, 1, 0, 1, 0, 1};
  write_npy(folder.file("y.npy"), std::span<const std::int64_t>(labels));
  const ImageSet known =
      job::load_known_classes(path, folder.file("y.npy"), {}, events);
  EXPECT_EQ(class_count(known), 2u);
}

}  // namespace image_input_test
}  // namespace sbog::testing_support
