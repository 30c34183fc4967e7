// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 for one prepared class: any range of outputs, in any order and on
// any number of threads, to the same bits.
#pragma once

#include <cstddef>

#include "sbog/base/progress.h"
#include "sbog/sample/output.h"
#include "sbog/sample/prepared_class.h"

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

/// Fills energy, score, margin and cosines of an output whose point and anchor
/// are set, in double from the stored point; true when it passes every test.
template <typename T>
bool verify_output(const PreparedClass<T>& prepared, Output<T>& output);

}  // namespace sbog
