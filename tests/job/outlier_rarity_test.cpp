// SPDX-License-Identifier: Apache-2.0
// Rarity in runs on points: columns, words, severities through the job.
#include "sbog/job/outlier_rarity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "oracle/calls.h"
#include "oracle/energy_oracle.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/thread_pool.h"
#include "sbog/data/csv.h"
#include "sbog/data/dataset.h"
#include "sbog/data/npy.h"
#include "sbog/energy/exact_energy.h"
#include "sbog/energy/perplexity.h"
#include "sbog/job/certify.h"
#include "sbog/job/evaluate.h"
#include "sbog/job/generate.h"
#include "sbog/job/report.h"

namespace sbog::job {
namespace outlier_rarity_test {

using testing::HasSubstr;
using testing_support::invalid_argument_of;
using testing_support::TemporaryFolder;

// A bank of three classes in files.
struct Bank {
  explicit Bank(std::size_t rows = 900) {
    Matrix<float> points = oracle::normal_matrix<float>(rows, 8, 4, 0.2);
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < rows; ++i) {
      labels.push_back(static_cast<std::int64_t>(i % 3) * 2);
      points(i, i % 3) += 1.0F;
    }
    oracle::normalise_rows(points);
    write_npy(folder.file("bank.npy"), std::as_const(points).view());
    write_npy(folder.file("labels.npy"), std::span<const std::int64_t>(labels));
  }
  GenerateOptions options(const std::string& name) const {
    GenerateOptions options;
    options.input = folder.file("bank.npy");
    options.labels = folder.file("labels.npy");
    options.kind = Kind::kPoints;
    options.out = folder.file(name);
    options.sampler.count = 12;
    options.sampler.seed = 5;
    options.no_report = true;
    return options;
  }
  TemporaryFolder folder;
};

CsvTable table_of(const std::string& run,
                  const std::vector<std::string>& columns) {
  CsvOptions csv;
  csv.columns = columns;
  csv.header = CsvHeader::kPresent;
  csv.allows_missing = true;
  return read_csv(run + "/outliers.csv", csv);
}

// Energies of the outliers from nothing but the files: the bank, its labels,
// the outliers and their classes; tails from the bank's own energies.
struct Rescored {
  std::vector<double> probabilities;
  std::vector<int> severities;
};

Rescored rescore(const Bank& bank, const std::string& run) {
  const auto points =
      to_matrix<double>(read_array(bank.folder.file("bank.npy")));
  const auto outliers = to_matrix<double>(read_array(run + "/outliers.npy"));
  const CsvTable table = table_of(run, {"class"});
  std::map<std::int64_t, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    rows[static_cast<std::int64_t>(i % 3) * 2].push_back(i);
  }
  std::map<std::int64_t, std::size_t> number;
  std::vector<std::vector<double>> scores;
  std::vector<EnergyModel<double>> models;
  for (const auto& [label, mine] : rows) {
    const ReferenceMeasure<double> measure{points.view(), {}, mine};
    EnergyOptions options{GroundCost::kCosine, 0.05, {}};
    options.epsilon = find_epsilon<double>(measure, options);
    models.emplace_back(measure, options);
    number.emplace(label, number.size());
    const std::vector<double> all = models.back().evaluate_bank().energies;
    scores.emplace_back();
    for (const std::size_t row : mine) scores.back().push_back(all[row]);
  }
  const ClassTails tails(scores, {.seed = 5});
  Rescored found;
  for (std::size_t i = 0; i < outliers.rows(); ++i) {
    const std::size_t c =
        number.at(static_cast<std::int64_t>(table.values(i, 0)));
    const double energy = exact_energy(models[c], outliers.view().row(i));
    found.probabilities.push_back(tails.probability(c, energy));
    found.severities.push_back(tails.severity(c, energy));
  }
  return found;
}

TEST(OutlierRarity, columns_say_what_the_files_say) {
  const Bank bank;
  Events events;
  const GenerateResult result = run(bank.options("run"), events);
  EXPECT_EQ(result.produced, 36u);
  EXPECT_THAT(result.rarity, HasSubstr("1 in "));
  EXPECT_THAT(result.rarity, HasSubstr("void when they drift"));
  const Rescored truth = rescore(bank, result.out);
  const CsvTable table =
      table_of(result.out, {"rarity", "rarity_low", "rarity_high",
                            "rarity_bound", "severity", "margin"});
  for (std::size_t i = 0; i < 36; ++i) {
    const double rarity = table.values(i, 0);
    const double least = 1.0 / (5.0 * 900.0);
    EXPECT_NEAR(std::log(rarity / std::max(truth.probabilities[i], least)), 0.0,
                0.02);
    EXPECT_LE(table.values(i, 1), rarity);
    EXPECT_GE(table.values(i, 2), rarity);
    EXPECT_GE(table.values(i, 3), 1.0 / 301.0);
    EXPECT_EQ(table.values(i, 4), truth.severities[i]);
  }
}

TEST(OutlierRarity, severities_are_filed_where_the_files_have_them) {
  const Bank bank;
  GenerateOptions options = bank.options("graded");
  options.sampler.severities = {1, 2};
  Events events;
  const GenerateResult result = run(options, events);
  EXPECT_EQ(result.requested, 72u);
  EXPECT_GE(result.produced, 70u);
  const Rescored truth = rescore(bank, result.out);
  const CsvTable table = table_of(result.out, {"severity", "k"});
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < table.values.rows(); ++i) {
    const auto k = static_cast<std::size_t>(table.values(i, 1));
    EXPECT_EQ(table.values(i, 0), options.sampler.severities[k % 2]);
    agreeing += truth.severities[i] == table.values(i, 0) ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(agreeing),
            0.95 * static_cast<double>(table.values.rows()));
}

TEST(OutlierRarity, graded_runs_are_the_same_for_any_threads_and_parts) {
  const Bank bank;
  GenerateOptions options = bank.options("one");
  options.sampler.severities = {1, 2};
  Events events;
  run(options, events);
  options.out = bank.folder.file("four");
  options.part = 5;
  ThreadPool pool(4);
  run(options, events, {&pool, nullptr});
  for (const char* name : {"/outliers.npy", "/outliers.csv"}) {
    EXPECT_EQ(read_file_if_there(bank.folder.file("one") + name),
              read_file_if_there(bank.folder.file("four") + name));
  }
}

TEST(OutlierRarity, other_jobs_work_on_graded_runs) {
  const Bank bank;
  GenerateOptions options = bank.options("graded");
  options.sampler.severities = {1, 2};
  Events events;
  run(options, events);
  EvaluateOptions evaluate;
  evaluate.run = options.out;
  EXPECT_EQ(run(evaluate, events).status, Status::kDone);
  CertifyOptions certify;
  certify.target = options.out;
  certify.replicates = 0;
  EXPECT_EQ(run(certify, events).status, Status::kDone);
  ReportOptions report;
  report.run = options.out;
  const ReportResult page = run(report, events);
  const std::string text = read_file_if_there(page.path).value_or("");
  EXPECT_THAT(text, HasSubstr("Severity 2 has 36 of 36 outliers."));
  EXPECT_THAT(text, HasSubstr("void when they drift"));
}

TEST(OutlierRarity, what_the_bank_does_not_support_leaves_no_run) {
  const Bank bank;
  GenerateOptions options = bank.options("none");
  options.sampler.severities = {3};
  Events events;
  EXPECT_THAT(invalid_argument_of([&] { run(options, events); }),
              HasSubstr("support severities up to 2, got 3"));
  EXPECT_FALSE(read_file_if_there(options.out + "/config.toml"));
}

TEST(OutlierRarity, a_class_out_of_reach_is_named) {
  struct Warnings : Events {
    void on_warning(const std::string& text) override { all += text + "\n"; }
    std::string all;
  };
  const Bank bank;
  GenerateOptions options = bank.options("floor");
  options.sampler.severities = {2};
  options.sampler.semantic_floor = 0.9999;
  options.sampler.max_rounds = 4;
  Warnings events;
  const GenerateResult result = run(options, events);
  EXPECT_EQ(result.status, Status::kNotReached);
  EXPECT_THAT(events.all, HasSubstr("class 0, severity 2: 0 of 12 outliers are "
                                    "feasible; the semantic test binds"));
}

TEST(OutlierRarity, a_summary_goes_through_the_manifest) {
  const RaritySummary summary{7, 0.01, 0.05, 1e-3, 2, true};
  nlohmann::json manifest;
  EXPECT_FALSE(rarity_of_manifest(manifest));
  manifest["rarity"] = rarity_json(summary);
  const auto back = rarity_of_manifest(manifest);
  ASSERT_TRUE(back);
  EXPECT_EQ(rarity_sentence(*back), rarity_sentence(summary));
  EXPECT_THAT(
      rarity_sentence(summary),
      HasSubstr("about 1 in 100 cases (the median; from 1 in 20 to 1 in "
                "1,000, and 2 rarer than that)"));
  EXPECT_THAT(rarity_sentence({}), HasSubstr("not known"));
  manifest["rarity"] = {{"outliers", "many"}, {"median", -4}};
  EXPECT_EQ(rarity_of_manifest(manifest)->outliers, 0u);
}

}  // namespace outlier_rarity_test
}  // namespace sbog::job
