// SPDX-License-Identifier: Apache-2.0
// Whole certificates against plain loops, classes against each class alone,
// simulated truth, threads, bad input.
#include "sbog/certify/certify_outliers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certify/support.h"
#include "oracle/energy_oracle.h"
#include "sbog/certify/plain_sentences.h"
#include "sbog/certify/required_count.h"
#include "sbog/certify/split_bank.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace certify_outliers_test {

using testing_support::bits_of;
using testing_support::CancelAtOnce;
using testing_support::invalid_argument_of;
using testing_support::kInfinity;
using testing_support::kNan;
using testing_support::Watch;

// A Gaussian sample with outliers around it, squared Euclidean cost.
template <typename T>
struct Example {
  Matrix<T> reference = oracle::normal_matrix<T>(300, 3, 1);
  Matrix<T> calibration = oracle::normal_matrix<T>(120, 3, 2);
  Matrix<T> outliers = oracle::normal_matrix<T>(40, 3, 3, 2.0);
  CertifyOptions options;

  Example() { options.energy = {GroundCost::kSquaredEuclidean, 0.8, {}}; }
  CertifyProblem<T> problem() const {
    CertifyProblem<T> made;
    made.reference = reference.view();
    made.calibration = calibration.view();
    made.outliers = outliers.view();
    return made;
  }
};

template <typename T>
std::vector<long double> plain_psi(MatrixView<const T> reference,
                                   std::span<const T> v, double epsilon) {
  std::vector<long double> psi;
  for (std::size_t i = 0; i < reference.rows(); ++i) {
    long double cost = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      const long double apart =
          static_cast<long double>(reference(i, k)) - v[k];
      cost += apart * apart;
    }
    psi.push_back(std::exp(-cost / epsilon));
  }
  return psi;
}

template <typename T>
void expect_plain_numbers(double tolerance) {
  const Example<T> example;
  const Certificate found =
      certify_outliers(example.problem(), example.options);
  ASSERT_EQ(found.status, SolveStatus::kDone);
  ASSERT_EQ(found.classes.size(), 1u);
  const CertificateClass& cls = found.classes[0];
  EXPECT_EQ(cls.reference_count, 300u);
  EXPECT_EQ(cls.effective_count, 300.0);
  EXPECT_EQ(cls.calibration_count, 120u);
  EXPECT_EQ(cls.outlier_count, 40u);
  EXPECT_TRUE(cls.is_conformal);
  EXPECT_TRUE(found.is_certified);
  EXPECT_EQ(found.pool, 40.0);
  const auto energy_of = [&](std::span<const T> v) {
    long double sum = 0;
    for (const long double psi :
         plain_psi<T>(example.reference.view(), v, 0.8)) {
      sum += psi;
    }
    return static_cast<double>(-0.8L * std::log(sum / 300));
  };
  std::vector<double> calibration;
  for (std::size_t i = 0; i < 120; ++i) {
    calibration.push_back(energy_of(example.calibration.view().row(i)));
  }
  std::vector<double> ordered = calibration;
  std::sort(ordered.begin(), ordered.end());
  EXPECT_NEAR(cls.threshold, ordered[115 - 1], tolerance);  // ceil(.95 * 121)
  EXPECT_NEAR(cls.ceiling, certifiable_ceiling(0.8, 300.0, 0.05 / 40.0 / 4.0),
              1e-14);
  for (std::size_t i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    const OutlierCertificate& one = found.outliers[i];
    const auto psi = plain_psi<T>(example.reference.view(),
                                  example.outliers.view().row(i), 0.8);
    long double mean = 0;
    for (const long double x : psi) mean += x / 300;
    long double variance = 0;
    for (const long double x : psi) {
      variance += (x - mean) * (x - mean) / 299;
    }
    const double energy = energy_of(example.outliers.view().row(i));
    EXPECT_NEAR(one.energy, energy, tolerance * (1 + energy));
    EXPECT_NEAR(std::exp(one.log_support) / static_cast<double>(mean), 1.0,
                tolerance * (2 + energy));
    EXPECT_NEAR(one.variance / static_cast<double>(variance), 1.0,
                20 * tolerance * (2 + energy));
    const LogInterval support =
        combined_interval({one.log_support, one.variance, 300.0}, 0.05 / 40.0);
    EXPECT_EQ(one.support.low, support.low);
    EXPECT_EQ(one.support.high, support.high);
    const Interval energies = energy_interval(support, 0.8);
    EXPECT_LE(one.energies.low, energies.low);
    EXPECT_NEAR(one.energies.low, energies.low, 3 * tolerance * (2 + energy));
    EXPECT_GE(one.energies.high, energies.high);
    EXPECT_EQ(one.label, label_decision(one.energies, cls.threshold));
    EXPECT_EQ(one.is_accepted, one.energy >= cls.threshold);
    EXPECT_NEAR(one.p_value, conformal_p_value(calibration, energy), 1e-12);
    EXPECT_EQ(one.required_count,
              required_count({one.log_support, one.variance, 300.0},
                             0.05 / 40.0, 0.8, cls.threshold));
  }
  const CertificateTotals totals = total_certificate(found);
  EXPECT_EQ(found.totals.accepted, totals.accepted);
  EXPECT_EQ(found.totals.certified_accept, totals.certified_accept);
  EXPECT_GT(totals.accepted, 5u);
  EXPECT_GT(totals.undecided, 0u);
}

TEST(CertifyOutliers, every_number_is_that_of_plain_loops) {
  expect_plain_numbers<double>(1e-12);
  expect_plain_numbers<float>(3e-6);
}

TEST(CertifyOutliers, given_thresholds_and_pools_are_used) {
  Example<double> example;
  example.options.pool = 1000.0;
  CertifyProblem<double> problem = example.problem();
  const std::vector<double> thresholds = {1.25};
  problem.thresholds = thresholds;
  problem.calibration = {};
  const Certificate found = certify_outliers(problem, example.options);
  EXPECT_EQ(found.pool, 1000.0);
  EXPECT_EQ(found.classes[0].threshold, 1.25);
  EXPECT_FALSE(found.classes[0].is_conformal);
  for (const auto& one : found.outliers) {
    EXPECT_EQ(one.p_value, 1.0);
    const LogInterval support = combined_interval(
        {one.log_support, one.variance, 300.0}, 0.05 / 1000.0);
    EXPECT_EQ(one.support.high, support.high);
  }
}

TEST(CertifyOutliers, classes_are_certified_as_if_alone) {
  const Example<double> example;
  const auto labels_of = [](std::size_t n) {
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < n; ++i) labels.push_back(i % 3 == 0 ? -4 : 11);
    return labels;
  };
  const auto rows_of = [](const std::vector<std::int64_t>& labels,
                          std::int64_t label) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == label) rows.push_back(i);
    }
    return rows;
  };
  const auto reference = labels_of(300);
  const auto calibration = labels_of(120);
  const auto outliers = labels_of(40);
  CertifyProblem<double> problem = example.problem();
  problem.reference_labels = reference;
  problem.calibration_labels = calibration;
  problem.outlier_labels = outliers;
  const Certificate all = certify_outliers(problem, example.options);
  ASSERT_EQ(all.classes.size(), 2u);
  for (std::size_t c = 0; c < 2; ++c) {
    const std::int64_t label = c == 0 ? -4 : 11;
    EXPECT_EQ(all.classes[c].label, label);
    const auto rows = rows_of(outliers, label);
    const auto part = [&](const Matrix<double>& points,
                          const std::vector<std::int64_t>& labels) {
      return oracle::gather<double>(points.view(), rows_of(labels, label));
    };
    const auto ref = part(example.reference, reference);
    const auto cal = part(example.calibration, calibration);
    const auto out = part(example.outliers, outliers);
    CertifyProblem<double> alone;
    alone.reference = ref.view();
    alone.calibration = cal.view();
    alone.outliers = out.view();
    CertifyOptions options = example.options;
    options.pool = 40.0;
    const Certificate single = certify_outliers(alone, options);
    EXPECT_NEAR(single.classes[0].threshold, all.classes[c].threshold, 1e-12);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(all.outliers[rows[i]].cls, c);
      EXPECT_NEAR(all.outliers[rows[i]].energy, single.outliers[i].energy,
                  1e-12);
      EXPECT_EQ(all.outliers[rows[i]].label, single.outliers[i].label);
      EXPECT_EQ(all.outliers[rows[i]].p_value, single.outliers[i].p_value);
    }
  }
}

TEST(CertifyOutliers, weights_are_a_heuristic_and_flagged) {
  const Example<double> example;
  CertifyProblem<double> problem = example.problem();
  std::vector<double> weights(300, 2.0);
  for (std::size_t i = 0; i < 100; ++i) weights[i] = 0.0;
  problem.weights = weights;
  const Certificate equal = certify_outliers(problem, example.options);
  EXPECT_TRUE(equal.is_certified);  // 200 equal points and 100 absent ones
  EXPECT_EQ(equal.classes[0].reference_count, 200u);
  EXPECT_EQ(equal.classes[0].effective_count, 200.0);
  weights[250] = 20.0;
  const Certificate weighted = certify_outliers(problem, example.options);
  EXPECT_FALSE(weighted.is_certified);
  EXPECT_THAT(weighted.caveat, testing::HasSubstr("weighted"));
  EXPECT_NEAR(weighted.classes[0].effective_count,
              209.0 * 209.0 / (199.0 + 100.0), 1e-9);
}

TEST(CertifyOutliers, dependence_is_flagged) {
  Example<double> example;
  example.options.is_independent = false;
  const Certificate found =
      certify_outliers(example.problem(), example.options);
  EXPECT_FALSE(found.is_certified);
  EXPECT_THAT(found.caveat, testing::HasSubstr("the reference itself"));
}

TEST(CertifyOutliers, no_more_labels_are_wrong_than_delta_allows) {
  // Gaussian population: K(v) = (1 + 2/eps)^(-m/2) exp(-|v|^2 / (eps + 2)).
  const double epsilon = 1.0;
  const double tau = 2.0;
  const double delta = 0.2;
  const int banks = 150;
  int wrong = 0;    // banks with a wrong label
  int outside = 0;  // banks with an interval that misses its energy
  std::size_t decided = 0;
  const auto candidates = oracle::normal_matrix<double>(64, 2, 77, 1.6);
  const std::vector<double> thresholds = {tau};
  for (int b = 0; b < banks; ++b) {
    const auto reference = oracle::normal_matrix<double>(
        256, 2, 1000 + static_cast<std::uint64_t>(b));
    CertifyProblem<double> problem;
    problem.reference = reference.view();
    problem.outliers = candidates.view();
    problem.thresholds = thresholds;
    CertifyOptions options;
    options.energy = {GroundCost::kSquaredEuclidean, epsilon, {}};
    options.delta = delta;
    const Certificate found = certify_outliers(problem, options);
    bool is_wrong = false;
    bool is_outside = false;
    for (std::size_t i = 0; i < 64; ++i) {
      const auto v = candidates.row(i);
      const double truth =
          epsilon * std::log(1 + 2 / epsilon) +
          epsilon * (v[0] * v[0] + v[1] * v[1]) / (epsilon + 2);
      const OutlierCertificate& one = found.outliers[i];
      is_outside =
          is_outside || truth < one.energies.low || truth > one.energies.high;
      if (one.label == DecisionLabel::kUndecided) continue;
      ++decided;
      const bool accepts = one.label == DecisionLabel::kCertifiedAccept;
      is_wrong = is_wrong || accepts != (truth >= tau);
    }
    wrong += is_wrong ? 1 : 0;
    outside += is_outside ? 1 : 0;
  }
  EXPECT_LE(wrong, testing_support::most_violations(banks, delta));
  EXPECT_LE(outside, testing_support::most_violations(banks, delta));
  EXPECT_GT(decided, 20u * banks);
}

TEST(CertifyOutliers, the_estimate_of_more_points_is_about_right) {
  // What 500 points say 2,000 would certify, against what 2,000 do.
  const auto outliers = oracle::normal_matrix<double>(200, 3, 5, 1.7);
  const auto calibration = oracle::normal_matrix<double>(1000, 3, 6);
  const auto certify = [&](std::size_t n) {
    const auto reference = oracle::normal_matrix<double>(n, 3, 7);
    CertifyProblem<double> problem;
    problem.reference = reference.view();
    problem.calibration = calibration.view();
    problem.outliers = outliers.view();
    CertifyOptions options;
    options.energy = {GroundCost::kSquaredEuclidean, 1.5, {}};
    return certify_outliers(problem, options);
  };
  const Certificate small = certify(500);
  const Certificate large = certify(2000);
  EXPECT_GT(large.totals.certified_share, small.totals.certified_share + 0.1);
  EXPECT_NEAR(certified_share_at(small, 4.0), large.totals.certified_share,
              0.15);
}

TEST(CertifyOutliers, threads_change_no_bit) {
  const Example<float> example;
  const auto run = [&](const Context& context) {
    const Certificate found =
        certify_outliers(example.problem(), example.options, context);
    std::vector<double> all;
    for (const OutlierCertificate& one : found.outliers) {
      for (const double x :
           {one.energy, one.variance, one.support.low, one.support.high,
            one.energies.low, one.energies.high, one.p_value,
            one.required_count}) {
        all.push_back(x);
      }
    }
    return bits_of(all);
  };
  const auto expected = run({});
  for (const std::size_t threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(run({&pool, nullptr}), expected);
  }
}

TEST(CertifyOutliers, progress_runs_once_and_a_cancel_is_heard) {
  const Example<double> example;
  Watch watch;
  const Certificate found =
      certify_outliers(example.problem(), example.options, {nullptr, &watch});
  EXPECT_EQ(found.status, SolveStatus::kDone);
  EXPECT_TRUE(watch.is_in_range);
  EXPECT_EQ(watch.last_total, 300u * (120u + 80u));
  EXPECT_EQ(watch.last_done, watch.last_total);
  CancelAtOnce cancel;
  EXPECT_EQ(
      certify_outliers(example.problem(), example.options, {nullptr, &cancel})
          .status,
      SolveStatus::kCancelled);
}

TEST(CertifyOutliers, a_point_on_an_atom_and_one_far_away_are_fine) {
  Example<double> example;
  example.options.energy.epsilon = 3.0;
  Matrix<double> outliers(2, 3);
  std::copy_n(example.reference.row(0).data(), 3, outliers.row(0).data());
  for (double& x : outliers.row(1)) x = 1e4;
  CertifyProblem<double> problem = example.problem();
  problem.outliers = outliers.view();
  const Certificate found = certify_outliers(problem, example.options);
  EXPECT_EQ(found.outliers[1].log_support, -found.outliers[1].energy / 3.0);
  EXPECT_LT(found.outliers[1].log_support, -1e6);
  EXPECT_EQ(found.outliers[1].label, DecisionLabel::kCertifiedAccept);
  EXPECT_NEAR(found.outliers[1].energies.low, found.classes[0].ceiling, 1e-3);
  EXPECT_EQ(found.outliers[1].p_value, 1.0 / 121.0);
  EXPECT_NE(found.outliers[0].label, DecisionLabel::kCertifiedAccept);
}

TEST(CertifyOutliers, one_reference_point_is_enough_to_say_little) {
  Example<double> example;
  CertifyProblem<double> problem = example.problem();
  problem.reference = example.reference.view().subrows(0, 1);
  const Certificate found = certify_outliers(problem, example.options);
  for (const OutlierCertificate& one : found.outliers) {
    EXPECT_NE(one.label, DecisionLabel::kCertifiedAccept);
    EXPECT_EQ(one.variance, 0.0);
  }
}

TEST(CertifyOutliers, too_few_calibration_points_give_no_threshold) {
  Example<double> example;
  CertifyProblem<double> problem = example.problem();
  problem.calibration = example.calibration.view().subrows(0, 5);
  const Certificate found = certify_outliers(problem, example.options);
  EXPECT_EQ(found.classes[0].threshold, kInfinity);
  EXPECT_EQ(found.totals.accepted, 0u);
  EXPECT_EQ(found.totals.certified_accept, 0u);
  EXPECT_THAT(plain_sentences(found),
              testing::Contains("The threshold is infinite: a level of 95 % "
                                "needs at least 19 calibration points."));
}

TEST(CertifyOutliers, bad_options_are_refused_in_a_sentence) {
  const auto refused = [](auto change) {
    Example<double> example;
    change(example.options);
    return invalid_argument_of([&] {
      static_cast<void>(certify_outliers(example.problem(), example.options));
    });
  };
  for (const double bad : {0.0, 1.0, -0.5, kNan}) {
    EXPECT_THAT(refused([&](CertifyOptions& o) { o.delta = bad; }),
                testing::StartsWith("delta: a probability strictly between 0 "
                                    "and 1 is expected, got "));
    EXPECT_THAT(refused([&](CertifyOptions& o) { o.level = bad; }),
                testing::StartsWith("level: "));
  }
  refused([](CertifyOptions& o) { o.energy.epsilon = 0.0; });
  refused([](CertifyOptions& o) { o.margin = -1.0; });
  refused([](CertifyOptions& o) { o.margin = kInfinity; });
  refused([](CertifyOptions& o) { o.pool = 0.5; });
  refused([](CertifyOptions& o) { o.pool = kNan; });
}

TEST(CertifyOutliers, bad_problems_are_refused_in_a_sentence) {
  const Example<double> example;
  const Matrix<double> other = oracle::normal_matrix<double>(9, 4, 3);
  const auto refused = [&](auto change) {
    CertifyProblem<double> problem = example.problem();
    change(problem);
    return invalid_argument_of(
        [&] { static_cast<void>(certify_outliers(problem, example.options)); });
  };
  using Problem = CertifyProblem<double>;
  EXPECT_EQ(refused([](Problem& p) { p.outliers = {}; }),
            "certify: at least one outlier is expected");
  EXPECT_EQ(refused([](Problem& p) { p.reference = {}; }),
            "certify: at least one reference point is expected");
  EXPECT_EQ(refused([&](Problem& p) { p.outliers = other.view(); }),
            "outliers: dimension 3 of the reference is expected, got 4");
  EXPECT_EQ(refused([&](Problem& p) { p.calibration = other.view(); }),
            "calibration: dimension 3 of the reference is expected, got 4");
  EXPECT_EQ(refused([](Problem& p) { p.calibration = {}; }),
            "calibration: at least one point or a threshold is expected");
  const std::vector<std::int64_t> few(3, 0);
  EXPECT_THAT(refused([&](Problem& p) { p.outlier_labels = few; }),
              testing::StartsWith("labels: "));
  const std::vector<std::int64_t> ref(300, 0);
  const std::vector<std::int64_t> cal(120, 0);
  const std::vector<std::int64_t> strange(40, 5);
  EXPECT_EQ(refused([&](Problem& p) {
              p.reference_labels = ref;
              p.calibration_labels = cal;
              p.outlier_labels = few;
            }),
            "outlier labels: one per row is expected (40), got 3");
  EXPECT_EQ(refused([&](Problem& p) {
              p.reference_labels = ref;
              p.calibration_labels = cal;
              p.outlier_labels = strange;
            }),
            "certify: at least one reference point of class 5 is expected");
  const std::vector<double> two = {1.0, 2.0};
  const std::vector<double> broken = {kNan};
  EXPECT_EQ(refused([&](Problem& p) { p.thresholds = two; }),
            "thresholds: one per class of the outliers is expected");
  EXPECT_EQ(refused([&](Problem& p) { p.thresholds = broken; }),
            "thresholds: numbers are expected");
  Matrix<double> infinite = example.outliers.clone();
  infinite(3, 1) = kInfinity;
  refused([&](Problem& p) { p.outliers = infinite.view(); });
}

}  // namespace certify_outliers_test
}  // namespace sbog
