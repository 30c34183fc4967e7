// SPDX-License-Identifier: Apache-2.0
// Certificates of one class: those of certify_outliers on its halves.
#include "sbog/job/class_certifier.h"

#include <gtest/gtest.h>

#include "sbog/base/copy_rows.h"
#include "sbog/base/philox.h"

namespace sbog::job {
namespace class_certifier_test {

constexpr std::size_t kRows = 400;
constexpr std::size_t kDim = 3;

Matrix<double> points(std::size_t rows) {
  Matrix<double> made(rows, kDim);
  for (std::size_t i = 0; i < rows; ++i) {
    PhiloxStream(11, 0, 0, i).normals(0, made.row(i));
    made(i, 0) += 3.0;
  }
  return made;
}

ClassHalves halves() {
  ClassHalves made;
  for (std::size_t i = 0; i < kRows; ++i) {
    (i % 2 == 0 ? made.reference : made.calibration).push_back(i);
  }
  return made;
}

SamplerOptions settings() {
  SamplerOptions options = profile_options("coverage");
  options.energy.epsilon = 0.1;
  options.quantile = 0.9;
  options.trim = 0.0;
  options.count = 5;
  return options;
}

// In the middle of the points, and opposite to them.
std::vector<Output<double>> outputs() {
  std::vector<Output<double>> made(2);
  made[0].point = {1.0, 0.0, 0.0};
  made[1].point = {-1.0, 0.0, 0.0};
  return made;
}

TEST(ClassCertifier, gives_what_certify_outliers_says_about_the_halves) {
  const Matrix<double> bank = points(kRows);
  const SamplerOptions options = settings();
  const ClassCertifier<double> certifier(bank.view(), halves(), options, 3);
  const std::vector<OutlierVerdict> found = certifier.certify(outputs(), {});

  const Matrix<double> reference =
      copy_rows<double>(bank.view(), halves().reference);
  const Matrix<double> calibration =
      copy_rows<double>(bank.view(), halves().calibration);
  Matrix<double> outliers(2, kDim);
  outliers(0, 0) = 1.0;
  outliers(1, 0) = -1.0;
  CertifyProblem<double> problem;
  problem.reference = reference.view();
  problem.calibration = calibration.view();
  problem.outliers = std::as_const(outliers).view();
  sbog::CertifyOptions certify;
  certify.energy = options.energy;
  certify.level = 0.9;
  certify.pool = proposal_pool(options, 3);
  const Certificate expected = certify_outliers(problem, certify, {});
  ASSERT_EQ(found.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found[i].is_certified,
              expected.outliers[i].label == DecisionLabel::kCertifiedAccept);
    EXPECT_EQ(found[i].p_value, expected.outliers[i].p_value);
  }
  EXPECT_TRUE(found[1].is_certified);
}

TEST(ClassCertifier, a_trimmed_reference_decides_nothing) {
  const Matrix<double> bank = points(kRows);
  SamplerOptions options = settings();
  options.trim = 0.1;
  const ClassCertifier<double> certifier(bank.view(), halves(), options, 1);
  const std::vector<OutlierVerdict> found = certifier.certify(outputs(), {});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[1].is_certified);
}

TEST(ClassCertifier, without_halves_or_outputs_there_is_nothing) {
  const Matrix<double> bank = points(kRows);
  EXPECT_TRUE(ClassCertifier<double>().certify(outputs(), {}).empty());
  const ClassCertifier<double> certifier(bank.view(), halves(), settings(), 1);
  EXPECT_TRUE(certifier.certify({}, {}).empty());
}

TEST(ProposalPool, counts_every_proposal_of_every_class) {
  SamplerOptions options = settings();
  options.max_rounds = 7;
  options.proposal_count = 11;
  EXPECT_EQ(proposal_pool(options, 3), 5.0 * 7.0 * 11.0 * 3.0);
}

}  // namespace class_certifier_test
}  // namespace sbog::job
