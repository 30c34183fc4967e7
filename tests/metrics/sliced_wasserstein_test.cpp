// SPDX-License-Identifier: Apache-2.0
// Sliced Wasserstein distance against golden values, a fine grid of quantiles
// and closed forms.
#include "sbog/metrics/sliced_wasserstein.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "metrics/support.h"
#include "oracle/golden.h"

namespace sbog::testing_support {
namespace sliced_wasserstein_test {

// Both samples repeated to the same length n m and matched in order.
double plain_w2_squared(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const std::size_t count = a.size() * b.size();
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = a[i / b.size()] - b[i / a.size()];
    sum += difference * difference;
  }
  return sum / static_cast<double>(count);
}

std::vector<double> plain_projection(const Matrix<double>& points,
                                     std::span<const double> direction) {
  std::vector<double> out;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    out.push_back(plain_dot(points.row(i), direction));
  }
  return out;
}

double sw2(const Matrix<double>& a, const Matrix<double>& b,
           std::size_t directions = 50, std::uint64_t seed = 0) {
  return sliced_wasserstein(seen(a), seen(b), {directions, seed}).value;
}

TEST(SlicedWasserstein, golden_values) {
  const Matrix<double> v = golden::to_matrix(golden::entry("/metrics/mmd/v"));
  const Matrix<double> z = golden::to_matrix(golden::entry("/metrics/mmd/z"));
  const nlohmann::json entry = golden::entry("/metrics/sw2");
  const Matrix<double> directions = golden::to_matrix(entry["directions"]);
  const SlicedWassersteinResult found =
      sliced_wasserstein(seen(v), seen(z), seen(directions));
  EXPECT_NEAR(found.value, golden::to_double(entry["sw2"]), 1e-12);
  const std::vector<double> squared = golden::to_vector(entry["w2_squared"]);
  ASSERT_EQ(found.squared.size(), squared.size());
  for (std::size_t i = 0; i < squared.size(); ++i) {
    EXPECT_NEAR(found.squared[i], squared[i], 1e-12) << i;
  }
}

RC_GTEST_PROP(SlicedWasserstein, merge_agrees_with_repeated_samples, ()) {
  const auto values = rc::gen::suchThat(
      rc::gen::container<std::vector<double>>(rc::gen::map(
          rc::gen::inRange(-20, 21), [](int x) { return 0.1 * x; })),
      [](const auto& list) { return !list.empty(); });
  std::vector<double> a = *values;
  std::vector<double> b = *values;
  const double expected = plain_w2_squared(a, b);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  RC_ASSERT(std::abs(wasserstein2_squared(a, b) - expected) < 1e-12);
  RC_ASSERT(std::abs(wasserstein2_squared(b, a) - expected) < 1e-12);
  RC_ASSERT(wasserstein2_squared(a, a) == 0.0);
}

TEST(SlicedWasserstein, agrees_with_the_plain_loops) {
  // Around the eight directions that are taken at a time.
  for (const std::size_t count : {1, 7, 8, 9, 20}) {
    const Matrix<double> a = random_points(13, 5, 1);
    const Matrix<double> b = random_points(31, 5, 2);
    const Matrix<double> directions = draw_directions(count, 5, 4);
    const SlicedWassersteinResult found =
        sliced_wasserstein(seen(a), seen(b), seen(directions));
    ASSERT_EQ(found.squared.size(), count);
    double sum = 0.0;
    for (std::size_t l = 0; l < count; ++l) {
      const double expected =
          plain_w2_squared(plain_projection(a, directions.row(l)),
                           plain_projection(b, directions.row(l)));
      EXPECT_NEAR(found.squared[l], expected, 1e-12);
      sum += expected;
    }
    EXPECT_NEAR(found.value, std::sqrt(sum / static_cast<double>(count)),
                1e-12);
  }
}

TEST(SlicedWasserstein, more_than_a_million_points_are_projected_alone) {
  // Two values only, so that the closed form is exact.
  Matrix<double> large((std::size_t{1} << 20) + 2, 1);
  for (std::size_t i = 0; i < large.rows(); i += 2) large(i, 0) = 1.0;
  Matrix<double> origin(1, 1);
  Matrix<double> direction(2, 1);
  direction(0, 0) = 1.0;
  direction(1, 0) = -2.0;
  const SlicedWassersteinResult found =
      sliced_wasserstein(seen(large), seen(origin), seen(direction));
  EXPECT_NEAR(found.squared[0], 0.5, 1e-12);
  EXPECT_NEAR(found.squared[1], 2.0, 1e-12);
}

TEST(SlicedWasserstein, equal_sets_are_at_distance_zero) {
  const Matrix<double> a = random_points(40, 6, 1);
  const Matrix<double> same = reversed(a);
  EXPECT_EQ(sw2(a, same), 0.0);
}

TEST(SlicedWasserstein, repeated_points_change_nothing) {
  const Matrix<double> a = random_points(10, 3, 1);
  const Matrix<double> b = random_points(7, 3, 2);
  Matrix<double> thrice(30, 3);
  for (std::size_t i = 0; i < 30; ++i) {
    std::copy_n(a.row(i % 10).data(), 3, thrice.row(i).data());
  }
  EXPECT_EQ(sw2(a, thrice), 0.0);
  EXPECT_NEAR(sw2(thrice, b), sw2(a, b), 1e-12);
}

TEST(SlicedWasserstein, a_shift_is_the_mean_of_its_projections) {
  const Matrix<double> a = random_points(50, 4, 1);
  Matrix<double> shifted = a.clone();
  const std::vector<double> shift = {0.5, -1.0, 2.0, 0.25};
  for (std::size_t i = 0; i < shifted.rows(); ++i) {
    for (std::size_t k = 0; k < 4; ++k) shifted(i, k) += shift[k];
  }
  const Matrix<double> directions = draw_directions(100, 4, 3);
  double sum = 0.0;
  for (std::size_t l = 0; l < 100; ++l) {
    sum += std::pow(plain_dot(shift, directions.row(l)), 2);
  }
  EXPECT_NEAR(
      sliced_wasserstein(seen(a), seen(shifted), seen(directions)).value,
      std::sqrt(sum / 100.0), 1e-12);
}

TEST(SlicedWasserstein, a_shift_is_its_length_over_the_root_of_the_dimension) {
  // In the mean over the sphere <u, s>^2 is |s|^2 / dim.
  const Matrix<double> a = random_points(5, 4, 1);
  Matrix<double> shifted = a.clone();
  for (std::size_t i = 0; i < shifted.rows(); ++i) shifted(i, 2) += 3.0;
  EXPECT_NEAR(sw2(a, shifted, 20000), 1.5, 0.02);
}

TEST(SlicedWasserstein, scaling_scales_and_exchange_changes_nothing) {
  const Matrix<double> a = random_points(20, 3, 1);
  const Matrix<double> b = random_points(33, 3, 2);
  const double value = sw2(a, b);
  EXPECT_NEAR(sw2(b, a), value, 1e-12);
  Matrix<double> sa = a.clone();
  Matrix<double> sb = b.clone();
  for (double& x : sa.elements()) x *= 4.0;
  for (double& x : sb.elements()) x *= 4.0;
  EXPECT_NEAR(sw2(sa, sb), 4.0 * value, 1e-12);
}

TEST(SlicedWasserstein, rotating_points_and_directions_changes_nothing) {
  const Matrix<double> a = random_points(20, 3, 1);
  const Matrix<double> b = random_points(15, 3, 2);
  const Matrix<double> directions = draw_directions(9, 3, 1);
  const std::vector<double> normal = {2.0, -1.0, 0.5};
  const Matrix<double> ra = reflected(a, normal);
  const Matrix<double> rb = reflected(b, normal);
  const Matrix<double> rd = reflected(directions, normal);
  EXPECT_NEAR(sliced_wasserstein(seen(ra), seen(rb), seen(rd)).value,
              sliced_wasserstein(seen(a), seen(b), seen(directions)).value,
              1e-12);
}

TEST(Directions, are_unit_vectors_keyed_by_the_seed) {
  const Matrix<double> all = draw_directions(30, 7, 5);
  const Matrix<double> few = draw_directions(10, 7, 5);
  const Matrix<double> other = draw_directions(10, 7, 6);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_NEAR(plain_dot(all.row(i), all.row(i)), 1.0, 1e-14);
  }
  for (std::size_t i = 0; i < 70; ++i) {
    EXPECT_EQ(few.elements()[i], all.elements()[i]);
    EXPECT_NE(few.elements()[i], other.elements()[i]);
  }
  EXPECT_EQ(std::abs(draw_directions(1, 1, 0)(0, 0)), 1.0);
}

TEST(Directions, point_everywhere_alike) {
  const std::size_t count = 20000;
  const Matrix<double> all = draw_directions(count, 3, 1);
  for (std::size_t k = 0; k < 3; ++k) {
    double mean = 0.0;
    double square = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      mean += all(i, k) / static_cast<double>(count);
      square += all(i, k) * all(i, k) / static_cast<double>(count);
    }
    EXPECT_NEAR(mean, 0.0, 0.02);
    EXPECT_NEAR(square, 1.0 / 3.0, 0.02);
  }
}

TEST(SlicedWasserstein, threads_do_not_change_a_bit) {
  const Matrix<float> a = random_points<float>(300, 10, 1);
  const Matrix<float> b = random_points<float>(777, 10, 2);
  expect_same_bits([&](const Context& context) {
    SlicedWassersteinResult found =
        sliced_wasserstein(seen(a), seen(b), {101, 3}, context);
    found.squared.push_back(found.value);
    return found.squared;
  });
}

TEST(SlicedWasserstein, can_be_cancelled) {
  const Matrix<double> a = random_points(10, 3, 1);
  CancelAtOnce cancel;
  const Context context{nullptr, &cancel};
  EXPECT_EQ(sliced_wasserstein(seen(a), seen(a), {100, 0}, context).status,
            SolveStatus::kCancelled);
}

TEST(SlicedWasserstein, bad_input_is_named) {
  const Matrix<double> a = random_points(3, 2, 1);
  const Matrix<double> wide = random_points(3, 4, 1);
  const MatrixView<const double> none;
  EXPECT_THAT(invalid_argument_of([&] { sw2(a, wide); }),
              ::testing::HasSubstr("second sample: points of dimension 2"));
  EXPECT_THAT(invalid_argument_of([&] { sw2(a, a, 0); }),
              ::testing::HasSubstr("directions"));
  EXPECT_THAT(invalid_argument_of([&] { sliced_wasserstein(none, seen(a)); }),
              ::testing::HasSubstr("at least one dimension"));
  EXPECT_THAT(invalid_argument_of([&] { sliced_wasserstein(seen(a), none); }),
              ::testing::HasSubstr("second sample"));
  EXPECT_THAT(invalid_argument_of(
                  [&] { sliced_wasserstein(seen(a), seen(a), seen(wide)); }),
              ::testing::HasSubstr("directions: points of dimension 2"));
  EXPECT_THAT(invalid_argument_of([] { wasserstein2_squared({}, {}); }),
              ::testing::HasSubstr("at least one value"));
}

}  // namespace sliced_wasserstein_test
}  // namespace sbog::testing_support
