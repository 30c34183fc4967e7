// SPDX-License-Identifier: Apache-2.0
// What the tests of the tool on images share: the embedded shapes at a size
// that shows no more than that everything works.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/tool.h"

namespace sbog::testing_support {

// 160 images of 12 x 12 pixels and a network of two blocks.
inline const std::string kSmallImages =
    "demo:shapes --limit 20 --side 12 --widths 4,8 --latent 8 --epochs 2 "
    "--seed 3 ";

inline void expect_one_sentence(const ToolResult& run, int code) {
  EXPECT_EQ(run.exit_code, code) << run.err;
  EXPECT_EQ(told_lines(run.err), 1u) << run.err;
  EXPECT_THAT(run.err, ::testing::StartsWith("sbog: "));
}

}  // namespace sbog::testing_support
