// SPDX-License-Identifier: Apache-2.0
// Results on disk: nothing is lost, configurations are written once, both
// forms are read, damage is told.
#include "paper/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::paper {
namespace result_file_test {

using testing_support::read_bytes;
using testing_support::TemporaryFolder;

Json cell(int seed, double quantile, double value) {
  return {{"configuration",
           {{"seed", seed},
            {"sampler", {{"quantile", quantile}}},
            {"bytes", {100 + seed, 7}}}},
          {"result", {{"ap", value}, {"none", nullptr}}},
          {"commit", "abc"}};
}

// Two samplers, each with two seeds, and a cell with other fields.
Json example() {
  return {{"name", "x"},
          {"cells",
           {{"a-s1", cell(1, 0.5, 0.1)},
            {"a-s2", cell(2, 0.5, 1.0 / 3.0)},
            {"b-s1", cell(1, 0.9, 1e-300)},
            {"b-s2", cell(2, 0.9, 2.0)},
            {"c", {{"configuration", {{"part", "c"}}}, {"result", 5}}}}},
          {"table", {{"rows", Json::array()}}}};
}

TEST(ResultFile, what_is_written_is_read_back) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  write_result(out, "x", example());
  // Compared as text, so that the order of the fields counts.
  EXPECT_EQ(read_result(out, "x").dump(), example().dump());
  const std::string bytes = read_bytes(folder.file("x.json.gz"));
  write_result(out, "x", example());
  EXPECT_EQ(read_bytes(folder.file("x.json.gz")), bytes);
}

TEST(ResultFile, a_configuration_is_written_once) {
  const Json disk = Json::parse(result_text(example()));
  EXPECT_EQ(disk["configurations"].size(), 3u);
  EXPECT_EQ(disk["cells"]["a-s2"]["configuration"], 0);
  EXPECT_EQ(disk["cells"]["a-s2"]["changes"],
            (Json{{"seed", 2}, {"bytes", {102, 7}}}));
  EXPECT_EQ(disk["cells"]["b-s1"]["configuration"], 1);
  EXPECT_EQ(disk["cells"]["b-s1"]["changes"], Json::object());
}

TEST(ResultFile, a_line_holds_a_cell) {
  EXPECT_THAT(result_text(example()),
              ::testing::HasSubstr("\n\"b-s1\": {\"configuration\":1,"));
}

TEST(ResultFile, plain_text_and_whole_configurations_are_read) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  std::ofstream(folder.file("x.json")) << example().dump(2);
  EXPECT_EQ(read_result(out, "x"), example());
  std::ofstream(folder.file("x.json")) << result_text(example());
  EXPECT_EQ(read_result(out, "x"), example());
}

TEST(ResultFile, damage_is_told) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  EXPECT_THROW(read_result(out, "x"), IoError);
  write_result(out, "x", example());
  const std::string path = folder.file("x.json.gz");
  const std::string whole = read_bytes(path);
  for (const std::size_t kept : {whole.size() / 2, whole.size() - 1}) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, kept);
    EXPECT_THROW(read_result(out, "x"), IoError) << kept;
  }
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(~flipped[whole.size() / 2]);
  std::ofstream(path, std::ios::binary) << flipped;
  EXPECT_THROW(read_result(out, "x"), IoError);
  std::filesystem::remove(path);
  for (const char* text :
       {"", "[]", R"({"cells": {}})",
        R"({"table": {}, "configurations": [], "cells": {"a": {}}})",
        R"({"table": {}, "configurations": [],
            "cells": {"a": {"configuration": 0, "changes": {}}}})"}) {
    std::ofstream(folder.file("x.json")) << text;
    EXPECT_THROW(read_result(out, "x"), IoError) << text;
  }
}

}  // namespace result_file_test
}  // namespace sbog::paper
