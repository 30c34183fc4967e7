// SPDX-License-Identifier: Apache-2.0
#include "sbog/report/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "oracle/temporary_folder.h"
#include "report/example_report.h"
#include "sbog/base/errors.h"
#include "test_paths.h"

namespace sbog::testing_support {
namespace report_page_test {

TEST(ReportPage, the_embedded_page_is_the_committed_one) {
  EXPECT_EQ(report_template(),
            read_bytes(SBOG_SOURCE_DIR "/web/dist/report.html"));
}

TEST(ReportPage, both_places_are_filled_and_nothing_else_changes) {
  EXPECT_EQ(fill_template("a<!--sbog:tables-->b<!--sbog:data-->c", "T", "{}"),
            "aTb{}c");
  // What is put in is not looked at again.
  EXPECT_EQ(fill_template("<!--sbog:tables--><!--sbog:data-->",
                          "<!--sbog:data-->", "<!--sbog:tables-->"),
            "<!--sbog:data--><!--sbog:tables-->");
}

TEST(ReportPage, a_page_without_its_places_is_refused) {
  for (const char* page :
       {"", "<!--sbog:tables-->", "<!--sbog:data-->",
        "<!--sbog:data--><!--sbog:tables-->",
        "<!--sbog:tables--><!--sbog:data--><!--sbog:data-->"}) {
    EXPECT_THROW(fill_template(page, "", ""), InvalidArgument) << page;
  }
}

// The text between the script element of the data and its end.
std::string data_of(const std::string& page) {
  const std::string start = "id=\"sbog-data\"";
  const std::size_t at = page.find('>', page.find(start)) + 1;
  return page.substr(at, page.find("</script>", at) - at);
}

TEST(ReportPage, the_data_can_be_read_back_whatever_the_text) {
  for (const std::string& text : {std::string("calm"), kHostile}) {
    const ReportData data = example_report(text);
    const std::string page = report_page(data);
    EXPECT_EQ(nlohmann::json::parse(data_of(page)),
              nlohmann::json::parse(report_json(data)));
  }
}

TEST(ReportPage, hostile_text_adds_no_element) {
  const auto count = [](const std::string& page, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = page.find(what); at != std::string::npos;
         at = page.find(what, at + 1)) {
      ++found;
    }
    return found;
  };
  const std::string calm = report_page(example_report());
  const std::string hostile = report_page(example_report(kHostile));
  for (const char* what : {"<script", "</script", "<!--", "<section"}) {
    EXPECT_EQ(count(calm, what), count(hostile, what)) << what;
  }
}

}  // namespace report_page_test
}  // namespace sbog::testing_support
