// SPDX-License-Identifier: Apache-2.0
// The job `merge` called as a function; score_test.cpp compares its bytes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/job/score.h"

namespace sbog::job {
namespace merge_test {

TEST(MergeJob, a_missing_shard_is_refused_and_nothing_is_written) {
  const testing_support::TemporaryFolder folder;
  Events events;
  ScoreOptions part;
  part.bank = "demo:bank";
  part.shard = "0/2";
  part.state = folder.file("a.state");
  run(part, events);
  MergeOptions merge;
  merge.states = {part.state};
  merge.out = folder.file("e.npy");
  EXPECT_THROW(run(merge, events), std::exception);
  EXPECT_FALSE(std::filesystem::exists(merge.out));
}

TEST(MergeJob, facts_are_in_the_json) {
  const testing_support::TemporaryFolder folder;
  Events events;
  ScoreOptions whole;
  whole.bank = "demo:bank";
  whole.shard = "0/1";
  whole.state = folder.file("a.state");
  whole.energy.epsilon = 0.05;
  run(whole, events);
  MergeOptions merge;
  merge.states = {whole.state};
  merge.out = folder.file("e.npy");
  const nlohmann::json json = to_json(run(merge, events));
  EXPECT_EQ(json.at("points"), 600);
  EXPECT_EQ(json.at("blocks"), 3);
  EXPECT_EQ(json.at("epsilon"), 0.05);
}

TEST(MergeJob, an_output_in_no_folder_is_refused_before_the_work) {
  Events events;
  MergeOptions merge;
  merge.states = {"missing.state"};
  merge.out = "/nowhere/at/all/e.npy";
  EXPECT_THROW(run(merge, events), IoError);
}

}  // namespace merge_test
}  // namespace sbog::job
