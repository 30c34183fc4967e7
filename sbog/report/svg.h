// SPDX-License-Identifier: Apache-2.0
// A drawing as SVG text that stands by itself: no script, no font, no file
// besides it; readable on light and dark backgrounds.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sbog {

/// Text for an XML document: the five special characters escaped, what is not
/// UTF-8 or not allowed in XML replaced by U+FFFD.
std::string escape_xml(std::string_view text);

/// At most `most` characters (code points), the last one an ellipsis when
/// something was cut.
std::string cut_text(std::string_view text, std::size_t most);

/// Lines of at most `columns` characters, broken at blanks where there are any.
std::vector<std::string> wrap_text(std::string_view text, std::size_t columns);

/// A point of a drawing in pixels, y downwards.
struct SvgPoint {
  double x = 0.0;
  double y = 0.0;
};

/// Where a text is held.
enum class TextAnchor { kStart, kMiddle, kEnd };

/// Collects shapes; `style` names one of the classes of the style sheet:
/// title, name, muted, small, grid, frame, source, edited, span, band, edge,
/// score, threshold, alarm, label.
class SvgDrawing {
 public:
  /// `title` is what a screen reader says.
  SvgDrawing(double width, double height, std::string_view title);

  void line(SvgPoint from, SvgPoint to, std::string_view style);
  void box(SvgPoint corner, double width, double height,
           std::string_view style);
  void path(std::span<const SvgPoint> points, std::string_view style);
  /// `hint` appears when a mouse rests on the text; empty: none.
  void text(SvgPoint at, std::string_view words, std::string_view style,
            TextAnchor anchor = TextAnchor::kStart, std::string_view hint = "");

  /// The whole document.
  std::string finish() const;

 private:
  double width_;
  double height_;
  std::string title_;
  std::string body_;
};

}  // namespace sbog
