// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/series_model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <limits>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "series/window_support.h"

namespace sbog::series {
namespace series_model_file_test {

using namespace testing_support;
using sbog::testing_support::read_bytes;
using sbog::testing_support::TemporaryFolder;

SeriesModel make_model() {
  Series series = make_series("waves", make_waves(100, 3, 2));
  series.channels = {"pump \"A\"", "",
                     "d\xC3\xA9"
                     "bit"};
  SeriesTraining training;
  training.windows = {24, 3, false};
  training.pretext.epochs = 2;
  training.pretext.batch = 10;
  training.pretext.seed = 0xFFFFFFFFFFFFFFFFU;
  training.pretext.loss = ContrastiveLoss::kPullPush;
  return *train_series_model(series, training);
}

std::string sentence_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

class SeriesModelFile : public ::testing::Test {
 protected:
  SeriesModelFile() : model(make_model()), path(folder.file("model")) {
    write_series_model(path, model);
    bytes = read_bytes(path);
  }

  // Reads other content and gives the sentence it is refused with.
  std::string refusal(const std::string& content) {
    const std::string bad = folder.file("bad");
    std::ofstream(bad, std::ios::binary) << content;
    return sentence_of([&] { read_series_model(bad); });
  }
  // With one text of the same length in place of another.
  std::string swapped(const std::string& before, const std::string& after) {
    EXPECT_EQ(before.size(), after.size());
    std::string content = bytes;
    const std::size_t at = content.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return content.replace(at, before.size(), after);
  }
  // A model that was changed before it was written.
  std::string changed(const std::function<void(SeriesModel&)>& change) {
    SeriesModel other = make_model();
    change(other);
    const std::string bad = folder.file("bad");
    write_series_model(bad, other);
    return sentence_of([&] { read_series_model(bad); });
  }

  TemporaryFolder folder;
  SeriesModel model;
  std::string path;
  std::string bytes;
};

TEST_F(SeriesModelFile, what_is_read_is_what_was_written) {
  const SeriesModel read = read_series_model(path);
  EXPECT_EQ(read.channels, model.channels);
  EXPECT_EQ(read.statistics.means, model.statistics.means);
  EXPECT_EQ(read.statistics.deviations, model.statistics.deviations);
  EXPECT_EQ(read.windows.width, 24u);
  EXPECT_EQ(read.windows.stride, 3u);
  EXPECT_EQ(read.training.seed, model.training.seed);
  EXPECT_EQ(read.training.loss, ContrastiveLoss::kPullPush);
  EXPECT_EQ(read.training.space, InjectionSpace::kStandardised);
  EXPECT_EQ(read.training.epochs, 2u);
  EXPECT_EQ(read.training.optimiser.learning_rate, 1e-3);
  EXPECT_TRUE(read.training.optimiser.is_decoupled);
  EXPECT_EQ(read.diagnostics.windows, model.diagnostics.windows);
  EXPECT_EQ(read.diagnostics.negative_distance,
            model.diagnostics.negative_distance);
  EXPECT_EQ(read.diagnostics.spread.energy_quantiles,
            model.diagnostics.spread.energy_quantiles);
  EXPECT_EQ(read.diagnostics.spread.is_collapsed,
            model.diagnostics.spread.is_collapsed);
  Series series = make_series("more", make_waves(60, 3, 5));
  series.channels = model.channels;
  EXPECT_EQ(largest_difference(embed_series(model, series).points.elements(),
                               embed_series(read, series).points.elements()),
            0.0);
  const std::string again = folder.file("again");
  write_series_model(again, read);
  EXPECT_EQ(read_bytes(again), bytes);
}

TEST_F(SeriesModelFile, every_cut_is_refused) {
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    EXPECT_NE(refusal(bytes.substr(0, size)), "") << size;
  }
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() - 1)), "");
  EXPECT_NE(sentence_of([&] { read_series_model(folder.file("absent")); }), "");
}

TEST_F(SeriesModelFile, metadata_that_lies_is_refused_before_memory_is_taken) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal(swapped("sbog-series-model-1", "sbog-series-model-9")),
              HasSubstr("of this version"));
  EXPECT_THAT(refusal(swapped("\"mid\":\"4\"", "\"mid\":\"8\"")),
              HasSubstr("another shape"));
  EXPECT_THAT(refusal(swapped("\"head\":\"4\"", "\"head\":\"9\"")),
              HasSubstr("another shape"));
  EXPECT_THAT(refusal(swapped("\"head\":\"4\"", "\"head\":\"1\"")),
              HasSubstr("'head' is '1'"));
  EXPECT_THAT(refusal(swapped("\"channels\":\"3\"", "\"channels\":\"9\"")),
              HasSubstr("another shape"));
  EXPECT_THAT(refusal(swapped("\"width\":\"24\"", "\"width\":\"-4\"")),
              HasSubstr("'width'"));
  EXPECT_THAT(refusal(swapped("\"stride\":\"3\"", "\"stride\":\"0\"")),
              HasSubstr("'stride'"));
  EXPECT_THAT(refusal(swapped("pull-push", "pull-pull")),
              HasSubstr("pull-pull"));
  EXPECT_THAT(refusal(swapped("\"seed\"", "\"feed\"")), HasSubstr("'seed'"));
}

TEST_F(SeriesModelFile, values_that_no_training_makes_are_refused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(changed([&](SeriesModel& m) { m.statistics.means[1] = nan; }), "");
  EXPECT_NE(changed([](SeriesModel& m) { m.statistics.deviations[0] = 0.0; }),
            "");
  EXPECT_NE(
      changed([&](SeriesModel& m) { m.encoder.parameters().flat()[5] = nan; }),
      "");
  EXPECT_NE(changed([](SeriesModel& m) {
              m.encoder.buffers().values("block1.norm1.running_var")[0] = -1.0F;
            }),
            "");
  EXPECT_NE(changed([](SeriesModel& m) {
              for (float& x : m.encoder.parameters().flat()) x = 3e38F;
            }),
            "");
  EXPECT_NE(
      changed([](SeriesModel& m) { m.diagnostics.identical_share = 1.5; }), "");
  EXPECT_NE(changed([](SeriesModel& m) { m.channels.pop_back(); }), "");
  EXPECT_NE(changed([](SeriesModel& m) { m.statistics.means.pop_back(); }), "");
  EXPECT_EQ(changed([](SeriesModel&) {}), "");
}

TEST_F(SeriesModelFile, other_files_of_the_project_are_refused) {
  model.encoder.save(folder.file("encoder"));
  EXPECT_THAT(sentence_of([&] { read_series_model(folder.file("encoder")); }),
              ::testing::HasSubstr("of this version"));
}

TEST_F(SeriesModelFile, a_folder_that_is_not_there_is_an_io_error) {
  EXPECT_THROW(write_series_model(folder.file("no/model"), model), IoError);
}

}  // namespace series_model_file_test
}  // namespace sbog::series
