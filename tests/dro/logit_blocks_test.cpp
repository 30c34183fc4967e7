// SPDX-License-Identifier: Apache-2.0
// Tiles of logits: given, computed and cached ones hold the same numbers.
#include "sbog/dro/detail/logit_blocks.h"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "oracle/energy_oracle.h"

namespace sbog::detail {
namespace logit_blocks_test {

// Logit of a row and an atom, through the tiles.
template <typename T>
double logit_at(LogitBlocks<T>& blocks, std::size_t row, std::size_t atom,
                LogitScratch<T>& scratch) {
  const std::size_t group = blocks.group_of(row);
  const T* tile = blocks.tile(group, atom / kBlockAtoms, scratch);
  return tile[atom % kBlockAtoms * blocks.width_of(group) +
              (row - blocks.first_row(group))];
}

TEST(LogitBlocks, given_logits_come_back) {
  for (const std::size_t rows : {1u, 7u, 60u}) {
    for (const std::size_t atoms : {1u, 256u, 300u}) {
      const Matrix<double> logits =
          oracle::normal_matrix<double>(rows, atoms, 1);
      LogitBlocks<double> blocks(logits.view());
      LogitScratch<double> scratch;
      EXPECT_EQ(blocks.row_count(), rows);
      EXPECT_EQ(blocks.atom_count(), atoms);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < atoms; ++j) {
          EXPECT_EQ(logit_at(blocks, i, j, scratch), logits(i, j));
        }
      }
    }
  }
}

TEST(LogitBlocks, groups_and_blocks_cover_rows_and_atoms) {
  const Matrix<double> logits = oracle::normal_matrix<double>(101, 513, 2);
  const LogitBlocks<double> blocks(logits.view());
  std::size_t rows = 0, atoms = 0;
  for (std::size_t g = 0; g < blocks.group_count(); ++g) {
    EXPECT_EQ(blocks.first_row(g), rows);
    rows += blocks.width_of(g);
  }
  EXPECT_GE(rows, 101u);
  EXPECT_LE(rows, blocks.padded_rows());
  for (std::size_t b = 0; b < blocks.block_count(); ++b) {
    atoms += blocks.atoms_in(b);
  }
  EXPECT_EQ(atoms, 513u);
  EXPECT_EQ(blocks.chunk_count(),
            (blocks.group_count() + kChunkGroups - 1) / kChunkGroups);
}

TEST(LogitBlocks, computed_logits_are_those_of_the_costs_cached_or_not) {
  for (const GroundCost cost : oracle::kAllCosts) {
    const auto problem =
        oracle::random_problem<double>(cost, {.n = 300,
                                              .dim = 6,
                                              .queries = 70,
                                              .epsilon = 0.2,
                                              .is_weighted = true});
    const EnergyModel<double> model = problem.model();
    const std::size_t all = 8 * 1024 * 1024;
    LogitBlocks<double> plain(prepared_of(model), problem.queries, 0);
    LogitBlocks<double> cached(prepared_of(model), problem.queries, all);
    EXPECT_FALSE(plain.is_cached());
    EXPECT_TRUE(cached.is_cached());
    LogitScratch<double> scratch, other;
    for (int turn = 0; turn < 2; ++turn) {
      for (std::size_t i = 0; i < 70; i += 3) {
        const auto costs = oracle::costs_of(
            problem, oracle::to_real(std::as_const(problem.queries).row(i)));
        for (std::size_t j = 0; j < 300; j += 7) {
          const double got = logit_at(plain, i, j, scratch);
          if (problem.weight(j) == 0.0) {
            EXPECT_LT(got, 0.5 * kAbsentLogit);
          } else {
            const double expected =
                std::log2(problem.weight(j)) -
                double(costs[j]) / 0.2 * std::numbers::log2e +
                prepared_of(model).offset();
            EXPECT_NEAR(got, expected, 1e-12 * (1 + std::abs(expected)));
          }
        }
      }
      for (std::size_t g = 0; g < cached.group_count(); ++g) {
        for (std::size_t b = 0; b < cached.block_count(); ++b) {
          const double* tile = cached.tile(g, b, other);
          const double* again = plain.tile(g, b, scratch);
          for (std::size_t i = 0; i < cached.atoms_in(b) * cached.width_of(g);
               ++i) {
            ASSERT_EQ(tile[i], again[i]);
          }
        }
      }
      cached.finish_first_pass();
    }
  }
}

TEST(LogitBlocks, a_cache_that_does_not_fit_is_not_made) {
  const auto problem =
      oracle::random_problem<float>(GroundCost::kCosine, {.n = 100});
  const EnergyModel<float> model = problem.model();
  const LogitBlocks<float> probe(prepared_of(model), problem.queries, 0);
  const std::size_t bytes = probe.padded_rows() * 100 * sizeof(float);
  EXPECT_TRUE(LogitBlocks<float>(prepared_of(model), problem.queries, bytes)
                  .is_cached());
  EXPECT_FALSE(
      LogitBlocks<float>(prepared_of(model), problem.queries, bytes - 1)
          .is_cached());
}

}  // namespace logit_blocks_test
}  // namespace sbog::detail
