// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/detail/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sbog::detail {

double disc_distance(Point p, Point centre, double radius) {
  return std::hypot(p.x - centre.x, p.y - centre.y) - radius;
}

double box_distance(Point p, Point half) {
  const double x = std::abs(p.x) - half.x;
  const double y = std::abs(p.y) - half.y;
  return std::hypot(std::max(x, 0.0), std::max(y, 0.0)) +
         std::min(std::max(x, y), 0.0);
}

double segment_distance(Point p, Point a, Point b) {
  const Point along{b.x - a.x, b.y - a.y};
  const double length = along.x * along.x + along.y * along.y;
  const double dot = (p.x - a.x) * along.x + (p.y - a.y) * along.y;
  const double t = length > 0.0 ? std::clamp(dot / length, 0.0, 1.0) : 0.0;
  return std::hypot(p.x - a.x - t * along.x, p.y - a.y - t * along.y);
}

double stroke_distance(Point p, std::span<const Point> line,
                       double half_width) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < line.size(); ++i) {
    nearest = std::min(nearest, segment_distance(p, line[i - 1], line[i]));
  }
  return nearest - half_width;
}

double polygon_distance(Point p, std::span<const Point> corners) {
  double nearest = std::numeric_limits<double>::infinity();
  bool is_inside = false;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point a = corners[i];
    const Point b = corners[(i + 1) % corners.size()];
    nearest = std::min(nearest, segment_distance(p, a, b));
    // A ray to the right crosses the border an odd number of times from
    // inside.
    if ((a.y > p.y) != (b.y > p.y) &&
        p.x < a.x + (b.x - a.x) * (p.y - a.y) / (b.y - a.y)) {
      is_inside = !is_inside;
    }
  }
  return is_inside ? -nearest : nearest;
}

double coverage(double distance) {
  return std::clamp(0.5 - distance, 0.0, 1.0);
}

}  // namespace sbog::detail
