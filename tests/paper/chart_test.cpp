// SPDX-License-Identifier: Apache-2.0
// Charts are complete specifications whose fields are in their data.
#include "paper/chart.h"

#include <gtest/gtest.h>

namespace sbog::paper {
namespace chart_test {

TEST(Chart, is_a_complete_specification) {
  const Json values = Json::array({{{"x", 1}, {"y", 2}}});
  const Json json = chart("title", values, "line",
                          {{"x", log_channel("x", "n")},
                           {"y", channel("y", "quantitative", "rate")}});
  EXPECT_EQ(json["$schema"], "https://vega.github.io/schema/vega-lite/v5.json");
  EXPECT_EQ(json["data"]["values"], values);
  EXPECT_EQ(json["encoding"]["x"]["scale"]["type"], "log");
  EXPECT_EQ(json["encoding"]["y"]["field"], "y");
  EXPECT_EQ(json["mark"], "line");
}

}  // namespace chart_test
}  // namespace sbog::paper
