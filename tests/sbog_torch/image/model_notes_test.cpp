// SPDX-License-Identifier: Apache-2.0
// Notes of models: to text and back, and what is refused.
#include "sbog_torch/image/detail/model_notes.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog_torch/image/encoder_support.h"

namespace sbog::image::detail {
namespace model_notes_test {

using testing_support::small_shapes;

TEST(ModelNotes, come_back_as_they_were) {
  ImageModel model;
  model.images = 0xfedcba9876543210ULL;
  model.accuracy = 1.0 / 3.0;
  model.epochs = 7;
  model.is_robust = true;
  ImageModel read;
  read_model_notes(model_notes(model), "file", read);
  EXPECT_EQ(read.held_out, 0.0);  // a file that does not say
  model.held_out = 1.0 / 7.0;
  model.split_seed = 0xfedcba9876543210ULL;
  read_model_notes(model_notes(model), "file", read);
  EXPECT_EQ(read.held_out, model.held_out);
  EXPECT_EQ(read.split_seed, model.split_seed);
  EXPECT_EQ(read.images, model.images);
  EXPECT_EQ(read.accuracy, model.accuracy);
  EXPECT_EQ(read.epochs, 7u);
  EXPECT_TRUE(read.is_robust);
}

TEST(ModelNotes, what_is_missing_or_no_count_is_refused) {
  ImageModel model;
  EXPECT_THROW(read_model_notes({}, "file", model), IoError);
  for (const char* share : {"1", "-0.1", "nan", "much"}) {
    Notes wrong = model_notes(model);
    wrong["held_out"] = share;
    wrong["split_seed"] = "1";
    EXPECT_THROW(read_model_notes(wrong, "file", model), IoError) << share;
  }
  Notes half = model_notes(model);
  half["held_out"] = "0.1";
  EXPECT_THROW(read_model_notes(half, "file", model), IoError);
  const Notes notes = {
      {"a", "12"}, {"b", "0"}, {"c", "1x"}, {"d", "-1"}, {"e", ""}};
  EXPECT_EQ(count_of(notes, "a", 12, "file"), 12u);
  EXPECT_THROW(count_of(notes, "a", 11, "file"), IoError);
  for (const char* key : {"b", "c", "d", "e", "none"}) {
    EXPECT_THROW(count_of(notes, key, 100, "file"), IoError) << key;
  }
}

TEST(ModelNotes, images_need_two_classes_and_get_names) {
  ImageSet images = small_shapes(16);
  EXPECT_NO_THROW(require_classes(images, "x"));
  images.class_names.resize(0);
  EXPECT_EQ(names_of(images), std::vector<std::string>(class_count(images)));
  images.labels.assign(images.count(), 0);
  EXPECT_THROW(require_classes(images, "x"), InvalidArgument);
  images.labels.clear();
  EXPECT_THROW(require_classes(images, "x"), InvalidArgument);
}

TEST(ModelNotes, sources_become_rows_of_the_whole_set) {
  FeatureBank bank;
  bank.sources = {2, 0, 1};
  name_sources({10, 20, 30}, bank);
  EXPECT_EQ(bank.sources, (std::vector<std::int64_t>{30, 10, 20}));
}

}  // namespace model_notes_test
}  // namespace sbog::image::detail
