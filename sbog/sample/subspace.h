// SPDX-License-Identifier: Apache-2.0
// Exact proposals in the span that matters.
//
// With a reference of K atoms, the energy and both cosines of
// v = normalise(z + sigma xi) depend on xi only through its part in the span of
// z, the class anchor t and the atoms (dimension r <= K + 2) and through the
// norm of the rest, which is an independent chi variable with m - r degrees of
// freedom (K < m - 2 is what makes it pay). So r normals and one chi are drawn
// per proposal, and the full vector is completed for the winner only: the same
// law as m normals.
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

namespace sbog::detail {

struct LaneGroup;

/// Atoms by their coordinates in a span, for the tile kernel.
struct SpanAtoms {
  Matrix<float> rows;             ///< one per atom
  std::vector<std::size_t> used;  ///< coordinates of each that may not be 0
  double mass = 0.0;              ///< what their sum is divided by
};

}  // namespace sbog::detail

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

/// How far proposals step: the deviation of one coordinate, uniform in [low,
/// high]. A radius r is r / sqrt(dimension) here.
struct StepScale {
  double low = 0.0;
  double high = 0.0;

  /// Of proposal j.
  double at(const RoundKey& key, std::uint32_t j) const;
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
  void evaluate(const RoundKey& key, std::size_t count, const StepScale& scale,
                SubspaceRound& round) const;

  /// The full vector of proposal j, of the same draw.
  std::vector<double> complete(const RoundKey& key, std::uint32_t j,
                               const StepScale& scale) const;

 private:
  void draw_group(const RoundKey& key, const StepScale& scale,
                  detail::LaneGroup& group, SubspaceRound& round) const;

  SpanFactor<T> span_;
  bool has_class_anchor_;
  // Per atom: <atom, seed>, then its coordinates in the span.
  detail::SpanAtoms atoms_;
  double epsilon_;
};

/// One class with its whole reference, which all anchors share: the same as
/// LocalSubspace, with one span for all points of the class instead of one for
/// each anchor.
template <typename T>
class ClassSubspace {
 public:
  /// `points` are all rows of the class, anchors among them, of any length but
  /// 0; `reference` the rows of equal weight that energies are measured
  /// against. `class_anchor` is a unit vector, or empty.
  ClassSubspace(MatrixView<const T> points,
                std::span<const std::size_t> reference,
                std::span<const double> class_anchor, double epsilon);

  std::size_t rank() const { return span_.rank(); }

  /// Draws `count` proposals around row `seed` of the points.
  void evaluate(const RoundKey& key, std::size_t seed, std::size_t count,
                const StepScale& scale, SubspaceRound& round) const;
  /// The full vector of proposal j, of the same draw.
  std::vector<double> complete(const RoundKey& key, std::size_t seed,
                               std::uint32_t j, const StepScale& scale) const;

 private:
  void draw_group(const RoundKey& key, std::size_t seed, const StepScale& scale,
                  detail::LaneGroup& group, SubspaceRound& round) const;

  MatrixView<const T> points_;
  SpanFactor<T> span_;
  std::size_t heads_;  // 1 with a class anchor
  detail::SpanAtoms atoms_;
  double epsilon_;
};

}  // namespace sbog
