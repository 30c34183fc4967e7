// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/series/vae_training.h"

#include <gtest/gtest.h>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog/series/pretext.h"
#include "series/window_support.h"

namespace sbog::series {
namespace vae_training_test {

using namespace testing_support;

struct Waves {
  Waves()
      : series(make_waves(160, 4, 2)),
        source(series, WindowOptions{32, 2, false}),
        encoder({4, 32, 4, 4, WindowLayout::kTranspose, false}, 3) {}
  // All windows, one row each.
  Matrix<float> windows() const {
    Matrix<float> rows(source.size(), 4 * 32);
    for (std::size_t i = 0; i < source.size(); ++i) {
      source.fill(i, {rows.row(i).data(), 4, 32});
    }
    return rows;
  }
  Matrix<double> series;
  WindowSource source;
  Encoder encoder;
};

VaeOptions short_run() {
  VaeOptions options;
  options.epochs = 3;
  options.batch = 16;
  options.filters = 8;
  options.hidden = 16;
  return options;
}

bool equal_bits(const WindowVae& a, const WindowVae& b) {
  return largest_difference(a.parameters().flat(), b.parameters().flat()) ==
         0.0;
}

class StopAfter : public Observer {
 public:
  explicit StopAfter(std::uint64_t steps) : steps_(steps) {}
  bool on_progress(std::uint64_t done, std::uint64_t) override {
    return done < steps_;
  }

 private:
  std::uint64_t steps_;
};

TEST(VaeTraining, the_loss_falls_and_windows_come_back_better_than_their_mean) {
  const Waves at;
  VaeOptions options = short_run();
  options.epochs = 120;
  // Three waves, each with a phase of its own: six numbers say all.
  options.latent = 8;
  options.noise_variance = 0.05;
  options.optimiser.learning_rate = 6e-3;
  VaeHistory history;
  const WindowVae vae =
      train_window_vae(at.encoder, at.source, options, {}, &history);
  ASSERT_EQ(history.losses.size(), 120u);
  EXPECT_LT(history.losses.back(), 0.5 * history.losses.front());
  const Matrix<float> windows = at.windows();
  const Matrix<float> back =
      vae.reconstruct(windows, at.encoder.embed(windows));
  double error = 0.0, around_mean = 0.0;
  for (std::size_t k = 0; k < windows.cols(); ++k) {
    double mean = 0.0;
    for (std::size_t i = 0; i < windows.rows(); ++i) {
      mean += windows(i, k) / static_cast<double>(windows.rows());
    }
    for (std::size_t i = 0; i < windows.rows(); ++i) {
      error += std::pow(double{back(i, k)} - double{windows(i, k)}, 2);
      around_mean += std::pow(windows(i, k) - mean, 2);
    }
  }
  EXPECT_LT(error, 0.5 * around_mean);
  // The point of one training window decoded beside another: how near it came
  // is reported.
  const std::size_t half = windows.rows() / 2;
  const Matrix<float> targets =
      at.encoder.embed(windows.view().subrows(half, half));
  const DecodedWindows found =
      vae.decode(at.encoder, targets, windows.view().subrows(0, half),
                 training_limits(at.source));
  ASSERT_EQ(found.ratios.size(), half);
  for (const double ratio : found.ratios) {
    EXPECT_TRUE(std::isfinite(ratio));
    EXPECT_GE(ratio, 0.0);
  }
}

TEST(VaeTraining, the_same_seed_gives_the_same_bits_for_any_threads) {
  const Waves at;
  const WindowVae alone = train_window_vae(at.encoder, at.source, short_run());
  ThreadPool pool(3);
  EXPECT_TRUE(equal_bits(
      alone,
      train_window_vae(at.encoder, at.source, short_run(), {&pool, nullptr})));
  VaeOptions other = short_run();
  other.seed = 5;
  EXPECT_FALSE(
      equal_bits(alone, train_window_vae(at.encoder, at.source, other)));
}

TEST(VaeTraining, a_stopped_run_goes_on_to_the_same_bits) {
  const Waves at;
  VaeHistory whole;
  const WindowVae truth =
      train_window_vae(at.encoder, at.source, short_run(), {}, &whole);
  const sbog::testing_support::TemporaryFolder folder;
  VaeOptions options = short_run();
  options.checkpoint = folder.file("vae");
  std::vector<double> losses;
  // Four steps per epoch: within the second, at its end, to the end of all.
  for (const std::uint64_t steps : {6u, 8u, 100u}) {
    StopAfter stop(steps);
    VaeHistory part;
    const WindowVae vae = train_window_vae(at.encoder, at.source, options,
                                           {nullptr, &stop}, &part);
    losses.insert(losses.end(), part.losses.begin(), part.losses.end());
    const bool is_last = steps == 100;
    EXPECT_EQ(part.status,
              is_last ? SolveStatus::kDone : SolveStatus::kCancelled);
    EXPECT_EQ(part.epochs, is_last ? 3u : steps / 4);
    EXPECT_EQ(equal_bits(vae, truth), is_last);
  }
  EXPECT_EQ(losses, whole.losses);
}

TEST(VaeTraining, a_checkpoint_of_another_run_is_refused) {
  const Waves at;
  const sbog::testing_support::TemporaryFolder folder;
  VaeOptions options = short_run();
  options.checkpoint = folder.file("vae");
  train_window_vae(at.encoder, at.source, options);
  options.noise_variance = 0.2;
  EXPECT_THROW(train_window_vae(at.encoder, at.source, options), IoError);
  options = short_run();
  options.checkpoint = folder.file("vae");
  options.latent = 3;
  EXPECT_THROW(train_window_vae(at.encoder, at.source, options), IoError);
}

TEST(VaeTraining, options_out_of_range_are_refused) {
  const Waves at;
  VaeOptions options = short_run();
  options.epochs = 0;
  EXPECT_THROW(train_window_vae(at.encoder, at.source, options),
               InvalidArgument);
  options = short_run();
  options.noise_variance = 0.0;
  EXPECT_THROW(train_window_vae(at.encoder, at.source, options),
               InvalidArgument);
}

TEST(VaeTraining, fewer_windows_than_a_batch_are_one_batch) {
  const Waves at;
  VaeOptions options = short_run();
  options.batch = 1000;
  VaeHistory history;
  train_window_vae(at.encoder, at.source, options, {}, &history);
  EXPECT_EQ(history.losses.size(), 3u);
}

}  // namespace vae_training_test
}  // namespace sbog::series
