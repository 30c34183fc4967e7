// SPDX-License-Identifier: Apache-2.0
// How far proposals of a class step, found from its own scores.
//
// A fixed length is too short for one encoder and too long for the next. With
// radius `auto` the low end is the radius at which half of the proposals reach
// the threshold, and the high end the one at which half of them reach what
// about 1 point in 1,000 of the class would: the 0.9 quantile q of its scores
// plus b log(100), where b is the mean of what the tenth above exceeds q by (an
// exponential tail). The same few steps are tried at every radius, scored, and
// the radius is bracketed on the median score.
#pragma once

#include <vector>

#include "sbog/base/progress.h"
#include "sbog/sample/prepared_class.h"

namespace sbog {

/// Where `auto` ends, in lengths of a point on the sphere: beyond, the anchor
/// hardly matters any more.
inline constexpr double kLongestRadius = 64.0;

/// Score that about one point in 1 / share of those with these scores reaches
/// or exceeds, for share <= 0.1; see the top of the file. At least one finite
/// score is expected.
double tail_score(std::span<const double> scores, double share);

/// Sets `scale` and the radius of the plan.
template <typename T>
void set_radius(PreparedClass<T>& prepared, const RadiusRange& radius);

/// For every band of options.severities the radius at which half of the
/// proposals reach its low end, and the one for its high end; or what
/// options.radius says when it is not `auto`.
template <typename T>
std::vector<RadiusRange> band_radii(const PreparedClass<T>& prepared,
                                    const Context& context = {});

/// Fills `scale` and the radius of the plan, of a class whose anchors and
/// references are there: from options.radius, or from options.sigma.
template <typename T>
void settle_radius(PreparedClass<T>& prepared, const Context& context = {});

}  // namespace sbog
