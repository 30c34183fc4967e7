// SPDX-License-Identifier: Apache-2.0
// Passes over a dense problem against the plainest loops in long double.
#include "sbog/dro/detail/tilt_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "dro/support.h"
#include "energy/support.h"
#include "sbog/dro/detail/compensated_sum.h"
#include "sbog/dro/detail/pass_observer.h"
#include "sbog/dro/detail/tilt_kernel.h"

namespace sbog::detail {
namespace tilt_problem_test {

using dro_oracle::Draws;
using dro_oracle::Real;

struct Dense {
  Dense(std::size_t rows, std::size_t atoms, std::uint64_t seed)
      : draws(seed), logits(draws.uniform_matrix(rows, atoms, -20.0, 3.0)) {
    weights = draws.uniforms(rows, 0.1, 1.0);
    oracle.mu = dro_oracle::normalised({weights.begin(), weights.end()});
    weights.assign(oracle.mu.begin(), oracle.mu.end());
    gains = draws.uniforms(atoms, -1.0, 0.0);
    gains[atoms / 2] = 0.0;
    oracle.f = {gains.begin(), gains.end()};
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<Real> logs;
      for (const double x : logits.row(i)) {
        logs.push_back(Real(x) * std::numbers::ln2_v<Real>);
      }
      const Real log_k = dro_oracle::log_sum_exp(logs);
      for (Real& x : logs) x -= log_k;
      log2_support.push_back(double(log_k / std::numbers::ln2_v<Real>));
      oracle.log_q.push_back(logs);
    }
  }
  TiltPasses<double> passes() const {
    return {LogitBlocks<double>(logits.view()), weights, gains, {}};
  }
  Draws draws;
  Matrix<double> logits;
  std::vector<double> weights, gains, log2_support;
  dro_oracle::Problem oracle;
};

TEST(TiltProblem, moments_and_laws_are_those_of_plain_loops) {
  for (const std::size_t atoms : {3u, 257u, 5000u}) {
    const Dense dense(17, atoms, atoms);
    auto passes = dense.passes();
    ASSERT_EQ(passes.prepare({}), SolveStatus::kDone);
    const std::vector<double> thetas = {1e-9, 1e-3, 0.3, 0.5, 2.0, 40.0};
    std::vector<TiltMoments> moments(thetas.size());
    ASSERT_EQ(passes.evaluate(thetas, moments, {}), SolveStatus::kDone);
    Matrix<double> laws(thetas.size(), atoms);
    ASSERT_EQ(passes.laws(thetas, laws, {}), SolveStatus::kDone);
    for (std::size_t k = 0; k < thetas.size(); ++k) {
      Real mean = 0, variance = 0, divergence = 0, dual = 0;
      std::vector<Real> law(atoms, 0);
      for (std::size_t i = 0; i < 17; ++i) {
        const auto p = dro_oracle::tilted(dense.oracle, i, thetas[k]);
        const Real m = dro_oracle::mean(dense.oracle, p);
        for (std::size_t j = 0; j < atoms; ++j) {
          const Real x = dense.oracle.f[j] - m;
          variance += dense.oracle.mu[i] * p[j] * x * x;
          law[j] += dense.oracle.mu[i] * p[j];
        }
        mean += dense.oracle.mu[i] * m;
        divergence +=
            dense.oracle.mu[i] * dro_oracle::divergence(dense.oracle, i, p);
        dual += dense.oracle.mu[i] *
                dro_oracle::log_partition_per_theta(dense.oracle, i, thetas[k]);
      }
      EXPECT_NEAR(moments[k].mean, double(mean), 1e-14);
      EXPECT_NEAR(moments[k].dual_mean, double(dual), 1e-14);
      EXPECT_NEAR(moments[k].variance, double(variance), 1e-14);
      // The oracle itself loses digits for small theta.
      EXPECT_NEAR(moments[k].divergence, double(divergence),
                  1e-13 * double(divergence) + 3e-19);
      EXPECT_NEAR(std::exp(moments[k].log_divergence), moments[k].divergence,
                  1e-13 * moments[k].divergence);
      for (std::size_t j = 0; j < atoms; ++j) {
        EXPECT_NEAR(laws(k, j), double(law[j]), 1e-14);
      }
      std::vector<double> row(atoms);
      passes.row_law(13, thetas[k], row);
      const auto p = dro_oracle::tilted(dense.oracle, 13, thetas[k]);
      for (std::size_t j = 0; j < atoms; ++j) {
        EXPECT_NEAR(row[j], double(p[j]), 1e-14);
      }
    }
  }
}

TEST(TiltProblem, the_first_pass_knows_the_ends) {
  const Dense dense(9, 300, 5);
  auto passes = dense.passes();
  ASSERT_EQ(passes.prepare({}), SolveStatus::kDone);
  Real mean = 0, most = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    const auto q = dro_oracle::tilted(dense.oracle, i, 0);
    mean += dense.oracle.mu[i] * dro_oracle::mean(dense.oracle, q);
    most -= dense.oracle.mu[i] * dense.oracle.log_q[i][150];
    EXPECT_NEAR(passes.base().log2_support[i], dense.log2_support[i], 1e-13);
  }
  EXPECT_NEAR(passes.base().mean, double(mean), 1e-14);
  EXPECT_NEAR(passes.base().max_divergence, double(most), 1e-13);
  EXPECT_EQ(passes.base().top_mean, 0.0);
}

TEST(TiltProblem, small_and_large_tilts_meet) {
  const Dense dense(5, 40, 6);
  auto passes = dense.passes();
  ASSERT_EQ(passes.prepare({}), SolveStatus::kDone);
  const double thetas[] = {std::nextafter(kSmallTheta, 0.0), kSmallTheta};
  TiltMoments moments[2];
  ASSERT_EQ(passes.evaluate(thetas, moments, {}), SolveStatus::kDone);
  EXPECT_NEAR(moments[0].divergence, moments[1].divergence, 1e-15);
  EXPECT_NEAR(moments[0].mean, moments[1].mean, 1e-15);
  EXPECT_NEAR(moments[0].variance, moments[1].variance, 1e-15);
  EXPECT_NEAR(moments[0].dual_mean, moments[1].dual_mean, 1e-15);
}

TEST(TiltProblem, many_thetas_take_several_passes_and_agree) {
  const Dense dense(5, 40, 7);
  auto passes = dense.passes();
  ASSERT_EQ(passes.prepare({}), SolveStatus::kDone);
  std::vector<double> thetas;
  for (int i = 0; i < 45; ++i) thetas.push_back(0.1 * i);
  std::vector<TiltMoments> all(45);
  ASSERT_EQ(passes.evaluate(thetas, all, {}), SolveStatus::kDone);
  for (std::size_t i = 0; i < 45; ++i) {
    TiltMoments one;
    ASSERT_EQ(passes.evaluate({&thetas[i], 1}, {&one, 1}, {}),
              SolveStatus::kDone);
    EXPECT_EQ(one.mean, all[i].mean);
    EXPECT_EQ(one.divergence, all[i].divergence);
  }
}

TEST(TiltProblem, every_pass_can_be_cancelled) {
  const Dense dense(5, 40, 8);
  auto passes = dense.passes();
  testing_support::CancelAtOnce cancel;
  const Context context = {nullptr, &cancel};
  EXPECT_EQ(passes.prepare(context), SolveStatus::kCancelled);
  ASSERT_EQ(passes.prepare({}), SolveStatus::kDone);
  const double theta = 1.0;
  TiltMoments moments;
  EXPECT_EQ(passes.evaluate({&theta, 1}, {&moments, 1}, context),
            SolveStatus::kCancelled);
  Matrix<double> law(1, 40);
  EXPECT_EQ(passes.laws({&theta, 1}, law, context), SolveStatus::kCancelled);
}

TEST(CompensatedSum, keeps_what_rounding_takes) {
  CompensatedSum sum;
  for (const double x : {1.0, 1e100, 1.0, -1e100}) sum.add(x);
  EXPECT_EQ(sum.total(), 2.0);
  sum.add(std::numeric_limits<double>::infinity());
  sum.add(1.0);
  EXPECT_EQ(sum.total(), std::numeric_limits<double>::infinity());
}

TEST(PassObserver, grows_from_pass_to_pass) {
  testing_support::Watch watch;
  PassObserver observer(&watch);
  std::uint64_t last = 0;
  for (int pass = 0; pass < 30; ++pass) {
    EXPECT_TRUE(observer.on_progress(5, 10));
    EXPECT_TRUE(observer.on_progress(10, 10));
    EXPECT_GE(watch.last_done, last);
    last = watch.last_done;
  }
  EXPECT_LT(last, PassObserver::kTotal);
  observer.finish();
  EXPECT_EQ(watch.last_done, PassObserver::kTotal);
  EXPECT_TRUE(watch.is_in_range);
  testing_support::CancelAtOnce cancel;
  PassObserver stopping(&cancel);
  EXPECT_FALSE(stopping.on_progress(1, 2));
  PassObserver silent(nullptr);
  EXPECT_TRUE(silent.on_progress(1, 2));
  silent.finish();
}

}  // namespace tilt_problem_test
}  // namespace sbog::detail
