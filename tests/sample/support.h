// SPDX-License-Identifier: Apache-2.0
// Helpers of the sampler tests: banks, the energy by its definition, whole runs
// compared bit by bit, and Kolmogorov-Smirnov statistics.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "sbog/sample/class_sampler.h"
#include "sbog/sample/sampler.h"

namespace sbog::testing_support {

/// Unit rows around the first axis; `spread` is the length of the noise.
template <typename T>
Matrix<T> sphere_bank(std::size_t n, std::size_t dim, std::uint64_t seed,
                      double spread = 0.5) {
  Matrix<T> bank = oracle::normal_matrix<T>(
      n, dim, seed, spread / std::sqrt(static_cast<double>(dim)));
  for (std::size_t i = 0; i < n; ++i) bank(i, 0) += T{1};
  oracle::normalise_rows(bank);
  return bank;
}

/// A unit vector from any other.
inline std::vector<double> unit(std::vector<double> x) {
  long double norm2 = 0;
  for (const double value : x) norm2 += static_cast<long double>(value) * value;
  for (double& value : x) {
    value = static_cast<double>(value / std::sqrt(norm2));
  }
  return x;
}

/// The cosine by its definition.
template <typename A, typename B>
double plain_cosine(const A& a, const B& b) {
  long double aa = 0, bb = 0, ab = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const long double x = a[k];
    const long double y = b[k];
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  return static_cast<double>(ab / std::sqrt(aa * bb));
}

/// -epsilon log((1 / mass) sum over `rows` of exp(-(1 - cos) / epsilon)).
template <typename T, typename V>
double plain_energy(MatrixView<const T> bank,
                    const std::vector<std::size_t>& rows, const V& v,
                    double epsilon, double mass) {
  long double sum = 0;
  for (const std::size_t i : rows) {
    const long double cost = 1.0L - plain_cosine(bank.row(i), v);
    sum += std::exp(-cost / epsilon);
  }
  return static_cast<double>(-epsilon * std::log(sum / mass));
}

/// The `count` rows nearest to row `i` by cosine, itself left out, ties by
/// index.
template <typename T>
std::vector<std::size_t> plain_neighbours(MatrixView<const T> bank,
                                          std::size_t i, std::size_t count) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t j = 0; j < bank.rows(); ++j) {
    if (j != i) order.push_back({-plain_cosine(bank.row(i), bank.row(j)), j});
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> rows;
  for (std::size_t j = 0; j < count; ++j) rows.push_back(order[j].second);
  return rows;
}

/// Quick settings that produce outputs on sphere_bank.
inline SamplerOptions small_options() {
  SamplerOptions options = profile_options("coverage");
  options.energy.epsilon = 0.05;
  options.trim = 0.0;
  options.quantile = 0.8;
  options.anchor_rule = AnchorRule::kTop;
  options.anchor_count = 8;
  options.sigma = 0.05;
  options.proposal_count = 32;
  options.max_rounds = 4;
  options.count = 20;
  options.splitting = false;
  options.seed = 7;
  return options;
}

/// Three classes along three axes, labels 10, -5 and 7, rows mixed.
template <typename T>
struct Classes {
  explicit Classes(std::size_t n = 150, std::size_t dim = 5)
      : bank(sphere_bank<T>(n, dim, 21, 0.6)), labels(n) {
    constexpr std::int64_t kLabels[] = {10, -5, 7};
    for (std::size_t i = 0; i < n; ++i) {
      labels[i] = kLabels[i % 3];
      std::swap(bank(i, 0), bank(i, i % 3));
    }
    means = class_means<T>(std::as_const(bank).view(), labels);
  }
  SampleProblem<T> problem() const {
    return {bank.view(), labels, means.view(), {}};
  }

  Matrix<T> bank;
  std::vector<std::int64_t> labels;
  Matrix<double> means;
};

/// What a run gives.
template <typename T>
struct Finished {
  std::vector<Output<T>> outputs;
  std::vector<AnchorTally> tallies;

  void add(SampledRange<T> range) {
    std::move(range.outputs.begin(), range.outputs.end(),
              std::back_inserter(outputs));
    if (tallies.empty()) tallies.resize(range.tallies.size());
    add_tallies(tallies, range.tallies);
  }
  std::size_t accepted() const {
    return static_cast<std::size_t>(
        std::count_if(outputs.begin(), outputs.end(),
                      [](const auto& output) { return output.is_accepted; }));
  }
};

/// All outputs of a prepared class, in calls of `step`.
template <typename T>
Finished<T> run_class(
    const PreparedClass<T>& prepared, std::size_t count,
    const Context& context = {},
    std::size_t step = std::numeric_limits<std::size_t>::max()) {
  Finished<T> run;
  run.tallies.resize(prepared.anchors.anchors.size());
  for (std::size_t first = 0; first < count;) {
    const std::size_t size = std::min(step, count - first);
    SampledRange<T> range = sample_class(prepared, first, size, context);
    EXPECT_EQ(range.status, SolveStatus::kDone);
    run.add(std::move(range));
    first += size;
  }
  return run;
}

inline std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

/// Every field of every output, bit by bit.
template <typename T>
void expect_same_outputs(const std::vector<Output<T>>& a,
                         const std::vector<Output<T>>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i));
    EXPECT_EQ(a[i].k, b[i].k);
    ASSERT_EQ(a[i].is_accepted, b[i].is_accepted);
    EXPECT_EQ(a[i].rounds, b[i].rounds);
    if (!a[i].is_accepted) continue;
    EXPECT_EQ(a[i].origin, b[i].origin);
    EXPECT_EQ(a[i].round, b[i].round);
    EXPECT_EQ(a[i].anchor, b[i].anchor);
    EXPECT_EQ(a[i].anchor_row, b[i].anchor_row);
    EXPECT_EQ(a[i].proposal, b[i].proposal);
    EXPECT_EQ(a[i].feasible, b[i].feasible);
    EXPECT_EQ(bits(a[i].score), bits(b[i].score));
    EXPECT_EQ(bits(a[i].energy), bits(b[i].energy));
    EXPECT_EQ(bits(a[i].margin), bits(b[i].margin));
    EXPECT_EQ(bits(a[i].class_cosine), bits(b[i].class_cosine));
    EXPECT_EQ(bits(a[i].anchor_cosine), bits(b[i].anchor_cosine));
    EXPECT_EQ(a[i].point, b[i].point);
  }
}

/// The same counts at every anchor.
inline void expect_same_tallies(const std::vector<AnchorTally>& a,
                                const std::vector<AnchorTally>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].draws, b[i].draws) << i;
    EXPECT_EQ(a[i].successes, b[i].successes) << i;
    EXPECT_EQ(bits(a[i].highest_score), bits(b[i].highest_score)) << i;
    EXPECT_EQ(a[i].failures.proposals, b[i].failures.proposals) << i;
    EXPECT_EQ(a[i].failures.energy, b[i].failures.energy) << i;
    EXPECT_EQ(a[i].failures.semantic, b[i].failures.semantic) << i;
    EXPECT_EQ(a[i].failures.seed, b[i].failures.seed) << i;
  }
}

/// sqrt(nm / (n + m)) times the largest gap of two empirical laws. Under equal
/// laws it exceeds kKsLimit with probability below 2e-4.
inline double ks_statistic(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  double gap = 0.0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= x) ++i;
    while (j < b.size() && b[j] <= x) ++j;
    gap = std::max(
        gap, std::abs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  return gap * std::sqrt(n * m / (n + m));
}
inline constexpr double kKsLimit = 2.15;

/// sqrt(n) times the largest gap to a continuous law.
template <class Cdf>
double ks_statistic_of_law(std::vector<double> a, const Cdf& cdf) {
  std::sort(a.begin(), a.end());
  const auto n = static_cast<double>(a.size());
  double gap = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double p = cdf(a[i]);
    gap = std::max({gap, p - static_cast<double>(i) / n,
                    static_cast<double>(i + 1) / n - p});
  }
  return gap * std::sqrt(n);
}

inline double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

}  // namespace sbog::testing_support
