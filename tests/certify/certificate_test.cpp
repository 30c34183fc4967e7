// SPDX-License-Identifier: Apache-2.0
// Totals of certificates made by hand.
#include "sbog/certify/certificate.h"

#include <gtest/gtest.h>

#include "certify/support.h"

namespace sbog {
namespace certificate_test {

using testing_support::kInfinity;
using testing_support::kNan;

OutlierCertificate outlier(bool is_accepted, DecisionLabel label,
                           double required, std::size_t cls = 0,
                           double energy = 0.5) {
  OutlierCertificate made;
  made.is_accepted = is_accepted;
  made.label = label;
  made.required_count = required;
  made.cls = cls;
  made.energy = energy;
  return made;
}

// Two classes of 100 and 1000 points; five accepted, one rejected.
Certificate example() {
  using enum DecisionLabel;
  Certificate certificate;
  certificate.epsilon = 0.1;
  certificate.pool = 6.0;
  certificate.classes.resize(2);
  certificate.classes[0].effective_count = 100.0;
  certificate.classes[0].threshold = 0.3;
  certificate.classes[1].effective_count = 1000.0;
  certificate.classes[1].threshold = 0.2;
  certificate.outliers = {
      outlier(true, kCertifiedAccept, 80.0),
      outlier(true, kCertifiedAccept, 101.0),  // on the safe side by 1
      outlier(true, kUndecided, 300.0, 0, 0.5),
      outlier(true, kUndecided, 5000.0, 1, 0.35),
      outlier(true, kUndecided, 999.0, 1, 0.25),
      outlier(false, kCertifiedReject, 10.0)};
  return certificate;
}

TEST(Certificate, totals_count_labels) {
  const CertificateTotals totals = total_certificate(example());
  EXPECT_EQ(totals.accepted, 5u);
  EXPECT_EQ(totals.certified_accept, 2u);
  EXPECT_EQ(totals.certified_reject, 1u);
  EXPECT_EQ(totals.undecided, 3u);
  EXPECT_NEAR(totals.accept_share, 2.0 / 6, 1e-15);
  EXPECT_NEAR(totals.reject_share, 1.0 / 6, 1e-15);
  EXPECT_NEAR(totals.undecided_share, 3.0 / 6, 1e-15);
  EXPECT_NEAR(totals.certified_share, 0.4, 1e-15);
  EXPECT_EQ(totals.factor_for_all, 5.0);
}

TEST(Certificate, shares_and_factors_are_inverse) {
  const Certificate certificate = example();
  EXPECT_EQ(certified_share_at(certificate, 0.5), 0.0);
  EXPECT_EQ(certified_share_at(certificate, 0.8), 0.2);
  // The labels are what one reference certifies, whatever the estimates say.
  EXPECT_EQ(certified_share_at(certificate, 1.0), 0.4);
  EXPECT_EQ(certified_share_at(certificate, 1.01), 0.6);
  EXPECT_EQ(certified_share_at(certificate, 3.0), 0.8);
  EXPECT_EQ(certified_share_at(certificate, 5.0), 1.0);
  EXPECT_EQ(factor_for_share(certificate, 0.0), 0.0);
  EXPECT_EQ(factor_for_share(certificate, 0.2), 0.8);
  EXPECT_EQ(factor_for_share(certificate, 0.4), 1.0);
  EXPECT_EQ(factor_for_share(certificate, 0.61), 3.0);
  EXPECT_EQ(factor_for_share(certificate, 0.8), 3.0);
  EXPECT_EQ(factor_for_share(certificate, 1.0), 5.0);
  for (const double bad : {-0.1, 1.1, kNan}) {
    EXPECT_THROW(factor_for_share(certificate, bad), InvalidArgument);
  }
  EXPECT_THROW(certified_share_at(certificate, 0.0), InvalidArgument);
}

TEST(Certificate, without_accepted_outliers_nothing_is_shared) {
  Certificate certificate = example();
  for (auto& one : certificate.outliers) {
    one = outlier(false, DecisionLabel::kUndecided, 7.0);
  }
  const CertificateTotals totals = total_certificate(certificate);
  EXPECT_EQ(totals.accepted, 0u);
  EXPECT_EQ(totals.certified_share, 0.0);
  EXPECT_EQ(totals.factor_for_all, 0.0);
  EXPECT_EQ(certified_share_at(certificate, 10.0), 0.0);
}

TEST(Certificate, an_outlier_on_the_threshold_needs_infinitely_many) {
  Certificate certificate = example();
  certificate.outliers[2].required_count = kInfinity;
  EXPECT_EQ(total_certificate(certificate).factor_for_all, kInfinity);
  EXPECT_EQ(certified_share_at(certificate, 1e9), 0.8);
}

TEST(Certificate, the_epsilon_for_all_certifies_the_hardest_and_not_less) {
  const Certificate certificate = example();
  const double epsilon = total_certificate(certificate).epsilon_for_all;
  ASSERT_TRUE(std::isfinite(epsilon));
  EXPECT_GT(epsilon, 0.1);
  // Lowest accepted energies 0.5 over 0.3 and 0.25 over 0.2.
  const auto spent = [](double n, double energy, double tau, double eps) {
    return n * testing_support::plain_kl_of_logs(-energy / eps, -tau / eps);
  };
  const auto worst = [&](double eps) {
    return std::min(spent(100, 0.5, 0.3, eps), spent(1000, 0.25, 0.2, eps));
  };
  const double needed = std::log(4.0 * 6.0 / 0.05);
  EXPECT_GE(worst(epsilon * (1 + 1e-9)), needed);
  EXPECT_LT(worst(epsilon * 0.999), needed);
}

TEST(Certificate, a_smaller_share_takes_a_smaller_epsilon) {
  const Certificate certificate = example();
  double last = 0.0;
  for (const double share : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
    const double epsilon = epsilon_for_share(certificate, share);
    EXPECT_GE(epsilon, last);
    last = epsilon;
  }
  EXPECT_EQ(epsilon_for_share(certificate, 0.0), 0.1);
  EXPECT_EQ(last, total_certificate(certificate).epsilon_for_all);
  // 0.25 over 0.2 and 0.35 over 0.2 with 1,000 points are certified already.
  EXPECT_EQ(epsilon_for_share(certificate, 0.4), 0.1);
  EXPECT_GT(epsilon_for_share(certificate, 0.6), 0.1);
  EXPECT_THROW(epsilon_for_share(certificate, 1.1), InvalidArgument);
}

TEST(Certificate, no_epsilon_helps_on_the_threshold) {
  Certificate certificate = example();
  certificate.outliers[2].energy = 0.3;
  EXPECT_EQ(total_certificate(certificate).epsilon_for_all, kInfinity);
}

TEST(Certificate, when_all_are_certified_epsilon_stays) {
  Certificate certificate = example();
  certificate.outliers.resize(2);
  const CertificateTotals totals = total_certificate(certificate);
  EXPECT_EQ(totals.certified_share, 1.0);
  EXPECT_EQ(totals.factor_for_all, 1.0);
  EXPECT_EQ(totals.epsilon_for_all, 0.1);
}

}  // namespace certificate_test
}  // namespace sbog
