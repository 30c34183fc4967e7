// SPDX-License-Identifier: Apache-2.0
// sbog detect with the detectors carla and sbog in a build without LibTorch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/tool.h"
#include "sbog/data/safetensors.h"

namespace sbog::testing_support {
namespace detect_clusters_without_torch_test {

using ::testing::HasSubstr;

TEST(DetectClusters, a_build_without_libtorch_says_so_in_one_sentence) {
  const TemporaryFolder folder;
  for (const std::string detector : {"carla", "sbog"}) {
    const ToolResult run = run_tool(
        folder, "detect train demo:series --out m --detector " + detector);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, HasSubstr("--detector " + detector));
    EXPECT_THAT(run.err, HasSubstr("no LibTorch"));
  }
  EXPECT_TRUE(folder.is_empty());
}

TEST(DetectClusters, a_file_of_another_build_is_recognised) {
  const TemporaryFolder folder;
  write_safetensors(folder.file("m"), {},
                    {{"format", "sbog-cluster-detector-1"}});
  const ToolResult run = run_tool(folder, "detect score m demo:series-test");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("needs LibTorch"));
}

}  // namespace detect_clusters_without_torch_test
}  // namespace sbog::testing_support
