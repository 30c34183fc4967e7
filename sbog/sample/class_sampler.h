// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 for one prepared class: any range of outputs, in any order and on
// any number of threads, to the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sbog/base/progress.h"
#include "sbog/sample/output.h"
#include "sbog/sample/prepared_class.h"
#include "sbog/sample/proposals.h"

namespace sbog {

/// Outputs first_k .. first_k + count - 1 of the class, in order. Each draws an
/// anchor per round, proposals around it, keeps the feasible ones and picks
/// one; after max_rounds without any the output stays empty (or is made by
/// splitting, if asked for).
template <typename T>
[[nodiscard]] SampledRange<T> sample_class(const PreparedClass<T>& prepared,
                                           std::size_t first_k,
                                           std::size_t count,
                                           const Context& context = {});

/// An output that its caller decodes, and draws again when that fails.
struct AnchorDraw {
  std::size_t anchor = 0;     ///< index among the anchors
  std::uint32_t k = 0;        ///< number of the output
  std::uint32_t attempt = 0;  ///< below 16; 0 picks by options.pick, others any
  const TangentLaw* tangent = nullptr;  ///< null: isotropic proposals
  std::size_t max_rounds = 64;          ///< below 4095
};

/// The output of one anchor, by the rounds of sample_class with streams of
/// their own for every attempt; is_accepted is false when none of them had a
/// feasible proposal. Ambient proposals only.
template <typename T>
[[nodiscard]] Output<T> sample_at_anchor(const PreparedClass<T>& prepared,
                                         const AnchorDraw& draw);

/// Fills energy, score, margin and cosines of an output whose point and anchor
/// are set, in double from the stored point; true when it passes every test.
template <typename T>
bool verify_output(const PreparedClass<T>& prepared, Output<T>& output);

}  // namespace sbog
