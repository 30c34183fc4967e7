// SPDX-License-Identifier: Apache-2.0
// Two one-sided recursions over sorted atoms; see line_energy.h.
#include "sbog/series/line_energy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/series/detail/exp_log.h"
#include "sbog/series/detail/radix_sort.h"

namespace sbog {
namespace {

// Numbers whose exponentials and logarithms are taken together.
constexpr std::size_t kBlock = 256;

}  // namespace

LineEnergy::LineEnergy(std::span<float> atoms, double epsilon_share) {
  if (atoms.empty()) throw InvalidArgument("LineEnergy: atoms are expected");
  if (!std::isfinite(epsilon_share) || epsilon_share <= 0.0) {
    throw InvalidArgument(
        "LineEnergy: a share of the range above 0 is expected for epsilon, "
        "got " +
        std::to_string(epsilon_share));
  }
  detail::radix_sort(atoms);
  log_count_ = std::log(static_cast<double>(atoms.size()));
  std::vector<double> counts;
  for (const float atom : atoms) {
    if (places_.empty() || atom != places_.back()) {
      places_.push_back(atom);
      counts.push_back(0.0);
    }
    counts.back() += 1.0;
  }
  const double range = static_cast<double>(places_.back()) - places_.front();
  epsilon_ = epsilon_share * range;
  if (places_.size() == 1) return;

  const std::size_t n = places_.size();
  sides_.resize(n);
  std::vector<double> decays(n);  // decays[i]: from atom i - 1 to atom i
  for (std::size_t i = 1; i < n; ++i) {
    const double gap = static_cast<double>(places_[i]) - places_[i - 1];
    decays[i] = -gap / epsilon_;
  }
  detail::exponentials(decays);
  sides_[0].left = counts[0];
  for (std::size_t i = 1; i < n; ++i) {
    sides_[i].left = counts[i] + sides_[i - 1].left * decays[i];
  }
  sides_[n - 1].right = counts[n - 1];
  for (std::size_t i = n - 1; i > 0; --i) {
    sides_[i - 1].right = counts[i - 1] + sides_[i].right * decays[i];
  }
  // A grid with about one atom per cell spares most of the binary search.
  cells_per_unit_ = static_cast<double>(n) / range;
  buckets_.assign(n + 2, static_cast<std::uint32_t>(n));
  for (std::size_t i = n; i-- > 0;) {
    const double offset = static_cast<double>(places_[i]) - places_[0];
    buckets_[static_cast<std::size_t>(offset * cells_per_unit_)] =
        static_cast<std::uint32_t>(i);
  }
  for (std::size_t b = n + 1; b-- > 0;) {
    buckets_[b] = std::min(buckets_[b], buckets_[b + 1]);
  }
}

std::size_t LineEnergy::first_above(double q) const {
  // The same product as for the atoms, so that q and an equal atom meet in one
  // cell: atoms of earlier cells are below q, those of later ones above.
  const auto cell =
      static_cast<std::size_t>((q - places_[0]) * cells_per_unit_);
  const auto at = [&](std::size_t b) {
    return places_.begin() + static_cast<std::ptrdiff_t>(buckets_[b]);
  };
  const auto found =
      std::upper_bound(at(cell), at(cell + 1), q,
                       [](double value, float atom) { return value < atom; });
  return static_cast<std::size_t>(found - places_.begin());
}

LineEnergy::Terms LineEnergy::terms(double q) const {
  const double low = places_.front();
  const double high = places_.back();
  if (q <= low) return {low - q, sides_.front().right, 0.0, 0.0};
  if (q >= high) return {q - high, sides_.back().left, 0.0, 0.0};
  const std::size_t above = first_above(q);
  const double to_left = q - places_[above - 1];
  const double to_right = places_[above] - q;
  // The nearer side has the factor 1; the farther one at most 1.
  const double exponent = -std::abs(to_right - to_left) / epsilon_;
  const double left = sides_[above - 1].left;
  const double right = sides_[above].right;
  if (to_left <= to_right) return {to_left, left, right, exponent};
  return {to_right, right, left, exponent};
}

double LineEnergy::operator()(double q) const {
  evaluate({&q, 1});
  return q;
}

void LineEnergy::evaluate(std::span<double> values) const {
  if (places_.size() == 1) {
    for (double& value : values) value = std::abs(value - places_[0]);
    return;
  }
  std::array<Terms, kBlock> found;
  std::array<double, kBlock> work;
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, values.size() - first);
    const std::span<double> block(work.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      found[i] = terms(values[first + i]);
      block[i] = found[i].exponent;
    }
    detail::exponentials(block);
    for (std::size_t i = 0; i < count; ++i) {
      block[i] = found[i].near + found[i].far * block[i];
    }
    detail::logarithms(block);
    for (std::size_t i = 0; i < count; ++i) {
      const double inner = epsilon_ * (log_count_ - block[i]);
      values[first + i] = std::max(0.0, found[i].base + inner);
    }
  }
}

}  // namespace sbog
