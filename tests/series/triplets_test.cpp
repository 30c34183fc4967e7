// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/triplets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sbog/base/errors.h"
#include "series/window_support.h"

namespace sbog::series {
namespace triplets_test {

using testing_support::largest_difference;
using testing_support::make_waves;

struct Case {
  explicit Case(TripletOptions options = {}, std::size_t channels = 12)
      : series(make_waves(200, channels, 2)),
        source(series, WindowOptions{40, 1, false}),
        triplets(source, options) {}
  Matrix<double> series;
  WindowSource source;
  Triplets triplets;
};

TEST(Triplets, positives_come_from_the_ten_windows_before) {
  const Case at;
  std::set<std::size_t> steps;
  for (std::size_t i = 0; i < at.triplets.size(); ++i) {
    const std::size_t j = at.triplets.positive_of(i);
    if (i <= 10) {
      EXPECT_EQ(j, i);
    } else {
      EXPECT_LT(j, i);
      EXPECT_GE(j + 10, i);
      steps.insert(i - j);
    }
  }
  EXPECT_EQ(steps.size(), 10u);
}

TEST(Triplets, the_first_positives_are_noisy_in_raw_units) {
  const Case at;
  Matrix<float> anchor(12, 40), positive(12, 40), again(12, 40);
  double squares = 0.0;
  for (std::size_t i = 0; i <= 10; ++i) {
    at.triplets.fill_anchor(i, anchor);
    at.triplets.fill_positive(i, positive);
    at.triplets.fill_positive(i, again);
    EXPECT_EQ(largest_difference(positive.elements(), again.elements()), 0.0);
    for (std::size_t c = 0; c < 12; ++c) {
      for (std::size_t t = 0; t < 40; ++t) {
        const double raw = (double{positive(c, t)} - double{anchor(c, t)}) *
                           at.source.statistics().deviations[c];
        squares += raw * raw;
      }
    }
  }
  const double count = 11.0 * 12.0 * 40.0;
  EXPECT_NEAR(std::sqrt(squares / count), 0.01,
              4.0 * 0.01 / std::sqrt(2.0 * count));
}

TEST(Triplets, in_standard_units_the_noise_is_standard_as_well) {
  TripletOptions options;
  options.space = InjectionSpace::kStandardised;
  const Case at(options);
  Matrix<float> anchor(12, 40), positive(12, 40);
  double squares = 0.0;
  for (std::size_t i = 0; i <= 10; ++i) {
    at.triplets.fill_anchor(i, anchor);
    at.triplets.fill_positive(i, positive);
    for (std::size_t k = 0; k < anchor.size(); ++k) {
      const double step =
          double{positive.elements()[k]} - double{anchor.elements()[k]};
      squares += step * step;
    }
  }
  const double count = 11.0 * 12.0 * 40.0;
  EXPECT_NEAR(std::sqrt(squares / count), 0.01,
              4.0 * 0.01 / std::sqrt(2.0 * count));
}

TEST(Triplets, negatives_differ_only_in_the_drawn_channels) {
  const Case at;
  Matrix<float> anchor(12, 40), negative(12, 40);
  for (std::size_t i = 0; i < at.triplets.size(); ++i) {
    at.triplets.fill_anchor(i, anchor);
    at.triplets.fill_negative(i, negative);
    std::set<std::size_t> changed;
    for (const ChannelChange& change : at.triplets.injection_of(i).changes) {
      changed.insert(change.channel);
    }
    for (std::size_t c = 0; c < 12; ++c) {
      if (changed.contains(c)) continue;
      EXPECT_EQ(largest_difference(anchor.row(c), negative.row(c)), 0.0);
    }
    EXPECT_GT(largest_difference(anchor.elements(), negative.elements()), 0.0);
  }
  EXPECT_EQ(at.triplets.identical_share(), 0.0);
}

TEST(Triplets, identical_negatives_are_kept_only_when_asked_for) {
  // All channels but one are 0 always: scaling changes nothing there.
  Matrix<double> series(300, 20);
  for (std::size_t t = 0; t < 300; ++t) {
    series(t, 0) = std::sin(0.3 * static_cast<double>(t));
  }
  const WindowSource source(series, WindowOptions{40, 1, false});
  TripletOptions keep;
  keep.rejects_identical = false;
  const Triplets kept(source, keep);
  const Triplets rejected(source, {});
  // Three of five kinds leave a zero channel as it is.
  EXPECT_GT(kept.identical_share(), 0.3);
  EXPECT_LT(rejected.identical_share(), 0.1 * kept.identical_share());
}

TEST(Triplets, variants_are_other_draws_and_equal_keys_equal_ones) {
  const Case first, same;
  TripletOptions options;
  options.variant = 1;
  const Case other(options);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < first.triplets.size(); ++i) {
    const Injection& a = first.triplets.injection_of(i);
    EXPECT_EQ(a.start, same.triplets.injection_of(i).start);
    if (a.start == other.triplets.injection_of(i).start) ++equal;
  }
  EXPECT_LT(equal, first.triplets.size() / 2);
  options.variant = 65536;
  EXPECT_THROW(Case{options}, InvalidArgument);
}

TEST(Triplets, injection_in_standard_units_shifts_by_them) {
  TripletOptions options;
  options.space = InjectionSpace::kStandardised;
  const Case at(options);
  Matrix<float> anchor(12, 40), negative(12, 40);
  for (std::size_t i = 0; i < at.triplets.size(); ++i) {
    const Injection& injection = at.triplets.injection_of(i);
    if (injection.kind != InjectionKind::kTrend) continue;
    at.triplets.fill_anchor(i, anchor);
    at.triplets.fill_negative(i, negative);
    for (const ChannelChange& change : injection.changes) {
      EXPECT_NEAR(negative(change.channel, 39) - anchor(change.channel, 39),
                  change.shift, 1e-5);
    }
  }
}

}  // namespace triplets_test
}  // namespace sbog::series
