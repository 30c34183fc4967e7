// SPDX-License-Identifier: Apache-2.0
// The job `score` called as a function.
#include "sbog/job/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "job/recorded_events.h"
#include "oracle/calls.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/array.h"
#include "sbog/data/npy.h"
#include "sbog/job/embedded_data.h"

namespace sbog::job {
namespace score_test {

using testing_support::RecordedEvents;
using testing_support::TemporaryFolder;

ScoreOptions on_demo() {
  ScoreOptions options;
  options.bank = "demo:bank";
  return options;
}

std::string refusal(const ScoreOptions& options) {
  Events events;
  return testing_support::invalid_argument_of([&] { run(options, events); });
}

TEST(ScoreJob, the_bank_scores_itself_as_the_library_does) {
  RecordedEvents events;
  const ScoreResult result = run(on_demo(), events);
  EXPECT_EQ(result.status, Status::kDone);
  EXPECT_EQ(result.bank_rows, 600u);
  EXPECT_EQ(result.dim, 4u);
  const auto bank = to_matrix<float>(embedded_array("demo:bank"));
  sbog::ScoreOptions plain;
  plain.energy.epsilon = 0.05;
  const sbog::ScoreResult expected =
      score_bank<float>({bank.view(), {}, {}, {}, {}}, plain);
  EXPECT_EQ(result.scores.energies, expected.energies);
  EXPECT_EQ(result.scores.classes.at(0).threshold.value,
            expected.classes.at(0).threshold.value);
  EXPECT_THAT(events.stages, testing::ElementsAre("scoring"));
}

TEST(ScoreJob, energies_are_written_and_described) {
  const TemporaryFolder folder;
  ScoreOptions options = on_demo();
  options.queries = "demo:queries";
  options.out = folder.file("e.npy");
  RecordedEvents events;
  const ScoreResult result = run(options, events);
  EXPECT_EQ(to_vector(read_npy(options.out)), result.scores.energies);
  const nlohmann::json json = to_json(result);
  EXPECT_EQ(json.at("query_rows"), 9);
  EXPECT_EQ(json.at("energy_quantiles").size(), summary_levels().size());
  EXPECT_EQ(json.at("classes").size(), 1u);
}

TEST(ScoreJob, shards_merge_to_the_bytes_of_the_whole) {
  const TemporaryFolder folder;
  Events events;
  ScoreOptions whole = on_demo();
  whole.out = folder.file("whole.npy");
  run(whole, events);
  MergeOptions merge;
  merge.out = folder.file("merged.npy");
  for (const char* shard : {"0/2", "1/2"}) {
    ScoreOptions part = on_demo();
    part.shard = shard;
    part.state = folder.file(std::string("s") + shard[0]);
    run(part, events);
    merge.states.push_back(part.state);
  }
  EXPECT_EQ(run(merge, events).points, 600u);
  EXPECT_EQ(testing_support::read_bytes(merge.out),
            testing_support::read_bytes(whole.out));
}

TEST(ScoreJob, a_stopped_job_writes_nothing) {
  const TemporaryFolder folder;
  ScoreOptions options = on_demo();
  options.out = folder.file("e.npy");
  RecordedEvents events;
  events.stop_after = 1;
  EXPECT_EQ(run(options, events).status, Status::kStopped);
  EXPECT_TRUE(folder.is_empty());
  EXPECT_TRUE(events.is_stopped());
}

TEST(ScoreJob, options_that_exclude_each_other_are_refused) {
  ScoreOptions options = on_demo();
  options.energy.per_class = true;
  EXPECT_EQ(refusal(options), "--per-class needs --labels");
  options = on_demo();
  options.shard = "0/2";
  EXPECT_THAT(refusal(options), testing::HasSubstr("go together"));
  options.state = "s";
  options.shard = "2/2";
  EXPECT_THAT(refusal(options), testing::HasSubstr("I below N"));
  options = on_demo();
  options.local = 3;
  options.tolerance = 1e-6;
  EXPECT_THAT(refusal(options), testing::HasSubstr("exclude each other"));
}

TEST(ScoreJob, a_sparse_bank_is_warned_about) {
  ScoreOptions options = on_demo();
  options.energy.epsilon = 1e-4;
  RecordedEvents events;
  run(options, events);
  ASSERT_EQ(events.warnings.size(), 1u);
  EXPECT_THAT(events.warnings[0], testing::HasSubstr("sparse"));
}

}  // namespace score_test
}  // namespace sbog::job
