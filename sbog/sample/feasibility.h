// SPDX-License-Identifier: Apache-2.0
// Step 3 of the sampler: which proposals pass the tests, and what failed the
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sbog {

/// The tests of one class. A proposal passes with threshold <= score <=
/// ceiling, cos(class anchor) >= semantic_floor and cos(its bank point) >=
/// seed_floor.
struct Limits {
  double threshold = -std::numeric_limits<double>::infinity();
  double semantic_floor = -std::numeric_limits<double>::infinity();
  double seed_floor = -std::numeric_limits<double>::infinity();
  bool allow_unsupported = false;  ///< accept a score of +inf
  double ceiling = std::numeric_limits<double>::infinity();
};

/// What one round's proposals look like. The cosine spans may be empty: not
/// tested.
struct ProposalScores {
  std::span<const double> scores;
  std::span<const double> class_cosines;
  std::span<const double> seed_cosines;
};

/// How many proposals each test turned down; one may fail several.
struct FailureCounts {
  std::uint64_t proposals = 0;
  std::uint64_t energy = 0;
  std::uint64_t semantic = 0;
  std::uint64_t seed = 0;
  std::uint64_t invalid = 0;

  void add(const FailureCounts& other);
};

/// The proposals that passed, increasing.
struct FeasibleSet {
  std::vector<std::size_t> proposals;
  FailureCounts failures;
  double highest_score = -std::numeric_limits<double>::infinity();
};

/// `is_valid` is empty or tells which proposals could be projected.
FeasibleSet filter_feasible(const ProposalScores& scores, const Limits& limits,
                            const std::vector<bool>& is_valid = {});

/// What keeps proposals from becoming outputs.
enum class Constraint {
  kNone,
  kEnergy,      ///< the threshold, or the ceiling
  kSemantic,    ///< the cosine to the class anchor
  kSeed,        ///< the cosine to the bank point
  kProjection,  ///< a point that has no projection
  kBoundary,    ///< no class boundary in reach (Rule::kBood)
  kDecoding,    ///< what a point is decoded to lies elsewhere
};

/// "none", "energy", "semantic", "seed", "projection", "boundary", "decoding".
const char* to_string(Constraint constraint);

/// The test that turned down most proposals, or kNone; never kBoundary
/// or kDecoding, which no proposal is tested for.
Constraint binding_constraint(const FailureCounts& failures);

}  // namespace sbog
