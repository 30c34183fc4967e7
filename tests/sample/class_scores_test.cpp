// SPDX-License-Identifier: Apache-2.0
// The first steps of a class, alone and as part of its preparation.
#include "sbog/sample/class_scores.h"

#include <gtest/gtest.h>

#include "oracle/energy_oracle.h"

namespace sbog {
namespace class_scores_test {

Matrix<double> some_points(std::size_t n) {
  return oracle::mixture<double>(n, 6, 0.3, 3);
}

TEST(ScoredClass, are_those_of_the_prepared_class) {
  const Matrix<double> points = some_points(60);
  ClassProblem<double> problem;
  problem.points = points.view();
  for (const bool certify : {false, true}) {
    SamplerOptions options;
    options.certify = certify;
    const ScoredClass found = score_class(problem, options);
    const auto prepared = prepare_class(problem, options);
    EXPECT_EQ(found.scores, prepared->scores);
    EXPECT_EQ(found.epsilon, prepared->plan.epsilon);
    ASSERT_EQ(found.calibration.size(), certify ? 30u : 60u);
    for (std::size_t i = 0; i < found.calibration.size(); ++i) {
      EXPECT_EQ(found.calibration[i],
                prepared->scores[prepared->calibration[i]]);
    }
  }
}

TEST(ScoredClass, that_are_known_are_taken) {
  const Matrix<double> points = some_points(40);
  ClassProblem<double> problem;
  problem.points = points.view();
  ScoredClass known = score_class(problem, SamplerOptions());
  const auto fresh = prepare_class(problem, SamplerOptions());
  problem.known = &known;
  const auto taken = prepare_class(problem, SamplerOptions());
  EXPECT_EQ(taken->plan.threshold, fresh->plan.threshold);
  EXPECT_EQ(taken->plan.radius_low, fresh->plan.radius_low);
  EXPECT_EQ(taken->anchors.anchors, fresh->anchors.anchors);
  known.scores.assign(40, 1.5);
  EXPECT_EQ(prepare_class(problem, SamplerOptions())->plan.threshold, 1.5);
}

}  // namespace class_scores_test
}  // namespace sbog
