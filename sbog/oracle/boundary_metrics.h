// SPDX-License-Identifier: Apache-2.0
// How well generated windows hit a known boundary, and how much of it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/oracle/boundary.h"

namespace sbog {

/// Generated windows. Views only; one entry of each per output.
struct BoundaryOutputs {
  MatrixView<const float> points;        ///< latent points
  MatrixView<const double> windows;      ///< what they decode to
  std::span<const std::size_t> classes;  ///< source classes
};

/// Samples of one band in the latent space.
struct BandSample {
  Matrix<float> points;
  double radius = 0.0;  ///< squared distance within which one is covered
};

/// Median over the points of the squared distance to the k-th nearest other
/// one. Throws InvalidArgument unless there are more than k points.
double neighbour_radius(MatrixView<const float> points,
                        std::size_t neighbours = 5);

/// Share of `targets` with one of `points` within a squared distance of
/// `radius`; 0 without targets.
double covered_share(MatrixView<const float> targets,
                     MatrixView<const float> points, double radius);

/// The scores of a generator.
struct BoundaryScores {
  /// BPrec: share of outputs in a band of their source class; NaN without
  /// outputs.
  double precision = 0.0;
  /// SemValid: share whose source class is the likeliest; NaN without outputs.
  double validity = 0.0;
  double coverage = 0.0;        ///< BCov: mean over the regions
  double worst_coverage = 0.0;  ///< WorstCov: least of the regions
  /// Share of a region's samples with an output, itself in the region's band,
  /// within the region's radius.
  std::vector<double> region_coverage;
};

/// `bands` holds one sample per region. Throws InvalidArgument for lists that
/// do not fit together.
BoundaryScores score_boundary(const Boundary& boundary,
                              const BoundaryOutputs& outputs,
                              std::span<const BandSample> bands,
                              const Context& context = {});

}  // namespace sbog
