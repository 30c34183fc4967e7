// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/image_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace image_set_test {

using testing_support::counting_images;
using testing_support::message_of;
using testing_support::same_pixels;

ImageSet labelled(std::size_t count, std::int32_t classes) {
  ImageSet set = counting_images(count, {1, 2, 3});
  for (std::size_t i = 0; i < count; ++i) {
    set.labels.push_back(static_cast<std::int32_t>(i) % classes);
    set.sources.push_back("file" + std::to_string(i));
  }
  return set;
}

std::string refusal(const ImageSet& set) {
  return message_of<InvalidArgument>([&] { check_images(set, "set"); });
}

TEST(ImageSet, a_shape_counts_channels_times_height_times_width) {
  const ImageShape shape{3, 4, 5};
  EXPECT_EQ(shape.size(), 60u);
  EXPECT_EQ(to_string(shape), "3 x 4 x 5");
}

TEST(ImageSet, a_clone_has_the_same_content) {
  ImageSet set = labelled(6, 3);
  set.class_names = {"a", "b", "c"};
  set.reading = "how";
  const ImageSet copy = set.clone();
  EXPECT_TRUE(same_pixels(set, copy));
  EXPECT_EQ(copy.labels, set.labels);
  EXPECT_EQ(copy.class_names, set.class_names);
  EXPECT_EQ(copy.sources, set.sources);
  EXPECT_EQ(copy.reading, "how");
}

TEST(ImageSet, classes_are_counted_by_names_then_by_labels) {
  ImageSet set = labelled(6, 3);
  EXPECT_EQ(class_count(set), 3u);
  set.class_names = {"a", "b", "c", "d"};
  EXPECT_EQ(class_count(set), 4u);
  EXPECT_EQ(class_count(counting_images(2, {1, 2, 2})), 0u);
}

TEST(ImageSet, a_set_that_contradicts_itself_is_refused_with_the_reason) {
  EXPECT_EQ(refusal(labelled(6, 3)), "nothing was thrown");
  ImageSet set = labelled(6, 3);
  set.shape.width = 4;
  EXPECT_EQ(refusal(set), "set: an image has 6 values; 1 x 2 x 4 are expected");
  set = labelled(6, 3);
  set.shape = {2, 1, 3};
  EXPECT_NE(refusal(set).find("the shape is 2 x 1 x 3"), std::string::npos);
  set = labelled(6, 3);
  set.labels.pop_back();
  EXPECT_NE(refusal(set).find("5 labels for 6 images"), std::string::npos);
  set = labelled(6, 3);
  set.labels[4] = -1;
  EXPECT_NE(refusal(set).find("the label of image 4 is -1"), std::string::npos);
  set = labelled(6, 3);
  set.class_names = {"a", "b"};
  EXPECT_NE(refusal(set).find("image 2 is 2; 0 to 1"), std::string::npos);
  set = labelled(6, 3);
  set.sources.pop_back();
  EXPECT_NE(refusal(set).find("5 sources for 6 images"), std::string::npos);
}

TEST(ImageSet, taken_rows_keep_pixels_labels_and_sources_together) {
  const ImageSet set = labelled(6, 3);
  const std::vector<std::size_t> rows = {5, 0, 5};
  const ImageSet taken = take(set, rows);
  ASSERT_EQ(taken.count(), 3u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_TRUE(
        std::ranges::equal(taken.pixels.row(i), set.pixels.row(rows[i])));
    EXPECT_EQ(taken.labels[i], set.labels[rows[i]]);
    EXPECT_EQ(taken.sources[i], set.sources[rows[i]]);
  }
  const std::vector<std::size_t> beyond = {6};
  EXPECT_EQ(message_of<InvalidArgument>([&] { take(set, beyond); }),
            "take: there is no image 6 in a set of 6");
}

TEST(ImageSet, a_split_parts_every_class_in_the_wanted_share) {
  const ImageSet set = labelled(100, 4);
  const ImageSplit split = split_by_class(set, 0.2, 7);
  std::vector<std::size_t> all = split.train;
  all.insert(all.end(), split.held_out.begin(), split.held_out.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(all[i], i);
  std::map<std::int32_t, int> held;
  for (const std::size_t row : split.held_out) ++held[set.labels[row]];
  EXPECT_EQ(held,
            (std::map<std::int32_t, int>{{0, 5}, {1, 5}, {2, 5}, {3, 5}}));
  EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
}

TEST(ImageSet, a_split_depends_on_the_seed_alone) {
  const ImageSet set = labelled(100, 4);
  EXPECT_EQ(split_by_class(set, 0.3, 1).held_out,
            split_by_class(set, 0.3, 1).held_out);
  EXPECT_NE(split_by_class(set, 0.3, 1).held_out,
            split_by_class(set, 0.3, 2).held_out);
}

TEST(ImageSet, a_split_leaves_an_image_on_either_side_of_a_small_class) {
  const ImageSet pair = labelled(2, 1);
  EXPECT_EQ(split_by_class(pair, 0.01, 1).held_out.size(), 1u);
  EXPECT_EQ(split_by_class(pair, 0.99, 1).train.size(), 1u);
  EXPECT_EQ(split_by_class(labelled(1, 1), 0.5, 1).train.size(), 1u);
  EXPECT_THROW(split_by_class(pair, 1.0, 1), InvalidArgument);
  EXPECT_THROW(split_by_class(pair, 0.0, 1), InvalidArgument);
}

TEST(ImageSet, the_first_of_each_class_stay_in_order) {
  const ImageSet set = labelled(10, 3);
  const ImageSet first = first_of_each_class(set, 2);
  std::vector<std::int32_t> expected;
  std::map<std::int32_t, int> seen;
  for (const std::int32_t label : set.labels) {
    if (seen[label]++ < 2) expected.push_back(label);
  }
  EXPECT_EQ(first.labels, expected);
  EXPECT_EQ(first.count(), 6u);
  ImageSet unlabelled = set.clone();
  unlabelled.labels.clear();
  EXPECT_EQ(first_of_each_class(unlabelled, 2).count(), 2u);
}

}  // namespace image_set_test
}  // namespace sbog
