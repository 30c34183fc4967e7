// SPDX-License-Identifier: Apache-2.0
// See knn_bound.h.
#include "sbog/certify/knn_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sbog/certify/bernoulli_kl.h"
#include "sbog/certify/detail/checks.h"
#include "sbog/certify/detail/words.h"

namespace sbog {
namespace {

struct Point {
  double x = 0.0;  // log radius
  double y = 0.0;  // log mass
};

void check_radii(std::span<const double> radii, double n) {
  detail::check_count(n);
  detail::need(static_cast<double>(radii.size()) <= n,
               "ball mass: at most as many radii as points are expected");
  double last = 0.0;
  for (const double r : radii) {
    detail::need(std::isfinite(r) && r >= last,
                 "ball mass: finite increasing radii of at least 0 are "
                 "expected");
    last = r;
  }
}

double slope_of(const std::vector<Point>& points) {
  const auto n = static_cast<double>(points.size());
  double x = 0.0;
  double y = 0.0;
  for (const Point& point : points) {
    x += point.x / n;
    y += point.y / n;
  }
  double xx = 0.0;
  double xy = 0.0;
  for (const Point& point : points) {
    xx += (point.x - x) * (point.x - x);
    xy += (point.x - x) * (point.y - y);
  }
  return xy / xx;
}

std::string too_many(double n, double largest, double radius, std::size_t k) {
  return "Vacuous: the theorem asks for fewer than " +
         detail::grouped(largest) + " points before it keeps neighbour " +
         std::to_string(k) + " beyond " + detail::rounded(radius) +
         ", and there are " + detail::grouped(n) + ".";
}

}  // namespace

BallMassFit fit_ball_mass(std::span<const double> radii, double n) {
  check_radii(radii, n);
  std::vector<Point> points;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    if (radii[i] == 0.0) continue;
    points.push_back(
        {std::log(radii[i]), std::log(static_cast<double>(i + 1) / n)});
  }
  detail::need(points.size() >= 2 && points.front().x < points.back().x,
               "ball mass: at least two different positive radii are expected");
  BallMassFit fit;
  fit.radii = points.size();
  fit.largest_radius = radii.back();
  fit.exponent = slope_of(points);
  double highest = -std::numeric_limits<double>::infinity();
  for (const Point& point : points) {
    highest = std::max(highest, point.y - fit.exponent * point.x);
  }
  fit.constant = std::exp(highest);
  return fit;
}

KnnBound knn_radius_bound(const BallMassFit& fit, std::size_t k, double radius,
                          double n) {
  detail::check_count(n);
  detail::need(k >= 1, "k: at least 1 neighbour is expected");
  detail::need(std::isfinite(radius) && radius > 0.0,
               "radius: a finite number above 0 is expected");
  detail::need(fit.constant > 0.0 && std::isfinite(fit.exponent),
               "ball mass: a fit with a positive constant is expected");
  KnnBound bound;
  const double mass = fit.constant * std::pow(radius, fit.exponent);
  bound.largest_count = static_cast<double>(k) / (2.0 * mass);
  if (radius > fit.largest_radius) {
    bound.reason = "Vacuous: the ball masses are known up to a radius of " +
                   detail::rounded(fit.largest_radius) + ", which is below " +
                   detail::rounded(radius) + ".";
  } else if (!(n < bound.largest_count)) {
    bound.reason = too_many(n, bound.largest_count, radius, k);
  } else {
    bound.is_vacuous = false;
    bound.probability = -std::expm1(-static_cast<double>(k) / 6.0);
  }
  return bound;
}

double knn_flip_probability(std::size_t k, double n, double mass) {
  detail::check_count(n);
  detail::need(k >= 1 && static_cast<double>(k) <= n,
               "k: between 1 and n neighbours are expected");
  return std::exp(-n * bernoulli_kl(static_cast<double>(k) / n, mass));
}

double knn_required_count(double share, double mass, double pool,
                          double delta) {
  detail::check_failure(delta);
  detail::check_count(pool, "pool");
  return std::max(1.0, std::log(pool / delta) / bernoulli_kl(share, mass));
}

}  // namespace sbog
