// SPDX-License-Identifier: Apache-2.0
// A run on a table, from its file to rows again.
#include "sbog/job/table_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/base/philox.h"
#include "sbog/base/thread_pool.h"
#include "sbog/energy/exact_energy.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/evaluate.h"
#include "sbog/job/report.h"
#include "sbog/job/stress.h"
#include "sbog/table/text_table.h"

namespace sbog::job {
namespace table_input_test {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using testing_support::read_bytes;
using testing_support::RecordedEvents;
using testing_support::TemporaryFolder;

constexpr std::size_t kRows = 400;

// People whose pay grows with their age and follows from their job; one in ten
// does not say how old they are.
std::string write_people(const TemporaryFolder& folder) {
  std::ofstream file(folder.file("people.csv"));
  file << "age,job,pay,town\n";
  for (std::size_t i = 0; i < kRows; ++i) {
    std::vector<double> z(2);
    PhiloxStream(1, 0, 0, i).normals(0, std::span<double>(z));
    const bool is_cook = i % 3 != 0;
    const double age = 40.0 + 10.0 * z[0];
    if (i % 10 != 7) file << static_cast<int>(age);
    file << (is_cook ? ",cook," : ",smith,")
         << static_cast<int>(1000 + 30 * age + (is_cook ? 0 : 900) + 50 * z[1])
         << (i % 2 == 0 ? ",north\n" : ",south\n");
  }
  return folder.file("people.csv");
}

GenerateOptions on(const std::string& input, const std::string& out) {
  GenerateOptions options = default_generate_options(Kind::kTable);
  options.input = input;
  options.out = out;
  options.sampler.count = 30;
  options.no_report = true;
  return options;
}

std::set<std::string> texts_of(const table::TextTable& rows,
                               const std::string& name) {
  table::TextTable copy = rows;
  const auto column = table::take_column(copy, name);
  return {column.begin(), column.end()};
}

TEST(TableInput, outliers_are_rows_that_the_table_could_hold) {
  const TemporaryFolder folder;
  RecordedEvents events;
  const std::string people = write_people(folder);
  const GenerateResult result = run(on(people, folder.file("run")), events);
  ASSERT_EQ(result.produced, 30u);
  const auto rows = table::read_text_table(folder.file("run/decoded/rows.csv"));
  EXPECT_EQ(rows.names, table::read_text_table(people).names);
  ASSERT_EQ(rows.rows(), 30u);
  for (const std::string& job : texts_of(rows, "job")) {
    EXPECT_TRUE(job == "cook" || job == "smith") << job;
  }
  for (const std::string& age : rows.columns[0]) {
    EXPECT_EQ(age.find('.'), std::string::npos) << age;
  }
}

// What is written is what was tested: the rows, read and encoded anew, have
// energies above the threshold.
TEST(TableInput, the_written_rows_are_beyond_the_threshold) {
  const TemporaryFolder folder;
  Events events;
  const GenerateOptions options = on(write_people(folder), folder.file("run"));
  const GenerateResult result = run(options, events);
  const auto inputs = load_inputs<double>(options);
  const Matrix<double> points = inputs.table->encode(
      table::read_text_table(folder.file("run/decoded/rows.csv")));
  const auto stored =
      to_matrix<double>(load_array(folder.file("run/outliers.npy")));
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t k = 0; k < points.cols(); ++k) {
      ASSERT_NEAR(points(i, k), stored.view()(i, k), 1e-9) << i;
    }
  }
  EnergyOptions energy = options.sampler.energy;
  energy.epsilon = result.classes[0].plan.epsilon;
  const EnergyModel<double> model({inputs.bank.view(), {}, {}}, energy);
  for (const double e : model.evaluate(points.view()).energies) {
    EXPECT_GE(e, result.classes[0].plan.threshold - 1e-9);
  }
}

TEST(TableInput, rules_hold_in_every_row) {
  const TemporaryFolder folder;
  Events events;
  GenerateOptions options = on(write_people(folder), folder.file("run"));
  options.table.rules = {{"job"}, {"pay=2000:2600"}, {"age=25"}};
  ASSERT_GT(run(options, events).produced, 0u);
  const auto rows = table::read_text_table(folder.file("run/decoded/rows.csv"));
  EXPECT_EQ(texts_of(rows, "age"), std::set<std::string>{"25"});
  for (const std::string& pay : texts_of(rows, "pay")) {
    EXPECT_GE(std::stoi(pay), 2000);
    EXPECT_LE(std::stoi(pay), 2600);
  }
  // Fixed: the job is that of the row it was made from.
  CsvOptions read;
  read.columns = {"anchor_row"};
  const auto from = read_csv(folder.file("run/outliers.csv"), read);
  const auto people = table::read_text_table(options.input);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto anchor = static_cast<std::size_t>(from.values(i, 0));
    EXPECT_EQ(rows.columns[1][i], people.columns[1][anchor]);
  }
}

TEST(TableInput, a_column_of_classes_comes_back_by_name) {
  const TemporaryFolder folder;
  Events events;
  GenerateOptions options = on(write_people(folder), folder.file("run"));
  options.labels = "town";
  const GenerateResult result = run(options, events);
  EXPECT_EQ(result.classes.size(), 2u);
  const auto rows = table::read_text_table(folder.file("run/decoded/rows.csv"));
  EXPECT_EQ(rows.names.back(), "town");
  EXPECT_EQ(rows.columns.back().front(), "north");
  EXPECT_EQ(rows.columns.back().back(), "south");
  EXPECT_EQ(rows.rows(), 60u);
}

TEST(TableInput, threads_and_a_stop_change_no_byte) {
  const TemporaryFolder folder;
  const std::string people = write_people(folder);
  Events quiet;
  run(on(people, folder.file("whole")), quiet);
  GenerateOptions options = on(people, folder.file("run"));
  RecordedEvents events;
  events.stop_after = 1;
  EXPECT_EQ(run(options, events).status, Status::kStopped);
  options.resume = true;
  ThreadPool pool(3);
  EXPECT_EQ(run(options, quiet, {&pool, nullptr}).status, Status::kDone);
  for (const char* name :
       {"/outliers.npy", "/outliers.csv", "/decoded/rows.csv"}) {
    EXPECT_EQ(read_bytes(folder.file("run") + name),
              read_bytes(folder.file("whole") + name));
  }
}

TEST(TableInput, later_commands_read_the_table_again) {
  const TemporaryFolder folder;
  const std::string people = write_people(folder);
  Events events;
  run(on(people, folder.file("run")), events);
  EvaluateOptions evaluate;
  evaluate.run = folder.file("run");
  EXPECT_EQ(run(evaluate, events).status, Status::kDone);
  ReportOptions report;
  report.run = folder.file("run");
  EXPECT_EQ(run(report, events).status, Status::kDone);
  StressOptions stress;
  stress.input = folder.file("run");
  stress.model = "cp {cases} {out}";
  EXPECT_THAT([&] { run(stress, events); },
              ThrowsMessage<InvalidArgument>(HasSubstr("decoded/rows.csv")));
  std::ofstream(people, std::ios::app) << "30,cook,1900,north\n";
  EXPECT_THROW(run(evaluate, events), IoError);
}

TEST(TableInput, what_makes_no_sense_is_refused_before_the_folder_is_made) {
  const TemporaryFolder folder;
  Events events;
  GenerateOptions options = on(write_people(folder), folder.file("run"));
  options.labels = "colour";
  EXPECT_THAT(
      [&] { run(options, events); },
      ThrowsMessage<InvalidArgument>(HasSubstr("there is no column 'colour'")));
  options.labels = "age";  // of which some are missing
  EXPECT_THAT([&] { run(options, events); },
              ThrowsMessage<InvalidArgument>(
                  HasSubstr("row 7 has nothing in the column 'age'")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("run")));
}

}  // namespace table_input_test
}  // namespace sbog::job
