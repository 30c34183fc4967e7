// SPDX-License-Identifier: Apache-2.0
// The task-aware acquisition against golden numbers and its definition.
#include "sbog/sample/proposal_scorer.h"

#include <gtest/gtest.h>

#include <vector>

#include "oracle/golden.h"
#include "sample/support.h"

namespace sbog {
namespace proposal_scorer_test {

using testing_support::small_options;
using testing_support::sphere_bank;

TEST(ProposalScorer, the_acquisition_is_the_golden_one) {
  const nlohmann::json base = golden::entry("/core/A_cosine");
  const nlohmann::json task = golden::entry("/core/A_task_aware");
  const Matrix<double> bank = golden::to_matrix(base["bank"]);
  const std::vector<double> query = golden::to_vector(base["query"]);
  const std::vector<double> losses = golden::to_vector(task["f"]);
  SamplerOptions options = profile_options("coverage");
  options.energy.epsilon = golden::to_double(base["eps"]);
  options.task_lambda = golden::to_double(task["lambda"]);
  options.task_beta = golden::to_double(task["beta"]);
  const ProposalScorer<double> scorer({bank.view(), {}, {}}, losses, options);
  const MatrixView<const double> point(query.data(), 1, 2);
  const std::vector<double> scores = scorer.score(point);
  EXPECT_NEAR(scores[0], golden::to_double(base["E"]), 1e-13);
  const double acquisition = scorer.acquire(point, scores)[0];
  EXPECT_NEAR(acquisition, golden::to_double(task["acquisition"]), 1e-12);
  EXPECT_NEAR((acquisition - scores[0]) / options.task_beta,
              golden::to_double(task["Phi"]), 1e-12);
}

TEST(ProposalScorer, without_losses_the_acquisition_is_the_score) {
  const Matrix<double> bank = sphere_bank<double>(20, 3, 1);
  SamplerOptions options = small_options();
  options.task_beta = 2.0;
  const ProposalScorer<double> scorer({bank.view(), {}, {}}, {}, options);
  const std::vector<double> scores = scorer.score(bank.view());
  EXPECT_EQ(scorer.acquire(bank.view(), scores), scores);
}

TEST(ProposalScorer, losses_outside_the_reference_do_not_matter) {
  const Matrix<double> bank = sphere_bank<double>(12, 3, 4);
  const std::vector<std::size_t> atoms = {0, 2, 5};
  std::vector<double> losses = oracle::uniforms(12, 5);
  SamplerOptions options = small_options();
  options.task_beta = 1.0;
  options.task_lambda = 0.01;  // exp(loss / 5e-4): ratios beyond any double
  losses[7] = 1e6;
  losses[0] = losses[2] = losses[5] = 0.25;
  const ProposalScorer<double> scorer({bank.view(), {}, atoms}, losses,
                                      options);
  const std::vector<double> scores = scorer.score(bank.view());
  const std::vector<double> values = scorer.acquire(bank.view(), scores);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(values[i], scores[i] + 0.25, 1e-12);
  }
}

}  // namespace proposal_scorer_test
}  // namespace sbog
