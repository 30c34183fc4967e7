// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/cluster_detector_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <limits>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/series/series_model_file.h"
#include "series/cluster_support.h"

namespace sbog::series {
namespace cluster_detector_file_test {

using namespace testing_support;
using sbog::testing_support::read_bytes;
using sbog::testing_support::TemporaryFolder;
using ::testing::HasSubstr;

std::string sentence_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

class ClusterDetectorFile : public ::testing::Test {
 protected:
  ClusterDetectorFile()
      : detector(*train_cluster_detector(
            waves_series(200, 2), small_options(NegativeRule::kSbogDefault))),
        path(folder.file("detector")) {
    write_cluster_detector(path, detector);
    bytes = read_bytes(path);
  }

  // Reads other content and gives the sentence it is refused with.
  std::string refusal(const std::string& content) {
    const std::string bad = folder.file("bad");
    std::ofstream(bad, std::ios::binary) << content;
    return sentence_of([&] { read_cluster_detector(bad); });
  }
  // With one text of the same length in place of another.
  std::string swapped(const std::string& before, const std::string& after) {
    EXPECT_EQ(before.size(), after.size());
    std::string content = bytes;
    const std::size_t at = content.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return content.replace(at, before.size(), after);
  }
  // A detector that was changed before it was written.
  std::string changed(const std::function<void(ClusterDetector&)>& change) {
    ClusterDetector other = read_cluster_detector(path);
    change(other);
    const std::string bad = folder.file("bad");
    write_cluster_detector(bad, other);
    return sentence_of([&] { read_cluster_detector(bad); });
  }

  TemporaryFolder folder;
  ClusterDetector detector;
  std::string path;
  std::string bytes;
};

TEST_F(ClusterDetectorFile, what_is_read_is_what_was_written) {
  const ClusterDetector read = read_cluster_detector(path);
  EXPECT_EQ(read.rule, NegativeRule::kSbogDefault);
  EXPECT_EQ(read.level, 0.99);
  EXPECT_EQ(read.normal, detector.normal);
  EXPECT_EQ(read.training_scores, detector.training_scores);
  EXPECT_EQ(read.model.channels, detector.model.channels);
  EXPECT_EQ(read.threshold(0.9), detector.threshold(0.9));
  const Series series = waves_series(60, 7);
  EXPECT_EQ(score_rows(read, series), score_rows(detector, series));
  write_cluster_detector(folder.file("again"), read);
  EXPECT_EQ(read_bytes(folder.file("again")), bytes);
}

TEST_F(ClusterDetectorFile, every_cut_is_refused) {
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    EXPECT_NE(refusal(bytes.substr(0, size)), "") << size;
  }
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() - 1)), "");
  EXPECT_NE(sentence_of([&] { read_cluster_detector(folder.file("absent")); }),
            "");
}

TEST_F(ClusterDetectorFile, metadata_that_lies_is_refused) {
  EXPECT_THAT(refusal(swapped("\"classes\":\"10\"", "\"classes\":\"11\"")),
              HasSubstr("another shape"));
  EXPECT_THAT(refusal(swapped("\"classes\":\"10\"", "\"classes\":\"-1\"")),
              HasSubstr("'classes'"));
  EXPECT_THAT(refusal(swapped("\"rows\":\"200\"", "\"rows\":\"900\"")),
              HasSubstr("another shape"));
  EXPECT_THAT(refusal(swapped("\"level\":\"0.99\"", "\"level\":\"1.99\"")),
              HasSubstr("'level'"));
  EXPECT_THAT(refusal(swapped("sbog-default", "sbog-unknown")),
              HasSubstr("sbog-unknown"));
  EXPECT_THAT(refusal(swapped("\"rule\"", "\"role\"")), HasSubstr("'rule'"));
}

TEST_F(ClusterDetectorFile, values_that_no_training_makes_are_refused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(changed([&](ClusterDetector& d) { d.head.flat()[3] = nan; }), "");
  EXPECT_THAT(changed([](ClusterDetector& d) { d.training_scores[0] = 2.0; }),
              HasSubstr("ascending"));
  EXPECT_THAT(changed([](ClusterDetector& d) { d.training_scores[0] = -0.1; }),
              HasSubstr("within 0 and 1"));
  EXPECT_THAT(changed([](ClusterDetector& d) {
                d.normal.assign(d.normal.size(), false);
              }),
              HasSubstr("none of its classes"));
  EXPECT_NE(changed([](ClusterDetector& d) { d.normal.pop_back(); }), "");
  EXPECT_NE(
      changed([&](ClusterDetector& d) { d.model.statistics.means[0] = nan; }),
      "");
  EXPECT_EQ(changed([](ClusterDetector&) {}), "");
}

TEST_F(ClusterDetectorFile, a_model_alone_is_another_kind_of_file) {
  write_series_model(folder.file("model"), detector.model);
  EXPECT_NE(sentence_of([&] { read_cluster_detector(folder.file("model")); }),
            "");
  EXPECT_NE(sentence_of([&] { read_series_model(path); }), "");
}

}  // namespace cluster_detector_file_test
}  // namespace sbog::series
