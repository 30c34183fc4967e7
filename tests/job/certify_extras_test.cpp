// SPDX-License-Identifier: Apache-2.0
// Calculators and diagnostics beside a certificate.
#include "sbog/job/certify_extras.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sbog/job/certify.h"

namespace sbog::job {
namespace certify_extras_test {

CertifyInputs<double> inputs_of_demo() {
  CertifyOptions options;
  options.target = "demo:bank";
  options.energy.quantile = 0.9;
  options.count = 30;
  return load_certify_inputs<double>(options, {});
}

TEST(CertifyExtras, calculators_are_those_of_the_theorems) {
  const CertifyInputs<double> inputs = inputs_of_demo();
  const Certificate certificate =
      certify_outliers(inputs.problem(), inputs.options);
  const CertifyCalculators found = certify_calculators(inputs, certificate, {});
  ASSERT_TRUE(found.required);
  EXPECT_GT(found.required->setting.margin, 0.0);
  EXPECT_EQ(found.required->counts.one_sided,
            required_counts(found.required->setting).one_sided);
  // Ours asks for less than the paper's.
  EXPECT_LT(found.required->counts.one_sided, found.required->counts.hoeffding);
  ASSERT_TRUE(found.knn);
  EXPECT_EQ(found.knn->neighbours, 5u);
  EXPECT_TRUE(found.uniform.is_vacuous);
  const auto json = to_json(found);
  EXPECT_EQ(json["required_n"]["margin"], found.required->setting.margin);
  EXPECT_EQ(json["knn_theorem"]["k"], 5);
  EXPECT_EQ(json["uniform_bound"]["vacuous"], true);
}

TEST(CertifyExtras, without_accepted_outliers_no_count_is_required) {
  const CertifyInputs<double> inputs = inputs_of_demo();
  Certificate certificate = certify_outliers(inputs.problem(), inputs.options);
  for (OutlierCertificate& outlier : certificate.outliers) {
    outlier.is_accepted = false;
  }
  const CertifyCalculators found = certify_calculators(inputs, certificate, {});
  EXPECT_FALSE(found.required);
  EXPECT_FALSE(to_json(found).contains("required_n"));
}

TEST(CertifyExtras, the_bootstrap_is_made_when_asked) {
  const CertifyInputs<double> inputs = inputs_of_demo();
  const CertifyDiagnostics none = certify_diagnostics(inputs, 0, {});
  EXPECT_FALSE(none.bootstrap);
  EXPECT_TRUE(to_json(none)["bootstrap"].is_null());
  ASSERT_TRUE(none.flip_rate_256);
  EXPECT_GE(*none.flip_rate_256, 0.0);
  ASSERT_EQ(none.coverage.size(), 1u);
  EXPECT_EQ(none.coverage[0].outliers, inputs.outliers.rows());
  const CertifyDiagnostics some = certify_diagnostics(inputs, 2, {});
  ASSERT_TRUE(some.bootstrap);
  EXPECT_GE(some.bootstrap->anchor_overlap, 0.0);
  EXPECT_LE(some.bootstrap->anchor_overlap, 1.0);
  EXPECT_EQ(to_json(some)["bootstrap"]["replicates"], 2);
}

}  // namespace certify_extras_test
}  // namespace sbog::job
