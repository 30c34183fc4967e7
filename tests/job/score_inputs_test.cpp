// SPDX-License-Identifier: Apache-2.0
// What score works on: points as they are or centred, and what is said of them.
#include "sbog/job/score_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/calls.h"
#include "oracle/energy_oracle.h"
#include "oracle/temporary_folder.h"
#include "sbog/data/npy.h"
#include "sbog/energy/centring.h"

namespace sbog::job {
namespace score_inputs_test {

using testing_support::invalid_argument_of;
using testing_support::TemporaryFolder;

// Points in 20 dimensions around (shift, .., shift).
Matrix<float> cloud(std::size_t rows, float shift, std::uint64_t seed) {
  Matrix<float> points = oracle::normal_matrix<float>(rows, 20, seed);
  for (float& x : points.elements()) x += shift;
  return points;
}

class ScoreInputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options.bank = write("bank.npy", cloud(50, 1.0f, 1));
    options.queries = write("queries.npy", cloud(5, 1.0f, 2));
  }
  std::string write(const std::string& name, const Matrix<float>& points) {
    write_npy(folder.file(name), points.view());
    return folder.file(name);
  }

  TemporaryFolder folder;
  ScoreOptions options;
};

TEST_F(ScoreInputsTest, points_are_as_they_are_unless_centred) {
  const Matrix<float> bank = cloud(50, 1.0f, 1);
  const ScoreInputs<float> plain(options);
  EXPECT_EQ(plain.bank()(7, 3), bank(7, 3));
  EXPECT_EQ(plain.queries().rows(), 5u);
  options.centre = true;
  const ScoreInputs<float> centred(options);
  const auto mean = mean_direction<float>(bank.view());
  const auto expected = centre_rows<float>(bank.view(), mean, "bank");
  const auto queries =
      centre_rows<float>(cloud(5, 1.0f, 2).view(), mean, "queries");
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_EQ(centred.bank()(7, k), expected(7, k));
    EXPECT_EQ(centred.queries()(2, k), queries(2, k));
  }
  // What is said is about the points as they were given.
  EXPECT_EQ(centred.mean_cosine(), plain.mean_cosine());
  EXPECT_EQ(plain.mean_cosine(), mean_cosine(mean, 50));
}

TEST_F(ScoreInputsTest, only_signed_features_in_a_cone_are_one) {
  EXPECT_TRUE(ScoreInputs<float>(options).is_narrow_cone());
  options.bank = write("round.npy", cloud(50, 0.0f, 3));
  EXPECT_FALSE(ScoreInputs<float>(options).is_narrow_cone());
  Matrix<float> positive = cloud(50, 1.0f, 1);
  for (float& x : positive.elements()) x = std::abs(x);
  options.bank = write("positive.npy", positive);
  const ScoreInputs<float> inputs(options);
  EXPECT_GT(inputs.mean_cosine(), 0.3);
  EXPECT_FALSE(inputs.is_narrow_cone());
}

TEST_F(ScoreInputsTest, other_costs_have_no_cosine) {
  options.energy.cost = "euclidean";
  const ScoreInputs<double> inputs(options);
  EXPECT_FALSE(inputs.mean_cosine());
  EXPECT_FALSE(inputs.is_narrow_cone());
  EXPECT_EQ(inputs.energy().cost, GroundCost::kEuclidean);
}

TEST_F(ScoreInputsTest, weights_are_one_per_bank_row) {
  Matrix<float> weights(1, 49);
  for (float& x : weights.elements()) x = 1.0f;
  options.energy.weights = write("weights.npy", weights);
  EXPECT_THAT(invalid_argument_of([&] { ScoreInputs<float> inputs(options); }),
              testing::HasSubstr("weights"));
}

}  // namespace score_inputs_test
}  // namespace sbog::job
