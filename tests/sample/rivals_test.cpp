// SPDX-License-Identifier: Apache-2.0
// The tied Gaussian against a slow reference, the least likely draw in law, and
// the walk over the class boundary.
#include "sbog/sample/rivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sample/support.h"

namespace sbog {
namespace rivals_test {

using testing_support::kKsLimit;
using testing_support::ks_statistic;
using testing_support::plain_cosine;
using testing_support::sphere_bank;
using testing_support::unit;

struct Labelled {
  Matrix<double> bank;
  std::vector<std::uint32_t> labels;
};

Labelled labelled(std::size_t n, std::size_t dim) {
  Labelled data;
  data.bank = oracle::normal_matrix<double>(n, dim, 8, 0.7);
  for (std::size_t i = 0; i < n; ++i) {
    data.labels.push_back(static_cast<std::uint32_t>(i % 3));
    data.bank(i, data.labels[i]) += 2.0;
  }
  return data;
}

TEST(TiedGaussian, mean_and_factor_equal_the_slow_reference) {
  const Labelled data = labelled(700, 5);
  for (const bool is_sphere : {false, true}) {
    Matrix<double> rows = data.bank.clone();
    if (is_sphere) oracle::normalise_rows(rows);
    const TiedGaussian gaussian(data.bank.view(), data.labels, 3, is_sphere);
    Matrix<double> means(3, 5);
    std::vector<double> counts(3, 0.0);
    for (std::size_t i = 0; i < 700; ++i) counts[data.labels[i]] += 1.0;
    for (std::size_t i = 0; i < 700; ++i) {
      for (std::size_t k = 0; k < 5; ++k) {
        means(data.labels[i], k) += rows(i, k) / counts[data.labels[i]];
      }
    }
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_NEAR(gaussian.mean(c)[k], means(c, k), 1e-12);
      }
    }
    for (std::size_t a = 0; a < 5; ++a) {
      for (std::size_t b = 0; b < 5; ++b) {
        double expected = a == b ? 1e-4 : 0.0;
        for (std::size_t i = 0; i < 700; ++i) {
          expected += (rows(i, a) - means(data.labels[i], a)) *
                      (rows(i, b) - means(data.labels[i], b)) / 700.0;
        }
        double got = 0.0;
        for (std::size_t k = 0; k < 5; ++k) {
          got += gaussian.factor()(a, k) * gaussian.factor()(b, k);
        }
        EXPECT_NEAR(got, expected, 1e-12);
        if (b > a) {
          EXPECT_EQ(gaussian.factor()(a, b), 0.0);
        }
      }
    }
  }
}

// L^-1 (x - mean) by forward substitution.
std::vector<double> whitened(const TiedGaussian& gaussian, std::size_t cls,
                             const std::vector<double>& x) {
  std::vector<double> w(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    double rest = x[i] - gaussian.mean(cls)[i];
    for (std::size_t k = 0; k < i; ++k) rest -= gaussian.factor()(i, k) * w[k];
    w[i] = rest / gaussian.factor()(i, i);
  }
  return w;
}

TEST(TiedGaussian, the_draw_is_the_least_likely_of_many_in_law) {
  const Labelled data = labelled(300, 4);
  const TiedGaussian gaussian(data.bank.view(), data.labels, 3, false);
  constexpr std::size_t kDraws = 30;
  constexpr std::uint32_t kOutputs = 3000;
  std::vector<double> lengths;
  std::vector<double> first;
  std::vector<double> plain_lengths;
  std::vector<double> plain_first;
  for (std::uint32_t k = 0; k < kOutputs; ++k) {
    const auto w = whitened(gaussian, 1, gaussian.draw(5, 1, k, kDraws));
    double square = 0.0;
    for (const double x : w) square += x * x;
    lengths.push_back(std::sqrt(square));
    first.push_back(w[0]);
    // The slow way: all draws, keep the longest.
    const PhiloxStream stream(1234, 0, 0, k);
    double longest = -1.0;
    double kept = 0.0;
    for (std::uint32_t j = 0; j < kDraws; ++j) {
      std::vector<double> xi(4);
      stream.normals(j, std::span<double>(xi));
      double norm2 = 0.0;
      for (const double x : xi) norm2 += x * x;
      if (std::sqrt(norm2) > longest) {
        longest = std::sqrt(norm2);
        kept = xi[0];
      }
    }
    plain_lengths.push_back(longest);
    plain_first.push_back(kept);
  }
  EXPECT_LT(ks_statistic(lengths, plain_lengths), kKsLimit);
  EXPECT_LT(ks_statistic(first, plain_first), kKsLimit);
}

TEST(TiedGaussian, a_constant_bank_has_the_ridge_only) {
  Matrix<float> bank(4, 3);
  for (std::size_t i = 0; i < 4; ++i) bank(i, 2) = 1.0f;
  const TiedGaussian gaussian(std::as_const(bank).view(),
                              std::vector<std::uint32_t>(4, 0), 1, true);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(gaussian.factor()(k, k), 0.01, 1e-12);
  }
}

struct Walk {
  Matrix<double> anchors = sphere_bank<double>(4, 6, 12, 3.0);
  BoundaryWalk walk{std::as_const(anchors).view(), 0.02, 0.1};
};

TEST(BoundaryWalk, classifies_by_the_closest_anchor) {
  const Walk w;
  const Matrix<double> points = sphere_bank<double>(200, 6, 13, 3.0);
  for (std::size_t i = 0; i < 200; ++i) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < 4; ++c) {
      if (plain_cosine(points.row(i), w.anchors.row(c)) >
          plain_cosine(points.row(i), w.anchors.row(best))) {
        best = c;
      }
    }
    EXPECT_EQ(w.walk.classify(points.row(i)), best);
  }
}

// Cross entropy of class `cls` at temperature 0.1.
double cross_entropy(const Walk& w, std::size_t cls,
                     std::span<const double> point) {
  double total = 0.0;
  for (std::size_t c = 0; c < 4; ++c) {
    total += std::exp(plain_cosine(point, w.anchors.row(c)) / 0.1);
  }
  return std::log(total) - plain_cosine(point, w.anchors.row(cls)) / 0.1;
}

TEST(BoundaryWalk, a_step_climbs_steeper_than_any_other_of_its_length) {
  const Walk w;
  const Matrix<double> points = sphere_bank<double>(20, 6, 14, 1.0);
  const Matrix<double> others = oracle::normal_matrix<double>(50, 6, 15);
  const BoundaryWalk tiny(std::as_const(w.anchors).view(), 1e-4, 0.1);
  for (std::size_t i = 0; i < 20; ++i) {
    const std::vector<double> start(points.row(i).begin(), points.row(i).end());
    std::vector<double> moved = start;
    tiny.ascend(2, moved);
    EXPECT_NEAR(plain_cosine(start, moved), std::cos(std::atan(1e-4)), 1e-12);
    const double rise = cross_entropy(w, 2, moved) - cross_entropy(w, 2, start);
    EXPECT_GT(rise, 0.0);
    for (std::size_t j = 0; j < 50; ++j) {
      std::vector<double> direction(others.row(j).begin(), others.row(j).end());
      double along = 0.0;
      for (std::size_t k = 0; k < 6; ++k) along += direction[k] * start[k];
      for (std::size_t k = 0; k < 6; ++k) direction[k] -= along * start[k];
      direction = unit(direction);
      std::vector<double> trial = start;
      for (std::size_t k = 0; k < 6; ++k) trial[k] += 1e-4 * direction[k];
      trial = unit(trial);
      EXPECT_LE(cross_entropy(w, 2, trial) - cross_entropy(w, 2, start),
                rise + 1e-7);
    }
  }
}

TEST(BoundaryWalk, counts_the_steps_until_the_class_flips) {
  const Walk w;
  for (std::size_t cls = 0; cls < 4; ++cls) {
    std::vector<double> point(w.anchors.row(cls).begin(),
                              w.anchors.row(cls).end());
    std::vector<double> slow = point;
    const std::size_t steps = w.walk.steps_to_flip(cls, point, 500);
    ASSERT_LE(steps, 500u);
    EXPECT_GT(steps, 0u);
    EXPECT_NE(w.walk.classify(point), cls);
    for (std::size_t s = 0; s < steps; ++s) {
      EXPECT_EQ(w.walk.classify(slow), cls);
      w.walk.ascend(cls, slow);
    }
    EXPECT_EQ(slow, point);
    std::vector<double> again(w.anchors.row(cls).begin(),
                              w.anchors.row(cls).end());
    EXPECT_EQ(w.walk.steps_to_flip(cls, again, steps - 1), steps);
  }
}

}  // namespace rivals_test
}  // namespace sbog
