// SPDX-License-Identifier: Apache-2.0
// Everything about one class that is settled before the first proposal:
// reference, threshold, floors, anchors and their local references.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/energy/class_tails.h"
#include "sbog/sample/anchor_reference.h"
#include "sbog/sample/anchors.h"
#include "sbog/sample/feasibility.h"
#include "sbog/sample/proposal_scorer.h"
#include "sbog/sample/sampler_options.h"
#include "sbog/sample/step_shape.h"
#include "sbog/sample/subspace.h"

namespace sbog {

/// What a class's points say before anything is chosen.
struct ScoredClass {
  double epsilon = 0.0;
  std::vector<double> scores;  ///< of all points, leave-one-out
  /// Of those that tell its threshold.
  std::vector<double> calibration;
};

/// One class, or everything as one class. Views only.
template <typename T>
struct ClassProblem {
  MatrixView<const T> points;            ///< the class's bank points
  std::span<const double> class_anchor;  ///< t_c of unit length, or empty
  std::span<const double> losses;        ///< one per point, task-aware only
  std::uint32_t cls = 0;                 ///< number of the class in the streams
  const StepShape* shape = nullptr;      ///< of ProposalLaw::kShaped
  /// Of class number cls, where they are known already.
  const ScoredClass* known = nullptr;
  /// With options.severities: of all classes.
  const ClassTails* tails = nullptr;
};

/// What the preparation decided; goes into reports.
struct ClassPlan {
  double epsilon = 0.0;     ///< temperature in force
  double radius_low = 0.0;  ///< of steps, in force
  double radius_high = 0.0;
  double threshold = 0.0;          ///< tau, on the score
  double quantile_value = 0.0;     ///< tau without the margin
  double semantic_floor = -2.0;    ///< in force; below -1: none
  double seed_eligibility = -2.0;  ///< in force; below -1: none
  bool is_eligibility_lowered = false;
  std::size_t point_count = 0;
  std::size_t reference_count = 0;
  bool uses_subspace = false;
  /// Preflight: with probability 1 - 1e-6 no proposal reaches the threshold,
  /// or none the semantic floor.
  bool is_infeasible = false;
  Constraint infeasible_by = Constraint::kNone;  ///< kEnergy or kSemantic
  double highest_reachable = 0.0;  ///< the preflight's bound on the score
  /// Of a band: its severity and scores [band_low, band_high); 0: no band.
  int severity = 0;
  double band_low = 0.0;
  double band_high = 0.0;
};

/// See the top of the file.
template <typename T>
struct PreparedClass {
  ClassProblem<T> problem;
  SamplerOptions options;
  ClassPlan plan;
  Limits limits;
  AnchorSet anchors;              ///< positions in problem.points
  std::vector<double> scores;     ///< of all points
  std::vector<std::size_t> kept;  ///< reference after trimming
  /// Rows that are not of the reference half, when the bank is split; otherwise
  /// all rows. Anchors and threshold come from them.
  std::vector<std::size_t> calibration;
  Matrix<double> mapped_anchors;  ///< anchors in double, unit on the sphere
  StepScale scale;                ///< of the steps of proposals
  std::shared_ptr<const ProposalScorer<T>> whole;
  /// In subspace mode with the whole reference.
  std::shared_ptr<const ClassSubspace<T>> span;
  AnchorReferences<T> local;  ///< per anchor; empty: `whole` for all
  /// One per severity asked for, with the anchors of this one; nothing else of
  /// it is used then.
  std::vector<std::unique_ptr<PreparedClass<T>>> bands;
  /// Output number i of this class or band is output i * output_stride +
  /// output_offset of the class.
  std::size_t output_stride = 1;
  std::size_t output_offset = 0;

  /// Scores of points near anchor `a` against its scoring reference.
  std::vector<double> score(std::size_t a, MatrixView<const T> points) const;
  std::vector<double> acquire(std::size_t a, MatrixView<const T> points,
                              const std::vector<double>& scores) const;
  /// E in double on that reference, and the score (the same for energies).
  double exact_energy_at(std::size_t a, std::span<const double> point) const;
  double exact_score_at(std::size_t a, std::span<const double> point) const;
};

/// Rows of a class of n points that anchors and threshold come from: all, or
/// with options.certify the half that is not the reference. Throws
/// InvalidArgument for a class that is too small to be split.
std::vector<std::size_t> calibration_rows(std::size_t n,
                                          const SamplerOptions& options,
                                          std::uint32_t cls);

/// Prepares a class; `options` has been checked and had its rule applied.
/// Throws InvalidArgument when the class cannot be sampled at all (no points).
template <typename T>
std::unique_ptr<PreparedClass<T>> prepare_class(const ClassProblem<T>& problem,
                                                const SamplerOptions& options,
                                                const Context& context = {});

}  // namespace sbog
