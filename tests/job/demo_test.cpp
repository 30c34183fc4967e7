// SPDX-License-Identifier: Apache-2.0
// The job `demo` called as a function.
#include "sbog/job/demo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "oracle/temporary_folder.h"
#include "sbog/base/thread_pool.h"

namespace sbog::job {
namespace demo_test {

TEST(DemoJob, points_are_scored_and_made_with_a_report) {
  const testing_support::TemporaryFolder folder;
  DemoOptions options;
  options.kind = Kind::kPoints;
  options.out = folder.file("demo");
  Events events;
  const DemoResult result = run(options, events);
  EXPECT_EQ(result.status, Status::kDone);
  ASSERT_EQ(result.parts.size(), 1u);
  const DemoPart& part = result.parts.front();
  EXPECT_EQ(part.run.produced, 150u);
  ASSERT_TRUE(part.energies);
  ASSERT_EQ(part.energies->queries.size(), 9u);
  EXPECT_LT(part.energies->queries[0], part.energies->threshold);
  EXPECT_GT(part.energies->queries[8], part.energies->threshold);
  EXPECT_TRUE(std::filesystem::exists(part.report));
  EXPECT_FALSE(part.stress);
  EXPECT_EQ(to_json(result).at("bank_rows"), 600);
  // A second call finds the run.
  EXPECT_TRUE(run(options, events).parts.front().run.was_finished);
}

TEST(DemoJob, a_series_ends_with_a_detector_that_is_asked_about_it) {
  const testing_support::TemporaryFolder folder;
  DemoOptions options;
  options.out = folder.file("demo");
  Events events;
  ThreadPool pool(2);
  const DemoResult result = run(options, events, {&pool, nullptr});
  ASSERT_EQ(result.parts.size(), 2u);
  const DemoPart& series = result.parts.front();
  EXPECT_EQ(series.kind, Kind::kSeries);
  EXPECT_EQ(result.parts.back().kind, Kind::kPoints);
  EXPECT_EQ(series.run.out, folder.file("demo/series"));
  ASSERT_TRUE(series.stress);
  EXPECT_EQ(series.stress->facts.size(), series.run.produced);
  EXPECT_EQ(series.stress->verdict.curve.size(), 3u);
  EXPECT_GT(series.stress->verdict.weak.ranked_groups, 0u);
  EXPECT_THAT(testing_support::read_bytes(series.report),
              testing::HasSubstr("Where the model breaks"));
  const nlohmann::json json = to_json(result);
  EXPECT_EQ(json.at("out"), series.run.out);
  EXPECT_EQ(json.at("parts").size(), 2u);
  EXPECT_THAT(json.at("parts")[0].at("verdict").get<std::string>(),
              testing::HasSubstr("cases are missed"));
}

TEST(DemoJob, what_it_runs_can_be_typed) {
  DemoOptions options;
  options.kind = Kind::kPoints;
  EXPECT_EQ(demo_command_lines(options),
            std::vector<std::string>{"sbog generate demo:bank --labels "
                                     "demo:labels --count 50 --out "
                                     "sbog-demo/latent"});
  options.kind = Kind::kImages;
  EXPECT_THAT(demo_command_lines(options).front(),
              testing::HasSubstr("--decoder-epochs 30"));
  EXPECT_EQ(demo_generate_options(options).images.model.latent, 32u);
  EXPECT_EQ(demo_generate_options(options).out, "sbog-demo/image");
  options.kind = Kind::kSeries;
  options.out = "two words";
  EXPECT_THAT(
      demo_command_lines(options),
      testing::ElementsAre(
          testing::HasSubstr("sbog generate demo:plant"),
          "sbog detect train demo:plant --out "
          "'two words/detector.safetensors'",
          "sbog stress 'two words' --model 'two words/detector.safetensors'",
          "sbog report 'two words'"));
}

}  // namespace demo_test
}  // namespace sbog::job
