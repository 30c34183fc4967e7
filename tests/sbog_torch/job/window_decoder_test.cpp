// SPDX-License-Identifier: Apache-2.0
// The autoencoder of windows as a decoder: trained once, read after, stopped
// and gone on with.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog_torch/job/jobs.h"
#include "series/window_support.h"

namespace sbog::torch_jobs {
namespace window_decoder_test {

using sbog::testing_support::read_bytes;
using sbog::testing_support::RecordedEvents;
using sbog::testing_support::TemporaryFolder;

struct Waves {
  Waves()
      : series(series::testing_support::make_waves(160, 4, 2)),
        windows(series, WindowOptions{32, 2, false}),
        encoder({4, 32, 4, 4, series::WindowLayout::kTranspose, false}, 3) {}
  Matrix<double> series;
  series::WindowSource windows;
  series::Encoder encoder;
};

TEST(WindowDecoder, a_trained_one_is_read_by_the_next_call) {
  const TemporaryFolder folder;
  const Waves at;
  RecordedEvents events;
  const job::WindowVaeOptions options{folder.file("vae"), 2, 5};
  const auto first =
      make_window_decoder(at.encoder, at.windows, options, events, {});
  ASSERT_TRUE(first);
  EXPECT_EQ(events.stages, std::vector<std::string>{"training the decoder"});
  EXPECT_FALSE(std::filesystem::exists(folder.file("vae.checkpoint")));
  const auto second =
      make_window_decoder(at.encoder, at.windows, options, events, {});
  ASSERT_TRUE(second);
  EXPECT_EQ(events.stages.size(), 1u);
  const std::vector<double> target = {1.0, 0.0, 0.0, 0.0};
  const Matrix<float> a = (*first)(1, target);
  const Matrix<float> b = (*second)(1, target);
  EXPECT_EQ(a.rows(), 4u);
  EXPECT_EQ(a.cols(), 32u);
  EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data()));
}

TEST(WindowDecoder, a_stopped_training_goes_on_to_the_same_bits) {
  const TemporaryFolder folder;
  const Waves at;
  RecordedEvents events;
  make_window_decoder(at.encoder, at.windows, {folder.file("whole"), 6, 5},
                      events, {});
  const job::WindowVaeOptions options{folder.file("cut"), 6, 5};
  RecordedEvents stopped;
  stopped.stop_after = 2;
  EXPECT_FALSE(
      make_window_decoder(at.encoder, at.windows, options, stopped, {}));
  EXPECT_FALSE(std::filesystem::exists(options.file));
  EXPECT_TRUE(make_window_decoder(at.encoder, at.windows, options, events, {}));
  EXPECT_EQ(read_bytes(folder.file("cut")), read_bytes(folder.file("whole")));
}

TEST(WindowDecoder, one_of_other_windows_is_refused) {
  const TemporaryFolder folder;
  const Waves at;
  RecordedEvents events;
  const job::WindowVaeOptions options{folder.file("vae"), 1, 5};
  make_window_decoder(at.encoder, at.windows, options, events, {});
  const series::WindowSource narrow(at.series, WindowOptions{16, 2, false});
  const series::Encoder encoder(
      {4, 16, 4, 4, series::WindowLayout::kTranspose, false}, 3);
  EXPECT_THROW(make_window_decoder(encoder, narrow, options, events, {}),
               IoError);
}

}  // namespace window_decoder_test
}  // namespace sbog::torch_jobs
