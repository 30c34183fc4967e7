// SPDX-License-Identifier: Apache-2.0
// The same bits for any number of threads, any grouping of queries and any cut
// of the bank into shards.
#include <gtest/gtest.h>

#include <algorithm>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "oracle/temporary_folder.h"
#include "sbog/energy/derivatives.h"
#include "sbog/energy/local_reference.h"

namespace sbog {
namespace determinism_test {

using oracle::kAllCosts;
using oracle::Shape;
using testing_support::bits_of;

// Few queries and many blocks, many queries and few blocks, and in between.
const std::vector<Shape> kShapes = {
    {.n = 6000, .dim = 5, .queries = 3, .epsilon = 0.02},
    {.n = 300, .dim = 20, .queries = 900, .epsilon = 0.05, .is_weighted = true},
    {.n = 1500, .dim = 9, .queries = 120, .epsilon = 1e-3}};

template <typename T>
void expect_same_bits_for_any_thread_count() {
  for (const Shape& shape : kShapes) {
    for (const GroundCost cost :
         {GroundCost::kCosine, GroundCost::kEuclidean}) {
      const auto problem = oracle::random_problem<T>(cost, shape);
      const EnergyModel<T> model = problem.model();
      const auto expected = bits_of(model.evaluate(problem.queries).energies);
      std::vector<std::size_t> self(shape.queries);
      for (std::size_t q = 0; q < self.size(); ++q) self[q] = q % shape.n;
      const auto without =
          bits_of(model.evaluate(problem.queries, self).energies);
      for (const std::size_t threads : {2, 7}) {
        ThreadPool pool(threads);
        const Context context{&pool, nullptr};
        EXPECT_EQ(
            bits_of(model.evaluate(problem.queries, {}, context).energies),
            expected);
        EXPECT_EQ(
            bits_of(model.evaluate(problem.queries, self, context).energies),
            without);
      }
    }
  }
}

TEST(Determinism, threads_change_no_bit) {
  expect_same_bits_for_any_thread_count<float>();
  expect_same_bits_for_any_thread_count<double>();
}

TEST(Determinism, threads_change_no_bit_of_gradients_and_neighbours) {
  const auto problem = oracle::random_problem<float>(
      GroundCost::kCosine, {.n = 700, .dim = 6, .queries = 130});
  const EnergyModel<float> model = problem.model();
  const auto queries = problem.queries.view();
  const auto gradient = energy_gradient(model, queries);
  const auto near = nearest_atoms(model, queries, 20);
  for (const std::size_t threads : {2, 7}) {
    ThreadPool pool(threads);
    const Context context{&pool, nullptr};
    const auto again =
        energy_gradient(model, queries, Surface::kAmbient, context);
    const auto neighbours = nearest_atoms(model, queries, 20, {}, context);
    EXPECT_TRUE(std::ranges::equal(again.elements(), gradient.elements()));
    EXPECT_TRUE(
        std::ranges::equal(neighbours.rows.elements(), near.rows.elements()));
    EXPECT_TRUE(
        std::ranges::equal(neighbours.costs.elements(), near.costs.elements()));
  }
}

template <typename T>
void expect_same_bits_for_any_grouping() {
  for (const GroundCost cost : kAllCosts) {
    const auto problem = oracle::random_problem<T>(
        cost, {.n = 500, .dim = 7, .queries = 211, .epsilon = 0.03});
    const EnergyModel<T> model = problem.model();
    const auto expected = model.evaluate(problem.queries).energies;
    // Reversed.
    auto rows = oracle::iota(211);
    std::reverse(rows.begin(), rows.end());
    auto reversed =
        model.evaluate(oracle::gather<T>(problem.queries, rows)).energies;
    std::reverse(reversed.begin(), reversed.end());
    EXPECT_EQ(bits_of(reversed), bits_of(expected));
    // In pieces of any size.
    for (const std::size_t piece : {1, 5, 16, 50}) {
      std::vector<double> pieces;
      for (std::size_t first = 0; first < 211; first += piece) {
        const auto part = model.evaluate(problem.queries.view().subrows(
            first, std::min<std::size_t>(piece, 211 - first)));
        pieces.insert(pieces.end(), part.energies.begin(), part.energies.end());
      }
      EXPECT_EQ(bits_of(pieces), bits_of(expected));
    }
  }
}

TEST(Determinism, grouping_and_order_of_queries_change_no_bit) {
  expect_same_bits_for_any_grouping<float>();
  expect_same_bits_for_any_grouping<double>();
}

template <typename T>
EnergyStateFile shard_of(const oracle::EnergyProblem<T>& problem,
                         std::size_t first_block, std::size_t end_block,
                         const Context& context) {
  const std::size_t first = first_block * kBlockAtoms;
  const std::size_t count =
      std::min(end_block * kBlockAtoms, problem.bank.rows()) - first;
  const std::span<const double> weights =
      problem.weights.empty()
          ? std::span<const double>()
          : std::span(problem.weights).subspan(first, count);
  const EnergyModel<T> model(
      {problem.bank.view().subrows(first, count), weights, {}},
      problem.options());
  EnergyStateResult result =
      model.evaluate_state(problem.queries, {}, first_block, context);
  EXPECT_EQ(result.status, SolveStatus::kDone);
  EnergyStateFile file;
  file.state = std::move(result.state);
  file.epsilon = problem.epsilon;
  file.query_checksum = 5;
  file.total_blocks = (problem.bank.rows() + kBlockAtoms - 1) / kBlockAtoms;
  return file;
}

template <typename T>
void expect_same_bits_for_any_shards(GroundCost cost, bool is_weighted) {
  const testing_support::TemporaryFolder folder;
  const auto problem =
      oracle::random_problem<T>(cost, {.n = 13 * 256 + 77,
                                       .dim = 4,
                                       .queries = 70,
                                       .epsilon = 0.02,
                                       .is_weighted = is_weighted});
  const auto expected =
      bits_of(problem.model().evaluate(problem.queries).energies);
  ThreadPool pool(3);
  for (const std::size_t shards : {1, 3, 10}) {
    std::vector<EnergyStateFile> parts;
    for (std::size_t s = 0; s < shards; ++s) {
      const Context context{s % 2 == 0 ? &pool : nullptr, nullptr};
      parts.push_back(
          shard_of(problem, s * 14 / shards, (s + 1) * 14 / shards, context));
    }
    std::swap(parts.front(), parts.back());
    std::rotate(parts.begin(), parts.begin() + shards / 2, parts.end());
    std::vector<EnergyStateFile> read;
    for (std::size_t s = 0; s < shards; ++s) {
      const std::string path = folder.file(std::to_string(s));
      write_energy_state(path, parts[s]);
      read.push_back(read_energy_state(path));
    }
    for (auto* files : {&parts, &read}) {
      const auto whole = merge_energy_states(std::move(*files));
      EXPECT_EQ(bits_of(energies_of(whole.state.fold(), problem.epsilon)),
                expected)
          << shards << " shards";
    }
  }
}

TEST(Determinism, shards_merged_in_any_order_give_the_bits_of_the_whole) {
  expect_same_bits_for_any_shards<float>(GroundCost::kCosine, false);
  expect_same_bits_for_any_shards<float>(GroundCost::kEuclidean, true);
  expect_same_bits_for_any_shards<double>(GroundCost::kUnitCosine, true);
  expect_same_bits_for_any_shards<double>(GroundCost::kSquaredMahalanobis,
                                          false);
}

TEST(Determinism, energies_are_the_fold_of_the_state) {
  const auto problem = oracle::random_problem<float>(
      GroundCost::kCosine, {.n = 5000, .dim = 3, .queries = 100});
  const EnergyModel<float> model = problem.model();
  std::vector<std::size_t> self = oracle::iota(100);
  for (const std::size_t threads : {1, 5}) {
    ThreadPool pool(threads);
    const EnergyState state =
        model.evaluate_state(problem.queries, self, 0, {&pool, nullptr}).state;
    EXPECT_EQ(bits_of(energies_of(state.fold(), model.epsilon())),
              bits_of(model.evaluate(problem.queries, self).energies));
  }
}

TEST(Cancel, ends_every_walk_with_its_status) {
  const auto problem = oracle::random_problem<double>(
      GroundCost::kCosine, {.n = 2000, .dim = 4, .queries = 90});
  const EnergyModel<double> model = problem.model();
  ThreadPool pool(2);
  for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
    testing_support::CancelAtOnce cancel;
    const Context context{threads, &cancel};
    EXPECT_EQ(model.evaluate(problem.queries, {}, context).status,
              SolveStatus::kCancelled);
    EXPECT_EQ(model.evaluate_bank(false, context).status,
              SolveStatus::kCancelled);
    const EnergyStateResult stopped =
        model.evaluate_state(problem.queries, {}, 0, context);
    EXPECT_TRUE(stopped.state.nodes().empty());
    EXPECT_EQ(stopped.status, SolveStatus::kCancelled);
    EXPECT_EQ(
        nearest_atoms(model, problem.queries.view(), 3, {}, context).status,
        SolveStatus::kCancelled);
    EXPECT_EQ(local_energies(model, problem.queries.view(), 3,
                             LocalConvention::kSubmeasure, {}, context)
                  .status,
              SolveStatus::kCancelled);
  }
}

TEST(Progress, ends_at_its_total) {
  const auto problem = oracle::random_problem<double>(
      GroundCost::kCosine, {.n = 2000, .dim = 4, .queries = 90});
  const EnergyModel<double> model = problem.model();
  testing_support::Watch watch;
  EXPECT_EQ(model.evaluate(problem.queries, {}, {nullptr, &watch}).status,
            SolveStatus::kDone);
  EXPECT_TRUE(watch.is_in_range);
  EXPECT_EQ(watch.last_done, watch.last_total);
  EXPECT_EQ(watch.last_total, 90u * 8u);
}

}  // namespace determinism_test
}  // namespace sbog
