// SPDX-License-Identifier: Apache-2.0
// Severities: outputs of every band of every class, and what the reports say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "sample/support.h"
#include "sbog/base/thread_pool.h"
#include "sbog/energy/class_tails.h"
#include "sbog/sample/sample_outliers.h"

namespace sbog {
namespace class_run_test {

using testing::HasSubstr;
using testing_support::Classes;
using testing_support::expect_same_outputs;
using testing_support::invalid_argument_of;
using testing_support::sphere_bank;

SamplerOptions graded_options(std::vector<int> severities) {
  SamplerOptions options;
  options.severities = std::move(severities);
  options.count = 6;
  options.seed = 3;
  options.anchor_count = 40;
  options.regions = 8;
  options.max_rounds = 16;
  return options;
}

TEST(Severities, every_output_lies_in_its_band) {
  const Classes<float> classes(900, 6);
  for (const bool certify : {false, true}) {
    SamplerOptions options = graded_options({1, 2});
    options.certify = certify;
    const OutlierSet<float> set =
        sample_outliers(classes.problem(), options, {});
    ASSERT_EQ(set.reports.size(), 3u);
    // Tails from what the set says about the bank.
    std::vector<std::vector<double>> scores(3);
    std::map<std::int64_t, std::size_t> number;
    for (const ClassReport& report : set.reports) {
      number.emplace(report.label, number.size());
    }
    std::vector<bool> counts(900, !certify);
    for (const ClassHalves& halves : set.halves) {
      for (const std::size_t row : halves.calibration) counts[row] = true;
    }
    for (std::size_t i = 0; i < 900; ++i) {
      if (!counts[i]) continue;
      scores[number.at(classes.labels[i])].push_back(set.bank_scores[i]);
    }
    const ClassTails tails(scores);
    EXPECT_EQ(set.outputs.size(), 3u * 2u * 6u);
    std::map<std::pair<std::int64_t, int>, std::size_t> produced;
    for (std::size_t i = 0; i < set.outputs.size(); ++i) {
      const Output<float>& output = set.outputs[i];
      const int asked = options.severities[output.k % 2];
      EXPECT_EQ(tails.severity(number.at(set.classes[i]), output.score), asked);
      ++produced[{set.classes[i], asked}];
    }
    for (const ClassReport& report : set.reports) {
      ASSERT_EQ(report.bands.size(), 2u);
      EXPECT_EQ(report.requested, 12u);
      for (const BandReport& band : report.bands) {
        EXPECT_EQ(band.produced, (produced[{report.label, band.severity}]));
        EXPECT_EQ(band.requested, 6u);
        EXPECT_LT(band.low, band.high);
        EXPECT_LE(band.radius_low, band.radius_high);
        EXPECT_EQ(band.binding, Constraint::kNone);
      }
      EXPECT_EQ(report.bands[0].high, report.bands[1].low);
    }
  }
}

TEST(Severities, are_the_same_for_any_number_of_threads_and_parts) {
  const Classes<float> classes(900, 6);
  const SamplerOptions options = graded_options({1, 2});
  const OutlierSet<float> one = sample_outliers(classes.problem(), options, {});
  ThreadPool pool(4);
  const OutlierSet<float> four =
      sample_outliers(classes.problem(), options, {&pool, nullptr});
  expect_same_outputs(one.outputs, four.outputs);
  // Any ranges of a class are what the whole is.
  const Sampler<float> sampler(classes.problem(), options);
  const ClassRun<float> run = sampler.prepare(1);
  const SampledRange<float> whole = run.sample(0, 12);
  EXPECT_EQ(whole.tallies.size(), run.tally_count());
  EXPECT_EQ(run.tally_count(), 2 * run.anchor_count());
  for (const std::size_t size : {1u, 5u}) {
    std::vector<Output<float>> pieces;
    for (std::size_t first = 0; first < 12; first += size) {
      const std::size_t count = std::min<std::size_t>(size, 12 - first);
      SampledRange<float> range = run.sample(first, count);
      ASSERT_EQ(range.outputs.size(), count);
      for (Output<float>& output : range.outputs) {
        EXPECT_EQ(output.k, pieces.size());
        pieces.push_back(std::move(output));
      }
    }
    expect_same_outputs(pieces, whole.outputs);
  }
}

TEST(Severities, start_from_points_below_their_bands) {
  const Matrix<float> bank = sphere_bank<float>(700, 8, 5);
  const Sampler<float> sampler({bank.view(), {}, {}, {}}, graded_options({2}));
  const ClassRun<float> run = sampler.prepare(0);
  const ClassReport report = run.report(0, {}, {}, {});
  for (const double score : report.anchor_scores) {
    EXPECT_LT(score, report.bands[0].low);
  }
  EXPECT_GT(report.anchor_scores.size(), 30u);
}

TEST(Severities, where_steps_fall_short_outputs_climb) {
  const Matrix<float> bank = sphere_bank<float>(600, 8, 5);
  SamplerOptions options = graded_options({2});
  options.radius = RadiusRange{false, 0.05, 0.05};  // far too short
  options.max_rounds = 2;
  options.langevin_steps = 60;
  const OutlierSet<float> set =
      sample_outliers<float>({bank.view(), {}, {}, {}}, options, {});
  const BandReport& band = set.reports[0].bands[0];
  std::size_t climbed = 0;
  for (const Output<float>& output : set.outputs) {
    EXPECT_GE(output.score, band.low);
    EXPECT_LT(output.score, band.high);
    climbed += output.origin == OutputOrigin::kLangevin ? 1 : 0;
  }
  EXPECT_GE(climbed, 1u);
}

TEST(Severities, a_band_out_of_reach_is_named_with_its_test) {
  const Classes<float> classes(900, 6);
  SamplerOptions options = graded_options({1, 2});
  options.semantic_floor = 0.9999;  // nothing so far out is still of the class
  const OutlierSet<float> set = sample_outliers(classes.problem(), options, {});
  for (const ClassReport& report : set.reports) {
    EXPECT_NE(report.status, SolveStatus::kDone);
    const BandReport& band = report.bands[1];
    EXPECT_LT(band.produced, band.requested);
    EXPECT_EQ(band.binding, Constraint::kSemantic);
  }
}

TEST(Severities, beyond_what_the_scores_support_are_refused) {
  const Classes<float> classes(900, 6);
  EXPECT_THAT(invalid_argument_of([&] {
                Sampler<float>(classes.problem(), graded_options({1, 3}));
              }),
              HasSubstr("900 scores of all classes support severities up to 2, "
                        "got 3"));
  const Matrix<float> bank = sphere_bank<float>(300, 5, 6);
  EXPECT_THAT(
      invalid_argument_of([&] {
        Sampler<float>({bank.view(), {}, {}, {}}, graded_options({4}));
      }),
      HasSubstr("300 scores of class 0 support severities up to 2, got 4"));
}

}  // namespace class_run_test
}  // namespace sbog
