// SPDX-License-Identifier: Apache-2.0
// The job report as a library: a page of every kind of run, stopping and what
// it refuses.
#include "sbog/job/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "job/made_runs.h"
#include "job/recorded_events.h"
#include "job/report_page_data.h"
#include "sbog/base/errors.h"

namespace sbog::job {
namespace report_test {

using testing_support::make_run;
using testing_support::page_data;
using testing_support::RecordedEvents;
using testing_support::TemporaryFolder;
namespace fs = std::filesystem;

TEST(ReportJob, runs_of_every_kind_become_a_page) {
  for (const char* kind : {"latent", "series", "image"}) {
    const TemporaryFolder folder;
    make_run(kind, folder.file("run"));
    ReportOptions options;
    options.run = folder.file("run");
    Events events;
    const ReportResult result = run(options, events);
    EXPECT_EQ(result.status, Status::kDone);
    EXPECT_EQ(result.path, folder.file("run/report.html"));
    EXPECT_EQ(result.bytes, fs::file_size(result.path));
    const nlohmann::json data = page_data(result.path);
    EXPECT_EQ(data["run"]["kind"], kind);
    EXPECT_EQ(data["bank"]["total"], result.bank_total);
    EXPECT_EQ(data["bank"]["x"].size(), result.bank_shown);
    EXPECT_FALSE(data["metrics"].is_null()) << kind;
    EXPECT_EQ(to_json(result)["out"], result.path);
  }
}

TEST(ReportJob, what_is_missing_is_computed_only_when_wanted) {
  const TemporaryFolder folder;
  make_run("latent", folder.file("run"));
  ReportOptions options;
  options.run = folder.file("run");
  options.compute_missing = false;
  Events events;
  run(options, events);
  EXPECT_FALSE(fs::exists(folder.file("run/metrics.json")));
  EXPECT_TRUE(page_data(folder.file("run/report.html"))["metrics"].is_null());
  options.compute_missing = true;
  run(options, events);
  EXPECT_TRUE(fs::exists(folder.file("run/metrics.json")));
  EXPECT_TRUE(fs::exists(folder.file("run/certificate.json")));
}

TEST(ReportJob, a_stopped_job_writes_nothing) {
  for (const char* kind : {"latent", "series", "image"}) {
    const TemporaryFolder folder;
    make_run(kind, folder.file("run"));
    ReportOptions options;
    options.run = folder.file("run");
    RecordedEvents events;
    events.stop();
    events.stop_after = 1;
    EXPECT_EQ(run(options, events).status, Status::kStopped) << kind;
    EXPECT_FALSE(fs::exists(folder.file("run/report.html"))) << kind;
  }
}

TEST(ReportJob, options_and_folders_that_make_no_sense_are_refused) {
  const TemporaryFolder folder;
  ReportOptions options;
  options.run = folder.file("nowhere");
  Events events;
  EXPECT_THROW(run(options, events), IoError);
  options.sample = 0;
  EXPECT_THROW(run(options, events), InvalidArgument);
  make_run("series", folder.file("run"));
  nlohmann::json manifest =
      testing_support::read_json(folder.file("run/manifest.json"));
  manifest["kind"] = "smell";
  testing_support::write_json(folder.file("run/manifest.json"), manifest);
  options = {};
  options.run = folder.file("run");
  EXPECT_THROW(run(options, events), IoError);
}

}  // namespace report_test
}  // namespace sbog::job
