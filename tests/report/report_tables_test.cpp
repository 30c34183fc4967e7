// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "report/example_report.h"
#include "sbog/report/report_page.h"
#include "sbog/report/safe_text.h"

namespace sbog::testing_support {
namespace report_tables_test {

using ::testing::HasSubstr;
using ::testing::Not;

// Elements that are closed in the order they were opened; a picture has no end.
bool is_balanced(const std::string& html) {
  std::vector<std::string> open;
  const std::regex tag(R"(<(/?)([a-z0-9]+)[^>]*>)");
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end;
       ++at) {
    if ((*at)[2] == "img") continue;
    if ((*at)[1].length() == 0) {
      open.push_back((*at)[2]);
    } else if (open.empty() || open.back() != (*at)[2]) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

TEST(ReportTables, every_part_is_readable_without_a_script) {
  const std::string html = report_tables(example_report());
  EXPECT_TRUE(is_balanced(html));
  for (const char* title :
       {"What was asked", "Where the model breaks", "Energy", "Coverage",
        "Certificate", "Metrics", "Decoded examples", "Nearest items",
        "Outliers", "Make it again"}) {
    EXPECT_THAT(html, HasSubstr(title));
  }
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">0.25</td>"));
  EXPECT_THAT(html, HasSubstr("None is clear."));
  EXPECT_THAT(html, HasSubstr("sbog generate x"));
  EXPECT_THAT(html, HasSubstr("1 of 2 outliers: fell short."));
}

TEST(ReportTables, answers_of_a_model_are_told) {
  ReportData data = example_report("pump");
  std::string html = report_tables(data);
  EXPECT_THAT(html, HasSubstr("9 of 20 cases were missed by <bdi>pump</bdi>: "
                              "45 % (95 %: 23 to 68 %)"));
  EXPECT_THAT(html, HasSubstr("all cases at severity 1"));
  EXPECT_THAT(html, HasSubstr("<bdi>class b</bdi> at severity 2"));
  EXPECT_THAT(html, HasSubstr("9 of 10 cases fail, 90 %"));
  EXPECT_THAT(html, HasSubstr("outlier 5: pump"));
  EXPECT_THAT(html, HasSubstr("<td>not met</td>"));
  EXPECT_THAT(html, HasSubstr("<td>met</td>"));
  data.stress.reset();
  html = report_tables(data);
  EXPECT_THAT(html, Not(HasSubstr("Where the model breaks")));
}

TEST(ReportTables, hostile_text_stays_text) {
  const std::string html = report_tables(example_report(kHostile));
  EXPECT_TRUE(is_balanced(html));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("</script")));
  EXPECT_THAT(html, Not(HasSubstr("<caveat>")));
  EXPECT_THAT(html, HasSubstr("<bdi>" + html_text(kHostile) + "</bdi>"));
}

TEST(ReportTables, a_series_claims_no_tests_that_it_does_not_make) {
  ReportData data = example_report();
  EXPECT_THAT(report_tables(data), Not(HasSubstr("Failed energy")));
  EXPECT_THAT(report_tables(data), HasSubstr("Targets drawn"));
  data.run.kind = "latent";
  EXPECT_THAT(report_tables(data), HasSubstr("Failed energy"));
}

TEST(ReportTables, the_placement_of_outliers_is_a_sentence_or_a_warning) {
  ReportData data = example_report();
  std::string html = report_tables(data);
  EXPECT_THAT(html, HasSubstr("above the energy of 95 % of their class."));
  EXPECT_THAT(html, HasSubstr("2.5 times as far from the bank"));
  EXPECT_THAT(html, Not(HasSubstr("no farther out")));
  data.run.distance_ratio = 1.29;
  html = report_tables(data);
  EXPECT_THAT(html, HasSubstr("no farther out than unseen data: 1.29 times"));
  EXPECT_TRUE(is_balanced(html));
  data.run.distance_ratio.reset();
  data.run.level.reset();
  html = report_tables(data);
  EXPECT_THAT(html, Not(HasSubstr("times as far")));
  EXPECT_THAT(html, Not(HasSubstr("above the energy")));
}

TEST(ReportTables, a_class_has_its_epsilon_and_radius) {
  ReportData data = example_report();
  data.run.kind = "latent";
  EXPECT_THAT(report_tables(data),
              HasSubstr("<td class=\"number\">0.05</td>"
                        "<td class=\"number\">0.4 to 0.9</td>"));
  data.classes[0].radius = {0.4, 0.4};
  EXPECT_THAT(report_tables(data), HasSubstr("<td class=\"number\">0.4</td>"));
}

TEST(ReportTables, items_next_to_an_outlier_are_text_and_pictures) {
  const std::string html = report_tables(example_report(kHostile));
  EXPECT_THAT(html, HasSubstr("<bdi>item " + html_text(kHostile) + "</bdi>"));
  EXPECT_THAT(html, HasSubstr("alt=\"bank row 1\" "
                              "src=\"data:image/png;base64,QUJD\""));
  ReportData data = example_report();
  data.items.clear();
  data.listed.clear();
  EXPECT_THAT(report_tables(data), Not(HasSubstr("Nearest items")));
}

TEST(ReportTables, decoded_images_are_there_with_words_and_numbers) {
  const std::string html = report_tables(example_report("a \"ring\""));
  EXPECT_THAT(html, HasSubstr("2 of 7 decoded images"));
  EXPECT_THAT(
      html, HasSubstr("alt=\"source of outlier 5 of class a &quot;ring&quot;\" "
                      "src=\"data:image/png;base64,QUJD\""));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">0.11</td>"));
}

TEST(ReportTables, what_is_missing_is_said) {
  ReportData data = example_report();
  data.metrics.reset();
  data.metrics_note = "No outliers to measure.";
  data.certificate.clear();
  data.certificate_note = "Too few points.";
  data.outliers = {};
  data.listed.clear();
  data.windows.clear();
  data.images.clear();
  const std::string html = report_tables(data);
  EXPECT_TRUE(is_balanced(html));
  EXPECT_THAT(html, HasSubstr("No outliers to measure."));
  EXPECT_THAT(html, HasSubstr("Too few points."));
  EXPECT_THAT(html, Not(HasSubstr("Decoded examples")));
}

TEST(ReportTables, a_certificate_of_another_kind_says_nothing) {
  for (const char* text : {"[]", "3", R"({"sentences":[1],"caveat":2})"}) {
    ReportData data = example_report();
    data.certificate = text;
    EXPECT_TRUE(is_balanced(report_tables(data))) << text;
  }
}

}  // namespace report_tables_test
}  // namespace sbog::testing_support
