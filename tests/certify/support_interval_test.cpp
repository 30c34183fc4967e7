// SPDX-License-Identifier: Apache-2.0
// Intervals against golden values and their formulas; labels; what it takes to
// decide.
#include "sbog/certify/support_interval.h"

#include <gtest/gtest.h>

#include "certify/support.h"
#include "oracle/golden.h"

namespace sbog {
namespace support_interval_test {

using testing_support::invalid_argument_of;
using testing_support::kInfinity;
using testing_support::kNan;
using testing_support::Uniforms;

TEST(SupportInterval, golden_kl_intervals_agree) {
  for (const auto& entry : golden::entry("/cert/kl_interval")) {
    const SupportSample sample{std::log(golden::to_double(entry["K_hat"])), 0.0,
                               golden::to_double(entry["n"])};
    const double failure =
        golden::to_double(entry["delta"]) / golden::to_double(entry["pool"]);
    const LogInterval support = kl_interval(sample, failure);
    const Interval energies =
        energy_interval(support, golden::to_double(entry["eps"]));
    const auto expect = [&](double value, const char* name) {
      const double expected = golden::to_double(entry[name]);
      EXPECT_NEAR(value, expected, 1e-12 * expected) << name;
    };
    expect(std::exp(support.low), "L");
    expect(std::exp(support.high), "U");
    expect(energies.low, "E_low");
    expect(energies.high, "E_high");
  }
}

TEST(SupportInterval, without_any_support_only_the_upper_end_is_known) {
  const LogInterval none = kl_interval({-kInfinity, 0.0, 500.0}, 0.01);
  EXPECT_EQ(none.low, -kInfinity);
  EXPECT_NEAR(std::exp(none.high), 1.0 - std::pow(0.005, 1.0 / 500.0), 1e-15);
  EXPECT_EQ(energy_interval(none, 0.1).high, kInfinity);
}

TEST(SupportInterval, empirical_bernstein_is_its_formula) {
  Uniforms uniform(4);
  for (int i = 0; i < 500; ++i) {
    const double mean = uniform(0.001, 0.999);
    const double variance = uniform(0.0, mean * (1 - mean));
    const double n = std::floor(uniform(2, 5000));
    const double failure = uniform(1e-6, 0.5);
    const long double y = std::log(4.0L / failure);
    const long double width =
        std::sqrt(2 * variance * y / n) + 7 * y / (3 * (n - 1));
    const LogInterval found =
        bernstein_interval({std::log(mean), variance, n}, failure);
    EXPECT_NEAR(std::exp(found.low),
                static_cast<double>(std::max(0.0L, mean - width)), 1e-14);
    EXPECT_NEAR(std::exp(found.high),
                static_cast<double>(std::min(1.0L, mean + width)), 1e-14);
  }
  const LogInterval one = bernstein_interval({-1.0, 0.0, 1.0}, 0.1);
  EXPECT_EQ(one.low, -kInfinity);
  EXPECT_EQ(one.high, 0.0);
}

TEST(SupportInterval, the_combined_one_is_the_intersection_at_half_each) {
  Uniforms uniform(5);
  int kl_wins = 0;
  for (int i = 0; i < 500; ++i) {
    const double mean = std::exp(uniform(-12, 0));
    const SupportSample sample{std::log(mean), uniform(0, 0.2) * mean,
                               std::floor(uniform(2, 50000))};
    const LogInterval kl = kl_interval(sample, 0.01);
    const LogInterval bernstein = bernstein_interval(sample, 0.01);
    const LogInterval both = combined_interval(sample, 0.02);
    EXPECT_EQ(both.low, std::max(kl.low, bernstein.low));
    EXPECT_EQ(both.high, std::min(kl.high, bernstein.high));
    EXPECT_LE(both.low, sample.log_mean);
    EXPECT_GE(both.high, sample.log_mean);
    kl_wins += kl.high < bernstein.high ? 1 : 0;
  }
  EXPECT_GT(kl_wins, 50);
  EXPECT_LT(kl_wins, 450);
}

TEST(SupportInterval, labels_follow_the_threshold) {
  EXPECT_EQ(label_decision({0.2, 0.4}, 0.2), DecisionLabel::kCertifiedAccept);
  EXPECT_EQ(label_decision({0.2, 0.4}, 0.4), DecisionLabel::kUndecided);
  EXPECT_EQ(label_decision({0.2, 0.4}, 0.41), DecisionLabel::kCertifiedReject);
  EXPECT_EQ(label_decision({0.2, kInfinity}, kInfinity),
            DecisionLabel::kUndecided);
  EXPECT_EQ(label_decision({0.2, 0.4}, kInfinity),
            DecisionLabel::kCertifiedReject);
  EXPECT_THROW(label_decision({0.2, 0.4}, kNan), InvalidArgument);
  EXPECT_STREQ(to_string(DecisionLabel::kCertifiedAccept), "certified accept");
  EXPECT_STREQ(to_string(DecisionLabel::kCertifiedReject), "certified reject");
  EXPECT_STREQ(to_string(DecisionLabel::kUndecided), "undecided");
}

DecisionLabel label_at(SupportSample sample, double count, double failure,
                       double epsilon, double threshold) {
  sample.count = count;
  return label_decision(
      energy_interval(combined_interval(sample, failure), epsilon), threshold);
}

TEST(SupportInterval, the_required_count_decides_and_a_bit_less_does_not) {
  Uniforms uniform(6);
  int accepts = 0;
  int rejects = 0;
  for (int i = 0; i < 1000; ++i) {
    const double epsilon = std::exp(uniform(-4, 0));
    const double mean = std::exp(uniform(-12, -0.1));
    const SupportSample sample{std::log(mean),
                               uniform(0, 1) * mean * (1 - mean), 0.0};
    const double threshold =
        -epsilon * sample.log_mean * std::exp(uniform(-0.5, 0.5));
    const double failure = std::exp(uniform(-12, -1));
    const double n = required_count(sample, failure, epsilon, threshold);
    ASSERT_TRUE(std::isfinite(n));
    const bool is_accepted = -epsilon * sample.log_mean >= threshold;
    EXPECT_EQ(
        label_at(sample, n * (1 + 1e-9) + 1e-9, failure, epsilon, threshold),
        is_accepted ? DecisionLabel::kCertifiedAccept
                    : DecisionLabel::kCertifiedReject)
        << n;
    // What Bernstein needs is rounded up by less than a few points.
    if (n > 50.0) {
      EXPECT_EQ(label_at(sample, 0.95 * n - 2.0, failure, epsilon, threshold),
                DecisionLabel::kUndecided)
          << n;
    }
    (is_accepted ? accepts : rejects)++;
  }
  EXPECT_GT(accepts, 100);
  EXPECT_GT(rejects, 100);
}

TEST(SupportInterval, on_the_threshold_no_count_decides) {
  const SupportSample sample{-2.0, 0.01, 0.0};
  EXPECT_EQ(required_count(sample, 0.05, 0.5, 1.0), kInfinity);
  EXPECT_EQ(required_count(sample, 0.05, 0.5, kInfinity), kInfinity);
  EXPECT_EQ(required_count(sample, 0.05, 0.5, 0.0), 1.0);
}

TEST(SupportInterval, bad_input_is_refused_in_a_sentence) {
  const SupportSample good{-2.0, 0.01, 100.0};
  for (const double bad : {0.0, 1.0, -0.1, kNan}) {
    EXPECT_THROW(kl_interval(good, bad), InvalidArgument) << bad;
    EXPECT_THROW(bernstein_interval(good, bad), InvalidArgument) << bad;
    EXPECT_THROW(combined_interval(good, bad), InvalidArgument) << bad;
    EXPECT_THROW(required_count(good, bad, 0.1, 0.2), InvalidArgument) << bad;
  }
  for (const double bad : {0.0, 0.5, -3.0, kNan, kInfinity}) {
    EXPECT_THROW(kl_interval({-2.0, 0.0, bad}, 0.05), InvalidArgument) << bad;
  }
  EXPECT_THROW(kl_interval({0.1, 0.0, 10.0}, 0.05), InvalidArgument);
  EXPECT_THROW(kl_interval({kNan, 0.0, 10.0}, 0.05), InvalidArgument);
  EXPECT_THROW(bernstein_interval({-1.0, -0.1, 10.0}, 0.05), InvalidArgument);
  EXPECT_THROW(energy_interval({-2.0, -1.0}, 0.0), InvalidArgument);
  EXPECT_EQ(invalid_argument_of([&] {
              kl_interval({-2.0, 0.0, 0.0}, 0.05);
            }),
            "n: a finite number of at least 1 is expected, got 0.000000");
}

}  // namespace support_interval_test
}  // namespace sbog
