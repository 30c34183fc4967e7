// SPDX-License-Identifier: Apache-2.0
// The job dro as a library: its answer against the solver, its files, stopping
// and what it refuses.
#include "sbog/job/dro.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "job/recorded_events.h"
#include "oracle/calls.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog/data/array.h"
#include "sbog/data/npy.h"
#include "sbog/energy/perplexity.h"
#include "sbog/job/embedded_data.h"

namespace sbog::job {
namespace dro_test {

using ::testing::HasSubstr;
using testing_support::TemporaryFolder;

DroOptions demo() {
  DroOptions options;
  options.losses = "demo:losses";
  options.bank = "demo:bank";
  options.radius = {0.01, 0.1};
  return options;
}

TEST(DroJob, solves_what_the_solver_solves) {
  DroOptions options = demo();
  options.energy.precision = "double";
  options.top = 3;
  Events events;
  const DroResult result = run(options, events);
  EXPECT_EQ(result.status, Status::kDone);

  const auto bank = to_matrix<double>(load_array("demo:bank"));
  const std::vector<double> losses = to_vector(load_array("demo:losses"));
  EnergyOptions energy;
  energy.cost = GroundCost::kCosine;
  energy.epsilon = 0.05;
  DroPoints<double> points;
  points.nominal = bank.view();
  points.reference = {bank.view(), {}, {}};
  SinkhornDro problem =
      SinkhornDro::from_points<double>(points, losses, energy);
  ASSERT_EQ(result.outcomes.size(), 2u);
  for (const DroOutcome& outcome : result.outcomes) {
    const sbog::DroResult expected = problem.solve(outcome.solution.radius);
    EXPECT_NEAR(outcome.solution.value, expected.value, 1e-12);
    ASSERT_EQ(outcome.carriers.size(), 3u);
    EXPECT_GE(outcome.carriers[0].mass, outcome.carriers[1].mass);
    EXPECT_GE(outcome.carriers[1].mass, outcome.carriers[2].mass);
    const DroCarrier& first = outcome.carriers[0];
    EXPECT_EQ(first.mass, *std::max_element(outcome.solution.worst_case.begin(),
                                            outcome.solution.worst_case.end()));
    EXPECT_EQ(first.loss, losses[first.row]);
  }
}

TEST(DroJob, epsilon_is_found_when_asked) {
  DroOptions options = demo();
  EXPECT_EQ(options.energy.epsilon.number(), 0.05);
  options.energy.epsilon = EpsilonSetting();
  testing_support::RecordedEvents events;
  const DroResult found = run(options, events);
  const auto bank = to_matrix<float>(load_array("demo:bank"));
  EXPECT_EQ(found.epsilon, find_epsilon<float>({bank.view(), {}, {}}, {}));
  ASSERT_EQ(events.notes.size(), 1u);
  EXPECT_THAT(events.notes[0], testing::HasSubstr("(auto)"));
  options.energy.epsilon = found.epsilon;
  EXPECT_EQ(run(options, events).outcomes[1].solution.value,
            found.outcomes[1].solution.value);
  options.energy.epsilon = EpsilonSetting();
  options.energy.cost = "precomputed";
  EXPECT_THAT(
      testing_support::invalid_argument_of([&] { run(options, events); }),
      testing::HasSubstr("needs a number for --epsilon"));
}

TEST(DroJob, writes_a_law_per_radius) {
  const TemporaryFolder folder;
  DroOptions options = demo();
  options.out = folder.file("law.npy");
  Events events;
  run(options, events);
  const auto laws = to_matrix<double>(read_npy(options.out));
  ASSERT_EQ(laws.rows(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    double sum = 0.0;
    for (const double mass : laws.view().row(i)) sum += mass;
    EXPECT_NEAR(sum, 1.0, 1e-10);
  }
}

TEST(DroJob, json_has_an_entry_per_radius_and_words_for_infinity) {
  const TemporaryFolder folder;
  std::vector<double> losses(600, 1.0);
  losses[3] = std::numeric_limits<double>::infinity();
  write_npy(folder.file("inf.npy"), std::span<const double>(losses));
  DroOptions options = demo();
  options.losses = folder.file("inf.npy");
  Events events;
  const auto json = to_json(run(options, events));
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["case"], "plus-infinity");
  EXPECT_EQ(json[0]["value"], "inf");
  EXPECT_EQ(json[0]["carriers"].size(), 0u);
}

TEST(DroJob, a_stopped_job_writes_nothing) {
  const TemporaryFolder folder;
  DroOptions options = demo();
  options.out = folder.file("law.npy");
  class Stopping : public Events {
    bool on_progress(std::uint64_t, std::uint64_t) override { return false; }
  } events;
  EXPECT_EQ(run(options, events).status, Status::kStopped);
  EXPECT_FALSE(std::filesystem::exists(options.out));
}

TEST(DroJob, options_that_make_no_sense_are_refused) {
  const auto refusal = [](const DroOptions& options) -> std::string {
    Events events;
    try {
      run(options, events);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  DroOptions options = demo();
  options.radius = {};
  EXPECT_THAT(refusal(options), HasSubstr("--radius"));
  options.radius = {-1.0};
  EXPECT_THAT(refusal(options), HasSubstr("--radius"));
  options = demo();
  options.energy.cost = "precomputed";
  options.nominal = "demo:queries";
  EXPECT_THAT(refusal(options), HasSubstr("--nominal"));
  options = demo();
  options.energy.cost = "mahalanobis";
  EXPECT_THAT(refusal(options), HasSubstr("--metric"));
  options = demo();
  options.unnormalised = true;
  options.radius = {1e-4};
  EXPECT_THAT(refusal(options), HasSubstr("empty"));
  options = demo();
  options.cache_megabytes = std::size_t{1} << 21;
  EXPECT_THAT(refusal(options), HasSubstr("--cache-megabytes"));
}

TEST(DroJob, its_table_takes_the_names_of_its_fields) {
  DroOptions options;
  const std::vector<Assignment> given = {
      {"radius", {"0.5", "1"}, "--radius"},
      {"cost", {"sqeuclidean"}, "--cost"},
      {"cache_megabytes", {"7"}, "--cache-megabytes"},
      {"unnormalised", {"true"}, "--unnormalised"}};
  dro_option_table().apply(given, options);
  EXPECT_THAT(options.radius, ::testing::ElementsAre(0.5, 1.0));
  EXPECT_EQ(options.energy.cost, "squared-euclidean");
  EXPECT_EQ(options.cache_megabytes, 7u);
  EXPECT_TRUE(options.unnormalised);
  EXPECT_THROW(dro_option_table().check_required(options), InvalidArgument);
}

}  // namespace dro_test
}  // namespace sbog::job
