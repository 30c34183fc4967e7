// SPDX-License-Identifier: Apache-2.0
// The job `demo` called as a function.
#include "sbog/job/demo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "oracle/temporary_folder.h"

namespace sbog::job {
namespace demo_test {

TEST(DemoJob, points_are_scored_and_made_with_a_report) {
  const testing_support::TemporaryFolder folder;
  DemoOptions options;
  options.out = folder.file("demo");
  Events events;
  const DemoResult result = run(options, events);
  EXPECT_EQ(result.status, Status::kDone);
  EXPECT_EQ(result.run.produced, 150u);
  ASSERT_EQ(result.query_energies.size(), 9u);
  EXPECT_LT(result.query_energies[0], result.threshold);
  EXPECT_GT(result.query_energies[8], result.threshold);
  EXPECT_TRUE(std::filesystem::exists(result.report));
  EXPECT_EQ(to_json(result).at("bank_rows"), 600);
  // A second call finds the run.
  EXPECT_TRUE(run(options, events).run.was_finished);
}

TEST(DemoJob, what_it_runs_can_be_typed) {
  DemoOptions options;
  EXPECT_EQ(demo_command_line(options),
            "sbog generate demo:bank --labels demo:labels --count 50");
  options.kind = Kind::kImages;
  EXPECT_THAT(demo_command_line(options),
              testing::HasSubstr("--decoder-epochs 30"));
  EXPECT_EQ(demo_generate_options(options).images.model.latent, 32u);
  EXPECT_EQ(demo_generate_options(options).out, "sbog-demo/image");
}

}  // namespace demo_test
}  // namespace sbog::job
