// SPDX-License-Identifier: Apache-2.0
#include "sbog/report/detail/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace sbog::detail {
namespace frame_test {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr PlotArea kArea{10.0, 20.0, 100.0, 50.0};

TEST(Frame, corners_of_the_axes_are_corners_of_the_area) {
  const Axis x = make_axis(0.0, 4.0, 4);
  const Axis y = make_axis(-1.0, 1.0, 4);
  const Frame frame(kArea, x, y);
  EXPECT_EQ(frame.pixel_x(0.0), 10.0);
  EXPECT_EQ(frame.pixel_x(4.0), 110.0);
  EXPECT_EQ(frame.pixel_y(-1.0), 70.0);
  EXPECT_EQ(frame.pixel_y(1.0), 20.0);
  EXPECT_EQ(frame.pixel_y(9.0), 20.0);
}

TEST(Frame, few_values_are_drawn_one_by_one) {
  const Axis x = make_axis(0.0, 2.0, 4);
  const Axis y = make_axis(0.0, 1.0, 4);
  SvgDrawing drawing(120.0, 80.0, "");
  Frame(kArea, x, y).draw_values(std::vector{0.0, 1.0, 0.5}, "source", drawing);
  EXPECT_THAT(drawing.finish(), HasSubstr("d=\"M10 70L60 20L110 45\""));
}

TEST(Frame, of_many_values_the_extremes_of_every_pixel_are_kept) {
  std::vector<double> values(100000, 0.25);
  values[33333] = 1.0;
  values[77777] = 0.0;
  const Axis x = make_time_axis(values.size(), {}, 0, 5);
  const Axis y = make_axis(0.0, 1.0, 4);
  SvgDrawing drawing(120.0, 80.0, "");
  Frame(kArea, x, y).draw_values(values, "score", drawing);
  const std::string svg = drawing.finish();
  EXPECT_THAT(svg, HasSubstr("43.33 20L"));
  EXPECT_THAT(svg, HasSubstr("87.78 70L"));
  EXPECT_LE(std::count(svg.begin(), svg.end(), 'L'), 220);
}

TEST(Frame, a_narrow_stripe_stays_visible) {
  const Axis x = make_time_axis(10001, {}, 0, 5);
  const Axis y = make_axis(0.0, 1.0, 4);
  SvgDrawing drawing(120.0, 80.0, "");
  const Frame frame(kArea, x, y);
  frame.draw_stripe(5000.0, 5000.0, "alarm", drawing, 2.0);
  EXPECT_THAT(drawing.finish(),
              HasSubstr("<rect class=\"alarm\" x=\"59\" y=\"20\" width=\"2\""));
}

TEST(Frame, labels_do_not_touch_each_other_or_leave_the_drawing) {
  Axis x = make_axis(0.0, 4.0, 4);
  // 100 pixels: the second label would touch the first.
  x.ticks = {
      {0.0, "00000"}, {1.0, "1111"}, {2.0, "2222", "day"}, {4.0, "4444"}};
  const Axis y = make_axis(0.0, 1.0, 4);
  SvgDrawing drawing(130.0, 110.0, "");
  Frame(kArea, x, y).draw_x_axis(drawing);
  const std::string svg = drawing.finish();
  EXPECT_THAT(svg,
              HasSubstr("x=\"10\" y=\"86\" text-anchor=\"middle\">00000<"));
  EXPECT_THAT(svg, Not(HasSubstr("1111")));
  EXPECT_THAT(svg, HasSubstr("x=\"60\" y=\"86\" text-anchor=\"middle\">2222<"));
  EXPECT_THAT(svg, HasSubstr("x=\"60\" y=\"101\" text-anchor=\"middle\">day<"));
  // Pulled in from 110, so that it ends 12 pixels past the area.
  EXPECT_THAT(svg,
              HasSubstr("x=\"108\" y=\"86\" text-anchor=\"middle\">4444<"));
}

TEST(Frame, a_legend_names_its_entries) {
  SvgDrawing drawing(120.0, 80.0, "");
  const LegendEntry entries[] = {{"recorded", "source", true},
                                 {"span", "span", false}};
  EXPECT_GT(draw_legend({0.0, 10.0}, entries, drawing), 100.0);
  const std::string svg = drawing.finish();
  EXPECT_THAT(svg, HasSubstr(">recorded<"));
  EXPECT_THAT(svg, HasSubstr("<rect class=\"span\""));
}

}  // namespace frame_test
}  // namespace sbog::detail
