// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "series/support.h"

namespace sbog {
namespace layouts_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::TemporaryFolder;
using testing_support::write_text;

Matrix<double> counting(std::size_t rows, std::size_t cols) {
  Matrix<double> values(rows, cols);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values.data()[i] = static_cast<double>(i);
  }
  return values;
}

void write_matrix(const std::string& path, const Matrix<double>& values) {
  write_npy(path, values.view());
}

std::string root(const TemporaryFolder& folder) {
  return folder.path().string();
}

void make_folders(const TemporaryFolder& folder,
                  std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::filesystem::create_directory(folder.path() / name);
  }
}

TEST(Layouts, a_folder_of_arrays) {
  const TemporaryFolder folder;
  Matrix<double> test = counting(4, 2);
  test(1, 1) = std::nan("");
  for (const char* name : {"b-2", "a-1"}) {
    write_matrix(folder.file(std::string(name) + "_train.npy"), counting(3, 2));
    write_matrix(folder.file(std::string(name) + "_test.npy"), test);
    write_matrix(folder.file(std::string(name) + "_labels.npy"),
                 Matrix<double>(4, 1));
  }
  EXPECT_EQ(detect_layout(root(folder)), SeriesLayout::kNpyFolder);
  EXPECT_THAT(list_entities(root(folder), SeriesLayout::kNpyFolder),
              ElementsAre("a-1", "b-2"));
  const SeriesEntity entity =
      read_entity(root(folder), SeriesLayout::kNpyFolder, "a-1");
  EXPECT_EQ(entity.name, "a-1");
  EXPECT_EQ(entity.train.rows(), 3u);
  EXPECT_EQ(entity.test.values(1, 1), 0.0);  // not finite counts as 0
  EXPECT_EQ(entity.labels.size(), 4u);
}

void write_smd(const TemporaryFolder& folder) {
  make_folders(folder, {"train", "test", "test_label"});
  write_text(folder.file("train/machine-1-1.txt"), "0,1\n2,3\n4,5\n");
  write_text(folder.file("test/machine-1-1.txt"), "0.5,1\n2,3\n");
  write_text(folder.file("test_label/machine-1-1.txt"), "0\n1\n");
}

TEST(Layouts, smd_keeps_its_first_row_unless_literal) {
  const TemporaryFolder folder;
  write_smd(folder);
  EXPECT_EQ(detect_layout(root(folder)), SeriesLayout::kSmd);
  EXPECT_THAT(list_entities(root(folder), SeriesLayout::kSmd),
              ElementsAre("machine-1-1"));
  const SeriesEntity entity =
      read_entity(root(folder), SeriesLayout::kSmd, "machine-1-1");
  EXPECT_EQ(entity.train.rows(), 3u);
  EXPECT_EQ(entity.test.values(0, 0), 0.5);
  EXPECT_THAT(entity.labels, ElementsAre(0, 1));
  LayoutOptions literal;
  literal.is_literal = true;
  const SeriesEntity cut =
      read_entity(root(folder), SeriesLayout::kSmd, "machine-1-1", literal);
  EXPECT_EQ(cut.train.rows(), 2u);
  EXPECT_EQ(cut.test.values(0, 0), 2.0);
  EXPECT_THAT(cut.labels, ElementsAre(1));
}

constexpr const char* kAnomalies =
    "chan_id,spacecraft,anomaly_sequences,class,num_values\n"
    "P-2,SMAP,\"[[5, 6]]\",[point],10\n"
    "P-2,SMAP,\"[[3, 5]]\",[point],10\n"
    "M-1,MSL,\"[[8, 9], [0, 1]]\",\"[point, contextual]\",10\n";

void write_telemanom(const TemporaryFolder& folder, const std::string& table) {
  make_folders(folder, {"train", "test"});
  for (const char* name : {"P-2", "M-1", "T-10"}) {
    write_matrix(folder.file(std::string("train/") + name + ".npy"),
                 counting(6, 3));
    write_matrix(folder.file(std::string("test/") + name + ".npy"),
                 counting(10, 3));
  }
  write_text(folder.file("labeled_anomalies.csv"), table);
}

TEST(Layouts, telemanom_intervals_include_their_end) {
  const TemporaryFolder folder;
  write_telemanom(folder, kAnomalies);
  EXPECT_EQ(detect_layout(root(folder)), SeriesLayout::kTelemanom);
  const SeriesEntity entity =
      read_entity(root(folder), SeriesLayout::kTelemanom, "M-1");
  EXPECT_THAT(entity.labels, ElementsAre(1, 1, 0, 0, 0, 0, 0, 0, 1, 1));
}

TEST(Layouts, a_channel_listed_twice_has_the_union_unless_literal) {
  const TemporaryFolder folder;
  write_telemanom(folder, kAnomalies);
  LayoutOptions options;
  EXPECT_THAT(
      read_entity(root(folder), SeriesLayout::kTelemanom, "P-2", options)
          .labels,
      ElementsAre(0, 0, 0, 1, 1, 1, 1, 0, 0, 0));
  options.is_literal = true;
  EXPECT_THAT(
      read_entity(root(folder), SeriesLayout::kTelemanom, "P-2", options)
          .labels,
      ElementsAre(0, 0, 0, 0, 0, 1, 1, 0, 0, 0));
}

TEST(Layouts, channels_without_labels_or_of_the_other_craft_are_left_out) {
  const TemporaryFolder folder;
  write_telemanom(folder, kAnomalies);
  LayoutOptions options;
  EXPECT_THAT(list_entities(root(folder), SeriesLayout::kTelemanom, options),
              ElementsAre("M-1", "P-2"));
  options.spacecraft = "SMAP";
  EXPECT_THAT(list_entities(root(folder), SeriesLayout::kTelemanom, options),
              ElementsAre("P-2"));
  EXPECT_THROW(read_entity(root(folder), SeriesLayout::kTelemanom, "T-10"),
               IoError);
}

TEST(Layouts, broken_intervals_are_refused) {
  for (const char* cell : {"[[5]]", "[[6, 5]]", "[[1, 99]]", "[[1, x]]"}) {
    const TemporaryFolder folder;
    write_telemanom(
        folder,
        "chan_id,spacecraft,anomaly_sequences,class,num_values\nP-2,S,"
        "\"" +
            std::string(cell) + "\",c,10\n");
    EXPECT_THROW(read_entity(root(folder), SeriesLayout::kTelemanom, "P-2"),
                 IoError)
        << cell;
  }
}

TEST(Layouts, parts_that_do_not_fit_are_refused) {
  const TemporaryFolder folder;
  write_matrix(folder.file("x_train.npy"), counting(3, 2));
  write_matrix(folder.file("x_test.npy"), counting(4, 3));
  write_matrix(folder.file("x_labels.npy"), Matrix<double>(4, 1));
  const auto message = [&] {
    try {
      (void)read_entity(root(folder), SeriesLayout::kNpyFolder, "x");
    } catch (const IoError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(), HasSubstr("3 channels"));
  write_matrix(folder.file("x_test.npy"), counting(5, 2));
  EXPECT_THAT(message(), HasSubstr("labels"));
  write_matrix(folder.file("x_labels.npy"), counting(5, 1));
  EXPECT_THAT(message(), HasSubstr("0 or 1"));
}

TEST(Layouts, an_unknown_folder_is_told) {
  const TemporaryFolder folder;
  EXPECT_THROW(detect_layout(root(folder)), IoError);
  EXPECT_THROW(detect_layout(folder.file("absent")), IoError);
  // Embeddings of a training part whose labels are of another name.
  write_matrix(folder.file("encoder_train.npy"), counting(3, 2));
  write_matrix(folder.file("train_labels.npy"), counting(3, 1));
  EXPECT_THROW(detect_layout(root(folder)), IoError);
}

TEST(Layouts, have_names) {
  EXPECT_STREQ(to_string(SeriesLayout::kTelemanom), "telemanom");
  EXPECT_STREQ(to_string(SeriesLayout::kWadi), "wadi");
}

}  // namespace layouts_test
}  // namespace sbog
