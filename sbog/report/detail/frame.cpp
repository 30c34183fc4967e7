// SPDX-License-Identifier: Apache-2.0
// Axes and curves; see frame.h.
#include "sbog/report/detail/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sbog::detail {
namespace {

constexpr double kGap = 6.0;       // between a label and its axis
constexpr double kBaseline = 4.0;  // from the middle of a text to its baseline
constexpr double kSwatch = 22.0;
constexpr double kLetter = 6.7;  // mean width of a letter at 12 pixels
// Labels of an axis, 11 pixels high, are mostly digits, all of one width.
constexpr double kDigit = 7.0;
constexpr double kLabelGap = 6.0;
constexpr double kOverhang = 12.0;  // of a label beyond the right edge
constexpr double kFirstLine = 16.0;
constexpr double kSecondLine = 31.0;

// A row of labels in the middle under their ticks. What would touch the one
// before it is left out.
class LabelRow {
 public:
  LabelRow(double y, double right) : y_(y), right_(right + kOverhang) {}

  void add(double x, const std::string& label, SvgDrawing& drawing) {
    if (label.empty()) return;
    const double half = kDigit * static_cast<double>(label.size()) / 2.0;
    const double middle = std::min(x, right_ - half);
    if (middle - half < free_from_) return;
    drawing.text({middle, y_}, label, "small", TextAnchor::kMiddle);
    free_from_ = middle + half + kLabelGap;
  }

 private:
  double y_;
  double right_;
  double free_from_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

double Frame::pixel_x(double value) const {
  const double share = std::clamp(x_->position(value), 0.0, 1.0);
  return area_.left + share * area_.width;
}

double Frame::pixel_y(double value) const {
  const double share = std::clamp(y_->position(value), 0.0, 1.0);
  return area_.bottom() - share * area_.height;
}

void Frame::draw_y_axis(SvgDrawing& drawing) const {
  for (const Tick& tick : y_->ticks) {
    const double y = pixel_y(tick.value);
    drawing.line({area_.left, y}, {area_.right(), y}, "grid");
    drawing.text({area_.left - kGap, y + kBaseline}, tick.label, "small",
                 TextAnchor::kEnd);
  }
}

void Frame::draw_x_axis(SvgDrawing& drawing) const {
  LabelRow labels(area_.bottom() + kFirstLine, area_.right());
  LabelRow days(area_.bottom() + kSecondLine, area_.right());
  for (const Tick& tick : x_->ticks) {
    const double x = pixel_x(tick.value);
    drawing.line({x, area_.bottom()}, {x, area_.bottom() + 4.0}, "frame");
    labels.add(x, tick.label, drawing);
    days.add(x, tick.below, drawing);
  }
  if (x_->caption.empty()) return;
  drawing.text({area_.right(), area_.bottom() + kSecondLine}, x_->caption,
               "small", TextAnchor::kEnd);
}

void Frame::draw_box(SvgDrawing& drawing) const {
  drawing.box({area_.left, area_.top}, area_.width, area_.height, "frame");
}

void Frame::draw_stripe(double first, double end, std::string_view style,
                        SvgDrawing& drawing, double least_width) const {
  double left = pixel_x(first);
  double width = pixel_x(end) - left;
  if (width < least_width) {
    left -= (least_width - width) / 2.0;
    width = least_width;
  }
  drawing.box({left, area_.top}, width, area_.height, style);
}

void Frame::draw_values(std::span<const double> values, std::string_view style,
                        SvgDrawing& drawing) const {
  std::vector<SvgPoint> points;
  const auto add = [&](std::size_t i) {
    points.push_back({pixel_x(static_cast<double>(i)), pixel_y(values[i])});
  };
  const auto columns = static_cast<std::size_t>(area_.width);
  if (values.size() <= 2 * columns) {
    for (std::size_t i = 0; i < values.size(); ++i) add(i);
    return drawing.path(points, style);
  }
  for (std::size_t column = 0; column < columns; ++column) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(
                                            column * values.size() / columns);
    const auto end =
        values.begin() +
        static_cast<std::ptrdiff_t>((column + 1) * values.size() / columns);
    const auto [low, high] = std::minmax_element(begin, end);
    const auto index = [&](auto at) {
      return static_cast<std::size_t>(at - values.begin());
    };
    add(std::min(index(low), index(high)));
    if (low != high) add(std::max(index(low), index(high)));
  }
  drawing.path(points, style);
}

double draw_legend(SvgPoint at, std::span<const LegendEntry> entries,
                   SvgDrawing& drawing) {
  double x = at.x;
  for (const LegendEntry& entry : entries) {
    if (entry.is_line) {
      drawing.line({x, at.y}, {x + kSwatch, at.y}, entry.style);
    } else {
      drawing.box({x, at.y - 5.0}, kSwatch, 10.0, entry.style);
    }
    drawing.text({x + kSwatch + kGap, at.y + kBaseline}, entry.words, "muted");
    x += kSwatch + 3.0 * kGap +
         kLetter * static_cast<double>(entry.words.size());
  }
  return x - at.x;
}

}  // namespace sbog::detail
