// SPDX-License-Identifier: Apache-2.0
#include "sbog/report/report_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"
#include "sbog/base/thread_pool.h"
#include "sbog/report/report_page.h"

namespace sbog {
namespace report_points_test {

// Points with the lists that belong to them.
struct Example {
  Matrix<float> bank;
  std::vector<double> energies;
  std::vector<std::size_t> classes;
  Matrix<float> outliers;
  std::vector<ReportOutlier> facts;
  std::vector<ReportAnchor> anchors;

  ReportPointProblem<float> problem() const {
    ReportPointProblem<float> p;
    p.bank = bank.view();
    p.bank_energies = energies;
    p.bank_classes = classes;
    p.outliers = outliers.view();
    p.outlier_facts = facts;
    p.anchors = anchors;
    return p;
  }
};

Example example(std::size_t rows, std::size_t outliers, std::size_t dim = 3) {
  Example e;
  e.bank = Matrix<float>(rows, dim);
  for (std::size_t i = 0; i < rows; ++i) {
    PhiloxStream(1, 0, 0, i).normals(0, e.bank.row(i));
    e.energies.push_back(0.001 * static_cast<double>(i % 97));
    e.classes.push_back(i % 2);
  }
  e.outliers = Matrix<float>(outliers, dim);
  for (std::size_t i = 0; i < outliers; ++i) {
    PhiloxStream(2, 0, 0, i).normals(0, e.outliers.row(i));
    ReportOutlier o;
    o.index = i;
    o.energy = 0.2;
    o.anchor_row = (7 * i) % rows;
    o.cls = *o.anchor_row % 2;
    e.facts.push_back(o);
  }
  return e;
}

TEST(ReportPoints, a_small_run_is_shown_whole) {
  Example e = example(80, 10);
  e.anchors = {{0, 4, 1}, {3, 5, 0}, {7, 2, 1}};
  ReportData data;
  ASSERT_EQ(fill_report_points(e.problem(), {}, data), SolveStatus::kDone);
  EXPECT_EQ(data.bank.total, 80u);
  EXPECT_EQ(data.bank.row.size(), 80u);
  EXPECT_EQ(data.outliers.facts.size(), 10u);
  EXPECT_EQ(data.anchors.total, 11u);  // ten of outliers, row 3 besides
  for (std::size_t i = 0; i < 10; ++i) {
    const auto at = static_cast<std::size_t>(data.outliers.anchor[i]);
    EXPECT_EQ(data.anchors.row[at], *e.facts[i].anchor_row);
    EXPECT_EQ(at, i);  // anchors of outliers come first
  }
  EXPECT_EQ(data.anchors.row.back(), 3u);
  EXPECT_EQ(data.anchors.draws.back(), 5u);
  EXPECT_EQ(data.anchors.draws[0], 4u);
  EXPECT_EQ(data.anchors.successes[2], 1u);  // row 14 has no tally
  EXPECT_TRUE(data.notes.empty());
  ASSERT_TRUE(data.map.features);
  EXPECT_EQ(data.map.features->values.size(), 3 * (80u + 11u + 10u));
}

TEST(ReportPoints, the_cost_to_the_bank_is_that_of_the_plain_loop) {
  const Example e = example(60, 12);
  ReportData data;
  ASSERT_EQ(fill_report_points(e.problem(), {}, data), SolveStatus::kDone);
  for (std::size_t i = 0; i < 12; ++i) {
    double least = 2.0;
    for (std::size_t b = 0; b < 60; ++b) {
      double product = 0.0, first = 0.0, second = 0.0;
      for (std::size_t j = 0; j < 3; ++j) {
        const double x = e.outliers(i, j);
        const double y = e.bank(b, j);
        product += x * y;
        first += x * x;
        second += y * y;
      }
      least = std::min(least, 1.0 - product / std::sqrt(first * second));
    }
    EXPECT_NEAR(*data.outliers.nearest[i], least, 1e-6);
  }
}

TEST(ReportPoints, a_bank_of_100000_points_is_sampled_the_same_every_time) {
  const Example e = example(100000, 1500);
  ReportData data;
  ASSERT_EQ(fill_report_points(e.problem(), {5000, 9, 1000}, data),
            SolveStatus::kDone);
  EXPECT_EQ(data.bank.total, 100000u);
  EXPECT_EQ(data.bank.row.size(), 5000u);
  EXPECT_EQ(data.outliers.total, 1500u);
  EXPECT_EQ(data.outliers.facts.size(), 1000u);
  EXPECT_EQ(data.anchors.row.size(), 1000u);
  EXPECT_EQ(data.anchors.total, 1500u);
  const std::set<std::size_t> rows(data.bank.row.begin(), data.bank.row.end());
  EXPECT_EQ(rows.size(), 5000u);
  EXPECT_GT(*rows.rbegin(), 90000u);  // from everywhere
  EXPECT_LT(*rows.begin(), 10000u);
  const std::size_t features = data.map.features->bank.size() +
                               data.map.features->anchors.size() +
                               data.map.features->outliers.size();
  EXPECT_EQ(features, 2000u);
  ThreadPool pool(3);
  ReportData again;
  ASSERT_EQ(
      fill_report_points(e.problem(), {5000, 9, 1000}, again, {&pool, nullptr}),
      SolveStatus::kDone);
  EXPECT_EQ(report_json(again), report_json(data));
  ReportData other;
  ASSERT_EQ(fill_report_points(e.problem(), {300, 10, 1000}, other),
            SolveStatus::kDone);
  EXPECT_EQ(other.bank.row.size(), 300u);
}

TEST(ReportPoints, points_without_a_finite_energy_are_left_out_and_counted) {
  Example e = example(50, 4);
  e.energies[3] = std::numeric_limits<double>::infinity();
  e.facts[2].energy = std::numeric_limits<double>::infinity();
  e.facts[1].anchor_row = 3;
  ReportData data;
  ASSERT_EQ(fill_report_points(e.problem(), {}, data), SolveStatus::kDone);
  EXPECT_EQ(data.bank.row.size(), 49u);
  EXPECT_EQ(data.outliers.facts.size(), 3u);
  EXPECT_EQ(data.outliers.anchor[1], -1);
  ASSERT_EQ(data.notes.size(), 1u);
  EXPECT_TRUE(data.notes[0].starts_with("2 points"));
}

TEST(ReportPoints, a_run_without_outliers_has_a_map_too) {
  Example e = example(12, 0);
  e.anchors = {{5, 3, 0}};
  ReportData data;
  ASSERT_EQ(fill_report_points(e.problem(), {}, data), SolveStatus::kDone);
  EXPECT_EQ(data.bank.x.size(), 12u);
  EXPECT_EQ(data.anchors.row, std::vector<std::size_t>{5});
  EXPECT_TRUE(data.outliers.facts.empty());
  EXPECT_FALSE(data.map.features);  // too few for UMAP
}

TEST(ReportPoints, one_dimension_has_a_flat_map) {
  const Example e = example(30, 3, 1);
  ReportData data;
  ASSERT_EQ(fill_report_points(e.problem(), {}, data), SolveStatus::kDone);
  EXPECT_EQ(data.map.explained.second, 0.0);
  EXPECT_EQ(data.bank.y, std::vector<double>(30, 0.0));
}

TEST(ReportPoints, wide_points_take_their_axes_from_some_rows) {
  const Example e = example(90, 3, 40);
  ReportData data;
  ReportData whole;
  ASSERT_EQ(fill_report_points(e.problem(), {5000, 0, 30}, data),
            SolveStatus::kDone);
  ASSERT_EQ(fill_report_points(e.problem(), {}, whole), SolveStatus::kDone);
  // Fewer rows vary in fewer directions.
  EXPECT_GT(data.map.explained.first, whole.map.explained.first);
  EXPECT_EQ(data.map.features->dimension, 16u);
}

TEST(ReportPoints, lists_that_do_not_fit_are_refused) {
  const auto refuse = [](const auto& change) {
    Example e = example(20, 2);
    change(e);
    ReportData data;
    EXPECT_THROW(static_cast<void>(fill_report_points(e.problem(), {}, data)),
                 InvalidArgument);
  };
  refuse([](Example& e) { e.energies.pop_back(); });
  refuse([](Example& e) { e.classes.pop_back(); });
  refuse([](Example& e) { e.facts.pop_back(); });
  refuse([](Example& e) { e.anchors = {{20, 1, 1}}; });
  refuse([](Example& e) { e.facts[0].anchor_row = 20; });
  refuse([](Example& e) { e.bank = Matrix<float>(0, 3); });
  refuse([](Example& e) {
    std::fill(e.energies.begin(), e.energies.end(), std::nan(""));
  });
}

}  // namespace report_points_test
}  // namespace sbog
