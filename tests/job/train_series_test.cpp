// SPDX-License-Identifier: Apache-2.0
// The job `train series` as a library: results, stops, resuming, profiles.
#include "sbog/job/train_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/series/series_model_file.h"

namespace sbog::testing_support {
namespace train_series_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

job::TrainSeriesOptions quick(const std::string& out) {
  job::TrainSeriesOptions options;
  options.input.data = "demo:series";
  options.out = out;
  options.width = 40;
  options.stride = 8;
  options.epochs = 4;
  return options;
}

TEST(TrainSeries, returns_the_model_that_it_writes) {
  const TemporaryFolder folder;
  RecordedEvents events;
  const job::TrainSeriesResult result =
      job::run(quick(folder.file("m")), events);
  ASSERT_TRUE(result.model.has_value());
  EXPECT_EQ(result.rows, 1200u);
  EXPECT_EQ(result.epochs, 4u);
  EXPECT_EQ(result.model->diagnostics.windows, 145u);
  EXPECT_EQ(result.status, result.model->diagnostics.spread.is_collapsed
                               ? job::Status::kNotReached
                               : job::Status::kDone);
  EXPECT_LT(*result.last_loss, *result.first_loss);
  EXPECT_THAT(events.stages, ElementsAre("training"));
  const series::SeriesModel read = series::read_series_model(folder.file("m"));
  EXPECT_EQ(read.diagnostics.spread.pair_distance,
            result.model->diagnostics.spread.pair_distance);
  const nlohmann::ordered_json json = to_json(result);
  EXPECT_EQ(json["windows"], 145);
  EXPECT_EQ(json["loss"], "infonce");
  EXPECT_EQ(json["last_loss"], *result.last_loss);
}

TEST(TrainSeries, a_stopped_training_goes_on_to_the_same_bits) {
  const TemporaryFolder folder;
  job::Events silent;
  ASSERT_NE(job::run(quick(folder.file("whole")), silent).status,
            job::Status::kStopped);
  RecordedEvents events;
  events.stop_after = 4;  // of two steps each epoch
  job::TrainSeriesOptions options = quick(folder.file("cut"));
  const job::TrainSeriesResult cut = job::run(options, events);
  EXPECT_EQ(cut.status, job::Status::kStopped);
  EXPECT_FALSE(cut.model.has_value());
  EXPECT_THAT(events.notes, ElementsAre(HasSubstr("interrupted in epoch ")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("cut.checkpoint")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("cut")));
  EXPECT_FALSE(to_json(cut).contains("windows"));
  job::Events again;
  EXPECT_THROW(job::run(options, again), InvalidArgument);
  options.resume = true;
  EXPECT_EQ(job::run(options, again).epochs, 4u);
  EXPECT_EQ(read_bytes(folder.file("cut")), read_bytes(folder.file("whole")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("cut.checkpoint")));
}

TEST(TrainSeries, a_profile_gives_defaults_that_options_override) {
  const auto& table = job::train_series_option_table();
  job::TrainSeriesOptions options;
  // The profile comes first, wherever it is written.
  table.apply(std::vector<Assignment>{{"space", {"standard"}, "--space"},
                                      {"profile", {"faithful"}, "--profile"}},
              options);
  EXPECT_EQ(options.loss, "hinge");
  EXPECT_EQ(options.space, "standard");
  EXPECT_EQ(job::train_series_profile("faithful").space, "raw");
  // Those of a new struct are those of "repaired".
  const job::TrainSeriesOptions fresh;
  const job::TrainSeriesOptions named = job::train_series_profile("repaired");
  EXPECT_EQ(fresh.profile, named.profile);
  EXPECT_EQ(fresh.epochs, named.epochs);
  EXPECT_EQ(fresh.batch, named.batch);
  EXPECT_EQ(fresh.mid, named.mid);
  EXPECT_EQ(fresh.head, named.head);
  EXPECT_EQ(fresh.loss, named.loss);
  EXPECT_EQ(fresh.space, named.space);
  EXPECT_THROW(job::train_series_profile("other"), InvalidArgument);
}

TEST(TrainSeries, what_cannot_be_done_is_refused_before_a_file_is_made) {
  const TemporaryFolder folder;
  job::Events events;
  job::TrainSeriesOptions options = quick(folder.file("m"));
  options.width = 9;
  EXPECT_THROW(job::run(options, events), InvalidArgument);
  options = quick(folder.file("m"));
  options.loss = "cross";
  EXPECT_THROW(job::run(options, events), InvalidArgument);
  EXPECT_THROW(job::run(quick(folder.file("no/m")), events), IoError);
  EXPECT_TRUE(folder.is_empty());
}

}  // namespace train_series_test
}  // namespace sbog::testing_support
