// SPDX-License-Identifier: Apache-2.0
// The job certify as a library: banks, outliers from elsewhere, runs of every
// kind, stopping and what it refuses.
#include "sbog/job/certify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "job/made_runs.h"
#include "job/recorded_events.h"
#include "oracle/calls.h"
#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/job/certify_inputs.h"

namespace sbog::job {
namespace certify_test {

using ::testing::HasSubstr;
using testing_support::make_run;
using testing_support::RecordedEvents;
using testing_support::TemporaryFolder;

CertifyOptions on_demo() {
  CertifyOptions options;
  options.target = "demo:bank";
  options.energy.quantile = 0.9;
  options.count = 40;
  options.replicates = 2;
  return options;
}

std::string refusal(const CertifyOptions& options) {
  Events events;
  return testing_support::invalid_argument_of([&] { run(options, events); });
}

TEST(CertifyJob, a_bank_is_cut_in_two_and_judges_its_outliers) {
  const TemporaryFolder folder;
  CertifyOptions options = on_demo();
  options.out = folder.file("c.json");
  options.table = folder.file("t.csv");
  RecordedEvents events;
  const CertifyResult result = run(options, events);
  EXPECT_EQ(result.status, Status::kDone);
  EXPECT_EQ(result.out, options.out);
  EXPECT_EQ(result.certificate.outliers.size(), 40u);
  EXPECT_EQ(result.certificate.classes[0].reference_count, 300u);
  EXPECT_TRUE(result.certificate.is_certified);
  ASSERT_TRUE(result.diagnostics.bootstrap);
  EXPECT_EQ(result.diagnostics.bootstrap->replicates, 2u);
  EXPECT_THAT(events.stages, ::testing::ElementsAre("certifying"));
  EXPECT_EQ(
      nlohmann::ordered_json::parse(testing_support::read_bytes(options.out)),
      to_json(result));
  CsvOptions csv;
  csv.columns = {"energy"};
  EXPECT_EQ(read_csv(options.table, csv).values.rows(), 40u);
}

TEST(CertifyJob, epsilon_is_found_from_the_half_that_is_not_the_reference) {
  for (const char* outliers : {"", "demo:outliers"}) {
    for (const char* labels : {"", "demo:labels"}) {
      CertifyOptions options = on_demo();
      options.outliers = outliers;
      options.energy.labels = labels;
      options.count = 9;
      options.replicates = 0;
      RecordedEvents events;
      const CertifyResult result = run(options, events);
      const CertifyInputs<float> inputs =
          load_certify_inputs<float>(options, {});
      EXPECT_EQ(result.certificate.epsilon,
                one_epsilon<float>(
                    {}, {std::as_const(inputs.calibration).view(), {}, {}},
                    inputs.calibration_labels, {}, {}));
      EXPECT_TRUE(result.certificate.is_epsilon_calibrated);
      EXPECT_TRUE(to_json(result).at("epsilon_calibrated"));
      ASSERT_EQ(events.notes.size(), 1u);
      EXPECT_THAT(events.notes[0],
                  testing::HasSubstr("the half of the bank that is not the "
                                     "reference"));
    }
  }
}

TEST(CertifyJob, a_given_epsilon_is_taken_as_it_is) {
  CertifyOptions options = on_demo();
  options.outliers = "demo:outliers";
  options.energy.epsilon = 0.05;
  RecordedEvents events;
  const CertifyResult result = run(options, events);
  EXPECT_EQ(result.certificate.epsilon, 0.05);
  EXPECT_FALSE(result.certificate.is_epsilon_calibrated);
  EXPECT_THAT(events.notes, testing::IsEmpty());
}

TEST(CertifyJob, outliers_from_elsewhere_have_nothing_to_sample_again) {
  CertifyOptions options = on_demo();
  options.outliers = "demo:outliers";
  Events events;
  const CertifyResult result = run(options, events);
  EXPECT_EQ(result.certificate.outliers.size(), 60u);
  EXPECT_EQ(result.certificate.pool, 60.0);
  EXPECT_FALSE(result.diagnostics.bootstrap);
  EXPECT_TRUE(result.diagnostics.coverage.empty());
}

TEST(CertifyJob, a_run_on_points_keeps_its_certificate) {
  const TemporaryFolder folder;
  make_run("latent", folder.file("run"));
  CertifyOptions options;
  options.target = folder.file("run");
  options.replicates = 0;
  Events events;
  const CertifyResult result = run(options, events);
  EXPECT_EQ(result.certificate.outliers.size(), 18u);
  EXPECT_EQ(result.certificate.classes.size(), 3u);
  // The whole bank proposed them.
  EXPECT_FALSE(result.certificate.is_certified);
  EXPECT_EQ(result.diagnostics.coverage.size(), 3u);
  EXPECT_TRUE(std::filesystem::exists(folder.file("run/certificate.json")));
}

TEST(CertifyJob, a_run_on_images_is_judged_on_its_latents) {
  const TemporaryFolder folder;
  make_run("image", folder.file("run"));
  CertifyOptions options;
  options.target = folder.file("run");
  options.replicates = 0;
  Events events;
  const CertifyResult result = run(options, events);
  EXPECT_EQ(result.certificate.outliers.size(), 18u);
  EXPECT_EQ(result.certificate.classes.size(), 3u);
  EXPECT_TRUE(std::filesystem::exists(folder.file("run/certificate.json")));
}

TEST(CertifyJob, a_run_on_a_series_is_judged_as_one_class) {
  const TemporaryFolder folder;
  make_run("series", folder.file("run"));
  CertifyOptions options;
  options.target = folder.file("run");
  Events events;
  const CertifyResult result = run(options, events);
  const GenerateOptions made = options_of_run(FinishedRun(folder.file("run")));
  EXPECT_EQ(result.certificate.epsilon, made.sampler.energy.epsilon);
  EXPECT_EQ(result.certificate.level, made.sampler.quantile);
  EXPECT_EQ(result.certificate.outliers.size(), 2u);
  ASSERT_EQ(result.certificate.classes.size(), 1u);
  EXPECT_EQ(result.certificate.classes[0].reference_count,
            testing_support::kSeriesWindows / 2);
  EXPECT_FALSE(result.certificate.is_certified);
  EXPECT_NE(result.certificate.caveat, "");
  EXPECT_FALSE(result.diagnostics.bootstrap);
  ASSERT_EQ(result.diagnostics.coverage.size(), 1u);
  EXPECT_EQ(result.diagnostics.coverage[0].anchors, 2u);
  EXPECT_EQ(result.diagnostics.coverage[0].outliers, 2u);
  EXPECT_TRUE(std::filesystem::exists(folder.file("run/certificate.json")));
}

TEST(CertifyJob, a_stopped_job_writes_nothing) {
  const TemporaryFolder folder;
  CertifyOptions options = on_demo();
  options.out = folder.file("c.json");
  RecordedEvents events;
  events.stop_after = 1;
  EXPECT_EQ(run(options, events).status, Status::kStopped);
  EXPECT_FALSE(std::filesystem::exists(options.out));
  ASSERT_EQ(events.notes.size(), 1u);
  EXPECT_THAT(events.notes[0], HasSubstr("interrupted"));
}

TEST(CertifyJob, options_that_make_no_sense_are_refused) {
  const auto changed = [](auto change) {
    CertifyOptions options = on_demo();
    change(options);
    return refusal(options);
  };
  EXPECT_THAT(changed([](auto& o) { o.delta = 0.0; }), HasSubstr("--delta"));
  EXPECT_THAT(changed([](auto& o) { o.count = 0; }), HasSubstr("--count"));
  EXPECT_THAT(changed([](auto& o) { o.bank = "x"; }), HasSubstr("--bank"));
  EXPECT_THAT(changed([](auto& o) { o.energy.weights = "x"; }),
              HasSubstr("--outliers"));
  EXPECT_THAT(changed([](auto& o) { o.energy.cost = "mahalanobis"; }),
              HasSubstr("--metric"));
  const TemporaryFolder folder;
  CertifyOptions options;
  options.target = folder.path().string();
  options.energy.epsilon = 0.1;
  EXPECT_EQ(refusal(options), "--epsilon: a run has its own settings");
}

}  // namespace certify_test
}  // namespace sbog::job
