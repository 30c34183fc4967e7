// SPDX-License-Identifier: Apache-2.0
// What certify judges: halves, labels and settings of banks and runs.
#include "sbog/job/certify_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/made_runs.h"
#include "sbog/job/certify.h"

namespace sbog::job {
namespace certify_inputs_test {

using testing_support::make_points_run;
using testing_support::points_options;
using testing_support::TemporaryFolder;

TEST(CertifyInputs, the_halves_of_a_bank_are_disjoint_and_whole) {
  CertifyOptions options;
  options.target = "demo:bank";
  options.energy.labels = "demo:labels";
  options.energy.quantile = 0.9;
  options.count = 10;
  const CertifyInputs<double> inputs = load_certify_inputs<double>(options, {});
  EXPECT_EQ(inputs.reference.rows() + inputs.calibration.rows(), 600u);
  EXPECT_EQ(inputs.reference_labels.size(), inputs.reference.rows());
  EXPECT_EQ(inputs.calibration_labels.size(), inputs.calibration.rows());
  // Four of each of three classes, if all are feasible.
  EXPECT_EQ(inputs.outlier_labels.size(), inputs.outliers.rows());
  EXPECT_LE(inputs.outliers.rows(), 12u);
  EXPECT_EQ(inputs.hits.size(), 3u);
  EXPECT_TRUE(inputs.options.is_independent);
  const CertifyProblem<double> problem = inputs.problem();
  EXPECT_EQ(problem.reference.rows(), inputs.reference.rows());
  EXPECT_EQ(problem.outlier_labels.size(), inputs.outliers.rows());
}

TEST(CertifyInputs, outliers_without_labels_are_judged_by_all_points) {
  CertifyOptions options;
  options.target = "demo:bank";
  options.energy.labels = "demo:labels";
  options.outliers = "demo:outliers";
  const CertifyInputs<float> inputs = load_certify_inputs<float>(options, {});
  EXPECT_TRUE(inputs.reference_labels.empty());
  EXPECT_TRUE(inputs.outlier_labels.empty());
  EXPECT_FALSE(inputs.sampler);
}

TEST(CertifyInputs, a_split_run_gives_back_its_own_halves) {
  const TemporaryFolder folder;
  GenerateOptions made = points_options(folder.file("run"));
  made.sampler.certify = true;
  made.sampler.local = 0;
  made.sampler.trim = 0.0;
  made.sampler.margin = 0.0;
  made.sampler.splitting = false;
  made.sampler.quantile = 0.8;
  Events events;
  run(made, events);
  CertifyOptions options;
  options.target = folder.file("run");
  options.delta = 0.01;
  const CertifyInputs<float> inputs = load_certify_inputs<float>(options, {});
  EXPECT_EQ(inputs.reference.rows() + inputs.calibration.rows(), 600u);
  EXPECT_TRUE(inputs.options.is_independent);
  EXPECT_EQ(inputs.options.delta, 0.01);
  EXPECT_EQ(inputs.options.level, 0.8);
  std::uint64_t hits = 0;
  for (const AnchorHits& hit : inputs.hits) {
    for (const std::uint64_t count : hit.counts) hits += count;
  }
  EXPECT_EQ(hits, inputs.outliers.rows());
}

TEST(CertifyInputs, the_precision_is_that_of_the_run) {
  const TemporaryFolder folder;
  GenerateOptions made = points_options(folder.file("run"));
  made.precision = "double";
  Events events;
  run(made, events);
  CertifyOptions options;
  options.target = folder.file("run");
  EXPECT_EQ(certify_precision(options), "double");
  options.target = "demo:bank";
  EXPECT_EQ(certify_precision(options), "float");
}

}  // namespace certify_inputs_test
}  // namespace sbog::job
