// SPDX-License-Identifier: Apache-2.0
// A rectangle of a drawing with its two axes.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sbog/report/axis.h"
#include "sbog/report/svg.h"

namespace sbog::detail {

/// Pixels of a drawing.
struct PlotArea {
  double left = 0.0;
  double top = 0.0;
  double width = 0.0;
  double height = 0.0;

  double bottom() const { return top + height; }
  double right() const { return left + width; }
};

/// Maps values to pixels. Both axes stay the caller's.
class Frame {
 public:
  Frame(const PlotArea& area, const Axis& x, const Axis& y)
      : area_(area), x_(&x), y_(&y) {}

  const PlotArea& area() const { return area_; }
  /// Kept within the area.
  double pixel_x(double value) const;
  double pixel_y(double value) const;

  /// Grid lines with labels, and the box around the area.
  void draw_y_axis(SvgDrawing& drawing) const;
  void draw_x_axis(SvgDrawing& drawing) const;
  void draw_box(SvgDrawing& drawing) const;
  /// A stripe from the value `first` to `end` of the x axis, at least
  /// `least_width` pixels wide.
  void draw_stripe(double first, double end, std::string_view style,
                   SvgDrawing& drawing, double least_width = 0.0) const;
  /// Values at 0, 1, 2 ... of the x axis. Where there are several in one pixel,
  /// their lowest and highest are drawn.
  void draw_values(std::span<const double> values, std::string_view style,
                   SvgDrawing& drawing) const;

 private:
  PlotArea area_;
  const Axis* x_;
  const Axis* y_;
};

/// An entry of a legend: a line or a filled box.
struct LegendEntry {
  std::string_view words;
  std::string_view style;
  bool is_line = true;
};

/// One row from the left; returns the pixels used.
double draw_legend(SvgPoint at, std::span<const LegendEntry> entries,
                   SvgDrawing& drawing);

}  // namespace sbog::detail
