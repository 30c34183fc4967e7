// SPDX-License-Identifier: Apache-2.0
// Where series come from: a folder of sets, or the made set.
#include "paper/series_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"

namespace sbog::paper {
namespace series_data_test {

using testing_support::TemporaryFolder;
namespace fs = std::filesystem;

// An entity of two channels and `rows` rows as npy files.
void write_entity(const TemporaryFolder& folder, const std::string& set,
                  const std::string& entity, std::size_t rows) {
  fs::create_directories(folder.file(set));
  Matrix<float> values(rows, 2);
  for (std::size_t t = 0; t < rows; ++t) values(t, 0) = static_cast<float>(t);
  const std::vector<std::int64_t> labels(rows, 1);
  const std::string base = folder.file(set + "/" + entity);
  write_npy(base + "_train.npy", values);
  write_npy(base + "_test.npy", values);
  write_npy(base + "_labels.npy", std::span(labels));
}

std::vector<std::string> keys(const Settings& settings) {
  std::vector<std::string> found;
  for (const SeriesName& name : list_series(settings)) {
    found.push_back(key_of(name));
  }
  return found;
}

TEST(SeriesData, sets_come_in_their_order_and_other_folders_are_skipped) {
  const TemporaryFolder folder;
  write_entity(folder, "zoo", "Z-1", 4);
  write_entity(folder, "smap", "A-5", 4);
  write_entity(folder, "smd", "machine-1-5", 4);
  write_entity(folder, "smd", "machine-1-1", 4);
  fs::create_directories(folder.file("images"));
  const std::string data = folder.path().string();
  EXPECT_THAT(keys({Size::kFull, {}, data}),
              ::testing::ElementsAre("smd-machine-1-1", "smd-machine-1-5",
                                     "smap-a-5", "zoo-z-1"));
  EXPECT_THAT(keys({Size::kSmall, {}, data}),
              ::testing::ElementsAre("smd-machine-1-1", "smap-a-5", "zoo-z-1"));
}

TEST(SeriesData, a_configuration_names_files_by_size_and_no_path) {
  const TemporaryFolder folder;
  write_entity(folder, "smd", "machine-1-5", 4);
  const Settings settings{Size::kFull, {}, folder.path().string()};
  const SeriesName name{"smd", "machine-1-5"};
  const Json fields = series_fields(name, settings);
  EXPECT_EQ(fields["bytes"].size(), 3u);
  EXPECT_EQ(fields["is_development"], true);
  EXPECT_THAT(fields.dump(),
              ::testing::Not(::testing::HasSubstr(settings.data)));
  write_entity(folder, "smd", "machine-1-5", 5);
  EXPECT_NE(series_fields(name, settings), fields);
  const SeriesEntity entity = load_series(fields, settings.data);
  EXPECT_EQ(entity.train.rows(), 5u);
  EXPECT_EQ(entity.labels.size(), 5u);
}

TEST(SeriesData, what_takes_long_comes_last) {
  const TemporaryFolder folder;
  write_entity(folder, "smd", "long", 90);
  write_entity(folder, "smd", "short", 4);
  write_entity(folder, "zoo", "middle", 50);
  const Settings settings{Size::kFull, {}, folder.path().string()};
  std::vector<std::string> order;
  for (const SeriesName& name :
       shortest_first(list_series(settings), settings)) {
    order.push_back(name.entity);
  }
  EXPECT_THAT(order, ::testing::ElementsAre("short", "middle", "long"));
}

TEST(SeriesData, one_set_is_thinned_out_evenly) {
  std::vector<SeriesName> names = {{"msl", "C-1"}};
  for (int i = 0; i < 15; ++i) names.push_back({"smd", std::to_string(i)});
  std::vector<std::string> kept;
  for (const SeriesName& name : thin_out(names, "smd", 6)) {
    kept.push_back(name.entity);
  }
  EXPECT_THAT(kept,
              ::testing::ElementsAre("C-1", "0", "3", "5", "8", "10", "13"));
  EXPECT_EQ(thin_out(names, "smd", 20).size(), names.size());
}

TEST(SeriesData, a_cell_is_named_by_part_series_and_seed) {
  const Settings settings{Size::kSmall, {}};
  const SeriesName name{"made", "waves-1"};
  const Cell cell = series_cell("rules", name, settings, 7, {{"x", 1}});
  EXPECT_EQ(cell.key, "rules-made-waves-1-s7");
  EXPECT_EQ(cell.configuration["seed"], 7);
  EXPECT_EQ(cell.configuration["x"], 1);
  EXPECT_EQ(cell.configuration["entity"], "waves-1");
  EXPECT_EQ(series_cell("a", name, settings, nullptr, Json::object()).key,
            "a-made-waves-1");
}

TEST(SeriesData, six_entities_are_for_development) {
  std::size_t count = 0;
  for (const char* entity :
       {"machine-1-5", "machine-3-2", "M-2", "P-10", "A-5", "D-7", "A-6"}) {
    for (const char* set : {"smd", "msl", "smap", "zoo"}) {
      if (is_development({set, entity})) ++count;
    }
  }
  EXPECT_EQ(count, 6u);
}

TEST(SeriesData, the_made_set_is_the_same_every_time_and_has_anomalies) {
  const Settings settings{Size::kSmall, {}};
  EXPECT_EQ(series_obstacle(settings), "");
  const auto names = list_series(settings);
  ASSERT_EQ(names.size(), 2u);
  const Json fields = series_fields(names[1], settings);
  const SeriesEntity one = load_series(fields, "");
  const SeriesEntity two = load_series(fields, "");
  EXPECT_TRUE(std::ranges::equal(one.test.values.elements(),
                                 two.test.values.elements()));
  EXPECT_EQ(std::count(one.labels.begin(), one.labels.end(), 1), 100);
  EXPECT_THROW(load_series({{"set", "made"}, {"entity", "x"}}, ""),
               InvalidArgument);
}

TEST(SeriesData, nothing_to_list_is_told) {
  EXPECT_THAT(series_obstacle({Size::kFull, {}}),
              ::testing::HasSubstr("--data"));
  const TemporaryFolder folder;
  EXPECT_EQ(series_obstacle({Size::kFull, {}, folder.path().string()}), "");
  EXPECT_THROW(list_series({Size::kFull, {}, folder.path().string()}), IoError);
  EXPECT_THROW(list_series({Size::kFull, {}, folder.file("none")}), IoError);
}

}  // namespace series_data_test
}  // namespace sbog::paper
