// SPDX-License-Identifier: Apache-2.0
#include "sbog/report/series_plots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "sbog/base/errors.h"

namespace sbog {
namespace series_plots_test {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Every opened element is closed, in order.
bool is_balanced(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos;
       at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) return false;
    if (svg[end - 1] == '/') continue;
    const bool is_end = svg[at + 1] == '/';
    const std::size_t begin = at + (is_end ? 2 : 1);
    const std::string name =
        svg.substr(begin, svg.find_first_of(" >", begin) - begin);
    if (!is_end) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

struct Case {
  Case() : source(3, 50), edited(3, 50) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t t = 0; t < 50; ++t) {
        source(c, t) = std::sin(0.2 * static_cast<double>(t * (c + 1)));
        edited(c, t) = source(c, t);
        if (c == 1 && t >= 20 && t < 30) edited(c, t) += 0.75;
      }
    }
  }
  EditedWindow window() const {
    EditedWindow window;
    window.title = {"Flow runs 0.75 above its recorded level.", "Energy 0.1."};
    window.channels = {"pump", "flow", "level"};
    window.source = source;
    window.edited = edited;
    window.edits = {{1, {{20.0, 30.0}}, -1.0, 1.25}};
    return window;
  }
  Matrix<double> source;
  Matrix<double> edited;
};

TEST(EditedWindowPlot, shows_the_edited_channels_only) {
  const Case at;
  const std::string svg = plot_edited_window(at.window());
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_THAT(svg, HasSubstr(">Flow runs 0.75 above its recorded level.<"));
  EXPECT_THAT(svg, HasSubstr(">flow<"));
  EXPECT_THAT(svg, HasSubstr("training range -1 to 1.25"));
  EXPECT_THAT(svg, Not(HasSubstr(">pump<")));
  EXPECT_EQ(count_of(svg, "<path class=\"source\""), 1u);
  EXPECT_EQ(count_of(svg, "<path class=\"edited\""), 1u);
  // One stripe and the swatch of the legend.
  EXPECT_EQ(count_of(svg, "<rect class=\"span\""), 2u);
}

TEST(EditedWindowPlot, several_channels_are_several_panels_with_one_time_axis) {
  const Case at;
  EditedWindow window = at.window();
  window.edits.push_back({2, {{0.0, 5.0}, {40.0, 55.0}}, -2.0, 2.0});
  window.first_row = 1000;
  const std::string svg = plot_edited_window(window);
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_EQ(count_of(svg, "<path class=\"edited\""), 2u);
  EXPECT_EQ(count_of(svg, ">1010<"), 1u);
  EXPECT_EQ(count_of(svg, "<rect class=\"span\""), 4u);
}

TEST(EditedWindowPlot, a_window_across_midnight_says_each_day_once) {
  const Case at;
  EditedWindow window = at.window();
  for (std::size_t t = 0; t < 50; ++t) {
    // Half hours from ten o'clock on.
    const std::size_t hour = 10 + t / 2;
    char time[40];
    std::snprintf(time, sizeof time, "2026-01-0%cT%02zu:%s:00",
                  hour < 24 ? '7' : '8', hour % 24, t % 2 == 0 ? "00" : "30");
    window.times.emplace_back(time);
  }
  const std::string svg = plot_edited_window(window);
  EXPECT_EQ(count_of(svg, ">2026-01-07<"), 1u);
  EXPECT_EQ(count_of(svg, ">2026-01-08<"), 1u);
  EXPECT_EQ(count_of(svg, "T0"), 0u);
  EXPECT_EQ(count_of(svg, ">00:00<"), 1u);
}

TEST(EditedWindowPlot, headings_are_wrapped_before_the_border) {
  const Case at;
  EditedWindow window = at.window();
  std::string words;
  for (int i = 0; i < 40; ++i) words += "2026-01-07 ";
  window.title = {words, words};
  // Bold digits of 14 pixels are 9.75 wide in DejaVu, plain ones of 12 pixels
  // 7.64; a hyphen or a blank takes half of that.
  const std::string svg = plot_edited_window(window);
  std::size_t lines = 0;
  for (const auto& [style, digit] :
       {std::pair{"title", 9.75}, std::pair{"muted", 7.64}}) {
    const std::string mark = "<text class=\"" + std::string(style) + "\"";
    for (std::size_t from = svg.find(mark); from != std::string::npos;
         from = svg.find(mark, from + 1)) {
      const std::size_t begin = svg.find('>', from) + 1;
      const std::string line = svg.substr(begin, svg.find('<', begin) - begin);
      double width = 16.0;
      for (const char c : line)
        width += c == '-' || c == ' ' ? digit / 2 : digit;
      EXPECT_LE(width, 860.0) << line;
      ++lines;
    }
  }
  EXPECT_GE(lines, 8u);
}

TEST(EditedWindowPlot, hostile_names_stay_text) {
  const Case at;
  EditedWindow window = at.window();
  window.channels[1] =
      "</text><script>alert('x')</script>\x01\xFF" + std::string(300, 'w');
  window.title[0] = "<b onload=\"x\"> & done";
  window.times.assign(50, "</svg>");
  const std::string svg = plot_edited_window(window);
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("<b ")));
  EXPECT_EQ(count_of(svg, "</svg>"), 1u);
}

TEST(EditedWindowPlot, a_range_far_wider_than_the_window_does_not_flatten_it) {
  const Case at;
  EditedWindow window = at.window();
  window.edits[0].high = 140.0;
  const std::string svg = plot_edited_window(window);
  EXPECT_THAT(svg, HasSubstr("training range -1 to 140"));
  EXPECT_THAT(svg, Not(HasSubstr(">100<")));
}

TEST(EditedWindowPlot, many_edits_are_cut_and_counted) {
  Matrix<double> values(40, 10);
  EditedWindow window;
  window.source = values;
  window.edited = values;
  for (std::size_t c = 0; c < 40; ++c) {
    window.channels.push_back("c" + std::to_string(c));
    window.edits.push_back({c, {}, 0.0, 0.0});
  }
  window.title = {std::string(5000, 'x')};
  const std::string svg = plot_edited_window(window);
  EXPECT_EQ(count_of(svg, "<path class=\"edited\""), kMostPanels);
  EXPECT_TRUE(is_balanced(svg));
  window.title = {};
  EXPECT_THAT(plot_edited_window(window),
              HasSubstr("28 more edited channels are not shown."));
}

TEST(EditedWindowPlot, what_does_not_fit_together_is_refused) {
  const Case at;
  EditedWindow window = at.window();
  window.channels.pop_back();
  EXPECT_THROW(plot_edited_window(window), InvalidArgument);
  window = at.window();
  window.edits[0].channel = 3;
  EXPECT_THROW(plot_edited_window(window), InvalidArgument);
  window = at.window();
  window.edits.clear();
  EXPECT_THROW(plot_edited_window(window), InvalidArgument);
  window = at.window();
  window.times = {"one"};
  EXPECT_THROW(plot_edited_window(window), InvalidArgument);
  window = at.window();
  window.edits[0].low = 9.0;
  EXPECT_THROW(plot_edited_window(window), InvalidArgument);
  Case broken;
  broken.edited(1, 3) = std::nan("");
  EXPECT_THROW(plot_edited_window(broken.window()), InvalidArgument);
}

struct Scores {
  explicit Scores(std::size_t rows, double peak)
      : scores(rows, 0.5), thresholds(rows, 1.0) {
    for (std::size_t t = rows / 2; t < rows / 2 + 10; ++t) scores[t] = peak;
  }
  ScorePlot plot() const {
    const std::size_t middle = scores.size() / 2;
    return {"Scores of a <series>",  scores, thresholds,
            {{middle, middle + 10}}, {},     {}};
  }
  std::vector<double> scores;
  std::vector<double> thresholds;
};

TEST(ScorePlot, shows_scores_threshold_and_alarms) {
  const Scores at(400, 3.0);
  const std::string svg = plot_scores(at.plot());
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_THAT(svg, HasSubstr("Scores of a &lt;series&gt;"));
  EXPECT_EQ(count_of(svg, "<path class=\"score\""), 1u);
  EXPECT_EQ(count_of(svg, "<path class=\"threshold\""), 1u);
  EXPECT_EQ(count_of(svg, "<rect class=\"alarm\""), 2u);
  EXPECT_THAT(svg, Not(HasSubstr("log scale")));
  EXPECT_THAT(svg, Not(HasSubstr("labelled")));
}

TEST(ScorePlot, scores_far_above_the_threshold_get_a_log_axis) {
  const Scores at(400, 3000.0);
  const std::string svg = plot_scores(at.plot());
  EXPECT_THAT(svg, HasSubstr("log scale"));
  EXPECT_THAT(svg, HasSubstr(">1000<"));
}

TEST(ScorePlot, an_infinite_threshold_is_left_out) {
  Scores at(400, 3.0);
  at.thresholds.assign(400, kInfinity);
  EXPECT_THAT(plot_scores(at.plot()), Not(HasSubstr("class=\"threshold\"")));
  for (std::size_t t = 100; t < 200; ++t) at.thresholds[t] = 1.0;
  EXPECT_EQ(count_of(plot_scores(at.plot()), "<path class=\"threshold\""), 1u);
}

TEST(ScorePlot, a_long_series_gives_a_short_file) {
  const Scores at(300000, 3.0);
  EXPECT_LT(plot_scores(at.plot()).size(), 60000u);
}

TEST(ScorePlot, labels_are_a_strip_below) {
  const Scores at(400, 3.0);
  std::vector<std::int64_t> labels(400, 0);
  for (std::size_t t : {10u, 11u, 12u, 300u}) labels[t] = 1;
  ScorePlot plot = at.plot();
  plot.labels = labelled_rows(labels);
  ASSERT_EQ(plot.labels.size(), 2u);
  EXPECT_EQ(plot.labels[0].first, 10u);
  EXPECT_EQ(plot.labels[0].end, 13u);
  EXPECT_EQ(plot.labels[1].end, 301u);
  EXPECT_EQ(count_of(plot_scores(plot), "<rect class=\"label\""), 3u);
}

TEST(ScorePlot, one_row_and_no_scores_above_zero_are_drawn) {
  const std::vector<double> zero = {0.0};
  const std::vector<double> one = {1.0};
  EXPECT_TRUE(is_balanced(plot_scores({"", zero, one, {}, {}, {}})));
  EXPECT_TRUE(is_balanced(plot_scores({"", zero, zero, {}, {}, {}})));
}

TEST(ScorePlot, what_does_not_fit_together_is_refused) {
  Scores at(40, 3.0);
  ScorePlot plot = at.plot();
  plot.alarms = {{30, 41}};
  EXPECT_THROW(plot_scores(plot), InvalidArgument);
  plot = at.plot();
  plot.thresholds = plot.thresholds.first(39);
  EXPECT_THROW(plot_scores(plot), InvalidArgument);
  EXPECT_THROW(plot_scores({}), InvalidArgument);
  at.scores[3] = -1.0;
  EXPECT_THROW(plot_scores(at.plot()), InvalidArgument);
  at.scores[3] = kInfinity;
  EXPECT_THROW(plot_scores(at.plot()), InvalidArgument);
}

}  // namespace series_plots_test
}  // namespace sbog
