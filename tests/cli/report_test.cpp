// SPDX-License-Identifier: Apache-2.0
// sbog report: what the page holds, what is computed, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace report_test {

namespace fs = std::filesystem;

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// The text between the script element of the data and its end.
json data_of(const std::string& page) {
  const std::size_t at = page.find('>', page.find("id=\"sbog-data\"")) + 1;
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

json report_of(const TemporaryFolder& folder, const std::string& file) {
  return data_of(read_bytes(folder.file(file)));
}

void make_run(const TemporaryFolder& folder, const std::string& words) {
  const ToolResult run = run_tool(folder, "generate " + words + " --quiet");
  ASSERT_LE(run.exit_code, 1) << run.err;
}

constexpr const char* kLabelled =
    "demo:bank --labels demo:labels --count 12 --out run --no-report";

TEST(Report, generate_ends_with_a_report_and_names_it) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(
      folder, "generate demo:bank --labels demo:labels --count 5 --out run");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("report: run/report.html"));
  const json data = report_of(folder, "run/report.html");
  EXPECT_EQ(data["run"]["produced"], 15);
  // What takes time is left to the command that was made for it.
  EXPECT_TRUE(data["metrics"].is_null());
  EXPECT_THAT(data["metrics_note"].get<std::string>(),
              HasSubstr("sbog report"));
  EXPECT_TRUE(data["certificate"].is_null());
  EXPECT_FALSE(fs::exists(folder.file("run/metrics.json")));
}

TEST(Report, no_report_is_written_unless_wanted) {
  const TemporaryFolder folder;
  make_run(folder, kLabelled);
  EXPECT_FALSE(fs::exists(folder.file("run/report.html")));
}

TEST(Report, the_page_says_what_the_run_says) {
  const TemporaryFolder folder;
  make_run(folder, kLabelled);
  const ToolResult made = run_tool(folder, "report run --json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(json::parse(made.out)["out"], "run/report.html");
  const json data = report_of(folder, "run/report.html");
  const json manifest =
      json::parse(read_bytes(folder.file("run/manifest.json")));
  EXPECT_EQ(data["format"], 1);
  EXPECT_EQ(data["run"]["kind"], "latent");
  EXPECT_EQ(data["run"]["bank_rows"], 600);
  EXPECT_EQ(data["run"]["dimension"], 4);
  EXPECT_EQ(data["config"], read_bytes(folder.file("run/config.toml")));
  ASSERT_EQ(data["classes"].size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) {
    const json& entry = manifest["classes"][c];
    EXPECT_EQ(data["classes"][c]["threshold"], entry["threshold"]);
    EXPECT_EQ(data["classes"][c]["anchors_tried"], entry["anchors"].size());
    EXPECT_EQ(data["classes"][c]["anchors"], entry["anchor_count"]);
    EXPECT_EQ(data["classes"][c]["name"], "class " + std::to_string(c));
    EXPECT_TRUE(data["classes"][c]["purity"].is_number());
  }
  EXPECT_EQ(data["bank"]["total"], 600);
  EXPECT_EQ(data["bank"]["x"].size(), 600u);
  EXPECT_EQ(data["outliers"]["x"].size(), 36u);
  // Every accepted outlier lies at or above the threshold of its class, and
  // about the stated share of the bank below it.
  for (std::size_t i = 0; i < 36; ++i) {
    EXPECT_GE(data["outliers"]["margin"][i].get<double>(), 0.0);
    EXPECT_GE(data["outliers"]["anchor"][i].get<int>(), 0);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    const double threshold = data["classes"][c]["threshold"];
    std::size_t below = 0, count = 0;
    for (std::size_t i = 0; i < 600; ++i) {
      if (data["bank"]["class"][i] != c) continue;
      ++count;
      below += data["bank"]["energy"][i].get<double>() < threshold ? 1 : 0;
    }
    EXPECT_EQ(count, 200u);
    EXPECT_GE(below, 100u);
    EXPECT_LT(below, 200u);
  }
  // What was missing has been kept in the run, as its commands write it.
  EXPECT_EQ(
      data["metrics"],
      json::parse(read_bytes(folder.file("run/metrics.json")))["metrics"]);
  EXPECT_TRUE(fs::exists(folder.file("run/certificate.json")));
  EXPECT_EQ(data["certificate"]["classes"].size(), 3u);
}

TEST(Report, the_command_on_the_page_makes_the_same_bytes) {
  const TemporaryFolder folder;
  make_run(folder,
           "demo:bank --labels demo:labels --count 9 --quantile 0.9 "
           "--seed 5 --out 'my run' --no-report");
  ASSERT_EQ(run_tool(folder, "report 'my run'").exit_code, 0);
  const json data = report_of(folder, "my run/report.html");
  const ToolResult again = run_line(folder, data["command"].get<std::string>());
  ASSERT_EQ(again.exit_code, 0) << again.err;
  for (const char* file : {"outliers.npy", "outliers.csv", "config.toml",
                           "manifest.json", "bank_energies.npy"}) {
    EXPECT_EQ(read_bytes(folder.file(std::string("my run/") + file)),
              read_bytes(folder.file(std::string("my run-again/") + file)))
        << file;
  }
}

TEST(Report, hostile_names_of_classes_and_files_are_text) {
  const TemporaryFolder folder;
  const std::string name = "</script><script>x\"'&";
  Matrix<float> bank(40, 3);
  for (std::size_t i = 0; i < 40; ++i) {
    PhiloxStream(1, 0, 0, i).normals(0, bank.row(i));
  }
  // A slash would be a folder.
  const std::string file = "<img onerror=1>\u202E.npy";
  write_npy(folder.file(file), bank.view());
  std::ofstream(folder.file("names")) << name << "\u2028\n";
  make_run(folder, "'" + file + "' --count 3 --out run --no-report");
  const ToolResult made = run_tool(folder, "report run --names names");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string page = read_bytes(folder.file("run/report.html"));
  EXPECT_EQ(data_of(page)["classes"][0]["name"], name + "\u2028");
  EXPECT_EQ(data_of(page)["run"]["input"], file);
  EXPECT_THAT(page, Not(HasSubstr("<script>x")));
  EXPECT_THAT(page, Not(HasSubstr("<img onerror")));
  EXPECT_THAT(page, HasSubstr("[U+2028]"));  // in the tables
}

TEST(Report, items_are_named_from_generate_to_the_page) {
  const TemporaryFolder folder;
  std::ofstream items(folder.file("items.txt"));
  for (int i = 0; i < 600; ++i) items << "<b>" << i << "</b>\n";
  items.close();
  make_run(folder, std::string(kLabelled) + " --items items.txt");
  EXPECT_THAT(read_bytes(folder.file("run/outliers.csv")),
              HasSubstr(",near_1,item_1,"));
  const ToolResult made = run_tool(folder, "report run --quiet");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const json data = report_of(folder, "run/report.html");
  EXPECT_EQ(data["listed"].size(), 36u);
  const json& item = data["items"][0];
  EXPECT_EQ(item["text"],
            "<b>" + std::to_string(item["row"].get<int>()) + "</b>");
  std::ofstream(folder.file("few.txt")) << "one\n";
  for (const char* words :
       {"report run --items few.txt",
        "generate demo:bank --items few.txt --out other --quiet"}) {
    const ToolResult refused = run_tool(folder, words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(told_lines(refused.err), 1u) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("one line per row"));
  }
}

TEST(Report, a_run_that_fell_short_has_a_report_that_says_so) {
  const TemporaryFolder folder;
  make_run(folder, "demo:bank --count 6 --margin 3 --out none");
  ASSERT_EQ(run_tool(folder, "report none").exit_code, 0);
  const json none = report_of(folder, "none/report.html");
  EXPECT_EQ(none["run"]["produced"], 0);
  EXPECT_EQ(none["run"]["state"], "partial");
  EXPECT_EQ(none["classes"][0]["binding"], "energy");
  EXPECT_EQ(none["classes"][0]["name"], "all points");
  EXPECT_TRUE(none["metrics"].is_null());
  EXPECT_THAT(none["metrics_note"].get<std::string>(),
              HasSubstr("no outliers"));
  EXPECT_TRUE(none["certificate"].is_null());
  EXPECT_THAT(none["certificate_note"].get<std::string>(),
              HasSubstr("no outliers"));
  EXPECT_TRUE(none["outliers"]["x"].empty());
}

TEST(Report, a_bank_too_small_to_certify_is_told_in_plain_words) {
  const TemporaryFolder folder;
  Matrix<float> bank(12, 2);
  for (std::size_t i = 0; i < 12; ++i) {
    PhiloxStream(3, 0, 0, i).normals(0, bank.row(i));
  }
  write_npy(folder.file("bank.npy"), bank.view());
  make_run(folder, "bank.npy --count 2 --quantile 0.9 --sigma 0.5 --out run");
  const ToolResult made = run_tool(folder, "report run");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const json certificate = report_of(folder, "run/report.html")["certificate"];
  EXPECT_EQ(certificate["certified"], false);
  EXPECT_TRUE(certificate["classes"][0]["threshold"].is_null());
  EXPECT_TRUE(certificate["calculators"]["required_n"].is_object());
  EXPECT_THAT(certificate["sentences"].dump(), HasSubstr("needs at least 9"));
}

TEST(Report, rivals_have_a_report) {
  for (const char* rule : {"vos", "bood", "knn", "random"}) {
    const TemporaryFolder folder;
    make_run(folder, std::string("demo:bank --labels demo:labels --count 4 "
                                 "--out run --no-report --rule ") +
                         rule);
    const ToolResult made = run_tool(folder, "report run");
    ASSERT_EQ(made.exit_code, 0) << rule << made.err;
    const json data = report_of(folder, "run/report.html");
    EXPECT_EQ(data["run"]["rule"], rule);
    const bool tells_its_score =
        data["notes"].dump().find("ranks points by a score of its own") !=
        std::string::npos;
    EXPECT_EQ(tells_its_score, std::string(rule) == "knn");
    for (const json& anchor : data["outliers"]["anchor"]) {
      EXPECT_EQ(anchor == -1, std::string(rule) == "vos");
    }
  }
}

TEST(Report, a_large_bank_is_sampled) {
  const TemporaryFolder folder;
  Matrix<float> bank(6000, 2);
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    PhiloxStream(4, 0, 0, i).normals(0, bank.row(i));
  }
  write_npy(folder.file("bank.npy"), bank.view());
  make_run(folder, "bank.npy --count 5 --out run");
  const json data = report_of(folder, "run/report.html");
  EXPECT_EQ(data["bank"]["total"], 6000);
  EXPECT_EQ(data["bank"]["x"].size(), 5000u);
}

TEST(Report, fewer_bank_points_are_drawn_when_asked) {
  const TemporaryFolder folder;
  make_run(folder, kLabelled);
  const ToolResult made =
      run_tool(folder, "report run --sample 100 --out p.html");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("100 of 600 bank points"));
  EXPECT_EQ(report_of(folder, "p.html")["bank"]["x"].size(), 100u);
  EXPECT_FALSE(fs::exists(folder.file("run/report.html")));
}

TEST(Report, what_is_no_run_is_refused_in_one_sentence) {
  const TemporaryFolder folder;
  make_run(folder, kLabelled);
  const auto expect = [&](const std::string& words, int code,
                          const char* hint) {
    const ToolResult run = run_tool(folder, "report " + words);
    EXPECT_EQ(run.exit_code, code) << words << run.err;
    EXPECT_THAT(run.err, HasSubstr(hint)) << words;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
  };
  expect("nowhere", 3, "manifest.json");
  expect("run --sample 0", 2, "--sample");
  expect("run --sample 5001", 2, "--sample");
  expect("run --out no/where.html", 3, "folder");
  Matrix<float> other(600, 4);
  std::fill_n(other.data(), other.size(), 1.0F);
  write_npy(folder.file("other.npy"), other.view());
  expect("run --bank other.npy", 3, "was made from");
  expect("run --names none.txt", 3, "none.txt");
  std::ofstream(folder.file("names")) << "one\ntwo\n";
  expect("run --names names", 2, "one line per class");
}

TEST(Report, damaged_files_are_named_and_nothing_is_written) {
  for (const char* file :
       {"manifest.json", "outliers.npy", "outliers.csv", "bank_energies.npy",
        "metrics.json", "certificate.json", "config.toml"}) {
    const TemporaryFolder folder;
    make_run(folder, kLabelled);
    std::ofstream(folder.file(std::string("run/") + file)) << "{\"a\": 1}";
    const ToolResult run = run_tool(folder, "report run");
    EXPECT_EQ(run.exit_code, 3) << file << ": " << run.out << run.err;
    EXPECT_FALSE(fs::exists(folder.file("run/report.html"))) << file;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
  }
}

}  // namespace report_test
}  // namespace sbog::testing_support
