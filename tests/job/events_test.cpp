// SPDX-License-Identifier: Apache-2.0
// Stages, progress and the stop button.
#include "sbog/job/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/recorded_events.h"

namespace sbog::job {
namespace events_test {

class Outer : public Observer {
 public:
  bool on_progress(std::uint64_t, std::uint64_t) override { return goes_on; }
  bool goes_on = true;
};

TEST(Events, a_stage_reports_to_its_events) {
  testing_support::RecordedEvents events;
  Stage stage(events, {}, "scoring");
  EXPECT_THAT(events.stages, testing::ElementsAre("scoring"));
  EXPECT_TRUE(stage.context().observer->on_progress(1, 2));
  EXPECT_EQ(events.steps, 1u);
}

TEST(Events, the_stop_button_ends_the_stage) {
  Events events;
  Stage stage(events, {}, "scoring");
  EXPECT_TRUE(stage.context().observer->on_progress(1, 2));
  events.stop();
  EXPECT_FALSE(stage.context().observer->on_progress(1, 2));
}

TEST(Events, saying_no_to_progress_presses_the_button) {
  testing_support::RecordedEvents events;
  events.stop_after = 1;
  Stage stage(events, {}, "scoring");
  EXPECT_FALSE(stage.context().observer->on_progress(1, 2));
  EXPECT_TRUE(events.is_stopped());
}

TEST(Events, the_observer_of_the_caller_may_stop_as_well) {
  Events events;
  Outer outer;
  Stage stage(events, {nullptr, &outer}, "scoring");
  EXPECT_TRUE(stage.context().observer->on_progress(1, 2));
  outer.goes_on = false;
  EXPECT_FALSE(stage.context().observer->on_progress(1, 2));
  EXPECT_TRUE(events.is_stopped());
}

TEST(Events, a_job_that_wrote_nothing_says_so) {
  struct Result {
    Status status = Status::kDone;
    int kept = 0;
  };
  testing_support::RecordedEvents events;
  const Result result = stopped_unwritten(Result{Status::kDone, 3}, events);
  EXPECT_EQ(result.status, Status::kStopped);
  EXPECT_EQ(result.kept, 3);
  EXPECT_THAT(events.notes,
              testing::ElementsAre("interrupted; nothing was written"));
}

}  // namespace events_test
}  // namespace sbog::job
