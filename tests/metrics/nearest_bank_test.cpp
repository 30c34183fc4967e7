// SPDX-License-Identifier: Apache-2.0
// Nearest bank points against golden values and double loops.
#include "sbog/metrics/nearest_bank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "metrics/support.h"
#include "oracle/golden.h"
#include "sbog/energy/score_bank.h"
#include "sbog/metrics/detail/streams.h"

namespace sbog::testing_support {
namespace nearest_bank_test {

using Labels = std::vector<std::int64_t>;

template <typename T>
ReferenceMeasure<T> whole(const Matrix<T>& bank) {
  return {bank.view(), {}, {}};
}

// The plainest search; the first of equal costs wins.
template <typename T>
std::size_t plain_nearest(const Matrix<T>& bank, std::span<const T> point,
                          GroundCost cost,
                          const std::vector<std::size_t>& rows) {
  const std::vector<double> z(point.begin(), point.end());
  std::size_t best = rows[0];
  double best_cost = INFINITY;
  for (const std::size_t row : rows) {
    const std::vector<double> u(bank.row(row).begin(), bank.row(row).end());
    const double here = pair_cost(cost, z, u);
    if (here < best_cost) {
      best_cost = here;
      best = row;
    }
  }
  return best;
}

std::vector<std::size_t> all_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

TEST(NearestBank, golden_values) {
  const nlohmann::json entry = golden::entry("/metrics/class_metrics");
  const Matrix<double> bank = golden::to_matrix(entry["bank"]);
  const Matrix<double> v = golden::to_matrix(entry["v"]);
  const NearestBank found = nearest_bank(whole(bank), seen(v), {});
  EXPECT_EQ(found.rows, golden::to_indices(entry["nn_index"]));
  EXPECT_NEAR(neighbour_fidelity(found.rows, entry["bank_labels"].get<Labels>(),
                                 entry["source_class"].get<Labels>())
                  .value(),
              golden::to_double(entry["fidelity_1nn"]), 1e-12);
}

template <typename T>
void expect_nearest_of_loops() {
  const Matrix<T> bank = random_points<T>(600, 5, 1);
  const Matrix<T> points = random_points<T>(70, 5, 2);
  for (const GroundCost cost :
       {GroundCost::kCosine, GroundCost::kSquaredEuclidean,
        GroundCost::kEuclidean}) {
    EnergyOptions options;
    options.cost = cost;
    const NearestBank found = nearest_bank(whole(bank), seen(points), options);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      const std::size_t row =
          plain_nearest<T>(bank, points.row(i), cost, all_rows(600));
      EXPECT_EQ(found.rows[i], row);
      const std::vector<double> z(points.row(i).begin(), points.row(i).end());
      const std::vector<double> u(bank.row(row).begin(), bank.row(row).end());
      EXPECT_NEAR(found.costs[i], pair_cost(cost, z, u), 1e-14);
    }
  }
}

TEST(NearestBank, agrees_with_the_double_loop_in_double) {
  expect_nearest_of_loops<double>();
}

TEST(NearestBank, agrees_with_the_double_loop_in_float) {
  expect_nearest_of_loops<float>();
}

TEST(NearestBank, of_equal_points_the_smallest_row_wins) {
  Matrix<float> bank = random_points<float>(300, 3, 1);
  for (std::size_t i = 0; i < 300; i += 7) {  // 43 copies of row 3, row 0 too
    std::copy_n(bank.row(3).data(), 3, bank.row(i).data());
  }
  Matrix<float> point(1, 3);
  std::copy_n(bank.row(3).data(), 3, point.row(0).data());
  const NearestBank found = nearest_bank(whole(bank), seen(point), {});
  EXPECT_EQ(found.rows[0], 0u);
  EXPECT_NEAR(found.costs[0], 0.0, 1e-7);
}

TEST(NearestBank, near_ties_of_float_are_decided_in_double) {
  // Costs 5e-13 and 2e-12 are both 0 in the float form of the cosine.
  Matrix<float> bank(3, 2);
  bank(0, 0) = bank(1, 0) = bank(2, 0) = 1.0f;
  bank(0, 1) = 2e-6f;
  bank(1, 1) = 1e-6f;
  bank(2, 1) = -1.0f;
  Matrix<float> point(1, 2);
  point(0, 0) = 1.0f;
  EnergyOptions options;
  options.cost = GroundCost::kCosine;
  const NearestBank found = nearest_bank(whole(bank), seen(point), options);
  EXPECT_EQ(found.rows[0], 1u);
}

TEST(NearestBank, atoms_of_zero_weight_are_absent) {
  const Matrix<double> bank = random_points(5, 2, 1);
  const Matrix<double> points = random_points(9, 2, 2);
  const std::vector<double> weights = {0.0, 0.0, 2.0, 0.0, 0.0};
  const ReferenceMeasure<double> measure{bank.view(), weights, {}};
  EXPECT_EQ(nearest_bank(measure, seen(points), {}).rows,
            std::vector<std::size_t>(9, 2));
}

TEST(NearestBank, threads_do_not_change_a_bit) {
  const Matrix<float> bank = random_points<float>(900, 6, 1);
  const Matrix<float> points = random_points<float>(250, 6, 2);
  expect_same_bits([&](const Context& context) {
    NearestBank found = nearest_bank(whole(bank), seen(points), {}, context);
    for (const std::size_t row : found.rows) {
      found.costs.push_back(static_cast<double>(row));
    }
    return found.costs;
  });
}

TEST(NearestBank, can_be_cancelled) {
  const Matrix<double> bank = random_points(50, 3, 1);
  CancelAtOnce cancel;
  const Context context{nullptr, &cancel};
  EXPECT_EQ(nearest_bank(whole(bank), seen(bank), {}, context).status,
            SolveStatus::kCancelled);
  const Labels labels(50, 0);
  EXPECT_EQ(
      class_purity(whole(bank), labels, seen(bank), labels, {}, {}, context)
          .status,
      SolveStatus::kCancelled);
}

TEST(CostSummary, has_the_four_numbers) {
  const std::vector<double> costs = {4.0, 1.0, 0.5, 2.5};
  const CostSummary found = summarise_costs(costs).value();
  EXPECT_EQ(found.min, 0.5);
  EXPECT_EQ(found.median, 1.75);
  EXPECT_EQ(found.mean, 2.0);
  EXPECT_EQ(found.max, 4.0);
  EXPECT_FALSE(summarise_costs({}).has_value());
}

TEST(NeighbourFidelity, counts_rows_of_the_source_class) {
  const std::vector<std::size_t> rows = {0, 2, 2, 1};
  const Labels labels = {5, 6, 7};
  EXPECT_EQ(neighbour_fidelity(rows, labels, Labels{5, 7, 6, 5}), 0.5);
  EXPECT_EQ(neighbour_fidelity({}, labels, {}), std::nullopt);
}

TEST(ClassPurity, agrees_with_the_double_loop_on_the_drawn_rows) {
  const Matrix<float> bank = random_points<float>(400, 4, 1);
  Labels labels(400, 1);  // a large class and a small one
  for (std::size_t i = 0; i < 400; i += 10) labels[i] = 0;
  const Matrix<float> points = random_points<float>(60, 4, 2);
  const Labels sources = cyclic_labels(60, 2);
  const PurityOptions options{100, 7};
  std::vector<std::size_t> drawn;
  std::map<std::int64_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < 400; ++i) members[labels[i]].push_back(i);
  for (const std::int64_t c : {0, 1}) {
    for (const std::size_t p :
         draw_subset(members[c].size(), 100, 7,
                     detail::kPurityPurpose + static_cast<std::uint32_t>(c))) {
      drawn.push_back(members[c][p]);
    }
  }
  std::sort(drawn.begin(), drawn.end());
  ASSERT_EQ(drawn.size(), 140u);  // all 40 of class 0 and 100 of class 1
  std::map<std::int64_t, double> pure;
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t row =
        plain_nearest<float>(bank, points.row(i), GroundCost::kCosine, drawn);
    if (labels[row] == sources[i]) pure[sources[i]] += 1.0 / 30.0;
  }
  const PurityResult found =
      class_purity(whole(bank), labels, seen(points), sources, {}, options);
  ASSERT_EQ(found.classes.size(), 2u);
  for (const ClassPurity& purity : found.classes) {
    EXPECT_EQ(purity.count, 30u);
    EXPECT_NEAR(purity.value, pure[purity.label], 1e-12) << purity.label;
  }
  EXPECT_NEAR(found.mean, (pure[0] + pure[1]) / 2.0, 1e-12);
}

TEST(ClassPurity, of_bank_points_in_a_small_bank_is_one) {
  const Matrix<double> bank = random_points(90, 3, 1);
  const Labels labels = cyclic_labels(90, 3);
  const PurityResult found =
      class_purity(whole(bank), labels, seen(bank), labels, {});
  EXPECT_EQ(found.mean, 1.0);
  EXPECT_EQ(found.classes.size(), 3u);
}

TEST(ClassPurity, rows_of_zero_weight_are_not_drawn) {
  const Matrix<double> bank = random_points(20, 3, 1);
  const Labels labels = cyclic_labels(20, 2);
  std::vector<double> weights(20, 0.0);
  weights[3] = 1.0;  // class 1 alone is left
  const ReferenceMeasure<double> measure{bank.view(), weights, {}};
  const PurityResult found =
      class_purity(measure, labels, seen(bank), labels, {});
  EXPECT_EQ(found.classes.at(0).value, 0.0);
  EXPECT_EQ(found.classes.at(1).value, 1.0);
}

TEST(NearestBank, bad_input_is_named) {
  const Matrix<double> bank = random_points(4, 3, 1);
  const Matrix<double> wide = random_points(4, 5, 1);
  const Labels labels(4, 0);
  EXPECT_THAT(
      invalid_argument_of([&] { nearest_bank(whole(bank), seen(wide), {}); }),
      ::testing::HasSubstr("dimension 3"));
  EXPECT_THAT(invalid_argument_of([&] {
                (void)neighbour_fidelity(std::vector<std::size_t>{9}, labels,
                                         Labels{0});
              }),
              ::testing::HasSubstr("row 9 has none"));
  EXPECT_THAT(invalid_argument_of([&] {
                (void)neighbour_fidelity(std::vector<std::size_t>{1}, labels,
                                         {});
              }),
              ::testing::HasSubstr("source classes"));
  EXPECT_THAT(invalid_argument_of([&] {
                class_purity(whole(bank), {}, seen(bank), labels, {});
              }),
              ::testing::HasSubstr("labels: one per row is expected (4)"));
  EXPECT_THAT(
      invalid_argument_of([&] {
        class_purity(whole(bank), labels, seen(bank), labels, {}, {0, 0});
      }),
      ::testing::HasSubstr("per class"));
}

}  // namespace nearest_bank_test
}  // namespace sbog::testing_support
