// SPDX-License-Identifier: Apache-2.0
// The split of a bank that certificates need: B1 gives anchors, proposals and
// calibration, B2 nothing but the reference. Given B1, candidates and energies
// of B1 against B2 are independent of the sampling of B2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sbog {

/// The two parts, as increasing rows of the bank.
struct BankSplit {
  std::vector<std::size_t> calibration;  ///< B1
  std::vector<std::size_t> reference;    ///< B2
};

/// floor(share n) random rows for B1, the rest for B2, keyed by the seed alone;
/// with labels (one per row) the same within every class. A share of 1/2 is the
/// split behind the conformal threshold of score_bank. Throws InvalidArgument
/// for a share outside (0, 1), or when a part of some class would be empty.
BankSplit split_bank(std::size_t n, std::uint64_t seed, double share = 0.5);
BankSplit split_bank(std::span<const std::int64_t> labels, std::uint64_t seed,
                     double share = 0.5);

/// Conformal p-values (1 + #{calibration >= E}) / (n1 + 1) of many energies.
/// Of a point of the calibration's law, p <= a with a probability of at most a,
/// for every a. Throws InvalidArgument for a NaN.
std::vector<double> conformal_p_values(std::span<const double> calibration,
                                       std::span<const double> energies);

/// The number of calibration points from which a conformal threshold of this
/// level is finite: ceil(level / (1 - level)), 19 for 0.95.
std::size_t smallest_calibration(double level);

}  // namespace sbog
