// SPDX-License-Identifier: Apache-2.0
// The job `score` called as a function.
#include "sbog/job/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

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
  plain.finds_epsilon = true;
  const sbog::ScoreResult expected =
      score_bank<float>({bank.view(), {}, {}, {}, {}}, plain);
  EXPECT_EQ(result.scores.energies, expected.energies);
  EXPECT_EQ(result.scores.classes.at(0).epsilon,
            expected.classes.at(0).epsilon);
  EXPECT_NEAR(result.scores.classes.at(0).perplexity, 15.0, 0.1);
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
  EXPECT_EQ(json.at("epsilon_rule"), "auto");
  EXPECT_EQ(json.at("epsilon"), json.at("classes")[0].at("epsilon"));
  EXPECT_NEAR(json.at("classes")[0].at("perplexity"), 15.0, 0.1);
  EXPECT_FALSE(json.at("centred"));
  EXPECT_NEAR(json.at("mean_cosine"), 0.32, 0.01);
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

TEST(ScoreJob, an_epsilon_far_from_the_bank_is_warned_about) {
  const auto warnings_at = [](EpsilonSetting epsilon) {
    ScoreOptions options = on_demo();
    options.energy.epsilon = epsilon;
    RecordedEvents events;
    run(options, events);
    return events.warnings;
  };
  EXPECT_THAT(warnings_at(1e-4),
              testing::ElementsAre(testing::HasSubstr("the nearest bank point "
                                                      "alone decides")));
  EXPECT_THAT(warnings_at(50.0),
              testing::ElementsAre(testing::HasSubstr("half of the bank")));
  EXPECT_THAT(warnings_at(0.02), testing::IsEmpty());
  EXPECT_THAT(warnings_at({}), testing::IsEmpty());
}

TEST(ScoreJob, each_class_has_its_own_epsilon) {
  ScoreOptions options = on_demo();
  options.energy.labels = "demo:labels";
  options.energy.per_class = true;
  RecordedEvents events;
  const ScoreResult result = run(options, events);
  const auto& classes = result.scores.classes;
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_NE(classes[0].epsilon, classes[1].epsilon);
  for (const ClassScore& score : classes) {
    EXPECT_NEAR(score.perplexity, 15.0, 0.2);
  }
  EXPECT_TRUE(to_json(result).at("epsilon").is_null());
  options.energy.epsilon = 0.04;
  EXPECT_EQ(to_json(run(options, events)).at("epsilon"), 0.04);
}

TEST(ScoreJob, costs_without_points_need_a_number) {
  ScoreOptions options = on_demo();
  options.energy.cost = "precomputed";
  EXPECT_THAT(refusal(options), testing::HasSubstr("needs a number"));
}

TEST(ScoreJob, a_narrow_cone_gets_a_hint) {
  const TemporaryFolder folder;
  Matrix<float> cone(40, 20);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t k = 0; k < 20; ++k) {
      cone(i, k) =
          (k == 0 ? 6.0f : 0.0f) + std::sin(1.0f + 3.7f * i + 1.3f * k);
    }
  }
  ScoreOptions options;
  options.bank = folder.file("cone.npy");
  write_npy(options.bank, std::as_const(cone).view());
  RecordedEvents events;
  const ScoreResult plain = run(options, events);
  EXPECT_THAT(events.notes, testing::ElementsAre(testing::HasSubstr(
                                "--centre may tell points apart better")));
  events.notes.clear();
  options.centre = true;
  const ScoreResult centred = run(options, events);
  EXPECT_THAT(events.notes, testing::IsEmpty());
  EXPECT_EQ(centred.mean_cosine, plain.mean_cosine);
  EXPECT_GT(centred.scores.classes[0].epsilon,
            3.0 * plain.scores.classes[0].epsilon);
  options.energy.cost = "euclidean";
  EXPECT_THAT(refusal(options), testing::HasSubstr("--centre goes with"));
}

TEST(ScoreJob, centred_shards_merge_to_the_bytes_of_the_whole) {
  const TemporaryFolder folder;
  Events events;
  ScoreOptions whole = on_demo();
  whole.queries = "demo:queries";
  whole.centre = true;
  whole.out = folder.file("whole.npy");
  run(whole, events);
  MergeOptions merge;
  merge.out = folder.file("merged.npy");
  for (const char* shard : {"0/2", "1/2"}) {
    ScoreOptions part = whole;
    part.out.clear();
    part.shard = shard;
    part.state = folder.file(std::string("s") + shard[0]);
    run(part, events);
    merge.states.push_back(part.state);
  }
  run(merge, events);
  EXPECT_EQ(testing_support::read_bytes(merge.out),
            testing_support::read_bytes(whole.out));
}

}  // namespace score_test
}  // namespace sbog::job
