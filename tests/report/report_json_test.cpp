// SPDX-License-Identifier: Apache-2.0
// The JSON against the contract of the page: the interfaces of web/src/data.ts
// are read from the file, so that neither side changes alone.

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "oracle/temporary_folder.h"
#include "report/example_report.h"
#include "sbog/base/errors.h"
#include "sbog/report/report_page.h"
#include "test_paths.h"

namespace sbog::testing_support {
namespace report_json_test {

using nlohmann::json;

struct Field {
  std::string type;
  bool is_optional = false;
};
using Interfaces = std::map<std::string, std::map<std::string, Field>>;

std::string contract() {
  return read_bytes(SBOG_SOURCE_DIR "/web/src/data.ts");
}

// "export interface A extends B { name?: type; ... }" of the file, comments
// apart. A type over several lines (an object in place) ends with its brace.
Interfaces interfaces_of(std::string text) {
  text = std::regex_replace(text, std::regex(R"(/\*[^]*?\*/)"), "");
  const std::regex head(R"(export interface (\w+)(?: extends (\w+))? \{)");
  const std::regex field(R"(^  (\w+)(\?)?: (.*)$)");
  Interfaces found;
  for (std::sregex_iterator at(text.begin(), text.end(), head), end; at != end;
       ++at) {
    auto& fields = found[(*at)[1]];
    if ((*at)[2].matched) fields = found.at((*at)[2]);
    std::istringstream body(
        text.substr(static_cast<std::size_t>(at->position() + at->length())));
    for (std::string line; std::getline(body, line) && line != "}";) {
      std::smatch match;
      if (!std::regex_match(line, match, field)) continue;
      std::string type = match[3];
      if (type.back() == ';') type.pop_back();
      fields[match[1]] = {type, match[2].matched};
    }
  }
  return found;
}

// Whether `value` is of the type, written as in the file. Types in place are
// only told apart as objects and lists.
bool fits(const json& value, std::string type, const Interfaces& known,
          const std::string& place) {
  const auto ends = [&](const char* end) { return type.ends_with(end); };
  if (type == "{" || type.starts_with("{")) {
    return value.is_object() || value.is_array() || value.is_null();
  }
  if (ends("[]")) {
    if (!value.is_array()) return false;
    std::string inner = type.substr(0, type.size() - 2);
    if (inner.starts_with("(")) inner = inner.substr(1, inner.size() - 2);
    for (const json& entry : value) {
      if (!fits(entry, inner, known, place + "[]")) return false;
    }
    return true;
  }
  if (const std::size_t bar = type.find(" | "); bar != std::string::npos) {
    return fits(value, type.substr(0, bar), known, place) ||
           fits(value, type.substr(bar + 3), known, place);
  }
  if (type.starts_with("[")) return value.is_array() && value.size() == 2;
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "1") return value == 1;
  if (type.starts_with("\""))
    return "\"" + value.get<std::string>() + "\"" == type;
  const auto at = known.find(type);
  if (at == known.end() || !value.is_object()) return false;
  for (const auto& [name, entry] : at->second) {
    if (!value.contains(name)) {
      if (entry.is_optional) continue;
      ADD_FAILURE() << place << "." << name << " is missing";
      return false;
    }
    if (!fits(value[name], entry.type, known, place + "." + name)) {
      ADD_FAILURE() << place << "." << name << " is no " << entry.type;
      return false;
    }
  }
  return true;
}

void expect_fits(const ReportData& data) {
  const Interfaces known = interfaces_of(contract());
  ASSERT_TRUE(known.contains("ReportData"));
  const json object = json::parse(report_json(data));
  EXPECT_TRUE(fits(object, "ReportData", known, "data"));
  for (const auto& [name, value] : object.items()) {
    EXPECT_TRUE(known.at("ReportData").contains(name)) << name;
  }
  for (const char* table : {"bank", "anchors", "outliers"}) {
    for (const auto& [name, column] : object[table].items()) {
      if (column.is_array()) {
        EXPECT_EQ(column.size(), object[table]["x"].size()) << name;
      }
    }
  }
}

TEST(ReportJson, the_contract_is_read_from_the_page) {
  const Interfaces known = interfaces_of(contract());
  EXPECT_EQ(known.size(), 21u);
  EXPECT_EQ(known.at("BankPoints").size(), 6u);  // five of them inherited
  EXPECT_EQ(known.at("RunFacts").at("kind").type,
            "\"latent\" | \"series\" | \"image\"");
  EXPECT_TRUE(known.at("MetricEntry").at("reason").is_optional);
}

TEST(ReportJson, every_field_of_the_contract_is_there_with_its_type) {
  expect_fits(example_report());
}

TEST(ReportJson, what_is_unknown_is_null) {
  ReportData data = example_report();
  data.metrics.reset();
  data.metrics_note = "There are none.";
  data.certificate.clear();
  data.stress.reset();
  data.map.features.reset();
  data.windows[0].times.reset();
  data.classes[0].purity.reset();
  data.classes[0].epsilon.reset();
  data.classes[0].radius.reset();
  data.run.level.reset();
  data.run.distance_ratio.reset();
  data.items[1].png.reset();
  data.outliers.facts[0].round.reset();
  data.outliers.facts[0].certified.reset();
  data.outliers.nearest = {std::nullopt};
  data.run.seed = std::numeric_limits<std::uint64_t>::max();
  expect_fits(data);
  const json object = json::parse(report_json(data));
  EXPECT_EQ(object["run"]["seed"], "18446744073709551615");
  EXPECT_TRUE(object["metrics"].is_null());
  EXPECT_TRUE(object["certificate"].is_null());
  EXPECT_TRUE(object["stress"].is_null());
  EXPECT_TRUE(object["outliers"]["round"][0].is_null());
  EXPECT_TRUE(object["run"]["distance_ratio"].is_null());
  EXPECT_TRUE(object["classes"][0]["radius"].is_null());
}

TEST(ReportJson, a_report_without_points_fits_too) {
  ReportData data;
  data.classes = {ReportClass{}};
  expect_fits(data);
}

TEST(ReportJson, a_field_that_is_missing_or_wrong_is_detected) {
  const Interfaces known = {{"A", {{"x", {"number[]", false}}}}};
  EXPECT_TRUE(fits(json{{"x", {1, 2}}}, "A", known, "a"));
  EXPECT_NONFATAL_FAILURE(fits(json{{"x", {1, "2"}}}, "A", known, "a"), "no");
  EXPECT_NONFATAL_FAILURE(fits(json::object(), "A", known, "a"), "missing");
}

TEST(ReportJson, the_limits_are_those_of_the_page) {
  const std::string text = contract();
  const auto limit = [&](const char* name) {
    std::smatch match;
    const std::regex line(std::string("  ") + name + R"(: (\d+),)");
    return std::regex_search(text, match, line) ? std::stoul(match[1].str())
                                                : 0ul;
  };
  EXPECT_EQ(limit("bank"), ReportLimits::kBank);
  EXPECT_EQ(limit("anchors"), ReportLimits::kAnchors);
  EXPECT_EQ(limit("outliers"), ReportLimits::kOutliers);
  EXPECT_EQ(limit("features"), ReportLimits::kFeatures);
  EXPECT_EQ(limit("featureDimension"), ReportLimits::kFeatureDimension);
  EXPECT_EQ(limit("windows"), ReportLimits::kWindows);
  EXPECT_EQ(limit("images"), ReportLimits::kImages);
  EXPECT_EQ(limit("listed"), ReportLimits::kListed);
}

TEST(ReportJson, numbers_of_points_have_five_digits) {
  const json object = json::parse(report_json(example_report()));
  EXPECT_EQ(object["bank"]["energy"][2].dump(), "0.12346");
  EXPECT_EQ(object["classes"][0]["threshold"], 0.25);
}

TEST(ReportJson, hostile_text_comes_out_as_it_went_in) {
  const json object = json::parse(report_json(example_report(kHostile)));
  std::string shown = kHostile;
  shown.replace(shown.find('\xFF'), 1, "\xEF\xBF\xBD");  // not UTF-8
  EXPECT_EQ(object["classes"][0]["name"], shown);
  EXPECT_EQ(object["windows"][0]["channels"][0]["name"], shown);
  EXPECT_EQ(object["items"][0]["text"], "item " + shown);
  EXPECT_EQ(object["stress"]["model"], shown);
  EXPECT_EQ(object["stress"]["weak_spots"][0]["clearest"][0]["words"], shown);
}

TEST(ReportJson, outliers_lead_to_the_items_next_to_them) {
  const json object = json::parse(report_json(example_report()));
  EXPECT_EQ(object["outliers"]["neighbours"], json::parse("[[1, 0]]"));
  EXPECT_EQ(object["items"][1]["png"], "QUJD");
  EXPECT_EQ(object["listed"], json::parse("[0]"));
  EXPECT_EQ(object["classes"][0]["radius"], json::parse("[0.4, 0.9]"));
}

TEST(ReportJson, data_that_does_not_fit_together_is_refused) {
  ReportData data = example_report();
  data.bank.energy.pop_back();
  EXPECT_THROW(report_json(data), InvalidArgument);
  data = example_report();
  data.certificate = "{";
  EXPECT_THROW(report_json(data), InvalidArgument);
}

}  // namespace report_json_test
}  // namespace sbog::testing_support
