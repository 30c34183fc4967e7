// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/read_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "series/support.h"

namespace sbog {
namespace read_series_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::TemporaryFolder;
using testing_support::write_text;

LoadedSeries read_text(const std::string& text,
                       const ReadSeriesOptions& options = {}) {
  const TemporaryFolder folder;
  write_text(folder.file("s.csv"), text);
  return read_series(folder.file("s.csv"), options);
}

std::string refusal(const std::string& text,
                    const ReadSeriesOptions& options = {}) {
  try {
    (void)read_text(text, options);
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

TEST(ReadSeries, plain_numbers_are_channels) {
  const LoadedSeries loaded = read_text("0.5,2\n3.5,4\n5.5,5\n");
  EXPECT_EQ(loaded.series.rows(), 3u);
  EXPECT_THAT(loaded.series.channels, ElementsAre("0", "1"));
  EXPECT_EQ(loaded.series.values(2, 1), 5.0);
  EXPECT_TRUE(loaded.series.times.empty());
  EXPECT_TRUE(loaded.report.sentences().empty());
}

TEST(ReadSeries, a_named_time_column_is_found_wherever_it_stands) {
  const LoadedSeries loaded =
      read_text("a,Timestamp,b\n1,2024-01-01,2\n3,2024-01-02,5\n");
  EXPECT_THAT(loaded.series.channels, ElementsAre("a", "b"));
  EXPECT_THAT(loaded.series.times, ElementsAre("2024-01-01", "2024-01-02"));
  EXPECT_EQ(loaded.report.step, 86400.0);
  EXPECT_TRUE(loaded.report.has_readable_times);
}

TEST(ReadSeries, channels_may_be_named_by_numbers) {
  const LoadedSeries loaded = read_text("time,0,1\n5,1,2\n6,3,4\n");
  EXPECT_EQ(loaded.series.rows(), 2u);
  EXPECT_THAT(loaded.series.channels, ElementsAre("0", "1"));
}

TEST(ReadSeries, words_or_a_counter_in_the_first_column_are_times) {
  const LoadedSeries words = read_text("a,1.5\nb,2.5\n");
  EXPECT_THAT(words.series.times, ElementsAre("a", "b"));
  EXPECT_FALSE(words.report.has_readable_times);
  EXPECT_THAT(words.report.sentences(), ElementsAre(HasSubstr("ISO 8601")));
  const LoadedSeries counter = read_text("10,1.5\n20,2.5\n30,0\n");
  EXPECT_EQ(counter.series.channel_count(), 1u);
  EXPECT_EQ(counter.report.step, 10.0);
}

TEST(ReadSeries, a_counter_that_is_taken_for_the_time_is_told) {
  const auto sentences =
      read_text("x,y\n1,5\n2,5.5\n3,5\n4,4\n").report.sentences();
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_NE(sentences[0].find("looks like the time and is no channel"),
            sentences[0].npos);
  EXPECT_TRUE(
      read_text("time,y\n1,5\n2,5.5\n3,5\n").report.sentences().empty());
}

TEST(ReadSeries, semicolons_and_decimal_commas_are_read) {
  const LoadedSeries loaded =
      read_text("time;pressure\n2024-01-01;1,5\n2024-01-02;-2,25\n");
  EXPECT_EQ(loaded.series.channels, std::vector<std::string>{"pressure"});
  EXPECT_EQ(loaded.series.values(0, 0), 1.5);
  EXPECT_EQ(loaded.series.values(1, 0), -2.25);
  EXPECT_TRUE(loaded.report.has_readable_times);
}

TEST(ReadSeries, the_time_column_can_be_named_or_denied) {
  ReadSeriesOptions options;
  options.time_column = "none";
  EXPECT_EQ(read_text("1,1.5\n2,2.5\n3,0\n", options).series.channel_count(),
            2u);
  options.time_column = "when";
  EXPECT_EQ(read_text("x,when\n1,7\n2,8\n", options).series.times[1], "8");
  options.time_column = "where";
  EXPECT_THROW(read_text("x,when\n1,7\n2,8\n", options), InvalidArgument);
}

TEST(ReadSeries, chosen_columns_are_the_channels) {
  ReadSeriesOptions options;
  options.columns = {"c", "a"};
  const LoadedSeries loaded = read_text("a,b,c\n1,x,3\n4,y,6\n", options);
  EXPECT_THAT(loaded.series.channels, ElementsAre("c", "a"));
  EXPECT_EQ(loaded.series.values(1, 0), 6.0);
}

TEST(ReadSeries, gaps_in_regular_times_are_reported) {
  std::string text = "time,x\n";
  for (int t = 0; t < 40; ++t) {
    text +=
        std::to_string(t < 30 ? t : t + 4) + "," + std::to_string(t % 3) + "\n";
  }
  const SeriesReport report = read_text(text).report;
  ASSERT_EQ(report.gaps.size(), 1u);
  EXPECT_EQ(report.gaps[0].row, 30u);
  EXPECT_EQ(report.gaps[0].missing_rows, 4.0);
  EXPECT_THAT(report.sentences(), ElementsAre(HasSubstr("before row 30")));
}

TEST(ReadSeries, irregular_times_have_no_gaps) {
  const SeriesReport report =
      read_text("time,x\n0,1\n1,2\n5,1\n17,2\n40,1\n").report;
  EXPECT_EQ(report.step, 0.0);
  EXPECT_TRUE(report.gaps.empty());
}

TEST(ReadSeries, repeated_times_are_kept_and_counted) {
  const LoadedSeries loaded = read_text("time,x\n0,1\n1,2\n1,3\n2,4\n3,5\n");
  EXPECT_EQ(loaded.series.rows(), 5u);
  EXPECT_EQ(loaded.report.duplicate_times, 1u);
}

TEST(ReadSeries, times_that_go_back_are_refused_with_their_row) {
  EXPECT_THAT(refusal("time,x\n0,1\n2,2\n1,3\n"), HasSubstr("row 2"));
}

TEST(ReadSeries, missing_values_are_filled_and_counted) {
  const LoadedSeries loaded = read_text("a,b\n,1\nNaN,2\n3,\n,NA\n5,6\n");
  const Matrix<double>& x = loaded.series.values;
  EXPECT_EQ(x(0, 0), 3.0);
  EXPECT_EQ(x(1, 0), 3.0);
  EXPECT_EQ(x(3, 0), 3.0);
  EXPECT_EQ(x(2, 1), 2.0);
  EXPECT_EQ(x(3, 1), 2.0);
  EXPECT_EQ(loaded.report.filled_values, 5u);
  EXPECT_EQ(loaded.report.filled_channels, 2u);
}

TEST(ReadSeries, constant_channels_are_reported_by_name) {
  const SeriesReport report = read_text("a,b\n1,2\n1,3\n").report;
  EXPECT_THAT(report.constant_channels, ElementsAre("a"));
  EXPECT_THAT(report.sentences(),
              ElementsAre(HasSubstr("1 constant channel: 'a'")));
}

TEST(ReadSeries, bad_tables_are_refused_with_row_and_column) {
  EXPECT_THAT(refusal("a,b\n1,2\n3,four\n"),
              ::testing::AllOf(HasSubstr("row 1"), HasSubstr("column 1")));
  EXPECT_THAT(refusal("a,b\n1,2\n3\n"), HasSubstr("row 1"));
  EXPECT_THAT(refusal("a,b\n1,\n3,\n"), HasSubstr("'b'"));
  EXPECT_THAT(refusal("a,b\n1,inf\n"), HasSubstr("row 0"));
  EXPECT_THAT(refusal("a,b\n"), HasSubstr("no rows"));
  EXPECT_NE(refusal(""), "");
}

TEST(ReadSeries, arrays_are_rows_by_channels) {
  const TemporaryFolder folder;
  Matrix<double> values(4, 2);
  values(1, 1) = std::nan("");
  values(3, 0) = 2.0;
  write_npy(folder.file("s.npy"), std::as_const(values).view());
  const LoadedSeries loaded = read_series(folder.file("s.npy"));
  EXPECT_EQ(loaded.series.rows(), 4u);
  EXPECT_EQ(loaded.report.filled_values, 1u);
  const std::vector<double> one = {1.0, 2.0};
  write_npy(folder.file("v.npy"), std::span<const double>(one));
  EXPECT_EQ(read_series(folder.file("v.npy")).series.channel_count(), 1u);
  values(2, 1) = std::numeric_limits<double>::infinity();
  write_npy(folder.file("i.npy"), std::as_const(values).view());
  EXPECT_THROW(read_series(folder.file("i.npy")), IoError);
  EXPECT_THROW(read_series(folder.file("absent.npy")), IoError);
}

TEST(ReadSeries, an_array_of_three_dimensions_is_refused) {
  const Array flat = to_array(Matrix<double>(8, 1), "x");
  EXPECT_THROW(series_of_array(Array("x", ElementType::kFloat64, {2, 2, 2},
                                     flat.shared_bytes())),
               IoError);
  EXPECT_THROW(series_of_array(Array()), IoError);
}

TEST(ReadSeries, ten_thousand_channels_are_read) {
  std::string text = "0.5";
  for (int c = 1; c < 10000; ++c) text += "," + std::to_string(c % 7);
  EXPECT_EQ(read_text(text + "\n" + text + "\n").series.channel_count(),
            10000u);
}

TEST(ReadSeries, numbers_and_iso_times_are_times) {
  EXPECT_EQ(parse_time(" 17.5 "), 17.5);
  EXPECT_EQ(parse_time("1970-01-01 00:01"), 60.0);
  EXPECT_FALSE(parse_time("soon"));
  EXPECT_FALSE(parse_time("  "));
}

}  // namespace read_series_test
}  // namespace sbog
