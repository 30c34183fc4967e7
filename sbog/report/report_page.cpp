// SPDX-License-Identifier: Apache-2.0
// Filling the page; see report_page.h.
#include "sbog/report/report_page.h"

#include "sbog/base/errors.h"
#include "sbog/report/safe_text.h"

namespace sbog {
namespace detail {

// In the source that cmake/SbogEmbed.cmake makes of the page.
extern const std::string_view kReportPage[];
extern const std::size_t kReportPageCount;

}  // namespace detail

namespace {

std::size_t place_of(std::string_view page, std::string_view mark) {
  const std::size_t at = page.find(mark);
  if (at == std::string_view::npos ||
      page.find(mark, at + 1) != std::string_view::npos) {
    throw InvalidArgument("fill_template: " + std::string(mark) +
                          " is expected exactly once");
  }
  return at;
}

}  // namespace

std::string report_template() {
  std::string page;
  for (std::size_t i = 0; i < detail::kReportPageCount; ++i) {
    page += detail::kReportPage[i];
  }
  return page;
}

std::string fill_template(std::string_view page, std::string_view tables,
                          std::string_view json) {
  constexpr std::string_view kTables = "<!--sbog:tables-->";
  constexpr std::string_view kData = "<!--sbog:data-->";
  const std::size_t first = place_of(page, kTables);
  const std::size_t second = place_of(page, kData);
  if (second < first) {
    throw InvalidArgument("fill_template: the tables come before the data");
  }
  std::string filled;
  filled.reserve(page.size() + tables.size() + json.size());
  filled += page.substr(0, first);
  filled += tables;
  filled +=
      page.substr(first + kTables.size(), second - first - kTables.size());
  filled += json;
  filled += page.substr(second + kData.size());
  return filled;
}

std::string report_page(const ReportData& data) {
  return fill_template(report_template(), report_tables(data),
                       script_json(report_json(data)));
}

}  // namespace sbog
