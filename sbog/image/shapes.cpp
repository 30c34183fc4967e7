// SPDX-License-Identifier: Apache-2.0
// Poses, figures and painting of the procedural set; see shapes.h.
#include "sbog/image/shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/image/detail/distance.h"
#include "sbog/image/detail/draws.h"
#include "sbog/image/detail/planes.h"

namespace sbog {
namespace {

using detail::ImageDraws;
using detail::ImagePurpose;
using detail::Point;

constexpr std::size_t kAllShapes = kShapeClasses + kUnseenShapeClasses;
constexpr std::array<const char*, kAllShapes> kShapeNames = {
    "disc",     "ring",   "square", "triangle", "tee",  "bar",
    "crescent", "zigzag", "star",   "heart",    "dots", "arrow"};

// What is drawn for one image, in the order of drawing.
struct Pose {
  Point centre;       // pixels
  double radius;      // pixels; the figures fill a disc of radius 1
  double stretch;     // width over height of the figure
  double cosine;      // of the tilt
  double sine;        // of the tilt
  double stroke;      // half width of pens, in radii
  double variant;     // in (0, 1): what else a figure may vary
  double ink;         // grey level of the figure, in (0, 1)
  double paper;       // grey level of the background
  Point paper_slope;  // change of the background from border to border
};

double tilt_limit() { return 25.0 * std::numbers::pi / 180.0; }

Pose draw_pose(ImageDraws& draws, const ShapesOptions& options) {
  const auto height = static_cast<double>(options.height);
  const auto width = static_cast<double>(options.width);
  Pose pose{};
  pose.radius = std::min(height, width) * draws.uniform(0.24, 0.42);
  // A figure may touch the border but keeps most of itself inside.
  const double reach = 0.85 * pose.radius;
  pose.centre.x = draws.uniform(reach, width - reach);
  pose.centre.y = draws.uniform(reach, height - reach);
  pose.stretch = draws.uniform(0.85, 1.18);
  const double tilt = draws.uniform(-tilt_limit(), tilt_limit());
  pose.cosine = std::cos(tilt);
  pose.sine = std::sin(tilt);
  pose.stroke = draws.uniform(0.15, 0.27);
  pose.variant = draws.uniform();
  pose.paper = draws.uniform(0.02, 0.28);
  pose.ink = pose.paper + draws.uniform(0.35, 0.7);
  pose.paper_slope = {draws.uniform(-0.12, 0.12), draws.uniform(-0.12, 0.12)};
  return pose;
}

double triangle_distance(Point p) {
  static constexpr std::array<Point, 3> kCorners = {
      {{0.0, -1.0}, {0.95, 0.7}, {-0.95, 0.7}}};
  return detail::polygon_distance(p, kCorners);
}

double tee_distance(Point p, double stroke) {
  const double stem = detail::box_distance(p, {stroke, 0.9});
  const double top =
      detail::box_distance({p.x, p.y + 0.9 - stroke}, {0.85, stroke});
  return std::min(stem, top);
}

double crescent_distance(Point p, double variant) {
  const double bite = 0.35 + 0.2 * variant;
  return std::max(detail::disc_distance(p, {}, 0.95),
                  -detail::disc_distance(p, {bite, 0.0}, 0.72));
}

double zigzag_distance(Point p, const Pose& pose) {
  const double rise = 0.45 + 0.2 * pose.variant;
  const std::array<Point, 5> line = {
      {{-0.9, rise}, {-0.45, -rise}, {0.0, rise}, {0.45, -rise}, {0.9, rise}}};
  return detail::stroke_distance(p, line, 0.6 * pose.stroke);
}

double star_distance(Point p) {
  std::array<Point, 10> corners;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k) / 5.0;
    const double radius = k % 2 == 0 ? 1.0 : 0.42;
    corners[k] = {radius * std::sin(angle), -radius * std::cos(angle)};
  }
  return detail::polygon_distance(p, corners);
}

// Two discs over a triangle whose sides touch them.
double heart_distance(Point p) {
  static constexpr std::array<Point, 4> kCorners = {
      {{0.0, 1.0}, {-0.87, -0.02}, {0.0, -0.45}, {0.87, -0.02}}};
  const double lobes = std::min(detail::disc_distance(p, {-0.46, -0.36}, 0.53),
                                detail::disc_distance(p, {0.46, -0.36}, 0.53));
  return std::min(lobes, detail::polygon_distance(p, kCorners));
}

double dots_distance(Point p, double stroke) {
  const double radius = 0.15 + stroke;
  return std::min({detail::disc_distance(p, {0.0, -0.68}, radius),
                   detail::disc_distance(p, {-0.6, 0.45}, radius),
                   detail::disc_distance(p, {0.6, 0.45}, radius)});
}

double arrow_distance(Point p, double stroke) {
  static constexpr std::array<Point, 3> kHead = {
      {{1.0, 0.0}, {0.15, -0.75}, {0.15, 0.75}}};
  const double shaft =
      detail::box_distance({p.x + 0.35, p.y}, {0.6, 0.8 * stroke});
  return std::min(shaft, detail::polygon_distance(p, kHead));
}

// Distance to the figure in its own frame, in radii.
double figure_distance(Shape shape, Point p, const Pose& pose) {
  switch (shape) {
    case Shape::kDisc:
      return detail::disc_distance(p, {}, 0.85);
    case Shape::kRing:
      return std::abs(detail::disc_distance(p, {}, 0.95 - pose.stroke)) -
             pose.stroke;
    case Shape::kSquare:
      return detail::box_distance(p, {0.75, 0.75});
    case Shape::kTriangle:
      return triangle_distance(p);
    case Shape::kTee:
      return tee_distance(p, pose.stroke);
    case Shape::kBar:
      return detail::box_distance(p, {1.0, 1.2 * pose.stroke});
    case Shape::kCrescent:
      return crescent_distance(p, pose.variant);
    case Shape::kZigzag:
      return zigzag_distance(p, pose);
    case Shape::kStar:
      return star_distance(p);
    case Shape::kHeart:
      return heart_distance(p);
    case Shape::kDots:
      return dots_distance(p, pose.stroke);
    case Shape::kArrow:
      return arrow_distance(p, pose.stroke);
  }
  return std::numeric_limits<double>::infinity();
}

// The pixel (x, y) in the frame of the figure.
Point in_figure(double x, double y, const Pose& pose) {
  const double dx = (x - pose.centre.x) / pose.radius;
  const double dy = (y - pose.centre.y) / pose.radius;
  return {(pose.cosine * dx + pose.sine * dy) / pose.stretch,
          pose.cosine * dy - pose.sine * dx};
}

void paint(Shape shape, const Pose& pose, const ShapesOptions& options,
           std::span<double> grey) {
  const auto height = static_cast<double>(options.height);
  const auto width = static_cast<double>(options.width);
  for (std::size_t i = 0; i < options.height; ++i) {
    for (std::size_t j = 0; j < options.width; ++j) {
      const double x = static_cast<double>(j) + 0.5;
      const double y = static_cast<double>(i) + 0.5;
      const double paper = pose.paper + pose.paper_slope.x * (x / width - 0.5) +
                           pose.paper_slope.y * (y / height - 0.5);
      const double inside = detail::coverage(
          pose.radius * figure_distance(shape, in_figure(x, y, pose), pose));
      grey[i * options.width + j] = paper + inside * (pose.ink - paper);
    }
  }
}

void draw_shape(Shape shape, std::size_t number, const ShapesOptions& options,
                std::span<double> grey, std::span<std::uint8_t> out) {
  ImageDraws draws(options.seed, ImagePurpose::kShape,
                   static_cast<std::uint32_t>(shape),
                   static_cast<std::uint32_t>(number));
  const Pose pose = draw_pose(draws, options);
  paint(shape, pose, options, grey);
  for (std::size_t k = 0; k < grey.size(); k += 2) {
    const std::array<double, 2> normals = draws.normals();
    for (std::size_t n = 0; n < 2 && k + n < grey.size(); ++n) {
      out[k + n] =
          detail::to_byte(255.0 * (grey[k + n] + options.noise * normals[n]));
    }
  }
}

ImageSet draw_set(std::size_t first_shape, std::size_t classes,
                  const ShapesOptions& options) {
  check_options(options);
  ImageSet set;
  set.shape = {1, options.height, options.width};
  set.pixels = Matrix<std::uint8_t>(options.count, set.shape.size());
  set.class_names.assign(kShapeNames.begin() + first_shape,
                         kShapeNames.begin() + first_shape + classes);
  std::vector<double> grey(set.shape.size());
  for (std::size_t k = 0; k < options.count; ++k) {
    const std::size_t cls = k % classes;
    set.labels.push_back(static_cast<std::int32_t>(cls));
    draw_shape(static_cast<Shape>(first_shape + cls),
               options.first + k / classes, options, grey, set.pixels.row(k));
  }
  return set;
}

void require_shapes(bool condition, const char* expected) {
  if (!condition) {
    throw InvalidArgument(std::string("shapes: ") + expected + " is expected");
  }
}

}  // namespace

const char* to_string(Shape shape) {
  const auto number = static_cast<std::size_t>(shape);
  return number < kAllShapes ? kShapeNames[number] : "?";
}

void check_options(const ShapesOptions& options) {
  const auto is_extent = [](std::size_t extent) {
    return extent >= 8 && extent <= 4096;
  };
  require_shapes(is_extent(options.height), "height from 8 to 4096");
  require_shapes(is_extent(options.width), "width from 8 to 4096");
  require_shapes(options.noise >= 0.0 && options.noise <= 1.0,
                 "noise from 0 to 1");
  constexpr std::size_t kLimit = std::numeric_limits<std::uint32_t>::max();
  require_shapes(
      options.first <= kLimit && options.count <= kLimit - options.first,
      "first + count below 2^32");
}

ImageSet make_shapes(const ShapesOptions& options) {
  return draw_set(0, kShapeClasses, options);
}

ImageSet make_unseen_shapes(const ShapesOptions& options) {
  return draw_set(kShapeClasses, kUnseenShapeClasses, options);
}

}  // namespace sbog
