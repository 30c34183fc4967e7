// SPDX-License-Identifier: Apache-2.0
// A prepared class whose reference has been drawn again: the same points may be
// anchors, but the reference has other weights, and with it the energies, the
// trimming, the threshold and the choice of anchors change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/sample/prepared_class.h"

namespace sbog {

/// How often each of n points is drawn in n draws with replacement. Weights
/// rather than repeated rows: a point left out of its own energy must not meet
/// its copies.
std::vector<double> draw_weights(std::size_t n, std::uint64_t seed,
                                 std::uint32_t replicate);

/// `base`, prepared by an energy rule without a local reference, with these
/// weights on its points. Equal weights give `base` again. The replica borrows
/// the weights and the points of `base`. Throws InvalidArgument for another
/// rule, a local reference, or another number of weights.
///
/// Anchors that both have keep their place in the order of draws, so that the
/// same uniform number draws the same anchor as often as can be (a maximal
/// coupling).
template <typename T>
std::unique_ptr<PreparedClass<T>> replicate_class(
    const PreparedClass<T>& base, std::span<const double> weights,
    const Context& context = {});

}  // namespace sbog
