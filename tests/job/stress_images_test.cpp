// SPDX-License-Identifier: Apache-2.0
// Decoded images as cases, and a stress test of them from end to end.
#include "sbog/job/stress_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "job/decoded_run.h"
#include "job/recorded_events.h"
#include "sbog/base/errors.h"
#include "sbog/job/report_files.h"
#include "sbog/job/stress.h"

namespace sbog::job {
namespace stress_images_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::decoded_pixel;
using testing_support::is_made_inside;
using testing_support::made_pixel;
using testing_support::make_decoded_run;
using testing_support::make_image_run;
using testing_support::read_bytes;
using testing_support::read_json;
using testing_support::RecordedEvents;
using testing_support::TemporaryFolder;

StressInputs load(const TemporaryFolder& folder,
                  const StressInputOptions& options = {}) {
  RecordedEvents events;
  return load_stress_inputs(FinishedRun(folder.file("run")), options, events);
}

TEST(StressImages, images_outside_are_cases_with_their_facts) {
  const TemporaryFolder folder;
  make_decoded_run(folder, 6);
  RecordedEvents events;
  const StressInputs inputs =
      load_stress_inputs(FinishedRun(folder.file("run")), {}, events);
  EXPECT_EQ(inputs.kind, Kind::kImages);
  EXPECT_EQ(inputs.sorted.count, 15u);
  EXPECT_EQ(inputs.rows_in_file, 18u);
  EXPECT_EQ(inputs.cases.shape(), (std::vector<std::size_t>{15, 1, 8, 8}));
  EXPECT_EQ(inputs.cases.type(), ElementType::kUInt8);
  EXPECT_THAT(inputs.labels, ElementsAre(0, 1, 2));
  const ImageSet images = images_of_cases(inputs.cases);
  std::size_t at = 0;
  for (std::size_t i = 0; i < 18; ++i) {
    if (is_made_inside(i)) continue;
    const CaseFacts& facts = inputs.facts[at];
    EXPECT_EQ(facts.row, i);
    EXPECT_EQ(facts.outlier, i);
    EXPECT_EQ(images.pixels(at, 3), decoded_pixel(facts.label, 3));
    EXPECT_EQ(facts.class_name,
              facts.label == 1 ? "bright" : std::to_string(facts.label));
    ++at;
  }
  EXPECT_EQ(inputs.sorted.severities.size(), 15u);
  EXPECT_THAT(events.notes, Contains(HasSubstr("3 of 18 decoded images")));
}

TEST(StressImages, controls_are_sources_and_other_images_of_the_input) {
  const TemporaryFolder folder;
  make_decoded_run(folder, 6);
  StressInputOptions options;
  options.control_count = 40;
  const StressInputs inputs = load(folder, options);
  const ImageSet controls = images_of_cases(inputs.controls);
  ASSERT_EQ(controls.count(), 40u);
  std::set<std::size_t> sources;
  for (const CaseFacts& facts : inputs.facts) sources.insert(facts.anchor_row);
  std::size_t from_sources = 0;
  for (std::size_t i = 0; i < controls.count(); ++i) {
    for (const std::size_t row : sources) {
      from_sources += controls.pixels(i, 0) == made_pixel(row, 0) &&
                              controls.pixels(i, 1) == made_pixel(row, 1)
                          ? 1
                          : 0;
    }
  }
  EXPECT_GE(from_sources, std::min<std::size_t>(20, sources.size()));
  EXPECT_THAT(inputs.control_words, HasSubstr("other images of the run"));
  options.wants_controls = false;
  EXPECT_EQ(load(folder, options).controls.size(), 0u);
}

TEST(StressImages, without_the_input_the_sources_of_the_run_remain) {
  const TemporaryFolder folder;
  make_decoded_run(folder, 6);
  std::filesystem::remove(folder.file("photos.npy"));
  const StressInputs inputs = load(folder);
  std::set<std::size_t> sources;
  for (const CaseFacts& facts : inputs.facts) sources.insert(facts.anchor_row);
  EXPECT_EQ(inputs.controls.shape()[0], sources.size());
  const ImageSet controls = images_of_cases(inputs.controls);
  EXPECT_EQ(controls.pixels(0, 5), made_pixel(*sources.begin(), 5));
}

TEST(StressImages, other_images_under_the_name_of_the_input_are_refused) {
  const TemporaryFolder folder;
  make_decoded_run(folder, 6);
  testing_support::write_values(
      folder.file("photos.npy"), ElementType::kUInt8, {600, 8, 8},
      std::vector<std::uint8_t>(std::size_t{600} * 64, 1));
  EXPECT_THROW(load(folder), IoError);
}

TEST(StressImages, controls_of_a_file_must_have_the_shape) {
  const TemporaryFolder folder;
  make_decoded_run(folder, 6);
  StressInputOptions options;
  options.controls = folder.file("photos.npy");
  options.control_count = 25;
  EXPECT_EQ(load(folder, options).controls.shape()[0], 25u);
  options.controls = "demo:shapes-test";  // 28 x 28
  EXPECT_THROW(load(folder, options), InvalidArgument);
}

TEST(StressImages, a_run_whose_images_all_lie_inside_has_no_cases) {
  const TemporaryFolder folder;
  make_image_run(folder.file("run"));
  write_file_atomically(
      folder.file("run/decoded/images.csv"),
      "image,outlier,class,class_energy,decoded_energy,consistency,"
      "nearest_distance\n0,0,0,0.2,-9,,0.05\n1,7,1,0.3,-9,,0.06\n");
  EXPECT_THROW(load(folder), InvalidArgument);
}

TEST(StressImages, images_go_into_an_array_and_back) {
  ImageSet images;
  images.shape = {3, 2, 2};
  images.pixels = Matrix<std::uint8_t>(2, 12);
  for (std::size_t k = 0; k < 24; ++k) {
    images.pixels.data()[k] = static_cast<std::uint8_t>(k);
  }
  const Array array = array_of_images(images, "x");
  EXPECT_EQ(array.shape(), (std::vector<std::size_t>{2, 3, 2, 2}));
  const ImageSet again = images_of_cases(array);
  EXPECT_EQ(again.shape, images.shape);
  EXPECT_EQ(again.pixels(1, 11), 23);
  EXPECT_THROW(
      images_of_cases(Array("f", ElementType::kFloat32, {0, 1, 2, 2}, nullptr)),
      InvalidArgument);
}

// Alarms for dark images alone: it misses the bright class.
Matrix<double> darkness(const StressBatch& batch) {
  const ImageSet images = images_of_cases(batch.values);
  Matrix<double> scores(images.count(), 1);
  for (std::size_t i = 0; i < images.count(); ++i) {
    double sum = 0.0;
    for (const std::uint8_t pixel : images.pixels.row(i)) sum += pixel;
    scores(i, 0) = -sum;
  }
  return scores;
}

StressOptions options_for(const TemporaryFolder& folder) {
  StressOptions options;
  options.input = folder.file("run");
  options.function = darkness;
  return options;
}

TEST(StressImages, a_detector_that_misses_one_class_is_found_and_reported) {
  const TemporaryFolder folder;
  make_decoded_run(folder, 24);
  StressOptions options = options_for(folder);
  options.require = {"detection >= 0.9 for class 0",
                     "detection >= 0.9 for class bright"};
  RecordedEvents events;
  const StressResult result = run(options, events);
  EXPECT_EQ(result.status, Status::kNotReached);
  EXPECT_EQ(result.kind, Kind::kImages);
  const stress::GroupMeasures& first =
      result.verdict.groups.at(result.verdict.weak.spots.at(0).group);
  EXPECT_EQ(first.grouping, "class");
  EXPECT_EQ(first.level, "bright");
  EXPECT_TRUE(result.verdict.gates[0].is_passed);
  EXPECT_FALSE(result.verdict.gates[1].is_passed);
  const auto json = read_json(folder.file("run/stress.json"));
  EXPECT_EQ(json["kind"], "image");
  EXPECT_EQ(json["severities"].size(), 3u);
  const auto& clearest = json["weak_spots"][0]["clearest"][0];
  EXPECT_EQ(clearest["outlier"], clearest["case"]);
  EXPECT_THAT(read_bytes(folder.file("run/stress.junit.xml")),
              HasSubstr("class bright"));
  EXPECT_THAT(read_bytes(folder.file("run/stress.csv")),
              HasSubstr(",\"bright\","));
  // The page has the section, and shows the clearest cases.
  ReportOptions report;
  report.run = folder.file("run");
  report.compute_missing = false;
  const auto data = image_report(report, FinishedRun(report.run), events, {});
  ASSERT_TRUE(data->stress);
  EXPECT_EQ(data->images_outside, 60u);
  std::set<std::size_t> shown;
  for (const ReportImage& image : data->images) shown.insert(image.outlier);
  ASSERT_FALSE(data->stress->weak_spots.empty());
  for (const auto& one : data->stress->weak_spots[0].clearest) {
    EXPECT_TRUE(shown.contains(one.outlier)) << one.outlier;
  }
}

TEST(StressImages, predictions_are_of_all_decoded_images_or_of_the_cases) {
  const TemporaryFolder folder;
  make_decoded_run(folder, 6);
  StressOptions options;
  options.input = folder.file("run");
  options.threshold = 0.5;
  const auto failures = [&](const std::vector<double>& scores) {
    testing_support::write_values(folder.file("p.npy"), ElementType::kFloat64,
                                  {scores.size()}, scores);
    options.predictions = folder.file("p.npy");
    RecordedEvents events;
    return run(options, events).verdict.overall.failures.hits;
  };
  std::vector<double> all;
  std::vector<double> cases;
  for (std::size_t i = 0; i < 18; ++i) {
    // Missed are those of an even number; those inside do not count.
    all.push_back(i % 2 == 0 ? 0.0 : 1.0);
    if (!is_made_inside(i)) cases.push_back(all.back());
  }
  EXPECT_EQ(failures(all), 9u);
  EXPECT_EQ(failures(cases), 9u);
  EXPECT_THROW(failures(std::vector<double>(17, 0.0)), IoError);
}

TEST(StressImages, a_command_gets_bytes_in_planes) {
  const TemporaryFolder folder;
  make_decoded_run(folder, 6);
  StressOptions options;
  options.input = folder.file("run");
  options.controls = folder.file("photos.npy");
  options.task = "detector";
  // It answers with row numbers, of which the header of the file has the count.
  write_file_atomically(
      folder.file("ask.sh"),
      "head -c 128 \"$1\" >>" + folder.file("seen") +
          "\nseq $(head -c 128 \"$1\" | LC_ALL=C sed -n \"s/.*'shape': "
          "(\\([0-9]*\\),.*/\\1/p\") >\"$2\"\n");
  options.model = "sh " + folder.file("ask.sh") + " {cases} {out.csv}";
  RecordedEvents events;
  const StressResult result = run(options, events);
  EXPECT_EQ(result.verdict.outcomes.cases.size(), 15u);
  const std::string seen = read_bytes(folder.file("seen"));
  EXPECT_THAT(seen, HasSubstr("|u1"));
  EXPECT_THAT(seen, HasSubstr("(15, 1, 8, 8)"));
}

TEST(StressImages, points_are_asked_about_where_that_is_wanted) {
  const TemporaryFolder folder;
  make_decoded_run(folder, 6);
  StressOptions options;
  options.input = folder.file("run");
  options.case_kind = "points";
  options.function = [](const StressBatch& batch) {
    EXPECT_EQ(batch.values.shape().size(), 2u);
    return Matrix<double>(batch.values.shape()[0], 1);
  };
  RecordedEvents events;
  EXPECT_EQ(run(options, events).kind, Kind::kPoints);
  StressOptions images = options_for(folder);
  images.seek.seek = true;
  EXPECT_THROW(run(images, events), InvalidArgument);
  make_image_run(folder.file("plain"));
  std::filesystem::remove(folder.file("plain/decoded/images.npy"));
  StressOptions none = options_for(folder);
  none.input = folder.file("plain");
  none.case_kind = "images";
  EXPECT_THROW(run(none, events), InvalidArgument);
  testing_support::make_points_run(folder.file("points"));
  none.input = folder.file("points");
  EXPECT_THROW(run(none, events), InvalidArgument);
}

}  // namespace stress_images_test
}  // namespace sbog::job
