// SPDX-License-Identifier: Apache-2.0
// Class means, anchors and cosines against golden values and double loops.
#include "sbog/metrics/class_similarity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "metrics/support.h"
#include "oracle/golden.h"

namespace sbog::testing_support {
namespace class_similarity_test {

using Labels = std::vector<std::int64_t>;

TEST(ClassSimilarity, golden_values) {
  const nlohmann::json entry = golden::entry("/metrics/class_metrics");
  const Matrix<double> v = golden::to_matrix(entry["v"]);
  const Matrix<double> prototypes = golden::to_matrix(entry["prototypes"]);
  const auto sources = entry["source_class"].get<Labels>();
  const ClassSimilarity found =
      class_similarity(seen(v), sources, class_anchors(seen(prototypes)));
  EXPECT_NEAR(found.mean_cosine, golden::to_double(entry["fidelity_cosine"]),
              1e-12);
  EXPECT_NEAR(found.contamination,
              golden::to_double(entry["contamination_proto"]), 1e-12);
  EXPECT_NEAR(found.margin.value(), golden::to_double(entry["margin"]), 1e-12);
  const std::vector<double> each = golden::to_vector(entry["margin_each"]);
  ASSERT_EQ(found.margins.size(), each.size());
  for (std::size_t i = 0; i < each.size(); ++i) {
    EXPECT_NEAR(found.margins[i], each[i], 1e-12) << i;
  }
}

RC_GTEST_PROP(ClassSimilarity, agrees_with_the_double_loops, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  const auto rows = *rc::gen::inRange<std::size_t>(1, 30);
  const auto dim = *rc::gen::inRange<std::size_t>(2, 9);
  const auto classes = *rc::gen::inRange<std::int64_t>(2, 6);
  const Matrix<double> v = random_points(rows, dim, seed);
  const Matrix<double> t =
      random_points(static_cast<std::size_t>(classes), dim, seed + 1);
  const Labels sources = cyclic_labels(rows, classes);
  double cosine = 0.0;
  double margin = 0.0;
  double contaminated = 0.0;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto own = static_cast<std::size_t>(sources[i]);
    double best_other = -2.0;
    std::size_t argmax = 0;
    for (std::size_t c = 0; c < t.rows(); ++c) {
      const double here = plain_cosine(v.row(i), t.row(c));
      if (c != own) best_other = std::max(best_other, here);
      if (here > plain_cosine(v.row(i), t.row(argmax))) argmax = c;
    }
    cosine += plain_cosine(v.row(i), t.row(own));
    margin += plain_cosine(v.row(i), t.row(own)) - best_other;
    if (argmax != own) contaminated += 1.0;
  }
  const auto count = static_cast<double>(rows);
  const ClassSimilarity found =
      class_similarity(seen(v), sources, class_anchors(seen(t)));
  RC_ASSERT(std::abs(found.mean_cosine - cosine / count) < 1e-12);
  RC_ASSERT(std::abs(found.margin.value() - margin / count) < 1e-12);
  RC_ASSERT(std::abs(found.contamination - contaminated / count) < 1e-12);
}

TEST(ClassSimilarity, of_equal_cosines_the_first_row_wins) {
  Matrix<double> anchors(2, 2);
  anchors(0, 0) = anchors(1, 0) = 1.0;  // the same direction twice
  Matrix<double> v(2, 2);
  v(0, 0) = v(1, 0) = 1.0;
  const Labels sources = {0, 1};
  const ClassSimilarity found =
      class_similarity(seen(v), sources, class_anchors(seen(anchors)));
  EXPECT_EQ(found.contamination, 0.5);  // only the second is taken for class 0
  EXPECT_EQ(found.margin, 0.0);
}

TEST(ClassSimilarity, one_class_has_no_margin) {
  const Matrix<double> anchors = random_points(1, 3, 1);
  const Matrix<double> v = random_points(5, 3, 2);
  const Labels sources(5, 0);
  const ClassSimilarity found =
      class_similarity(seen(v), sources, class_anchors(seen(anchors)));
  EXPECT_EQ(found.margin, std::nullopt);
  EXPECT_TRUE(found.margins.empty());
  EXPECT_EQ(found.contamination, 0.0);
}

TEST(ClassSimilarity, rotation_and_scale_change_nothing) {
  const Matrix<double> v = random_points(20, 4, 1);
  const Matrix<double> t = random_points(3, 4, 2);
  const Labels sources = cyclic_labels(20, 3);
  const ClassSimilarity plain =
      class_similarity(seen(v), sources, class_anchors(seen(t)));
  const std::vector<double> normal = {1.0, 0.0, -2.0, 0.3};
  Matrix<double> rv = reflected(v, normal);
  Matrix<double> rt = reflected(t, normal);
  for (double& x : rv.elements()) x *= 3.0;
  for (double& x : rt.row(1)) x *= 0.01;
  const ClassSimilarity turned =
      class_similarity(seen(rv), sources, class_anchors(seen(rt)));
  EXPECT_NEAR(turned.mean_cosine, plain.mean_cosine, 1e-12);
  EXPECT_NEAR(turned.margin.value(), plain.margin.value(), 1e-12);
  EXPECT_EQ(turned.contamination, plain.contamination);
}

TEST(ClassSimilarity, classes_of_anchors_may_be_named) {
  const Matrix<double> t = random_points(2, 3, 2);
  const Matrix<double> v = random_points(4, 3, 1);
  const Labels sources = {-7, 40, 40, -7};
  const Labels plain = {1, 0, 0, 1};
  const Labels names = {40, -7};
  EXPECT_EQ(
      class_similarity(seen(v), sources, class_anchors(seen(t), names)).cosines,
      class_similarity(seen(v), plain, class_anchors(seen(t))).cosines);
}

TEST(ClassMeans, are_the_renormalised_means_of_unit_vectors) {
  const Matrix<float> points = random_points<float>(40, 5, 3);
  Labels labels = cyclic_labels(40, 3);
  for (std::int64_t& label : labels) label = 10 - 5 * label;  // 10, 5, 0
  const ClassDirections found = class_prototypes(seen(points), labels).value();
  EXPECT_EQ(found.classes, (Labels{0, 5, 10}));
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<double> sum(5, 0.0);
    for (std::size_t i = 0; i < 40; ++i) {
      if (labels[i] != found.classes[c]) continue;
      const double norm = std::sqrt(plain_dot(points.row(i), points.row(i)));
      for (std::size_t k = 0; k < 5; ++k) sum[k] += points(i, k) / norm;
    }
    EXPECT_NEAR(plain_dot(found.directions.row(c), found.directions.row(c)),
                1.0, 1e-14);
    EXPECT_NEAR(plain_cosine(sum, found.directions.row(c)), 1.0, 1e-14);
  }
}

TEST(ClassMeans, points_that_cancel_leave_no_direction) {
  Matrix<double> points(4, 2);
  points(0, 0) = 1.0;
  points(1, 0) = -3.0;  // the other way, whatever its length
  points(2, 1) = points(3, 1) = 1.0;
  EXPECT_FALSE(class_prototypes(seen(points), Labels{0, 0, 1, 1}).has_value());
  EXPECT_TRUE(class_prototypes(seen(points), Labels{0, 1, 0, 1}).has_value());
}

TEST(ClassSimilarity, threads_do_not_change_a_bit) {
  const Matrix<float> v = random_points<float>(500, 17, 1);
  const Matrix<float> t = random_points<float>(6, 17, 2);
  const Labels sources = cyclic_labels(500, 6);
  expect_same_bits([&](const Context& context) {
    ClassSimilarity found =
        class_similarity(seen(v), sources, class_anchors(seen(t)), context);
    found.margins.push_back(found.mean_cosine);
    found.margins.push_back(found.margin.value());
    found.margins.push_back(found.contamination);
    return found.margins;
  });
}

TEST(ClassSimilarity, bad_input_is_named) {
  const Matrix<double> v = random_points(2, 3, 1);
  const Matrix<double> t = random_points(2, 3, 2);
  const Matrix<double> wide = random_points(2, 4, 2);
  Matrix<double> zero(2, 3);
  const ClassDirections anchors = class_anchors(seen(t));
  EXPECT_THAT(
      invalid_argument_of([&] {
        class_similarity(seen(v), Labels{0, 2}, anchors);
      }),
      ::testing::HasSubstr("row 1 has class 2, which has no direction"));
  EXPECT_THAT(invalid_argument_of(
                  [&] { class_similarity(seen(v), Labels{0}, anchors); }),
              ::testing::HasSubstr("source classes: one per row"));
  EXPECT_THAT(invalid_argument_of([&] {
                class_similarity(seen(wide), Labels{0, 1}, anchors);
              }),
              ::testing::HasSubstr("dimension 3"));
  EXPECT_THAT(invalid_argument_of([&] {
                class_similarity(seen(zero), Labels{0, 1}, anchors);
              }),
              ::testing::HasSubstr("zero vector"));
  EXPECT_THAT(invalid_argument_of([&] { class_anchors(seen(zero)); }),
              ::testing::HasSubstr("anchors: row 0 is a zero vector"));
  EXPECT_THAT(invalid_argument_of([&] {
                class_anchors(seen(t), Labels{4, 4});
              }),
              ::testing::HasSubstr("class 4 is named 2 times"));
  EXPECT_THAT(invalid_argument_of([&] { class_anchors(seen(t), Labels{4}); }),
              ::testing::HasSubstr("anchor classes: one per row"));
  EXPECT_THAT(
      invalid_argument_of([&] { (void)class_prototypes(seen(v), Labels{0}); }),
      ::testing::HasSubstr("labels: one per row"));
}

}  // namespace class_similarity_test
}  // namespace sbog::testing_support
