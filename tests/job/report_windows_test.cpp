// SPDX-License-Identifier: Apache-2.0
// Which windows of a run on a series a report draws, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "job/made_runs.h"
#include "sbog/base/errors.h"
#include "sbog/job/report_files.h"

namespace sbog::job {
namespace report_windows_test {

using nlohmann::json;
using ::testing::ElementsAre;

// The run of made_runs.h with the entries of edits.json that were kept.
class ReportWindows : public ::testing::Test {
 protected:
  ReportWindows() {
    testing_support::make_series_run(folder_.file("run"));
    for (const json& entry :
         testing_support::read_json(folder_.file("run/decoded/edits.json"))) {
      if (entry.contains("window")) kept_.push_back(entry);
    }
  }
  ReportData windows() const {
    ReportData data;
    add_report_windows(FinishedRun(folder_.file("run")), kept_, data);
    return data;
  }

  testing_support::TemporaryFolder folder_;
  std::vector<json> kept_;
};

TEST_F(ReportWindows, are_drawn_with_their_partner_below) {
  kept_[0]["edits"][0]["partner"] = "load";
  const ReportData data = windows();
  ASSERT_EQ(data.windows.size(), 2u);
  ASSERT_EQ(data.windows[0].channels.size(), 2u);
  EXPECT_EQ(data.windows[0].channels[0].name, "flow");
  EXPECT_THAT(data.windows[0].channels[0].spans,
              ElementsAre(std::pair<std::size_t, std::size_t>(2, 6)));
  EXPECT_EQ(data.windows[0].channels[1].name, "load (partner of flow)");
  EXPECT_EQ(data.windows[1].channels.size(), 1u);
}

TEST_F(ReportWindows, stand_by_severity_which_is_told) {
  kept_[0]["severity"] = 2;
  kept_[0]["rarity"] = 0.004;
  kept_[1]["severity"] = 1;
  kept_[1]["rarity"] = 0.05;
  const ReportData data = windows();
  EXPECT_EQ(data.windows[0].outlier, 2u);
  EXPECT_EQ(data.windows[0].sentences[0], "Severity 1, 1 in 20: Flow rises.");
  EXPECT_EQ(data.windows[1].sentences[0], "Severity 2, 1 in 250: Flow rises.");
}

TEST_F(ReportWindows, edits_of_unknown_channels_and_rows_are_refused) {
  kept_[0]["edits"][0]["channel"] = "smell";
  EXPECT_THROW(windows(), IoError);
  kept_[0]["edits"][0]["channel"] = "flow";
  kept_[0]["edits"][0]["realised"]["last_sample"] = 8;
  EXPECT_THROW(windows(), IoError);
  kept_[0]["edits"][0]["realised"]["last_sample"] = 7;
  EXPECT_EQ(windows().windows.size(), 2u);
  kept_.pop_back();
  EXPECT_THROW(windows(), IoError);
}

}  // namespace report_windows_test
}  // namespace sbog::job
