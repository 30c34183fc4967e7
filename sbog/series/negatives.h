// SPDX-License-Identifier: Apache-2.0
// Negatives on the sphere, built from a bank of embedded windows by one of the
// rules that are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/sample/sampler_options.h"

namespace sbog::series {

/// How negatives come about.
enum class NegativeRule {
  kCarla,        ///< points of windows with an injected anomaly
  kRandom,       ///< first proposal at any bank point
  kKnn,          ///< distance to the fifth neighbour instead of the energy
  kKde,          ///< kernel density, median heuristic (sqrt(epsilon) where that
                 ///< is 0), instead of the energy
  kSbogPaper,    ///< SBOG, profile paper-series
  kSbogDefault,  ///< SBOG, profile balanced
  kSbogExposure,  ///< SBOG, profile exposure
};

/// "carla", "random", "knn", "kde", "sbog-paper", "sbog-default",
/// "sbog-exposure".
const char* to_string(NegativeRule rule);
/// The reverse; throws InvalidArgument that lists the names.
NegativeRule parse_negative_rule(std::string_view name);

/// What a rule gave.
struct NegativeSet {
  SolveStatus status = SolveStatus::kDone;  ///< or kPartial, kCancelled
  Matrix<float> points;                     ///< one unit row per negative
  /// Rows that passed the test of the rule; the others are the best proposal of
  /// a round without the test.
  std::size_t feasible = 0;
  double threshold = 0.0;
  double fill = 0.0;  ///< share of the anchors that ever gave an output
  /// Mean of score - threshold over the feasible rows, 0 without any; scores
  /// are energies for the rules of SBOG.
  double gap = 0.0;
};

/// The options of the sampler behind a rule; throws InvalidArgument for kCarla.
SamplerOptions rule_options(NegativeRule rule, std::size_t count,
                            std::uint64_t seed);

/// `count` negatives from unit rows; throws InvalidArgument for kCarla, whose
/// negatives are windows.
NegativeSet draw_negatives(NegativeRule rule, MatrixView<const float> bank,
                           std::size_t count, std::uint64_t seed,
                           const Context& context = {});

/// The same with any options of the sampler, which hold count and seed.
NegativeSet draw_negatives(SamplerOptions options, MatrixView<const float> bank,
                           const Context& context = {});

}  // namespace sbog::series
