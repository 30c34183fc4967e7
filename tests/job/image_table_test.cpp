// SPDX-License-Identifier: Apache-2.0
// decoded/ of a run on images read back.
#include "sbog/job/image_table.h"

#include <gtest/gtest.h>

#include "job/decoded_run.h"
#include "sbog/base/errors.h"

namespace sbog::job {
namespace image_table_test {

using testing_support::is_made_inside;
using testing_support::make_decoded_run;
using testing_support::make_image_run;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;

TEST(ImageTable, rows_say_where_images_lie) {
  const TemporaryFolder folder;
  make_decoded_run(folder, 6);
  const auto rows = read_decoded_rows(FinishedRun(folder.file("run")));
  ASSERT_EQ(rows.size(), 18u);
  std::size_t outside = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].outlier, i);
    EXPECT_EQ(rows[i].is_outside, !is_made_inside(i));
    EXPECT_EQ(rows[i].severity, i % 2 == 0 ? "1" : "2");
    EXPECT_EQ(rows[i].label, static_cast<std::int64_t>(i / 6));
    EXPECT_EQ(rows[i].cls, i / 6);
    outside += is_made_inside(i) ? 0 : 1;
  }
  EXPECT_EQ(outside_count(rows), outside);
}

TEST(ImageTable, runs_of_before_have_no_severities) {
  const TemporaryFolder folder;
  make_image_run(folder.file("run"));
  const auto rows = read_decoded_rows(FinishedRun(folder.file("run")));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].severity, "");
  EXPECT_EQ(rows[1].decoded_energy, 0.2);
}

TEST(ImageTable, without_an_encoder_nothing_is_known) {
  const TemporaryFolder folder;
  make_image_run(folder.file("run"));
  write_file_atomically(
      folder.file("run/decoded/images.csv"),
      "image,outlier,class,class_energy,decoded_energy,consistency,"
      "nearest_distance\n0,0,0,0.2,,,0.05\n1,7,1,0.3,,,0.06\n");
  const auto rows = read_decoded_rows(FinishedRun(folder.file("run")));
  EXPECT_FALSE(rows[0].is_outside.has_value());
  EXPECT_FALSE(outside_count(rows).has_value());
}

TEST(ImageTable, what_the_run_does_not_have_is_refused) {
  const TemporaryFolder folder;
  make_decoded_run(folder, 6);
  const FinishedRun run(folder.file("run"));
  EXPECT_THROW(read_decoded_images(run, "images.npy", 17), IoError);
  EXPECT_EQ(read_decoded_images(run, "images.npy", 18).shape,
            (ImageShape{1, 8, 8}));
  const std::string path = run.file("decoded/images.csv");
  const std::string good = read_bytes(path);
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{
           {"\n3,3,0,", "\n3,18,0,"},
           {"\n3,3,0,", "\n3,3,9,"},
           {"\n3,3,0,", "\n3,-1,0,"}}) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    write_file_atomically(path, bad);
    EXPECT_THROW(read_decoded_rows(run), IoError) << to;
  }
}

}  // namespace image_table_test
}  // namespace sbog::job
