// SPDX-License-Identifier: Apache-2.0
// Robust logits against long double, closed forms, limits, gradients and
// invariances, in double and float.
#include "sbog/dro/robust_logits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "dro/support.h"
#include "energy/support.h"
#include "sbog/base/thread_pool.h"

namespace sbog {
namespace robust_logits_test {

using dro_oracle::Draws;
using dro_oracle::Real;
using testing::HasSubstr;
using testing_support::invalid_argument_of;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A batch with all its results.
template <typename T>
struct Case {
  Case(std::size_t b, std::size_t c, std::size_t s)
      : similarities(b * c, s),
        costs(b, s),
        values(b, c),
        lambdas(b, c),
        tilted(b * c, s),
        cost_gradients(b * c, s) {}

  SolveStatus solve(const Context& context = {}) {
    return robust_logits<T>({similarities, costs, weights, labels}, options,
                            {values, lambdas, tilted, cost_gradients}, context);
  }
  std::size_t classes() const { return values.cols(); }
  T value(std::size_t row) const { return values.elements()[row]; }
  T lambda(std::size_t row) const { return lambdas.elements()[row]; }
  double sign(std::size_t row) const {
    if (options.sign == RobustSign::kPaper) return -1.0;
    const bool is_label = options.sign == RobustSign::kAdversarial &&
                          labels[row / classes()] == row % classes();
    return is_label ? -1.0 : 1.0;
  }
  double kappa() const { return options.radius / options.epsilon; }

  // The row as a problem of one nominal point with losses sign * a.
  dro_oracle::Problem oracle(std::size_t row) const {
    const std::size_t s = costs.cols();
    Matrix<double> cost(1, s);
    std::vector<double> f(s), nu(s, 1.0);
    for (std::size_t k = 0; k < s; ++k) {
      cost(0, k) = static_cast<double>(costs(row / classes(), k));
      f[k] = sign(row) * static_cast<double>(similarities(row, k));
      if (!weights.empty()) nu[k] = weights[k];
    }
    return dro_oracle::from_costs(cost, std::vector{1.0}, nu, f,
                                  options.epsilon);
  }

  Matrix<T> similarities, costs;
  std::vector<double> weights;
  std::vector<std::size_t> labels;
  RobustOptions options;
  Matrix<T> values, lambdas, tilted, cost_gradients;
};

template <typename T>
Case<T> random_case(std::uint64_t seed, std::size_t b, std::size_t c,
                    std::size_t s, double scale = 5.0) {
  Draws draws(seed);
  Case<T> one(b, c, s);
  for (T& x : one.similarities.elements()) x = T(scale * draws.normal());
  for (T& x : one.costs.elements()) x = T(draws.uniform(0.0, 0.2));
  for (std::size_t i = 0; i < b; ++i) one.labels.push_back(i % c);
  return one;
}

// Error allowed for results that are stored in T.
template <typename T>
double unit() {
  return std::is_same_v<T, float> ? 2e-7 : 1e-11;
}

template <typename T>
class RobustLogits : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RobustLogits, Scalars);

// (a)
TYPED_TEST(RobustLogits, one_atom_is_the_plain_logit_bit_for_bit) {
  for (const double radius : {0.0, 0.005, 3.0}) {
    auto one = random_case<TypeParam>(1, 5, 7, 1);
    one.options.radius = radius;
    ASSERT_EQ(one.solve(), SolveStatus::kDone);
    for (std::size_t r = 0; r < 35; ++r) {
      EXPECT_EQ(one.value(r), one.similarities(r, 0));
      EXPECT_EQ(one.tilted(r, 0), TypeParam(1));
      EXPECT_EQ(one.cost_gradients(r, 0), TypeParam(0));
      EXPECT_EQ(one.lambda(r), TypeParam(0));
    }
  }
}

// (b)
TYPED_TEST(RobustLogits, equal_atoms_are_the_plain_logit) {
  auto one = random_case<TypeParam>(2, 5, 7, 8);
  for (std::size_t r = 0; r < 35; ++r) {
    for (std::size_t k = 1; k < 8; ++k) {
      one.similarities(r, k) = one.similarities(r, 0);
      one.costs(r / 7, k) = one.costs(r / 7, 0);
    }
  }
  ASSERT_EQ(one.solve(), SolveStatus::kDone);
  for (std::size_t r = 0; r < 35; ++r) {
    EXPECT_EQ(one.value(r), one.similarities(r, 0));
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_NEAR(one.tilted(r, k), 0.125, 1e-15);
      EXPECT_EQ(one.cost_gradients(r, k), TypeParam(0));
    }
  }
}

// (c)
TYPED_TEST(RobustLogits, radius_0_is_the_gibbs_mean) {
  auto one = random_case<TypeParam>(3, 6, 5, 8);
  one.options.radius = 0.0;
  ASSERT_EQ(one.solve(), SolveStatus::kDone);
  for (std::size_t r = 0; r < 30; ++r) {
    const auto oracle = one.oracle(r);
    const auto q = dro_oracle::tilted(oracle, 0, 0);
    const Real mean = dro_oracle::mean(oracle, q);
    EXPECT_NEAR(one.value(r), double(-mean), 20 * unit<TypeParam>());
    EXPECT_EQ(one.lambda(r), TypeParam(kInf));
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_NEAR(one.tilted(r, k), double(q[k]), unit<TypeParam>());
      // d(-E_Q l) / dd.
      const double expected =
          double(q[k] * (oracle.f[k] - mean) / oracle.epsilon);
      EXPECT_NEAR(one.cost_gradients(r, k), expected, unit<TypeParam>() * 400);
    }
  }
}

// (d)
TYPED_TEST(RobustLogits, a_large_radius_is_the_smallest_similarity) {
  auto one = random_case<TypeParam>(4, 6, 5, 8);
  for (std::size_t k = 0; k < 2; ++k) one.similarities(3, k) = -100;  // a tie
  for (const double kappa : {20.0, kInf}) {
    one.options.radius = kappa * one.options.epsilon;
    ASSERT_EQ(one.solve(), SolveStatus::kDone);
    for (std::size_t r = 0; r < 30; ++r) {
      const auto row = one.similarities.row(r);
      const TypeParam low = *std::min_element(row.begin(), row.end());
      EXPECT_EQ(one.value(r), low);
      EXPECT_EQ(one.lambda(r), TypeParam(0));
      double mass = 0.0;
      for (std::size_t k = 0; k < 8; ++k) {
        EXPECT_EQ(one.cost_gradients(r, k), TypeParam(0));
        if (row[k] == low) {
          mass += one.tilted(r, k);
        } else {
          EXPECT_EQ(one.tilted(r, k), TypeParam(0));
        }
      }
      EXPECT_NEAR(mass, 1.0, unit<TypeParam>());
    }
    const double share = one.costs(0, 0) - one.costs(0, 1);
    EXPECT_NEAR(one.tilted(3, 1) / one.tilted(3, 0),
                std::exp(share / one.options.epsilon), 1e-4);
  }
}

// (e)
TYPED_TEST(RobustLogits, two_atoms_have_a_closed_form) {
  Draws draws(5);
  for (int turn = 0; turn < 200; ++turn) {
    Case<TypeParam> one(1, 1, 2);
    for (TypeParam& x : one.similarities.elements()) {
      x = TypeParam(draws.normal());
    }
    for (TypeParam& x : one.costs.elements()) {
      x = TypeParam(draws.uniform(0.0, 0.2));
    }
    one.options.radius = draws.log_uniform(1e-5, 0.1);
    one.options.sign = RobustSign::kUpper;
    ASSERT_EQ(one.solve(), SolveStatus::kDone);
    // Mass p on the better atom: the largest with kl(p || q) <= kappa.
    const std::size_t best =
        one.similarities(0, 0) > one.similarities(0, 1) ? 0 : 1;
    const Real gap = Real(one.costs(0, best)) - Real(one.costs(0, 1 - best));
    const Real q = 1 / (1 + std::exp(gap / Real(one.options.epsilon)));
    Real low = q, high = 1;
    for (int i = 0; i < 100; ++i) {
      const Real p = (low + high) / 2;
      const Real kl =
          p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
      (kl < Real(one.kappa()) ? low : high) = p;
    }
    const Real better = one.similarities(0, best);
    const Real worse = one.similarities(0, 1 - best);
    EXPECT_NEAR(one.value(0), double(low * better + (1 - low) * worse),
                10 * unit<TypeParam>());
    EXPECT_NEAR(one.tilted(0, best), double(low), unit<TypeParam>());
  }
}

// (f)
TYPED_TEST(RobustLogits, primal_is_dual_and_the_ball_binds) {
  for (const std::size_t s : {2u, 3u, 8u, 17u, 64u}) {
    for (const double kappa : {1e-10, 1e-4, 0.01, 0.1, 0.5, 2.0}) {
      for (const RobustSign sign :
           {RobustSign::kPaper, RobustSign::kAdversarial, RobustSign::kUpper}) {
        auto one = random_case<TypeParam>(60 + s, 5, 4, s);
        one.options.sign = sign;
        one.options.radius = kappa * one.options.epsilon;
        ASSERT_EQ(one.solve(), SolveStatus::kDone);
        for (std::size_t r = 0; r < 20; ++r) {
          const auto oracle = one.oracle(r);
          const double size = 20.0;
          if (one.lambda(r) > 0) {
            const auto truth = dro_oracle::solve(oracle, one.options.radius);
            EXPECT_NEAR(one.sign(r) * one.value(r), double(truth.value),
                        size * unit<TypeParam>());
            const Real dual =
                dro_oracle::dual(oracle, one.lambda(r), one.options.radius);
            EXPECT_NEAR(one.sign(r) * one.value(r), double(dual),
                        size * unit<TypeParam>());
            const auto p = dro_oracle::tilted(oracle, 0, truth.theta);
            for (std::size_t k = 0; k < s; ++k) {
              EXPECT_NEAR(one.tilted(r, k), double(p[k]), unit<TypeParam>());
            }
          } else {
            const auto row = oracle.f;
            EXPECT_EQ(one.sign(r) * one.value(r),
                      double(*std::max_element(row.begin(), row.end())));
          }
        }
      }
    }
  }
}

// (g)
TYPED_TEST(RobustLogits, values_fall_with_the_radius_between_mean_and_bottom) {
  auto one = random_case<TypeParam>(7, 4, 5, 8);
  std::vector<TypeParam> last(20, std::numeric_limits<TypeParam>::max());
  for (int i = 0; i <= 40; ++i) {
    one.options.radius = 0.003 * i;
    ASSERT_EQ(one.solve(), SolveStatus::kDone);
    for (std::size_t r = 0; r < 20; ++r) {
      EXPECT_LE(one.value(r), last[r] + 1e-12);
      last[r] = one.value(r);
      const auto row = one.similarities.row(r);
      EXPECT_GE(one.value(r), *std::min_element(row.begin(), row.end()));
    }
  }
}

// (h)
TYPED_TEST(RobustLogits, shifts_and_scales_carry_over) {
  auto one = random_case<TypeParam>(8, 4, 5, 8);
  ASSERT_EQ(one.solve(), SolveStatus::kDone);
  auto moved = random_case<TypeParam>(8, 4, 5, 8);
  for (TypeParam& x : moved.similarities.elements()) x = 4 * x;  // exact
  ASSERT_EQ(moved.solve(), SolveStatus::kDone);
  auto shifted = random_case<TypeParam>(8, 4, 5, 8);
  for (TypeParam& x : shifted.similarities.elements()) x += 16;
  ASSERT_EQ(shifted.solve(), SolveStatus::kDone);
  for (std::size_t r = 0; r < 20; ++r) {
    EXPECT_EQ(moved.value(r), 4 * one.value(r));
    EXPECT_EQ(moved.lambda(r), 4 * one.lambda(r));
    EXPECT_NEAR(shifted.value(r), 16 + one.value(r), 40 * unit<TypeParam>());
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_EQ(moved.tilted(r, k), one.tilted(r, k));
    }
  }
}

// (j)
TYPED_TEST(RobustLogits, extreme_rows_stay_finite) {
  for (const double epsilon : {1e-6, 1e-3, 1.0, 1e6}) {
    for (const std::size_t s : {2u, 8u, 64u, 4096u}) {
      for (const double kappa : {1e-12, 0.1, 3.0}) {
        auto one = random_case<TypeParam>(9, 3, 3, s, 1e4);
        for (std::size_t k = 0; k < s; ++k) {
          one.similarities(0, k) = 3;                          // constant
          one.similarities(1, k) = TypeParam(k % 2);           // ties
          one.similarities(2, k) = TypeParam(1e4 * (k == 0));  // one far
        }
        one.options.epsilon = epsilon;
        one.options.radius = kappa * epsilon;
        ASSERT_EQ(one.solve(), SolveStatus::kDone);
        for (std::size_t r = 0; r < 9; ++r) {
          const auto row = one.similarities.row(r);
          const double low = *std::min_element(row.begin(), row.end());
          const double high = *std::max_element(row.begin(), row.end());
          EXPECT_TRUE(one.value(r) >= low && one.value(r) <= high);
          double mass = 0.0, balance = 0.0;
          for (std::size_t k = 0; k < s; ++k) {
            mass += one.tilted(r, k);
            balance += one.cost_gradients(r, k);
            ASSERT_TRUE(std::isfinite(one.cost_gradients(r, k)));
          }
          EXPECT_NEAR(mass, 1.0, 1e-5);
          EXPECT_NEAR(balance, 0.0, 1e-4 * (high - low) / epsilon);
        }
      }
    }
  }
}

// (j), with known answers.
TEST(RobustLogitsStress, values_of_extreme_rows_are_right) {
  Draws draws(10);
  for (int turn = 0; turn < 2000; ++turn) {
    const std::size_t s = draws.index(2, 64);
    auto one =
        random_case<double>(1000 + turn, 1, 1, s, draws.log_uniform(1e-3, 1e4));
    one.options.epsilon = draws.log_uniform(3e-3, 1e3);
    one.options.sign = RobustSign::kUpper;
    const auto oracle = one.oracle(0);
    const std::size_t best = static_cast<std::size_t>(
        std::max_element(oracle.f.begin(), oracle.f.end()) - oracle.f.begin());
    const double most = double(-oracle.log_q[0][best]);
    const double share = turn % 2 == 0 ? draws.log_uniform(1e-12, 0.999)
                                       : 1 - draws.log_uniform(1e-9, 0.5);
    one.options.radius = share * most * one.options.epsilon;
    ASSERT_EQ(one.solve(), SolveStatus::kDone);
    const double range = double(
        oracle.f[best] - *std::min_element(oracle.f.begin(), oracle.f.end()));
    const Real dual =
        dro_oracle::dual(oracle, one.lambda(0), one.options.radius);
    std::vector<Real> p;
    for (std::size_t k = 0; k < s; ++k) p.push_back(one.tilted(0, k));
    p = dro_oracle::normalised(p);
    const Real primal = dro_oracle::mean(oracle, p);
    const Real spent = oracle.epsilon * dro_oracle::divergence(oracle, 0, p);
    EXPECT_LE(std::abs(double(dual - primal)), 1e-12 * range) << turn;
    EXPECT_NEAR(one.value(0), double(primal), 1e-12 * range) << turn;
    // The KL is a difference of numbers of size theta * range.
    const double beta = range / (one.lambda(0) * one.options.epsilon);
    EXPECT_NEAR(double(spent), one.options.radius,
                1e-8 * one.options.radius +
                    1e-14 * one.options.epsilon * std::max(1.0, beta))
        << turn;
  }
}

// (k)
TYPED_TEST(RobustLogits, permuted_atoms_permute_the_law) {
  auto one = random_case<TypeParam>(11, 3, 4, 8);
  Draws draws(11);
  one.weights = draws.uniforms(8, 0.2, 2.0);
  ASSERT_EQ(one.solve(), SolveStatus::kDone);
  auto other = random_case<TypeParam>(11, 3, 4, 8);
  other.weights.resize(8);
  const auto to = [](std::size_t k) { return (3 * k + 5) % 8; };
  for (std::size_t k = 0; k < 8; ++k) {
    other.weights[to(k)] = one.weights[k];
    for (std::size_t b = 0; b < 3; ++b) other.costs(b, to(k)) = one.costs(b, k);
    for (std::size_t r = 0; r < 12; ++r) {
      other.similarities(r, to(k)) = one.similarities(r, k);
    }
  }
  ASSERT_EQ(other.solve(), SolveStatus::kDone);
  for (std::size_t r = 0; r < 12; ++r) {
    EXPECT_NEAR(other.value(r), one.value(r), 10 * unit<TypeParam>());
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_NEAR(other.tilted(r, to(k)), one.tilted(r, k), unit<TypeParam>());
    }
  }
}

// (l)
TEST(RobustLogitsTypes, float_is_double_rounded) {
  auto single = random_case<float>(12, 8, 9, 8);
  ASSERT_EQ(single.solve(), SolveStatus::kDone);
  Case<double> wide(8, 9, 8);
  std::copy(single.similarities.elements().begin(),
            single.similarities.elements().end(),
            wide.similarities.elements().begin());
  std::copy(single.costs.elements().begin(), single.costs.elements().end(),
            wide.costs.elements().begin());
  ASSERT_EQ(wide.solve(), SolveStatus::kDone);
  for (std::size_t r = 0; r < 72; ++r) {
    EXPECT_EQ(single.value(r), static_cast<float>(wide.value(r)));
    EXPECT_EQ(single.lambda(r), static_cast<float>(wide.lambda(r)));
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_EQ(single.tilted(r, k), static_cast<float>(wide.tilted(r, k)));
      EXPECT_EQ(single.cost_gradients(r, k),
                static_cast<float>(wide.cost_gradients(r, k)));
    }
  }
}

TEST(RobustLogitsTypes, gradients_are_those_of_central_differences) {
  for (const RobustSign sign :
       {RobustSign::kPaper, RobustSign::kAdversarial, RobustSign::kUpper}) {
    for (const double kappa : {1e-3, 0.1, 0.7}) {
      auto one = random_case<double>(13, 2, 3, 6, 1.0);
      one.options.sign = sign;
      one.options.radius = kappa * one.options.epsilon;
      const auto value = [&](std::size_t r) {
        EXPECT_EQ(one.solve(), SolveStatus::kDone);
        return one.value(r);
      };
      ASSERT_EQ(one.solve(), SolveStatus::kDone);
      const Matrix<double> law = one.tilted.clone();
      const Matrix<double> slope = one.cost_gradients.clone();
      const Matrix<double> lambda = one.lambdas.clone();
      constexpr double kStep = 1e-5;
      const auto difference = [&](double& x, std::size_t r, double step) {
        const double before = x;
        x = before + step;
        const double up = value(r);
        x = before - step;
        const double down = value(r);
        x = before;
        return (up - down) / (2 * step);
      };
      for (std::size_t r = 0; r < 6; ++r) {
        for (std::size_t k = 0; k < 6; ++k) {
          EXPECT_NEAR(difference(one.similarities(r, k), r, kStep), law(r, k),
                      1e-7);
          EXPECT_NEAR(difference(one.costs(r / 3, k), r, 1e-6), slope(r, k),
                      1e-4 * (1 + std::abs(slope(r, k))));
        }
        const double expected = one.sign(r) * lambda.elements()[r];
        EXPECT_NEAR(
            difference(one.options.radius, r, 1e-4 * one.options.radius),
            expected, 1e-6 * std::abs(expected));
      }
    }
  }
}

// (i): features through a tiny encoder, the loss a cross entropy over robust
// logits, every parameter by finite differences.
struct Encoder {
  static constexpr std::size_t kIn = 4, kHidden = 5, kOut = 3;
  std::vector<double> parameters;  // W1 then W2
  explicit Encoder(std::uint64_t seed)
      : parameters(Draws(seed).normals(kHidden * kIn + kOut * kHidden, 0.6)) {}
  double w1(std::size_t h, std::size_t i) const {
    return parameters[h * kIn + i];
  }
  double w2(std::size_t o, std::size_t h) const {
    return parameters[kHidden * kIn + o * kHidden + h];
  }
  std::vector<double> hidden(std::span<const double> x) const {
    std::vector<double> out(kHidden, 0.0);
    for (std::size_t h = 0; h < kHidden; ++h) {
      for (std::size_t i = 0; i < kIn; ++i) out[h] += w1(h, i) * x[i];
      out[h] = std::tanh(out[h]);
    }
    return out;
  }
  std::vector<double> encode(std::span<const double> x) const {
    const std::vector<double> h = hidden(x);
    std::vector<double> z(kOut, 0.0);
    for (std::size_t o = 0; o < kOut; ++o) {
      for (std::size_t j = 0; j < kHidden; ++j) z[o] += w2(o, j) * h[j];
    }
    return z;
  }
};

TEST(RobustLogitsTypes, training_gradients_match_finite_differences) {
  constexpr std::size_t kB = 4, kC = 3, kS = 5, kOut = Encoder::kOut;
  Draws draws(14);
  const Matrix<double> inputs = draws.uniform_matrix(kB * kS, 4, -1.0, 1.0);
  const Matrix<double> anchors = draws.uniform_matrix(kC, kOut, -1.0, 1.0);
  for (const RobustSign sign : {RobustSign::kPaper, RobustSign::kAdversarial}) {
    auto one = random_case<double>(15, kB, kC, kS);
    one.options.sign = sign;
    Encoder encoder(16);
    // Fills one.similarities from the encoder and returns the mean CE.
    const auto loss = [&] {
      for (std::size_t b = 0; b < kB; ++b) {
        for (std::size_t k = 0; k < kS; ++k) {
          const auto z = encoder.encode(inputs.row(b * kS + k));
          for (std::size_t c = 0; c < kC; ++c) {
            double dot = 0.0;
            for (std::size_t o = 0; o < kOut; ++o) dot += anchors(c, o) * z[o];
            one.similarities(b * kC + c, k) = dot / 0.1;
          }
        }
      }
      EXPECT_EQ(one.solve(), SolveStatus::kDone);
      double total = 0.0;
      for (std::size_t b = 0; b < kB; ++b) {
        double sum = 0.0;
        for (std::size_t c = 0; c < kC; ++c) sum += std::exp(one.values(b, c));
        total += std::log(sum) - one.values(b, one.labels[b]);
      }
      return total / kB;
    };
    loss();
    // Backwards: dCE/dV times q* is dCE/da; then through the two layers.
    std::vector<double> gradient(encoder.parameters.size(), 0.0);
    for (std::size_t b = 0; b < kB; ++b) {
      double sum = 0.0;
      for (std::size_t c = 0; c < kC; ++c) sum += std::exp(one.values(b, c));
      for (std::size_t k = 0; k < kS; ++k) {
        std::vector<double> dz(kOut, 0.0);
        for (std::size_t c = 0; c < kC; ++c) {
          const double dv =
              (std::exp(one.values(b, c)) / sum - (c == one.labels[b])) / kB;
          for (std::size_t o = 0; o < kOut; ++o) {
            dz[o] += dv * one.tilted(b * kC + c, k) * anchors(c, o) / 0.1;
          }
        }
        const auto x = inputs.row(b * kS + k);
        const auto h = encoder.hidden(x);
        for (std::size_t j = 0; j < Encoder::kHidden; ++j) {
          double dh = 0.0;
          for (std::size_t o = 0; o < kOut; ++o) {
            gradient[Encoder::kHidden * Encoder::kIn + o * Encoder::kHidden +
                     j] += dz[o] * h[j];
            dh += dz[o] * encoder.w2(o, j);
          }
          for (std::size_t i = 0; i < Encoder::kIn; ++i) {
            gradient[j * Encoder::kIn + i] += dh * (1 - h[j] * h[j]) * x[i];
          }
        }
      }
    }
    for (std::size_t p = 0; p < gradient.size(); ++p) {
      constexpr double kStep = 1e-6;
      const double before = encoder.parameters[p];
      encoder.parameters[p] = before + kStep;
      const double up = loss();
      encoder.parameters[p] = before - kStep;
      const double down = loss();
      encoder.parameters[p] = before;
      EXPECT_NEAR((up - down) / (2 * kStep), gradient[p], 1e-6);
    }
  }
}

TYPED_TEST(RobustLogits, a_row_does_not_depend_on_its_batch_nor_on_threads) {
  auto one = random_case<TypeParam>(17, 101, 7, 8);
  ThreadPool pool(3);
  ASSERT_EQ(one.solve({&pool, nullptr}), SolveStatus::kDone);
  auto again = random_case<TypeParam>(17, 101, 7, 8);
  ASSERT_EQ(again.solve(), SolveStatus::kDone);
  EXPECT_TRUE(std::equal(one.tilted.elements().begin(),
                         one.tilted.elements().end(),
                         again.tilted.elements().begin()));
  for (std::size_t b = 0; b < 101; b += 13) {
    for (std::size_t c = 0; c < 7; ++c) {
      Case<TypeParam> alone(1, 1, 8);
      for (std::size_t k = 0; k < 8; ++k) {
        alone.similarities(0, k) = one.similarities(b * 7 + c, k);
        alone.costs(0, k) = one.costs(b, k);
      }
      ASSERT_EQ(alone.solve(), SolveStatus::kDone);
      EXPECT_EQ(alone.value(0), one.values(b, c));
      EXPECT_EQ(alone.lambda(0), one.lambdas(b, c));
      for (std::size_t k = 0; k < 8; ++k) {
        EXPECT_EQ(alone.tilted(0, k), one.tilted(b * 7 + c, k));
        EXPECT_EQ(alone.cost_gradients(0, k), one.cost_gradients(b * 7 + c, k));
      }
    }
  }
}

TEST(RobustLogitsTypes, absent_atoms_do_not_count) {
  auto one = random_case<double>(18, 4, 3, 6);
  one.weights = {1, 1, 0, 1, 1, 1};
  for (std::size_t b = 0; b < 4; ++b) one.costs(b, 4) = kInf;
  for (std::size_t r = 0; r < 12; ++r) {
    one.similarities(r, 2) = -1e9;
    one.similarities(r, 4) = -1e200;
  }
  Case<double> few(4, 3, 4);
  const std::size_t kept[] = {0, 1, 3, 5};
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t b = 0; b < 4; ++b) few.costs(b, k) = one.costs(b, kept[k]);
    for (std::size_t r = 0; r < 12; ++r) {
      few.similarities(r, k) = one.similarities(r, kept[k]);
    }
  }
  for (const double radius : {0.0, 0.005, 1.0}) {
    one.options.radius = few.options.radius = radius;
    ASSERT_EQ(one.solve(), SolveStatus::kDone);
    ASSERT_EQ(few.solve(), SolveStatus::kDone);
    for (std::size_t r = 0; r < 12; ++r) {
      EXPECT_NEAR(one.value(r), few.value(r), 1e-12);
      EXPECT_EQ(one.tilted(r, 2), 0.0);
      EXPECT_EQ(one.tilted(r, 4), 0.0);
      EXPECT_EQ(one.cost_gradients(r, 4), 0.0);
    }
  }
}

TEST(RobustLogitsTypes, views_with_gaps_and_missing_outputs_work) {
  auto one = random_case<double>(19, 5, 3, 4);
  ASSERT_EQ(one.solve(), SolveStatus::kDone);
  Matrix<double> wide(5, 10), law(15, 9);
  const MatrixView<double> values(wide.data(), 5, 3, 10);
  const MatrixView<double> tilted(law.data(), 15, 4, 9);
  ASSERT_EQ(robust_logits<double>({one.similarities, one.costs, {}, {}}, {},
                                  {values, {}, tilted, {}}),
            SolveStatus::kDone);
  for (std::size_t b = 0; b < 5; ++b) {
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(values(b, c), one.values(b, c));
      for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(tilted(b * 3 + c, k), one.tilted(b * 3 + c, k));
      }
    }
    EXPECT_EQ(wide(b, 3), 0.0);
  }
  ASSERT_EQ(
      robust_logits<double>({one.similarities, one.costs, {}, {}}, {}, {}),
      SolveStatus::kDone);
}

TEST(RobustLogitsTypes, an_observer_may_stop_it) {
  auto one = random_case<double>(20, 50, 3, 4);
  testing_support::CancelAtOnce cancel;
  EXPECT_EQ(one.solve({nullptr, &cancel}), SolveStatus::kCancelled);
  testing_support::Watch watch;
  EXPECT_EQ(one.solve({nullptr, &watch}), SolveStatus::kDone);
  EXPECT_EQ(watch.last_done, 150u);
  EXPECT_EQ(watch.last_total, 150u);
}

TEST(RobustLogitsTypes, bad_input_is_named) {
  const auto broken = [&](const auto& change) {
    auto one = random_case<double>(21, 4, 3, 5);
    change(one);
    return invalid_argument_of([&] { (void)one.solve(); });
  };
  using C = Case<double>;
  EXPECT_THAT(broken([](C& c) { c.options.radius = -1; }), HasSubstr("radius"));
  EXPECT_THAT(broken([](C& c) { c.options.radius = kNaN; }),
              HasSubstr("radius"));
  EXPECT_THAT(broken([](C& c) { c.options.epsilon = 0; }),
              HasSubstr("epsilon"));
  EXPECT_THAT(broken([](C& c) { c.similarities(7, 2) = kNaN; }),
              HasSubstr("similarities: row 7, atom 2"));
  EXPECT_THAT(broken([](C& c) { c.similarities(7, 2) = -kInf; }),
              HasSubstr("similarities: row 7, atom 2"));
  EXPECT_THAT(broken([](C& c) { c.costs(3, 1) = -0.1; }),
              HasSubstr("costs: sample 3, atom 1"));
  EXPECT_THAT(broken([](C& c) {
                for (std::size_t k = 0; k < 5; ++k) c.costs(2, k) = kInf;
              }),
              HasSubstr("sample 2 has no atom of finite cost"));
  EXPECT_THAT(broken([](C& c) {
                c.weights = {1, 1};
              }),
              HasSubstr("weights: one per atom (5)"));
  EXPECT_THAT(broken([](C& c) {
                c.weights = {1, 1, -1, 1, 1};
              }),
              HasSubstr("entry 2"));
  EXPECT_THAT(broken([](C& c) { c.costs = Matrix<double>(5, 5); }),
              HasSubstr("12 x 5"));
  EXPECT_THAT(broken([](C& c) { c.costs = Matrix<double>(); }),
              HasSubstr("no similarities"));
  EXPECT_THAT(broken([](C& c) { c.tilted = Matrix<double>(12, 4); }),
              HasSubstr("tilted: 12 x 5"));
  EXPECT_THAT(broken([](C& c) {
                c.options.sign = RobustSign::kAdversarial;
                c.labels.pop_back();
              }),
              HasSubstr("labels: one per sample (4)"));
  EXPECT_THAT(broken([](C& c) {
                c.options.sign = RobustSign::kAdversarial;
                c.labels[1] = 3;
              }),
              HasSubstr("sample 1 has class 3"));
}

}  // namespace robust_logits_test
}  // namespace sbog
