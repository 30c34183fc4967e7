// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/pretext.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "series/window_support.h"

namespace sbog::series {
namespace pretext_test {

using namespace testing_support;

struct Waves {
  Waves()
      : series(make_waves(140, 6, 2)),
        source(series, WindowOptions{32, 1, false}) {}
  Matrix<double> series;
  WindowSource source;
};

PretextOptions short_run() {
  PretextOptions options;
  options.epochs = 4;
  options.batch = 20;
  return options;
}

bool equal_bits(const Encoder& a, const Encoder& b) {
  return largest_difference(a.parameters().flat(), b.parameters().flat()) ==
             0.0 &&
         largest_difference(a.buffers().flat(), b.buffers().flat()) == 0.0;
}

// Asks to stop after so many steps in all.
class StopAfter : public Observer {
 public:
  explicit StopAfter(std::uint64_t steps) : steps_(steps) {}
  bool on_progress(std::uint64_t done, std::uint64_t) override {
    return done < steps_;
  }

 private:
  std::uint64_t steps_;
};

TEST(Pretext, the_same_seed_gives_the_same_bits) {
  const Waves at;
  const Encoder first = train_pretext(at.source, short_run());
  EXPECT_TRUE(equal_bits(first, train_pretext(at.source, short_run())));
  PretextOptions other = short_run();
  other.seed = 5;
  EXPECT_FALSE(equal_bits(first, train_pretext(at.source, other)));
}

TEST(Pretext, a_stopped_run_goes_on_to_the_same_bits) {
  const Waves at;
  for (const bool resamples : {false, true}) {
    for (const ContrastiveLoss loss :
         {ContrastiveLoss::kInfoNce, ContrastiveLoss::kHinge}) {
      PretextOptions options = short_run();
      options.loss = loss;
      options.resamples_triplets = resamples;
      PretextHistory whole;
      const Encoder truth = train_pretext(at.source, options, {}, &whole);
      ASSERT_EQ(whole.losses.size(), 20u);
      const sbog::testing_support::TemporaryFolder folder;
      options.checkpoint = folder.file("run.safetensors");
      // Stops inside the second epoch, at the end of one, and finishes.
      std::vector<double> losses;
      for (const std::uint64_t steps : {7u, 15u, 100u}) {
        StopAfter stop(steps);
        PretextHistory part;
        const Encoder encoder =
            train_pretext(at.source, options, {nullptr, &stop}, &part);
        losses.insert(losses.end(), part.losses.begin(), part.losses.end());
        const bool is_last = steps == 100;
        EXPECT_EQ(part.status,
                  is_last ? SolveStatus::kDone : SolveStatus::kCancelled);
        if (is_last) {
          EXPECT_TRUE(equal_bits(encoder, truth));
        }
      }
      EXPECT_EQ(losses, whole.losses);
    }
  }
}

TEST(Pretext, a_checkpoint_of_another_run_is_refused) {
  const Waves at;
  const sbog::testing_support::TemporaryFolder folder;
  PretextOptions options = short_run();
  options.checkpoint = folder.file("run.safetensors");
  train_pretext(at.source, options);
  PretextOptions other = options;
  other.temperature = 0.5;
  EXPECT_THROW(train_pretext(at.source, other), IoError);
  other = options;
  other.mid = 8;
  EXPECT_THROW(train_pretext(at.source, other), IoError);
  const Matrix<double> changed = make_waves(140, 6, 3);
  const WindowSource source(changed, WindowOptions{32, 1, false});
  EXPECT_THROW(train_pretext(source, options), IoError);
}

TEST(Pretext, the_repaired_profile_learns_and_does_not_collapse) {
  const Waves at;
  PretextOptions options = short_run();
  options.epochs = 12;
  PretextHistory history;
  const Encoder encoder = train_pretext(at.source, options, {}, &history);
  double first = 0.0, last = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    first += history.losses[i];
    last += history.losses[history.losses.size() - 1 - i];
  }
  EXPECT_LT(last, 0.9 * first);
  const Matrix<float> points = encoder.embed(at.source);
  double apart = 0.0, pairs = 0.0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      apart += 1.0 - inner_product<float, float>(points.row(i), points.row(j));
      pairs += 1.0;
    }
  }
  EXPECT_GT(apart / pairs, 0.01);
}

TEST(Pretext, the_faithful_profile_shrinks_its_margin_and_collapses) {
  // Command channels that never act: their injections change nothing.
  Matrix<double> series(140, 20);
  for (std::size_t t = 0; t < series.rows(); ++t) {
    series(t, 0) = std::sin(0.5 * static_cast<double>(t));
  }
  const WindowSource source(series, WindowOptions{32, 1, false});
  PretextOptions options = pretext_profile("faithful");
  options.epochs = 14;
  options.batch = 20;
  PretextHistory history;
  train_pretext(source, options, {}, &history);
  EXPECT_GT(history.identical_share, 0.3);
  // The margin moves in 4 of the 5 steps of an epoch: not before the first.
  std::size_t moves = 0;
  for (std::size_t i = 0; i < history.margins.size(); ++i) {
    if (i % 5 != 0) ++moves;
    const double law =
        std::max(0.01, std::pow(0.9, static_cast<double>(moves)));
    EXPECT_NEAR(history.margins[i], law, 0.05 * law) << "step " << i;
  }
  EXPECT_NEAR(history.losses.back(), 0.01, 1e-3);
}

TEST(Pretext, wrong_options_are_refused) {
  const Waves at;
  PretextOptions options = short_run();
  options.batch = 109;
  EXPECT_THROW(train_pretext(at.source, options), InvalidArgument);
  options = short_run();
  options.epochs = 0;
  EXPECT_THROW(train_pretext(at.source, options), InvalidArgument);
  EXPECT_THROW(pretext_profile("other"), InvalidArgument);
}

}  // namespace pretext_test
}  // namespace sbog::series
