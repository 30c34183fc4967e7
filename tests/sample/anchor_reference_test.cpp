// SPDX-License-Identifier: Apache-2.0
// Local references: the right neighbours, the same whether kept or made anew,
// and never more of them in memory than allowed.
#include "sbog/sample/anchor_reference.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "sample/support.h"
#include "sbog/base/thread_pool.h"

namespace sbog {
namespace anchor_reference_test {

using testing_support::plain_energy;
using testing_support::plain_neighbours;
using testing_support::small_options;
using testing_support::sphere_bank;

class AnchorReferencesTest : public ::testing::Test {
 protected:
  AnchorReferencesTest() : bank_(sphere_bank<double>(60, 6, 3)) {
    options_ = small_options();
    options_.local = 7;
    rows_.resize(60);
    std::iota(rows_.begin(), rows_.end(), std::size_t{0});
    problem_.points = std::as_const(bank_).view();
    problem_.anchors = std::as_const(bank_).view();
    problem_.anchor_rows = rows_;
    problem_.has_subspace = true;
  }

  AnchorReferences<double> make(std::size_t largest_bytes,
                                const Context& context = {}) const {
    const EnergyModel<double> model({problem_.points, {}, {}}, options_.energy);
    return {problem_, model, options_, context, largest_bytes};
  }

  Matrix<double> bank_;
  SamplerOptions options_ = profile_options("coverage");
  std::vector<std::size_t> rows_;
  AnchorReferenceProblem<double> problem_;
};

TEST_F(AnchorReferencesTest, hold_the_nearest_points_with_their_mass) {
  const AnchorReferences<double> references = make(1 << 30);
  ASSERT_EQ(references.size(), 60u);
  EXPECT_EQ(references.kept_count(), 60u);
  const Matrix<double> points = sphere_bank<double>(3, 6, 9);
  for (std::size_t a = 0; a < 60; ++a) {
    const auto near = references.at(a);
    const std::vector<std::size_t> rows =
        plain_neighbours<double>(problem_.points, a, 7);
    for (std::size_t i = 0; i < 7; ++i) {
      for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_EQ(near->points(i, k), bank_(rows[i], k));
      }
    }
    EXPECT_EQ(near->mass, 59.0);
    const std::vector<double> scores = near->scorer->score(points.view());
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(scores[i] + near->energy_offset,
                  plain_energy<double>(problem_.points, rows, points.row(i),
                                       0.05, 59.0),
                  1e-12);
    }
  }
}

TEST_F(AnchorReferencesTest, few_are_kept_when_memory_is_short) {
  const AnchorReferences<double> all = make(1 << 30);
  const AnchorReferences<double> few = make(1);
  EXPECT_EQ(few.kept_count(), 0u);
  const Matrix<double> points = sphere_bank<double>(4, 6, 9);
  for (const std::size_t a : {5u, 59u, 5u, 0u}) {
    EXPECT_EQ(few.at(a)->scorer->score(points.view()),
              all.at(a)->scorer->score(points.view()));
  }
  ThreadPool pool(4);
  parallel_for({&pool, nullptr}, 600, [&](std::size_t i, std::size_t) {
    const auto near = few.at(i * 7 % 60);
    EXPECT_EQ(near->points.rows(), 7u);
    EXPECT_EQ(near->subspace->dim(), 6u);
  });
  EXPECT_EQ(few.kept_count(), 16u);
}

TEST_F(AnchorReferencesTest, are_empty_unless_asked_for) {
  const AnchorReferences<double> none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.kept_count(), 0u);
}

}  // namespace anchor_reference_test
}  // namespace sbog
