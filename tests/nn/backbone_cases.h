// SPDX-License-Identifier: Apache-2.0
// Shapes of encoders and random cases for the tests of the backbone.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sbog/nn/backbone.h"
#include "sbog/series/encoder.h"
#include "series/window_support.h"

namespace sbog::series::testing_support {

/// The usual shape; odd sizes with an identity; as many channels as mid; the
/// scrambled layout and wide layers; the smallest of all.
inline std::vector<EncoderOptions> backbone_shapes() {
  return {{38, 200, 4, 4, WindowLayout::kTranspose, false},
          {3, 37, 5, 3, WindowLayout::kTranspose, true},
          {4, 64, 4, 4, WindowLayout::kTranspose, false},
          {7, 50, 8, 8, WindowLayout::kScramble, false},
          {1, 20, 1, 2, WindowLayout::kTranspose, false}};
}

/// An encoder of random weights with windows and gradients.
struct BackboneCase {
  BackboneCase(const EncoderOptions& options, std::size_t windows_count)
      : encoder(options, 7),
        windows(normals(windows_count, options.channels * options.width, 9)),
        d_features(normals(windows_count, options.features(), 11)) {
    shake(encoder.parameters(), 8, 0.2);
    shake(encoder.buffers(), 9, 0.2);
  }
  Encoder encoder;
  Matrix<float> windows;
  Matrix<float> d_features;
};

inline void expect_close(std::span<const float> ours,
                         std::span<const float> truth, double relative,
                         const std::string& what) {
  EXPECT_LE(largest_difference(ours, truth),
            relative * largest_value(truth) + 1e-6)
      << what;
}

}  // namespace sbog::series::testing_support
