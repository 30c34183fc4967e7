// SPDX-License-Identifier: Apache-2.0
// The known numbers are those of the specification.
#include "about/golden_checks.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "oracle/golden.h"

namespace sbog::cli {
namespace golden_checks_test {

TEST(GoldenChecks, the_table_is_that_of_the_specification) {
  const std::pair<const char*, const char*> entries[] = {
      {"energy, cosine, double", "/core/A_cosine/E"},
      {"energy, cosine, float", "/core/A_cosine/E"},
      {"energy, weighted squares", "/core/B_sqeuclid_weighted/E"},
      {"energy where exp underflows", "/core/C_underflow/E"},
      {"energy, leave-one-out", "/core/A_self_energies/leave_one_out/2"},
      {"gradient of the energy", "/core/B_sqeuclid_weighted/grad/1"},
      {"Hessian of the energy", "/core/B_sqeuclid_weighted/hvp/1"},
      {"threshold", "/algorithm1_end_to_end/tau"},
      {"sampler, first outlier", "/algorithm1_end_to_end/outputs/0/E"},
      {"worst expected loss", "/dro/discrete_3x5/cases/0/value"},
      {"robust logits", "/dro/two_point/value"},
      {"certificate, energy from below", "/cert/kl_interval/0/E_low"},
      {"certificate, points required", "/cert/required_n/0/kl_n_real"},
      {"certificate, ceiling", "/cert/ceiling/exact"},
      {"maximum mean discrepancy", "/metrics/mmd/mmd2_biased"},
      {"average precision", "/metrics/detection/aupr_step"},
      {"random normals", "/rng/layout_example/box_muller/0"},
  };
  std::size_t found = 0;
  for (const GoldenCheck& check : golden_checks()) {
    for (const auto& [name, pointer] : entries) {
      if (check.name != name) continue;
      ++found;
      EXPECT_EQ(check.expected, golden::to_double(golden::entry(pointer)))
          << name;
    }
    if (check.name == "random bits") {
      ++found;
      const auto words = golden::to_words<std::array<std::uint32_t, 4>>(
          golden::entry("/rng/philox4x32_10/2/out"));
      EXPECT_EQ(check.expected, static_cast<double>(words[0]));
    }
    EXPECT_LE(check.tolerance, 2e-6) << check.name;
  }
  EXPECT_EQ(found, golden_checks().size());
}

}  // namespace golden_checks_test
}  // namespace sbog::cli
