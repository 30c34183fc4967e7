// SPDX-License-Identifier: Apache-2.0
// Layout of the plots; see series_plots.h.
#include "sbog/report/series_plots.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/report/axis.h"
#include "sbog/report/detail/frame.h"
#include "sbog/report/svg.h"

namespace sbog {
namespace {

using detail::Frame;
using detail::LegendEntry;
using detail::PlotArea;

constexpr double kWidth = 860.0;
constexpr double kMargin = 16.0;
constexpr double kLeft = 72.0;
constexpr double kPlotWidth = kWidth - kLeft - kMargin;
constexpr double kTitleLine = 19.0;
constexpr double kRemarkLine = 16.0;
// Narrow enough for DejaVu, the widest of the usual fonts: 9.0 and 7.4 pixels a
// character, dates included.
constexpr std::size_t kTitleColumns = 92;
constexpr std::size_t kRemarkColumns = 112;
constexpr std::size_t kMostTitleLines = 8;
constexpr double kLegend = 26.0;
constexpr double kPanelName = 20.0;
constexpr double kPanel = 116.0;
constexpr double kPanelGap = 14.0;
constexpr double kFoot = 40.0;
constexpr std::size_t kNameColumns = 60;
constexpr double kScorePanel = 240.0;
constexpr double kStrip = 8.0;
// A training range of more than this many times what the window shows would
// flatten the curves; then only its part in view is shaded.
constexpr double kWidestRange = 3.0;
constexpr double kPadding = 0.08;
// The largest score over the threshold from which on the axis is a log one.
constexpr double kLogFrom = 30.0;
constexpr std::size_t kTimeTicks = 7;
constexpr std::size_t kNumberTicks = 10;

// A line of a heading with its style.
struct HeadingLine {
  std::string words;
  bool is_title = true;
};

std::vector<HeadingLine> heading_of(const std::vector<std::string>& title) {
  std::vector<HeadingLine> lines;
  for (std::size_t i = 0; i < title.size(); ++i) {
    const bool is_title = i == 0;
    for (std::string& line :
         wrap_text(title[i], is_title ? kTitleColumns : kRemarkColumns)) {
      lines.push_back({std::move(line), is_title});
    }
  }
  if (lines.size() > kMostTitleLines) {
    lines.resize(kMostTitleLines);
    lines.back().words += " ...";
  }
  return lines;
}

double height_of(const std::vector<HeadingLine>& lines) {
  double height = kMargin;
  for (const HeadingLine& line : lines) {
    height += line.is_title ? kTitleLine : kRemarkLine;
  }
  return height + kLegend;
}

// Heading and legend; returns where the plots begin.
double draw_heading(const std::vector<HeadingLine>& lines,
                    std::span<const LegendEntry> legend, SvgDrawing& drawing) {
  double y = kMargin;
  for (const HeadingLine& line : lines) {
    y += line.is_title ? kTitleLine : kRemarkLine;
    drawing.text({kMargin, y - 5.0}, line.words,
                 line.is_title ? "title" : "muted");
  }
  detail::draw_legend({kMargin, y + kLegend / 2.0}, legend, drawing);
  return y + kLegend;
}

void check_window(const EditedWindow& window) {
  const std::size_t channels = window.channels.size();
  const std::size_t samples = window.source.cols();
  if (window.source.rows() != channels || window.edited.rows() != channels ||
      window.edited.cols() != samples || samples == 0 ||
      (!window.times.empty() && window.times.size() != samples)) {
    throw InvalidArgument(
        "plot_edited_window: names, source, edited and times of one shape are "
        "expected");
  }
  if (window.edits.empty()) {
    throw InvalidArgument(
        "plot_edited_window: at least one edited channel is expected");
  }
  for (const EditedChannel& edit : window.edits) {
    if (edit.channel >= channels || !std::isfinite(edit.low) ||
        !std::isfinite(edit.high) || edit.low > edit.high) {
      throw InvalidArgument(
          "plot_edited_window: a channel of the window and its training range "
          "are expected");
    }
    for (std::size_t t = 0; t < samples; ++t) {
      if (!std::isfinite(window.source(edit.channel, t)) ||
          !std::isfinite(window.edited(edit.channel, t))) {
        throw InvalidArgument("plot_edited_window: channel " +
                              std::to_string(edit.channel) + ", sample " +
                              std::to_string(t) +
                              " is not finite; a finite value is expected");
      }
    }
  }
}

Axis value_axis(const EditedWindow& window, const EditedChannel& edit) {
  const auto source = window.source.row(edit.channel);
  const auto edited = window.edited.row(edit.channel);
  double low = std::min(std::ranges::min(source), std::ranges::min(edited));
  double high = std::max(std::ranges::max(source), std::ranges::max(edited));
  const double shown = std::max(high / 2.0 - low / 2.0, 0.0);
  if (edit.high / 2.0 - edit.low / 2.0 <= kWidestRange * shown) {
    low = std::min(low, edit.low);
    high = std::max(high, edit.high);
  }
  const double pad = 2.0 * kPadding * (high / 2.0 - low / 2.0);
  return make_axis(std::max(low - pad, -1e308), std::min(high + pad, 1e308), 5);
}

void draw_panel(const EditedWindow& window, const EditedChannel& edit,
                const Axis& time, double top, bool is_last,
                SvgDrawing& drawing) {
  const Axis values = value_axis(window, edit);
  const Frame frame({kLeft, top + kPanelName, kPlotWidth, kPanel}, time,
                    values);
  const PlotArea& area = frame.area();
  const std::string& name = window.channels[edit.channel];
  const std::string heading =
      edit.note.empty() ? name : name + " (" + edit.note + ")";
  drawing.text({kMargin, top + 13.0}, cut_text(heading, kNameColumns), "name",
               TextAnchor::kStart, heading);
  drawing.text({area.right(), top + 13.0},
               "training range " + short_number(edit.low) + " to " +
                   short_number(edit.high),
               "small", TextAnchor::kEnd);
  const double upper = frame.pixel_y(edit.high);
  const double lower = frame.pixel_y(edit.low);
  drawing.box({area.left, upper}, area.width, lower - upper, "band");
  for (const PlotSpan& span : edit.spans) {
    frame.draw_stripe(span.first, span.end, "span", drawing, 1.5);
  }
  frame.draw_y_axis(drawing);
  for (const double edge : {edit.low, edit.high}) {
    if (edge < values.low || edge > values.high) continue;
    const double y = frame.pixel_y(edge);
    drawing.line({area.left, y}, {area.right(), y}, "edge");
  }
  frame.draw_values(window.source.row(edit.channel), "source", drawing);
  if (edit.note.empty()) {
    frame.draw_values(window.edited.row(edit.channel), "edited", drawing);
  }
  frame.draw_box(drawing);
  if (is_last) frame.draw_x_axis(drawing);
}

void check_scores(const ScorePlot& plot) {
  const std::size_t rows = plot.scores.size();
  if (rows == 0 || plot.thresholds.size() != rows ||
      (!plot.times.empty() && plot.times.size() != rows)) {
    throw InvalidArgument(
        "plot_scores: one threshold and, if any, one time per score are "
        "expected");
  }
  for (std::size_t t = 0; t < rows; ++t) {
    if (!std::isfinite(plot.scores[t]) || plot.scores[t] < 0.0 ||
        std::isnan(plot.thresholds[t]) || plot.thresholds[t] < 0.0) {
      throw InvalidArgument("plot_scores: row " + std::to_string(t) +
                            ": a finite score and a threshold, both at least "
                            "0, are expected");
    }
  }
  for (const auto* spans : {&plot.alarms, &plot.labels}) {
    for (const PlotRows& span : *spans) {
      if (span.first < span.end && span.end <= rows) continue;
      throw InvalidArgument(
          "plot_scores: alarms and labels within the rows "
          "are expected");
    }
  }
}

// The lowest finite threshold; infinite when there is none.
double lowest_threshold(const ScorePlot& plot) {
  return std::ranges::min(plot.thresholds);
}

Axis score_axis(const ScorePlot& plot) {
  double high = std::ranges::max(plot.scores);
  for (const double threshold : plot.thresholds) {
    if (std::isfinite(threshold)) high = std::max(high, threshold);
  }
  const double threshold = lowest_threshold(plot);
  const double top = std::min(high * (1.0 + kPadding), 1e308);
  if (threshold > 0.0 && high > kLogFrom * threshold) {
    return make_log_axis(threshold / 30.0, top);
  }
  return make_axis(0.0, std::max(top, 1e-12), 6);
}

// Runs of finite thresholds; there may be rows without one.
void draw_thresholds(const ScorePlot& plot, const Frame& frame,
                     SvgDrawing& drawing) {
  std::vector<SvgPoint> points;
  const std::size_t rows = plot.thresholds.size();
  for (std::size_t t = 0; t <= rows; ++t) {
    const bool is_there = t < rows && std::isfinite(plot.thresholds[t]);
    if (!is_there) {
      if (!points.empty()) drawing.path(points, "threshold");
      points.clear();
      continue;
    }
    const SvgPoint point{frame.pixel_x(static_cast<double>(t)),
                         frame.pixel_y(plot.thresholds[t])};
    // Only where the level changes, or at the ends.
    const bool is_inner = !points.empty() && t + 1 < rows &&
                          plot.thresholds[t] == plot.thresholds[t - 1] &&
                          plot.thresholds[t] == plot.thresholds[t + 1];
    if (!is_inner) points.push_back(point);
  }
}

}  // namespace

std::string plot_edited_window(const EditedWindow& window) {
  check_window(window);
  const std::size_t panels = std::min(window.edits.size(), kMostPanels);
  std::vector<std::string> title = window.title;
  if (panels < window.edits.size()) {
    title.push_back(std::to_string(window.edits.size() - panels) +
                    " more edited channels are not shown.");
  }
  const std::vector<HeadingLine> heading = heading_of(title);
  const double height =
      height_of(heading) +
      static_cast<double>(panels) * (kPanelName + kPanel + kPanelGap) -
      kPanelGap + kFoot;
  SvgDrawing drawing(kWidth, height,
                     title.empty() ? "Edited window" : title.front());
  const Axis time =
      make_time_axis(window.source.cols(), window.times, window.first_row,
                     window.times.empty() ? kNumberTicks : kTimeTicks);
  constexpr LegendEntry kEntries[] = {{"recorded", "source", true},
                                      {"outlier", "edited", true},
                                      {"edited span", "span", false},
                                      {"training range", "band", false}};
  double top = draw_heading(heading, kEntries, drawing);
  for (std::size_t i = 0; i < panels; ++i) {
    draw_panel(window, window.edits[i], time, top, i + 1 == panels, drawing);
    top += kPanelName + kPanel + kPanelGap;
  }
  return drawing.finish();
}

std::string plot_scores(const ScorePlot& plot) {
  check_scores(plot);
  const std::vector<HeadingLine> heading = heading_of({plot.title});
  const Axis time =
      make_time_axis(plot.scores.size(), plot.times, 0,
                     plot.times.empty() ? kNumberTicks : kTimeTicks);
  const Axis values = score_axis(plot);
  const bool has_labels = !plot.labels.empty();
  const double strip = has_labels ? kStrip + 4.0 : 0.0;
  SvgDrawing drawing(kWidth, height_of(heading) + kScorePanel + strip + kFoot,
                     plot.title);
  std::vector<LegendEntry> legend = {
      {values.is_log ? "score (log scale)" : "score", "score", true}};
  if (std::isfinite(lowest_threshold(plot))) {
    legend.push_back({"threshold", "threshold", true});
  }
  legend.push_back({"alarm", "alarm", false});
  if (has_labels) legend.push_back({"labelled anomaly", "label", false});
  const double top = draw_heading(heading, legend, drawing);
  const Frame frame({kLeft, top, kPlotWidth, kScorePanel}, time, values);
  for (const PlotRows& alarm : plot.alarms) {
    frame.draw_stripe(static_cast<double>(alarm.first),
                      static_cast<double>(alarm.end - 1), "alarm", drawing,
                      2.5);
  }
  frame.draw_y_axis(drawing);
  frame.draw_values(plot.scores, "score", drawing);
  draw_thresholds(plot, frame, drawing);
  frame.draw_box(drawing);
  const Frame below({kLeft, frame.area().bottom() + 4.0, kPlotWidth, kStrip},
                    time, values);
  for (const PlotRows& label : plot.labels) {
    below.draw_stripe(static_cast<double>(label.first),
                      static_cast<double>(label.end - 1), "label", drawing,
                      2.5);
  }
  (has_labels ? below : frame).draw_x_axis(drawing);
  return drawing.finish();
}

std::vector<PlotRows> labelled_rows(std::span<const std::int64_t> labels) {
  std::vector<PlotRows> found;
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (labels[t] != 1) continue;
    if (!found.empty() && found.back().end == t) {
      ++found.back().end;
    } else {
      found.push_back({t, t + 1});
    }
  }
  return found;
}

}  // namespace sbog
