// SPDX-License-Identifier: Apache-2.0
// See split_bank.h.
#include "sbog/certify/split_bank.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <string>

#include "sbog/certify/detail/checks.h"
#include "sbog/certify/detail/streams.h"
#include "sbog/energy/score_bank.h"

namespace sbog {
namespace {

// Splits the rows of one class and appends.
void split_rows(const std::vector<std::size_t>& rows, std::uint64_t seed,
                double share, BankSplit& split) {
  // A hair below the exact product is the product: 0.3 * 10 is 3.
  const auto count = static_cast<std::size_t>(
      std::floor(share * static_cast<double>(rows.size()) * (1.0 + 1e-14)));
  detail::need(count > 0 && count < rows.size(),
               "split: points for the calibration and for the reference are "
               "expected, got " +
                   std::to_string(rows.size()) + " in all");
  std::vector<bool> is_calibration(rows.size(), false);
  for (const std::size_t p :
       draw_subset(rows.size(), count, seed, detail::kSplitPurpose)) {
    is_calibration[p] = true;
  }
  for (std::size_t p = 0; p < rows.size(); ++p) {
    (is_calibration[p] ? split.calibration : split.reference)
        .push_back(rows[p]);
  }
}

void check_share(double share) {
  detail::need(share > 0.0 && share < 1.0,
               "split: a share strictly between 0 and 1 is expected");
}

}  // namespace

BankSplit split_bank(std::size_t n, std::uint64_t seed, double share) {
  check_share(share);
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  BankSplit split;
  split_rows(rows, seed, share, split);
  return split;
}

BankSplit split_bank(std::span<const std::int64_t> labels, std::uint64_t seed,
                     double share) {
  check_share(share);
  detail::need(!labels.empty(), "split: a bank without points has no parts");
  std::map<std::int64_t, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < labels.size(); ++i) rows[labels[i]].push_back(i);
  BankSplit split;
  for (const auto& [label, members] : rows) {
    split_rows(members, seed, share, split);
  }
  std::sort(split.calibration.begin(), split.calibration.end());
  std::sort(split.reference.begin(), split.reference.end());
  return split;
}

std::vector<double> conformal_p_values(std::span<const double> calibration,
                                       std::span<const double> energies) {
  std::vector<double> ordered(calibration.begin(), calibration.end());
  for (const double value : ordered) {
    detail::need(!std::isnan(value), "p-values: a calibration energy is NaN");
  }
  std::sort(ordered.begin(), ordered.end());
  const auto n = static_cast<double>(ordered.size());
  std::vector<double> values;
  values.reserve(energies.size());
  for (const double energy : energies) {
    detail::need(!std::isnan(energy), "p-values: an energy is NaN");
    const auto first = std::lower_bound(ordered.begin(), ordered.end(), energy);
    const auto at_least = static_cast<double>(ordered.end() - first);
    values.push_back((1.0 + at_least) / (1.0 + n));
  }
  return values;
}

std::size_t smallest_calibration(double level) {
  detail::check_failure(level, "level");
  return static_cast<std::size_t>(
      std::ceil(level / (1.0 - level) * (1.0 - 1e-14)));
}

}  // namespace sbog
