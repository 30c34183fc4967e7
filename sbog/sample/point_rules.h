// SPDX-License-Identifier: Apache-2.0
// What a stored point may be where coordinates do not stand alone, such as
// those that spell a category together.
#pragma once

#include <span>

namespace sbog {

/// Rules that every proposal is held to, after its projection.
class PointRules {
 public:
  virtual ~PointRules() = default;

  /// Moves a point to an allowed one near by; `anchor` is where its step began,
  /// empty for a point that began nowhere. False: there is none.
  virtual bool settle(std::span<double> point,
                      std::span<const double> anchor) const = 0;
};

}  // namespace sbog
