// SPDX-License-Identifier: Apache-2.0
// Reading a finished run folder back.
#include "sbog/run/finished_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "oracle/temporary_folder.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"

namespace sbog {
namespace finished_run_test {

class FinishedRunTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    write_file_atomically(folder.file(name), text);
  }
  std::string refusal() const {
    try {
      FinishedRun run(folder.path().string());
    } catch (const IoError& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  testing_support::TemporaryFolder folder;
  nlohmann::json manifest = {{"state", "complete"},
                             {"input", "bank.npy"},
                             {"seed", 3},
                             {"kind", "series"},
                             {"input_checksum", "00"}};
};

TEST_F(FinishedRunTest, facts_come_from_manifest_and_configuration) {
  write("manifest.json", manifest.dump());
  write("config.toml", "[generate]\nepsilon = 0.5\n");
  const FinishedRun run(folder.path().string());
  EXPECT_EQ(run.kind(), "series");
  EXPECT_EQ(run.input(), "bank.npy");
  EXPECT_EQ(run.seed(), 3u);
  EXPECT_TRUE(run.has_file("config.toml"));
  EXPECT_FALSE(run.has_file("bank.npy"));
  ASSERT_EQ(run.config().size(), 1u);
  EXPECT_EQ(run.config()[0].name, "epsilon");
}

TEST_F(FinishedRunTest, what_is_no_finished_run_is_refused_in_a_sentence) {
  EXPECT_THAT(refusal(), testing::HasSubstr("holds no run"));
  write("manifest.json", "{}");
  EXPECT_THAT(refusal(), testing::HasSubstr("has no entry 'state'"));
  write("manifest.json", "[1");
  EXPECT_THAT(refusal(), testing::HasSubstr("is not the manifest of a run"));
  manifest["kind"] = 3;
  write("manifest.json", manifest.dump());
  EXPECT_THAT(refusal(), testing::HasSubstr("'kind' is not a text"));
  manifest["kind"] = "latent";
  manifest["state"] = "running";
  write("manifest.json", manifest.dump());
  EXPECT_THAT(refusal(), testing::HasSubstr("unfinished run"));
}

TEST_F(FinishedRunTest, outliers_and_their_table_must_fit_together) {
  manifest["kind"] = "latent";
  write("manifest.json", manifest.dump());
  const FinishedRun run(folder.path().string());
  Matrix<float> points(2, 2);
  points(1, 0) = 4.0f;
  write_npy(folder.file("outliers.npy"), std::as_const(points).view());
  write("outliers.csv", "index,class,margin,anchor_row\n0,5,0.5,7\n");
  EXPECT_THROW(read_outliers<float>(run), IoError);
  write("outliers.csv",
        "index,class,margin,anchor_row\n0,5,0.5,7\n1,6,0.25,8\n");
  const RunOutliers<float> outliers = read_outliers<float>(run);
  EXPECT_EQ(outliers.points.view()(1, 0), 4.0f);
  EXPECT_THAT(outliers.classes, testing::ElementsAre(5, 6));
  EXPECT_THAT(outliers.margins, testing::ElementsAre(0.5, 0.25));
  EXPECT_THAT(outliers.anchor_rows, testing::ElementsAre(7u, 8u));
}

TEST_F(FinishedRunTest, numbers_of_rows_and_classes_are_whole) {
  manifest["kind"] = "latent";
  write("manifest.json", manifest.dump());
  const FinishedRun run(folder.path().string());
  const Matrix<float> point(1, 2);
  write_npy(folder.file("outliers.npy"), point.view());
  for (const char* row : {"5,0.5,-1", "5,0.5,1.5", "5,0.5,1e300", "1e300,0.5,1",
                          "-1e300,0.5,1", "0.5,0.5,1"}) {
    write("outliers.csv",
          std::string("index,class,margin,anchor_row\n0,") + row + "\n");
    EXPECT_THROW(read_outliers<float>(run), IoError) << row;
  }
  write("outliers.csv", "index,class,margin,anchor_row\n0,-3,0.5,1\n");
  EXPECT_EQ(read_outliers<float>(run).classes[0], -3);
}

TEST_F(FinishedRunTest, files_are_found_from_where_the_run_was_started) {
  manifest["started_in"] = "..";
  write("manifest.json", manifest.dump());
  const FinishedRun run(folder.path().string());
  const std::string beside = (folder.path().parent_path() /
                              (folder.path().filename().string() + "-bank.npy"))
                                 .string();
  const std::string name = std::filesystem::path(beside).filename().string();
  EXPECT_EQ(run.found(name), name);  // nothing there
  std::ofstream(beside) << "x";
  EXPECT_EQ(run.found(name), beside);
  EXPECT_EQ(run.found(name + ":array"), beside + ":array");
  EXPECT_EQ(run.found("demo:bank"), "demo:bank");
  EXPECT_EQ(run.found("/" + name), "/" + name);
  EXPECT_EQ(run.found(""), "");
  std::filesystem::remove(beside);
}

}  // namespace finished_run_test
}  // namespace sbog
