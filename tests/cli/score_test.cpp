// SPDX-License-Identifier: Apache-2.0
// sbog score from the outside: results, determinism, files left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/data/array.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace score_test {

Matrix<float> random_points(std::size_t rows, std::size_t cols,
                            std::uint64_t seed) {
  Matrix<float> points(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    PhiloxStream(seed, 0, 0, i).normals(0, points.row(i));
  }
  return points;
}

// The plainest loop, in long double: cosine energies without the own row.
std::vector<double> reference_energies(const Matrix<float>& bank,
                                       double epsilon) {
  std::vector<double> energies;
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    long double sum = 0;
    for (std::size_t j = 0; j < bank.rows(); ++j) {
      if (i == j) continue;
      long double ab = 0, aa = 0, bb = 0;
      for (std::size_t k = 0; k < bank.cols(); ++k) {
        const long double a = bank(i, k), b = bank(j, k);
        ab += a * b;
        aa += a * a;
        bb += b * b;
      }
      sum += std::exp((ab / std::sqrt(aa * bb) - 1) / epsilon);
    }
    energies.push_back(static_cast<double>(
        -epsilon * std::log(sum / static_cast<long double>(bank.rows() - 1))));
  }
  return energies;
}

class ScoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_npy(folder.file("bank.npy"), bank.view());
    write_npy(folder.file("queries.npy"), queries.view());
  }
  std::vector<double> energies(const std::string& name) const {
    return to_vector(read_npy(folder.file(name)));
  }

  TemporaryFolder folder;
  Matrix<float> bank = random_points(700, 6, 1);
  Matrix<float> queries = random_points(40, 6, 2);
};

TEST_F(ScoreTest, energies_agree_with_the_plain_loop) {
  const ToolResult run =
      run_tool(folder, "score bank.npy --epsilon 0.1 --out e.npy");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<double> expected = reference_energies(bank, 0.1);
  const std::vector<double> got = energies("e.npy");
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], 1e-6) << i;
  }
}

TEST_F(ScoreTest, threads_do_not_change_a_byte) {
  for (const char* extra :
       {"", "--queries queries.npy", "--cost euclidean --epsilon 0.3",
        "--tolerance 1e-6", "--trim 0.08", "--local 20", "--centre",
        "--threshold conformal", "--precision double"}) {
    std::string first;
    for (const char* threads : {"1", "2", "7"}) {
      const ToolResult run = run_tool(
          folder, std::string("score bank.npy --out e.npy --threads ") +
                      threads + " " + extra);
      ASSERT_EQ(run.exit_code, 0) << run.err;
      const std::string bytes = read_bytes(folder.file("e.npy"));
      if (first.empty()) first = bytes;
      EXPECT_EQ(bytes, first) << extra << " with " << threads;
    }
  }
}

TEST_F(ScoreTest, merged_shards_have_the_bytes_of_the_whole) {
  const Matrix<float> large = random_points(3000, 6, 3);
  write_npy(folder.file("large.npy"), large.view());
  ASSERT_EQ(run_tool(folder, "score large.npy --out whole.npy").exit_code, 0);
  for (const int shards : {1, 3, 10}) {
    std::string states;
    for (int i = 0; i < shards; ++i) {
      const std::string state = "s" + std::to_string(i) + ".state";
      const ToolResult run = run_tool(
          folder, "score large.npy --shard " + std::to_string(i) + "/" +
                      std::to_string(shards) + " --state " + state);
      ASSERT_EQ(run.exit_code, 0) << run.err;
      states = state + " " + states;  // any order will do
    }
    const ToolResult merged =
        run_tool(folder, "merge " + states + "--out merged.npy");
    ASSERT_EQ(merged.exit_code, 0) << merged.err;
    EXPECT_EQ(read_bytes(folder.file("merged.npy")),
              read_bytes(folder.file("whole.npy")))
        << shards;
  }
}

TEST_F(ScoreTest, a_missing_shard_is_refused) {
  ASSERT_EQ(
      run_tool(folder, "score bank.npy --shard 0/2 --state a.state").exit_code,
      0);
  const ToolResult run = run_tool(folder, "merge a.state --out e.npy");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, ::testing::HasSubstr("the bank has 3"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("e.npy")));
}

TEST_F(ScoreTest, json_has_the_figures_of_the_job) {
  const ToolResult run =
      run_tool(folder, "score bank.npy --queries queries.npy --json --quiet");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["bank_rows"], 700);
  EXPECT_EQ(json["query_rows"], 40);
  EXPECT_EQ(json["dimension"], 6);
  EXPECT_EQ(json["classes"][0]["calibration_count"], 700);
  EXPECT_EQ(json["energy_quantiles"].size(), 8u);
  EXPECT_GT(json["pairs_per_second"].get<double>(), 0.0);
}

TEST_F(ScoreTest, every_format_gives_the_same_energies) {
  ASSERT_EQ(run_tool(folder, "score bank.npy --out a.npy").exit_code, 0);
  std::string csv = "a,b,c,d,e,f\n";
  char text[32];
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    for (std::size_t k = 0; k < bank.cols(); ++k) {
      std::snprintf(text, sizeof text, "%.9g%s",
                    static_cast<double>(bank(i, k)),
                    k + 1 < bank.cols() ? "," : "\n");
      csv += text;
    }
  }
  std::ofstream(folder.file("bank.csv")) << csv;
  const ToolResult run = run_tool(folder, "score bank.csv --out b.npy");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(energies("a.npy"), energies("b.npy"));
  const ToolResult columns =
      run_tool(folder, "score bank.csv --columns a,b,f --out c.npy --json");
  ASSERT_EQ(columns.exit_code, 0) << columns.err;
  EXPECT_EQ(nlohmann::json::parse(columns.out)["dimension"], 3);
}

TEST_F(ScoreTest, precomputed_costs_match_computed_ones) {
  Matrix<double> costs(bank.rows(), bank.rows());
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    for (std::size_t j = 0; j < bank.rows(); ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < bank.cols(); ++k) {
        const double apart =
            static_cast<double>(bank(i, k)) - static_cast<double>(bank(j, k));
        sum += apart * apart;
      }
      costs(i, j) = sum;
    }
  }
  write_npy(folder.file("costs.npy"), costs.view());
  ASSERT_EQ(run_tool(folder,
                     "score costs.npy --cost precomputed --epsilon 0.05 "
                     "--out a.npy")
                .exit_code,
            0);
  ASSERT_EQ(run_tool(folder,
                     "score bank.npy --cost squared-euclidean --precision "
                     "double --epsilon 0.05 --out b.npy")
                .exit_code,
            0);
  const std::vector<double> a = energies("a.npy");
  const std::vector<double> b = energies("b.npy");
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 1e-12 * (1.0 + b[i]));
  }
}

TEST_F(ScoreTest, options_come_from_a_config_file_too) {
  std::ofstream(folder.file("run.toml"))
      << "seed = 3\n[score]\nepsilon = 0.2\n";
  const ToolResult run =
      run_tool(folder, "score bank.npy --config run.toml --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["epsilon"], 0.2);
}

TEST_F(ScoreTest, says_how_many_points_support_a_point_and_at_which_level) {
  const ToolResult run = run_tool(folder, "score bank.npy --level 0.9");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, ::testing::HasSubstr(
                           "(auto): a point is supported by about 15 bank "
                           "points\n"));
  EXPECT_THAT(run.out, ::testing::HasSubstr("0.1000 of the bank above the "
                                            "threshold"));
  EXPECT_THAT(run.out, ::testing::HasSubstr("(level 0.9)"));
  EXPECT_THAT(run.out, ::testing::HasSubstr("mean cosine 0.0"));
  const ToolResult given = run_tool(folder, "score bank.npy --epsilon 0.0001");
  EXPECT_THAT(given.out,
              ::testing::HasSubstr("epsilon     0.0001: a point is supported "
                                   "by about 1 bank point\n"));
  EXPECT_THAT(given.err, ::testing::HasSubstr("--epsilon auto takes"));
}

TEST_F(ScoreTest, centring_is_spelled_in_two_ways) {
  ASSERT_EQ(run_tool(folder, "score bank.npy --centre --out a.npy").exit_code,
            0);
  const ToolResult run =
      run_tool(folder, "score bank.npy --center --out b.npy");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, ::testing::HasSubstr("before centring"));
  EXPECT_EQ(energies("a.npy"), energies("b.npy"));
  ASSERT_EQ(run_tool(folder, "score bank.npy --out c.npy").exit_code, 0);
  EXPECT_NE(energies("a.npy"), energies("c.npy"));
}

TEST_F(ScoreTest, the_older_name_of_includes_self_does_the_same) {
  ASSERT_EQ(run_tool(folder, "score bank.npy --includes-self true --out a.npy")
                .exit_code,
            0);
  ASSERT_EQ(
      run_tool(folder, "score bank.npy --self include --out b.npy").exit_code,
      0);
  EXPECT_EQ(energies("a.npy"), energies("b.npy"));
}

}  // namespace score_test
}  // namespace sbog::testing_support
