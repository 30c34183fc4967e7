// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detail/model_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/temporary_folder.h"
#include "series/window_support.h"

namespace sbog::series::detail {
namespace model_checkpoint_test {

using sbog::testing_support::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SeriesModel small_model() {
  SeriesTraining training;
  training.windows = {12, 2, false};
  training.pretext.epochs = 1;
  training.pretext.batch = 5;
  return *train_series_model(
      make_series("waves", testing_support::make_waves(40, 2, 3)), training);
}

ModelExtras some_extras() {
  ModelExtras extras;
  extras.parameters.add("more.weight", {2, 1});
  extras.parameters.flat()[0] = 0.5F;
  extras.parameters.flat()[1] = -2.0F;
  extras.vectors["list"] = {1.0, 2.5, 3.0};
  extras.metadata["length"] = "3";
  return extras;
}

ModelExtras expected(const ModelFields& fields, const SafetensorsFile& file) {
  ModelExtras extras;
  const std::size_t length = fields.count("length", 1, 9);
  check_tensor(file, "vector.list", {length});
  extras.parameters.add("more.weight", {2, 1});
  extras.vectors["list"] = std::vector<double>(length);
  return extras;
}

TEST(ModelCheckpoint, extras_come_back_beside_the_model) {
  const TemporaryFolder folder;
  const SeriesModel model = small_model();
  write_model(folder.file("m"), "kind", model, some_extras());
  ModelExtras extras;
  const SeriesModel read =
      read_model(folder.file("m"), "kind", expected, &extras);
  EXPECT_THAT(extras.parameters.flat(), ElementsAre(0.5F, -2.0F));
  EXPECT_THAT(extras.vectors.at("list"), ElementsAre(1.0, 2.5, 3.0));
  EXPECT_EQ(read.encoder.parameters().size(),
            model.encoder.parameters().size());
  EXPECT_EQ(
      testing_support::largest_difference(read.encoder.parameters().flat(),
                                          model.encoder.parameters().flat()),
      0.0);
}

TEST(ModelCheckpoint, another_format_and_extras_unasked_for_are_refused) {
  const TemporaryFolder folder;
  const SeriesModel model = small_model();
  write_model(folder.file("with"), "kind", model, some_extras());
  write_model(folder.file("without"), "kind", model);
  EXPECT_THROW(read_model(folder.file("with"), "other", expected), IoError);
  EXPECT_THROW(read_model(folder.file("with"), "kind"), IoError);
  EXPECT_THROW(read_model(folder.file("without"), "kind", expected), IoError);
  EXPECT_NO_THROW(read_model(folder.file("without"), "kind"));
}

TEST(ModelCheckpoint, fields_name_what_is_wrong_with_them) {
  const ModelFields fields("file", {{"n", "12"}, {"x", "0.5"}, {"w", "2 "}});
  EXPECT_EQ(fields.count("n", 0, 12), 12u);
  EXPECT_EQ(fields.real("x", 0.0, 1.0), 0.5);
  for (const auto& read : std::vector<std::function<void()>>{
           [&] { fields.count("n", 13, 20); }, [&] { fields.count("w", 0, 9); },
           [&] { fields.real("x", 0.6, 1.0); }, [&] { fields.flag("n"); },
           [&] { fields.text("absent"); }}) {
    try {
      read();
      ADD_FAILURE() << "an IoError is expected";
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr("file"));
      EXPECT_THAT(error.what(), HasSubstr("metadata"));
    }
  }
}

}  // namespace model_checkpoint_test
}  // namespace sbog::series::detail
