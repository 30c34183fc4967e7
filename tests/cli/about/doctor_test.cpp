// SPDX-License-Identifier: Apache-2.0
// sbog doctor from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "about/golden_checks.h"
#include "cli/tool.h"

namespace sbog::testing_support {
namespace doctor_test {

using ::testing::HasSubstr;

TEST(Doctor, this_machine_is_well) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, "doctor");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  for (const char* part : {"cpu  ", "kernels  ", "threads  ", "memory  ",
                           "disk  ", "library    Eigen ", "library    Highway ",
                           "LibTorch  ", "\nall is well: "}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
  for (const cli::GoldenCheck& check : cli::golden_checks()) {
    EXPECT_THAT(run.out, HasSubstr("ok         " + check.name));
  }
  EXPECT_TRUE(folder.is_empty());
}

TEST(Doctor, machines_read_the_same) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, "doctor --json --threads 3");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["is_well"], true);
  EXPECT_EQ(json["threads"]["asked"], 3);
  EXPECT_EQ(json["threads"]["used"], 3);
  EXPECT_GE(json["threads"]["usable"].get<int>(), 1);
  EXPECT_EQ(json["checks"].size(), cli::golden_checks().size());
  for (const auto& check : json["checks"]) {
    EXPECT_EQ(check["is_well"], true) << check;
    EXPECT_GE(check["ways"].get<int>(), 2);
    EXPECT_NEAR(check["value"].get<double>(), check["expected"].get<double>(),
                1e-5 * std::abs(check["expected"].get<double>()));
  }
}

}  // namespace doctor_test
}  // namespace sbog::testing_support
