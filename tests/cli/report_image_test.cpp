// SPDX-License-Identifier: Apache-2.0
// The report of a run on images: pairs of pictures, what was measured on them,
// and what it shares with a run on points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "sbog/data/npy.h"
#include "sbog/image/png.h"

namespace sbog::testing_support {
namespace report_image_test {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

// 160 images of 12 x 12 pixels, ten outliers of each class, no decoder to
// train: a second of work.
const std::string kRun =
    "generate demo:shapes --limit 20 --side 12 --widths 4,8 --latent 8 "
    "--epochs 2 --seed 3 --count 10 ";

json data_of(const std::string& page) {
  const std::size_t at = page.find('>', page.find("id=\"sbog-data\"")) + 1;
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

json report_of(const TemporaryFolder& folder, const std::string& file) {
  return data_of(read_bytes(folder.file(file)));
}

std::vector<std::byte> bytes_of(const std::string& base64) {
  const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::byte> bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count & 255U));
  }
  return bytes;
}

std::vector<std::uint8_t> pixels_of(const std::string& png) {
  return decode_png(bytes_of(png), "picture").pixels;
}

std::vector<std::uint8_t> row_of(const Array& images, std::size_t i) {
  const std::size_t size = images.size() / images.shape()[0];
  const auto* first = reinterpret_cast<const std::uint8_t*>(images.bytes());
  return {first + i * size, first + (i + 1) * size};
}

// Rows of decoded/images.csv by outlier: its image and its numbers as text.
std::map<std::size_t, std::vector<std::string>> table_of(
    const TemporaryFolder& folder) {
  std::ifstream file(folder.file("run/decoded/images.csv"));
  std::map<std::size_t, std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) {
      cells.push_back(cell);
    }
    rows[std::stoul(cells[1])] = cells;
  }
  return rows;
}

void expect_sentence(const ToolResult& run, int code, const char* hint) {
  EXPECT_EQ(run.exit_code, code) << run.err;
  EXPECT_THAT(run.err, HasSubstr(hint));
  EXPECT_EQ(told_lines(run.err), 1u) << run.err;
}

TEST(ReportImage, pairs_are_those_of_the_run_and_their_number_is_stated) {
  const TemporaryFolder folder;
  const ToolResult made = run_tool(folder, kRun + "--decoder mix --out run");
  ASSERT_LE(made.exit_code, 1) << made.err;
  EXPECT_THAT(made.err, HasSubstr("report: run/report.html"));
  const std::string page = read_bytes(folder.file("run/report.html"));
  const json data = data_of(page);
  EXPECT_EQ(data["run"]["kind"], "image");
  const Array images = read_npy(folder.file("run/decoded/images.npy"));
  const Array sources = read_npy(folder.file("run/decoded/source-images.npy"));
  const std::size_t total = images.shape()[0];
  ASSERT_GT(total, 60u);
  EXPECT_EQ(data["images_total"], total);
  EXPECT_LE(data["images"].size(), 60u);
  EXPECT_GE(data["images"].size(), 8u);
  EXPECT_THAT(page, HasSubstr(std::to_string(data["images"].size()) + " of " +
                              std::to_string(total) + " decoded images"));
  const auto table = table_of(folder);
  double before = -1e9;
  std::size_t cls = 0;
  for (const json& image : data["images"]) {
    const auto& cells = table.at(image["outlier"].get<std::size_t>());
    const std::size_t row = std::stoul(cells[0]);
    EXPECT_EQ(pixels_of(image["png"]), row_of(images, row));
    EXPECT_EQ(pixels_of(image["source_png"]), row_of(sources, row));
    EXPECT_NEAR(image["energy"], std::stod(cells[6]), 1e-5);
    EXPECT_NEAR(image["decoded_energy"], std::stod(cells[7]), 1e-5);
    EXPECT_NEAR(image["nearest_image"], std::stod(cells[10]), 1e-5);
    if (image["class"] != cls) before = -1e9;  // by class, then by energy
    EXPECT_GE(image["class"].get<std::size_t>(), cls);
    cls = image["class"];
    EXPECT_GE(image["energy"].get<double>(), before);
    before = image["energy"];
  }
  EXPECT_EQ(data["classes"].size(), 8u);
  EXPECT_THAT(data["classes"][0]["name"].get<std::string>(),
              Not(HasSubstr("class")));
  // Those of the images are there at once, those of the points later.
  EXPECT_EQ(data["metrics"].size(), 9u);
  EXPECT_TRUE(data["certificate"].is_null());
}

TEST(ReportImage, has_what_a_run_on_points_has) {
  const TemporaryFolder folder;
  ASSERT_LE(
      run_tool(folder, kRun + "--decoder mix --no-report --out run").exit_code,
      1);
  EXPECT_FALSE(fs::exists(folder.file("run/report.html")));
  const ToolResult made = run_tool(folder, "report run");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const json data = report_of(folder, "run/report.html");
  const std::size_t rows = read_npy(folder.file("run/bank.npy")).shape()[0];
  EXPECT_EQ(data["bank"]["total"], rows);
  EXPECT_EQ(read_npy(folder.file("run/bank_energies.npy")).shape()[0], rows);
  EXPECT_EQ(read_npy(folder.file("run/bank_labels.npy")).shape()[0], rows);
  EXPECT_EQ(read_npy(folder.file("run/bank_sources.npy")).shape()[0], rows);
  const json& outliers = data["outliers"];
  EXPECT_EQ(outliers["x"].size(), data["run"]["produced"]);
  for (std::size_t i = 0; i < outliers["x"].size(); ++i) {
    EXPECT_GE(outliers["margin"][i].get<double>(), 0.0);
    EXPECT_GE(outliers["anchor"][i].get<int>(), 0);
    EXPECT_TRUE(outliers["class_cosine"][i].is_number());
  }
  EXPECT_TRUE(data["certificate"].is_object());
  std::vector<std::string> names;
  for (const json& metric : data["metrics"]) names.push_back(metric["name"]);
  EXPECT_THAT(names, ::testing::IsSupersetOf(
                         {"Consistency", "Pixels_mean", "Gap", "Diversity"}));
  // The command on the page makes the same outliers and images.
  const ToolResult again =
      run_line(folder, data["command"].get<std::string>() + " --no-report");
  ASSERT_LE(again.exit_code, 1) << again.err;
  for (const char* name : {"outliers.npy", "bank.npy", "bank_energies.npy",
                           "decoded/images.npy", "image_metrics.json"}) {
    EXPECT_EQ(read_bytes(folder.file(std::string("run/") + name)),
              read_bytes(folder.file(std::string("run-again/") + name)))
        << name;
  }
}

TEST(ReportImage, points_of_the_run_can_be_evaluated_and_certified) {
  const TemporaryFolder folder;
  ASSERT_LE(
      run_tool(folder, kRun + "--decoder none --no-report --out run").exit_code,
      1);
  const ToolResult evaluated = run_tool(folder, "evaluate run --json");
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_TRUE(json::parse(evaluated.out).contains("metrics"));
  const ToolResult certified =
      run_tool(folder, "certify run --replicates 0 --json");
  EXPECT_LE(certified.exit_code, 1) << certified.err;
  EXPECT_TRUE(fs::exists(folder.file("run/certificate.json")));
  expect_sentence(run_tool(folder, "evaluate run --bank demo:bank"), 2,
                  "has its bank in its folder");
  // Nothing was decoded: no pictures, and the page says why.
  ASSERT_EQ(run_tool(folder, "report run --quiet").exit_code, 0);
  const json data = report_of(folder, "run/report.html");
  EXPECT_EQ(data["images"].size(), 0u);
  for (const json& metric : data["metrics"]) {
    if (metric["name"] == "Consistency") {
      EXPECT_EQ(metric["reason"], "nothing was decoded");
    }
  }
}

TEST(ReportImage, damaged_files_get_one_sentence) {
  const TemporaryFolder folder;
  ASSERT_LE(
      run_tool(folder, kRun + "--decoder mix --no-report --out run").exit_code,
      1);
  for (const char* name :
       {"decoded/images.csv", "decoded/images.npy", "decoded/source-images.npy",
        "image_metrics.json", "bank.npy", "bank_labels.npy",
        "class_anchors.npy", "bank_energies.npy", "outliers.csv"}) {
    SCOPED_TRACE(name);
    const std::string path = folder.file(std::string("run/") + name);
    const std::string whole = read_bytes(path);
    fs::resize_file(path, whole.size() / 2);
    expect_sentence(run_tool(folder, "report run --quiet"), 3, "run");
    EXPECT_FALSE(fs::exists(folder.file("run/report.html")));
    std::ofstream(path, std::ios::binary) << whole;
  }
  fs::remove(folder.file("run/bank.npy"));
  expect_sentence(run_tool(folder, "report run --quiet"), 3, "no bank.npy");
}

TEST(ReportImage, large_pictures_are_shrunk_and_hostile_names_are_text) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("names.txt"))
      << "</script><b>x\na\nb\nc\nd\ne\nf\ng\n";
  const ToolResult made = run_tool(
      folder,
      "generate demo:shapes --limit 12 --side 120 --widths 4 --latent 8 "
      "--epochs 1 --decoder mix --count 2 --no-report --out run");
  ASSERT_LE(made.exit_code, 1) << made.err;
  const ToolResult told = run_tool(folder, "report run --names names.txt");
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const std::string page = read_bytes(folder.file("run/report.html"));
  EXPECT_THAT(page, Not(HasSubstr("<b>x")));
  const json data = data_of(page);
  EXPECT_EQ(data["classes"][0]["name"], "</script><b>x");
  ASSERT_GT(data["images"].size(), 0u);
  for (const json& image : data["images"]) {
    EXPECT_EQ(pixels_of(image["png"]).size(), 96u * 96u);
  }
  EXPECT_THAT(data["notes"].dump(), HasSubstr("shrunk to 96 pixels"));
}

}  // namespace report_image_test
}  // namespace sbog::testing_support
