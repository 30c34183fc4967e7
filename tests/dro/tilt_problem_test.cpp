// SPDX-License-Identifier: Apache-2.0
// Passes over several blocks and groups against the oracle, and their
// independence of threads.
#include "sbog/dro/detail/tilt_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "dro/support.h"
#include "sbog/base/thread_pool.h"

namespace sbog::detail {
namespace {

using dro_oracle::Real;

class TiltPassesTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kRows = 61;
  static constexpr std::size_t kAtoms = 530;

  TiltPassesTest() : logits_(kRows, kAtoms) {
    dro_oracle::Draws draws(5);
    gains_ = draws.uniforms(kAtoms, -1.0, 0.0);
    gains_[77] = 0.0;
    for (double& x : logits_.elements()) x = draws.uniform(-8.0, 0.0);
    weights_ = draws.uniforms(kRows, 0.5, 1.5);
    double total = 0.0;
    for (const double w : weights_) total += w;
    for (double& w : weights_) w /= total;
    truth_.mu = {weights_.begin(), weights_.end()};
    truth_.f = {gains_.begin(), gains_.end()};
    for (std::size_t i = 0; i < kRows; ++i) {
      std::vector<Real> row;
      for (std::size_t j = 0; j < kAtoms; ++j) {
        row.push_back(Real(logits_(i, j)) * std::numbers::ln2_v<Real>);
      }
      const Real log_sum = dro_oracle::log_sum_exp(row);
      for (Real& x : row) x -= log_sum;
      truth_.log_q.push_back(row);
    }
  }

  TiltPasses<double> passes() const {
    return {LogitBlocks<double>(logits_.view()), weights_, gains_, {}};
  }

  Matrix<double> logits_;
  std::vector<double> weights_;
  std::vector<double> gains_;
  dro_oracle::Problem truth_;
};

TEST_F(TiltPassesTest, moments_are_those_of_the_tilted_rows) {
  TiltPasses<double> problem = passes();
  ASSERT_EQ(problem.prepare({}), SolveStatus::kDone);
  const std::vector<double> thetas = {1e-6, 0.3, 2.0, 40.0};
  std::vector<TiltMoments> found(thetas.size());
  ASSERT_EQ(problem.evaluate(thetas, found, {}), SolveStatus::kDone);
  for (std::size_t k = 0; k < thetas.size(); ++k) {
    Real mean = 0, divergence = 0, variance = 0, dual = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::vector<Real> p = dro_oracle::tilted(truth_, i, thetas[k]);
      const Real own = dro_oracle::mean(truth_, p);
      Real square = 0;
      for (std::size_t j = 0; j < kAtoms; ++j) {
        square += p[j] * (truth_.f[j] - own) * (truth_.f[j] - own);
      }
      mean += truth_.mu[i] * own;
      variance += truth_.mu[i] * square;
      divergence += truth_.mu[i] * dro_oracle::divergence(truth_, i, p);
      dual += truth_.mu[i] *
              dro_oracle::log_partition_per_theta(truth_, i, thetas[k]);
    }
    EXPECT_NEAR(found[k].mean, static_cast<double>(mean), 1e-12);
    EXPECT_NEAR(found[k].variance, static_cast<double>(variance), 1e-12);
    EXPECT_NEAR(found[k].dual_mean, static_cast<double>(dual), 1e-12);
    if (thetas[k] > 0.1) {
      EXPECT_NEAR(found[k].divergence, static_cast<double>(divergence),
                  1e-12 * (1.0 + static_cast<double>(divergence)));
    } else {
      // To first order theta^2 Var / 2.
      EXPECT_NEAR(found[k].divergence,
                  0.5 * thetas[k] * thetas[k] * found[k].variance,
                  1e-4 * found[k].divergence);
    }
    EXPECT_NEAR(found[k].log_divergence, std::log(found[k].divergence), 1e-9);
  }
}

TEST_F(TiltPassesTest, the_first_pass_knows_the_limits) {
  TiltPasses<double> problem = passes();
  ASSERT_EQ(problem.prepare({}), SolveStatus::kDone);
  Real mean = 0, most = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    mean += truth_.mu[i] *
            dro_oracle::mean(truth_, dro_oracle::tilted(truth_, i, 0));
    most -= truth_.mu[i] * truth_.log_q[i][77];
  }
  EXPECT_NEAR(problem.base().mean, static_cast<double>(mean), 1e-13);
  EXPECT_NEAR(problem.base().max_divergence, static_cast<double>(most), 1e-12);
  EXPECT_EQ(problem.base().top_mean, 0.0);
}

TEST_F(TiltPassesTest, laws_are_weighted_sums_of_rows) {
  TiltPasses<double> problem = passes();
  ASSERT_EQ(problem.prepare({}), SolveStatus::kDone);
  const std::vector<double> thetas = {0.0, 3.0};
  Matrix<double> laws(2, kAtoms);
  ASSERT_EQ(problem.laws(thetas, laws.view(), {}), SolveStatus::kDone);
  std::vector<double> row(kAtoms);
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<Real> expected(kAtoms, 0);
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::vector<Real> p = dro_oracle::tilted(truth_, i, thetas[k]);
      for (std::size_t j = 0; j < kAtoms; ++j) {
        expected[j] += truth_.mu[i] * p[j];
      }
      if (i % 20 != 0) continue;
      problem.row_law(i, thetas[k], row);
      for (std::size_t j = 0; j < kAtoms; ++j) {
        EXPECT_NEAR(row[j], static_cast<double>(p[j]), 1e-13);
      }
    }
    for (std::size_t j = 0; j < kAtoms; ++j) {
      EXPECT_NEAR(laws(k, j), static_cast<double>(expected[j]), 1e-13);
    }
  }
}

TEST_F(TiltPassesTest, threads_change_no_bit) {
  const auto run = [&](std::size_t threads) {
    ThreadPool pool(threads);
    const Context context{&pool, nullptr};
    TiltPasses<double> problem = passes();
    EXPECT_EQ(problem.prepare(context), SolveStatus::kDone);
    const std::vector<double> thetas = {0.01, 5.0};
    std::vector<TiltMoments> found(2);
    EXPECT_EQ(problem.evaluate(thetas, found, context), SolveStatus::kDone);
    return std::vector<double>{problem.base().mean, problem.base().variance,
                               found[0].mean,       found[0].divergence,
                               found[1].dual_mean,  found[1].variance};
  };
  const std::vector<double> one = run(1);
  EXPECT_EQ(run(2), one);
  EXPECT_EQ(run(7), one);
}

}  // namespace
}  // namespace sbog::detail
