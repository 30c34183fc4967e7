// SPDX-License-Identifier: Apache-2.0
// Windows decoded from latent points.
#include "sbog/oracle/window_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oracle/encoder_support.h"
#include "sbog/base/errors.h"
#include "sbog/base/philox.h"

namespace sbog {
namespace window_decoder_test {

struct Fixture {
  oracle::LabelledWindows bank = oracle::labelled_windows(100, 11);
  WindowEncoder encoder{bank.windows, bank.labels};
};

TEST(WindowDecoder, a_window_decodes_to_itself) {
  const Fixture f;
  for (std::size_t i = 0; i < f.bank.labels.size(); i += 10) {
    const auto source = f.bank.windows.row(i);
    const DecodedWindow decoded =
        decode_window(f.encoder, source, f.encoder.encode(source));
    EXPECT_TRUE(decoded.is_decoded);
    EXPECT_LT(decoded.residual, 1e-10);
    for (std::size_t k = 0; k < source.size(); ++k) {
      EXPECT_NEAR(decoded.window[k], source[k], 1e-10);
    }
  }
}

TEST(WindowDecoder, decoded_windows_have_the_statistics_of_their_point) {
  const Fixture f;
  std::size_t decoded_count = 0;
  for (std::size_t i = 0; i < f.bank.labels.size(); ++i) {
    const auto source = f.bank.windows.row(i);
    OraclePoint z = f.encoder.encode(source);
    OraclePoint noise;
    PhiloxStream(1, 0, 0, i).normals(0, std::span<double>(noise));
    for (std::size_t k = 0; k < kOracleDim; ++k) z[k] += 0.02 * noise[k];
    const DecodedWindow decoded = decode_window(f.encoder, source, z);
    ASSERT_EQ(decoded.window.size(), source.size());
    const Statistics missing = f.encoder.whiten(*f.encoder.statistics_at(z));
    const Statistics got = f.encoder.whiten(window_statistics(decoded.window));
    double squares = 0.0;
    for (std::size_t k = 0; k < kStatistics; ++k) {
      squares += (missing[k] - got[k]) * (missing[k] - got[k]);
    }
    EXPECT_NEAR(std::sqrt(squares), decoded.residual,
                1e-9 * (1.0 + decoded.residual));
    EXPECT_EQ(decoded.is_decoded, decoded.residual <= 1e-3);
    decoded_count += decoded.is_decoded ? 1 : 0;
  }
  EXPECT_GE(decoded_count, 285u);
}

TEST(WindowDecoder, statistics_no_window_has_are_a_failure) {
  const Fixture f;
  Statistics target = window_statistics(f.bank.windows.row(0));
  target[5] = 1.5;  // a correlation
  const DecodedWindow decoded =
      decode_window(f.encoder, f.bank.windows.row(0),
                    lift_to_sphere(f.encoder.whiten(target)));
  EXPECT_FALSE(decoded.is_decoded);
  EXPECT_GT(decoded.residual, 1e-3);
}

TEST(WindowDecoder, the_lower_half_of_the_sphere_has_no_window) {
  const Fixture f;
  OraclePoint z = f.encoder.encode(f.bank.windows.row(0));
  z[kStatistics] = -z[kStatistics];
  const DecodedWindow decoded =
      decode_window(f.encoder, f.bank.windows.row(0), z);
  EXPECT_FALSE(decoded.is_decoded);
  EXPECT_TRUE(std::isinf(decoded.residual));
  EXPECT_TRUE(decoded.window.empty());
}

TEST(WindowDecoder, refuses_a_source_that_is_no_window) {
  const Fixture f;
  const OraclePoint z = f.encoder.encode(f.bank.windows.row(0));
  EXPECT_THROW(decode_window(f.encoder, std::vector<double>(3), z),
               InvalidArgument);
  EXPECT_THROW(
      decode_window(f.encoder, f.bank.windows.row(0), std::vector<double>(3)),
      InvalidArgument);
}

}  // namespace window_decoder_test
}  // namespace sbog
