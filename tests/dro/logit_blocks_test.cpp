// SPDX-License-Identifier: Apache-2.0
// Tiles hold the logits of their rows and atoms, kept or computed anew.
#include "sbog/dro/detail/logit_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "energy/support.h"
#include "oracle/energy_oracle.h"

namespace sbog::detail {
namespace {

TEST(LogitBlocks, given_logits_come_back_tile_by_tile) {
  Matrix<double> logits(50, 300);
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t j = 0; j < 300; ++j) {
      logits(i, j) = static_cast<double>(1000 * i + j);
    }
  }
  LogitBlocks<double> blocks(logits.view());
  EXPECT_EQ(blocks.row_count(), 50u);
  EXPECT_EQ(blocks.block_count(), 2u);
  EXPECT_EQ(blocks.atoms_in(1), 44u);
  EXPECT_TRUE(blocks.is_cached());
  LogitScratch<double> scratch;
  for (std::size_t g = 0; g < blocks.group_count(); ++g) {
    for (std::size_t b = 0; b < 2; ++b) {
      const double* tile = blocks.tile(g, b, scratch);
      const std::size_t width = blocks.width_of(g);
      for (std::size_t l = 0; l < width; ++l) {
        const std::size_t row = blocks.first_row(g) + l;
        if (row >= 50) continue;
        EXPECT_EQ(blocks.group_of(row), g);
        for (std::size_t j = 0; j < blocks.atoms_in(b); ++j) {
          ASSERT_EQ(tile[j * width + l], logits(row, 256 * b + j));
        }
      }
    }
  }
}

TEST(LogitBlocks, points_give_their_costs_whether_kept_or_not) {
  Matrix<double> bank = oracle::normal_matrix<double>(300, 5, 1, 1.0);
  Matrix<double> rows = oracle::normal_matrix<double>(70, 5, 2, 1.0);
  const ReferenceMeasure<double> measure{std::as_const(bank).view(), {}, {}};
  const PreparedReference<double> reference(
      measure, GroundCost::kSquaredEuclidean, 0.5, {});
  LogitBlocks<double> kept(reference, std::as_const(rows).view(), 1 << 24);
  LogitBlocks<double> fresh(reference, std::as_const(rows).view(), 0);
  EXPECT_TRUE(kept.is_cached());
  EXPECT_FALSE(fresh.is_cached());
  LogitScratch<double> one;
  LogitScratch<double> two;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t g = 0; g < kept.group_count(); ++g) {
      for (std::size_t b = 0; b < kept.block_count(); ++b) {
        const double* a = kept.tile(g, b, one);
        const double* c = fresh.tile(g, b, two);
        const std::size_t width = kept.width_of(g);
        for (std::size_t l = 0; l < width; ++l) {
          const std::size_t row = kept.first_row(g) + l;
          if (row >= 70) continue;
          for (std::size_t j = 0; j < kept.atoms_in(b); ++j) {
            double cost = 0.0;
            for (std::size_t k = 0; k < 5; ++k) {
              const double apart = rows(row, k) - bank(256 * b + j, k);
              cost += apart * apart;
            }
            const double logit =
                reference.offset() - cost / 0.5 / std::log(2.0);
            ASSERT_NEAR(a[j * width + l], logit, 1e-11 * (1 + std::abs(logit)));
            ASSERT_EQ(a[j * width + l], c[j * width + l]);
          }
        }
      }
    }
    kept.finish_first_pass();
  }
}

}  // namespace
}  // namespace sbog::detail
