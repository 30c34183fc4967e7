// SPDX-License-Identifier: Apache-2.0
// SVG as text; see svg.h.
#include "sbog/report/svg.h"

#include <cstdint>
#include <cstdio>

namespace sbog {
namespace {

constexpr std::string_view kReplacementBytes = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";          // U+2026

// Names carry a prefix: several drawings may stand in one page.
constexpr std::string_view kStyle = R"(<style>
.sbog-plot{font:12px system-ui,"Segoe UI","DejaVu Sans",sans-serif;
--paper:#fff;--ink:#1c2128;--muted:#5d6673;--grid:#e7e9ed;--frame:#c3c8d0;
--source:#8e97a3;--edited:#b8430f;--span:#f6b26b;--band:#7bb0a6;--score:#1f5fae;
--alarm:#d64545;--label:#6a4fb3}
@media (prefers-color-scheme:dark){.sbog-plot{
--paper:#15181d;--ink:#e8eaed;--muted:#a2abb8;--grid:#2a2f37;--frame:#4a515c;
--source:#8d96a3;--edited:#ff9d5c;--span:#b06a2c;--band:#3c6d66;--score:#7fb2f5;
--alarm:#e25555;--label:#a893ea}}
.sbog-plot text{fill:var(--ink)}
.sbog-plot .paper{fill:var(--paper)}
.sbog-plot .title{font-size:14px;font-weight:600}
.sbog-plot .name{font-weight:600}
.sbog-plot text.muted{fill:var(--muted)}
.sbog-plot text.small{fill:var(--muted);font-size:11px}
.sbog-plot .grid{stroke:var(--grid)}
.sbog-plot .frame{stroke:var(--frame);fill:none}
.sbog-plot .source{stroke:var(--source);stroke-width:1.1;fill:none}
.sbog-plot .edited{stroke:var(--edited);stroke-width:1.7;fill:none}
.sbog-plot .span{fill:var(--span);fill-opacity:.28}
.sbog-plot .band{fill:var(--band);fill-opacity:.2}
.sbog-plot .edge{stroke:var(--band);stroke-dasharray:2 3}
.sbog-plot .score{stroke:var(--score);stroke-width:1.3;fill:none}
.sbog-plot .threshold{stroke:var(--edited);stroke-width:1.3;fill:none;
stroke-dasharray:6 4}
.sbog-plot .alarm{fill:var(--alarm);fill-opacity:.3}
.sbog-plot .label{fill:var(--label)}
.sbog-plot path{stroke-linejoin:round}
</style>
)";

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 1;  // bytes
  bool is_valid = false;
};

// The code point at the beginning of a text that is not empty.
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint8_t>(text[i]);
  };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  std::uint32_t value = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  const bool is_overlong = (size == 3 && value < 0x800) ||
                           (size == 4 && (value < 0x10000 || value > 0x10FFFF));
  if (is_overlong || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, size, true};
}

bool is_allowed_in_xml(std::uint32_t value) {
  if (value < 0x20) return value == '\t' || value == '\n' || value == '\r';
  return value != 0xFFFE && value != 0xFFFF && value != 0x7F;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) {
    text.remove_prefix(first_code_point(text).size);
  }
  return count;
}

// The first so many characters.
std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) {
    end += first_code_point(text.substr(end)).size;
  }
  return text.substr(0, end);
}

std::string pixels(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string result = text;
  result.erase(result.find_last_not_of('0') + 1);
  if (result.back() == '.') result.pop_back();
  return result == "-0" ? "0" : result;
}

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + pixels(value) + "\"";
}

std::string class_of(std::string_view style) {
  return " class=\"" + escape_xml(style) + "\"";
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (!point.is_valid || !is_allowed_in_xml(point.value)) {
      result += kReplacementBytes;
    } else if (point.value == '&') {
      result += "&amp;";
    } else if (point.value == '<') {
      result += "&lt;";
    } else if (point.value == '>') {
      result += "&gt;";
    } else if (point.value == '"') {
      result += "&quot;";
    } else if (point.value == '\'') {
      result += "&#39;";
    } else {
      result += text.substr(0, point.size);
    }
    text.remove_prefix(point.size);
  }
  return result;
}

std::string cut_text(std::string_view text, std::size_t most) {
  if (count_characters(text) <= most) return std::string(text);
  if (most == 0) return "";
  return std::string(first_characters(text, most - 1)) + std::string(kEllipsis);
}

std::vector<std::string> wrap_text(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  while (columns > 0 && !text.empty()) {
    const std::string_view head = first_characters(text, columns);
    std::size_t end = head.size();
    if (end < text.size() && text[end] != ' ') {
      const std::size_t blank = head.find_last_of(' ');
      if (blank != std::string_view::npos && blank > 0) end = blank;
    }
    lines.emplace_back(text.substr(0, end));
    const std::size_t next = text.find_first_not_of(' ', end);
    text = next == std::string_view::npos ? "" : text.substr(next);
  }
  return lines;
}

SvgDrawing::SvgDrawing(double width, double height, std::string_view title)
    : width_(width), height_(height), title_(title) {}

void SvgDrawing::line(SvgPoint from, SvgPoint to, std::string_view style) {
  body_ += "<line" + class_of(style) + attribute("x1", from.x) +
           attribute("y1", from.y) + attribute("x2", to.x) +
           attribute("y2", to.y) + "/>\n";
}

void SvgDrawing::box(SvgPoint corner, double width, double height,
                     std::string_view style) {
  body_ += "<rect" + class_of(style) + attribute("x", corner.x) +
           attribute("y", corner.y) + attribute("width", width) +
           attribute("height", height) + "/>\n";
}

void SvgDrawing::path(std::span<const SvgPoint> points,
                      std::string_view style) {
  body_ += "<path" + class_of(style) + " d=\"";
  for (std::size_t i = 0; i < points.size(); ++i) {
    body_ +=
        (i == 0 ? "M" : "L") + pixels(points[i].x) + " " + pixels(points[i].y);
  }
  body_ += "\"/>\n";
}

void SvgDrawing::text(SvgPoint at, std::string_view words,
                      std::string_view style, TextAnchor anchor,
                      std::string_view hint) {
  body_ +=
      "<text" + class_of(style) + attribute("x", at.x) + attribute("y", at.y);
  if (anchor == TextAnchor::kMiddle) body_ += " text-anchor=\"middle\"";
  if (anchor == TextAnchor::kEnd) body_ += " text-anchor=\"end\"";
  body_ += ">" + escape_xml(words);
  if (!hint.empty()) body_ += "<title>" + escape_xml(hint) + "</title>";
  body_ += "</text>\n";
}

std::string SvgDrawing::finish() const {
  const std::string size = pixels(width_) + " " + pixels(height_);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sbog-plot\" "
         "role=\"img\"" +
         attribute("width", width_) + attribute("height", height_) +
         " viewBox=\"0 0 " + size + "\">\n<title>" + escape_xml(title_) +
         "</title>\n" + std::string(kStyle) + "<rect class=\"paper\"" +
         attribute("width", width_) + attribute("height", height_) + "/>\n" +
         body_ + "</svg>\n";
}

}  // namespace sbog
