// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detail/plant_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/series/layouts.h"
#include "series/support.h"

namespace sbog::detail {
namespace plant_tables_test {

using ::testing::ElementsAre;
using testing_support::TemporaryFolder;
using testing_support::write_text;

std::string root(const TemporaryFolder& folder) {
  return folder.path().string();
}

void write_swat(const TemporaryFolder& folder, const std::string& labels) {
  write_text(folder.file("SWaT_Dataset_Normal_v1.csv"),
             ",P1,P1,\n"
             " Timestamp, FIT101 , LIT101,Normal/Attack\n"
             " 22/12/2015 4:00:00 PM,1,2,Normal\n"
             " 22/12/2015 4:00:01 PM,,3,Normal\n");
  write_text(folder.file("SWaT_Dataset_Attack_v0.csv"),
             " Timestamp,FIT101,LIT101,Normal/Attack\n"
             " 28/12/2015 10:00:00 AM,1,2,Normal\n"
             " 28/12/2015 10:00:01 AM,1,5,Attack\n"
             " 28/12/2015 10:00:02 AM,1,6," +
                 labels + "\n");
}

TEST(PlantTables, swat_has_group_names_blanks_and_a_misspelt_attack) {
  const TemporaryFolder folder;
  write_swat(folder, "A ttack");
  EXPECT_EQ(detect_layout(root(folder)), SeriesLayout::kSwat);
  const SeriesEntity entity =
      read_entity(root(folder), SeriesLayout::kSwat, "swat");
  EXPECT_THAT(entity.train.channels, ElementsAre("FIT101", "LIT101"));
  EXPECT_EQ(entity.train.values(1, 0), 1.0);  // the value before
  EXPECT_EQ(entity.train.times[0], " 22/12/2015 4:00:00 PM");
  EXPECT_THAT(entity.labels, ElementsAre(0, 1, 1));
}

TEST(PlantTables, another_label_in_swat_is_refused) {
  const TemporaryFolder folder;
  write_swat(folder, "maybe");
  EXPECT_THROW(read_swat(root(folder)), IoError);
}

TEST(PlantTables, swat_may_come_as_a_pair_with_numbers_as_labels) {
  const TemporaryFolder folder;
  write_text(folder.file("x_train.csv"), "time,a,attack\nt0,1,0\nt1,2,0\n");
  write_text(folder.file("x_test.csv"), "time,a,attack\nt0,1,0\nt1,2,1\n");
  const SeriesEntity entity = read_swat(root(folder));
  EXPECT_EQ(entity.train.channel_count(), 1u);
  EXPECT_THAT(entity.labels, ElementsAre(0, 1));
}

constexpr const char* kLabel = "\"Attack LABLE (1:No Attack, -1:Attack)\"";

void write_wadi(const TemporaryFolder& folder) {
  write_text(folder.file("WADI_14days_new.csv"),
             "Row,Date,Time,1_AIT_001_PV,2_LS_001_AL,2_LS_002_AL,"
             "2_P_001_STATUS,2_P_002_STATUS,3_X\n"
             "1,9/25/2017,00:00.0,171,,,,,5\n"
             "2,9/25/2017,01:00.0,,,,,,6\n");
  write_text(folder.file("WADI_attackdataLABLE.csv"),
             ",,,,,,,,,\n"
             "Row,Date ,Time,\\\\WIN\\LOG\\1_AIT_001_PV,2_LS_001_AL,"
             "2_LS_002_AL,2_P_001_STATUS,2_P_002_STATUS,3_X," +
                 std::string(kLabel) +
                 "\n"
                 "1,10/9/17,00:00.0,170,,,,,5,1\n"
                 "2,10/9/17,01:00.0,180,,,,,9,-1\n"
                 ",,,,,,,,,\n");
}

TEST(PlantTables, wadi_drops_empty_tags_and_rows_without_label) {
  const TemporaryFolder folder;
  write_wadi(folder);
  EXPECT_EQ(detect_layout(root(folder)), SeriesLayout::kWadi);
  const SeriesEntity entity =
      read_entity(root(folder), SeriesLayout::kWadi, "wadi");
  EXPECT_THAT(entity.train.channels, ElementsAre("1_AIT_001_PV", "3_X"));
  EXPECT_THAT(entity.test.channels, ElementsAre("1_AIT_001_PV", "3_X"));
  EXPECT_EQ(entity.train.values(1, 0), 171.0);
  EXPECT_EQ(entity.test.rows(), 2u);
  EXPECT_THAT(entity.labels, ElementsAre(0, 1));
  EXPECT_EQ(entity.test.times[1], "10/9/17 01:00.0");
}

TEST(PlantTables, literal_wadi_keeps_everything) {
  const TemporaryFolder folder;
  write_wadi(folder);
  const SeriesEntity entity = read_wadi(root(folder), true);
  EXPECT_EQ(entity.train.channel_count(), 6u);
  EXPECT_EQ(entity.test.rows(), 3u);
  EXPECT_THAT(entity.labels, ElementsAre(0, 1, 1));
}

TEST(PlantTables, wadi_attacks_without_labels_are_refused) {
  const TemporaryFolder folder;
  write_wadi(folder);
  write_text(folder.file("WADI_attackdataLABLE.csv"),
             "Row,Date,Time,1_AIT_001_PV,3_X\n1,d,t,1,2\n");
  EXPECT_THROW(read_wadi(root(folder), false), IoError);
}

TEST(PlantTables, missing_tables_are_told) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_swat(root(folder)), IoError);
  EXPECT_THROW(read_wadi(root(folder), false), IoError);
  EXPECT_FALSE(find_swat_tables(root(folder)));
  EXPECT_FALSE(find_wadi_tables(root(folder)));
}

}  // namespace plant_tables_test
}  // namespace sbog::detail
