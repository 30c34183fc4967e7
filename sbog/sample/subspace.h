// SPDX-License-Identifier: Apache-2.0
// Exact proposals in the span that matters.
//
// With a local reference of K atoms, the energy and both cosines of
// v = normalise(z + sigma xi) depend on xi only through its part in the span of
// z, the class anchor t and the atoms (dimension r <= K + 2) and through the
// norm of the rest, which is an independent chi variable with m - r degrees of
// freedom. So r normals and one chi are drawn per proposal, and the full vector
// is completed for the winner only: the same law as m normals.
//
// Streams (key = seed; k, class, round, j as in PhiloxStream): r + 1 normals at
// blocks 2^31 + b (detail/normal_tile.h), r of the span and one for the first
// attempt at the chi; more for the chi at blocks 3 * 2^30 + i, two per attempt;
// the winner's rest at blocks 2^30 + b, four normals each in the same way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/sample/span_factor.h"

namespace sbog {

/// Which round is drawn.
struct RoundKey {
  std::uint64_t seed = 0;
  std::uint32_t cls = 0;
  std::uint32_t round = 0;
  std::uint32_t k = 0;

  std::array<std::uint32_t, 2> key() const {
    return {static_cast<std::uint32_t>(seed),
            static_cast<std::uint32_t>(seed >> 32)};
  }
  std::uint32_t class_round() const { return cls * 65536u + round; }
};

/// Energies and cosines of one round's proposals.
struct SubspaceRound {
  std::vector<double> energies;
  std::vector<double> class_cosines;  ///< empty without a class anchor
  std::vector<double> seed_cosines;
};

/// A chi variable with `freedom` > 0 degrees of freedom (Marsaglia and Tsang's
/// rejection on the gamma law; exact).
double draw_chi(const RoundKey& key, std::uint32_t j, double freedom);
/// The same with the normal of the first attempt given.
double draw_chi(const RoundKey& key, std::uint32_t j, double freedom,
                double first_normal);

/// One anchor with its local reference, on the unit sphere with cosine cost. T
/// is the storage of the atoms; their rows stay the caller's.
template <typename T>
class LocalSubspace {
 public:
  /// `seed` and `class_anchor` (may be empty) are unit vectors; `atoms` rows of
  /// equal weight and any length but 0; `mass` is what their count is divided
  /// by (K for the normalised convention, the size of the whole reference
  /// otherwise).
  LocalSubspace(std::span<const double> seed,
                std::span<const double> class_anchor, MatrixView<const T> atoms,
                double mass, double epsilon);

  std::size_t rank() const { return span_.rank(); }
  std::size_t dim() const { return span_.dim(); }

  /// Draws `count` proposals and evaluates them.
  void evaluate(const RoundKey& key, std::size_t count, double sigma,
                SubspaceRound& round) const;

  /// The full vector of proposal j, of the same draw.
  std::vector<double> complete(const RoundKey& key, std::uint32_t j,
                               double sigma) const;

 private:
  struct Group;

  void draw_group(const RoundKey& key, double sigma, Group& group,
                  SubspaceRound& round) const;
  void score_group(const Group& group, SubspaceRound& round) const;

  SpanFactor<T> span_;
  bool has_class_anchor_;
  // Per atom: <atom, seed>, then its coordinates in the span.
  Matrix<float> tile_rows_;
  double mass_;
  double epsilon_;
};

}  // namespace sbog
