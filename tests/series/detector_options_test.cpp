// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detector_options.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"

namespace sbog {
namespace detector_options_test {

TEST(DetectorOptions, names_read_back) {
  for (const DetectorKind kind :
       {DetectorKind::kViews, DetectorKind::kViewsBatch,
        DetectorKind::kChannel}) {
    EXPECT_EQ(parse_detector_kind(to_string(kind)), kind);
  }
  EXPECT_THROW(parse_detector_kind("magic"), InvalidArgument);
}

TEST(DetectorOptions, a_level_lies_strictly_between_0_and_1) {
  for (const double level : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
    DetectorOptions options;
    options.level = level;
    EXPECT_THROW(check_detector_options(options), InvalidArgument) << level;
  }
  EXPECT_NO_THROW(check_detector_options({}));
}

TEST(DetectorOptions, the_batch_detector_cannot_be_causal) {
  DetectorOptions options;
  options.kind = DetectorKind::kViewsBatch;
  options.is_causal = true;
  EXPECT_THROW(check_detector_options(options), InvalidArgument);
}

TEST(DetectorOptions, causal_means_trailing_windows) {
  DetectorOptions options;
  EXPECT_EQ(options.side(), WindowSide::kCentred);
  options.is_causal = true;
  EXPECT_EQ(options.side(), WindowSide::kTrailing);
}

}  // namespace detector_options_test
}  // namespace sbog
