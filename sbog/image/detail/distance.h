// SPDX-License-Identifier: Apache-2.0
// Signed distances to plain figures, negative inside: what an anti-aliased
// drawing needs. Unions are minima and intersections maxima, which is exact on
// the border of the figure and near enough beside it.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace sbog::detail {

/// A point or a direction; y points down, as rows do.
struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// To a disc around `centre`.
double disc_distance(Point p, Point centre, double radius);

/// To a box around the origin that reaches to +-half.
double box_distance(Point p, Point half);

/// To the line from a to b; its unsigned distance.
double segment_distance(Point p, Point a, Point b);

/// To the polyline through the points, drawn with a pen of this half width.
double stroke_distance(Point p, std::span<const Point> line, double half_width);

/// To a simple polygon, its corners in either direction.
double polygon_distance(Point p, std::span<const Point> corners);

/// Share of a pixel that lies inside, from the distance of its centre to the
/// border in pixels.
double coverage(double distance);

}  // namespace sbog::detail
