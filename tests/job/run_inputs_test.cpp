// SPDX-License-Identifier: Apache-2.0
// What a run reads, and reads again.
#include "sbog/job/run_inputs.h"

#include <gtest/gtest.h>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"

namespace sbog::job {
namespace run_inputs_test {

TEST(RunInputs, class_anchors_are_the_means_unless_told_otherwise) {
  GenerateOptions options = default_generate_options(Kind::kPoints);
  options.input = "demo:bank";
  EXPECT_EQ(load_inputs<float>(options).anchors.rows(), 0u);
  options.labels = "demo:labels";
  const RunInputs<float> labelled = load_inputs<float>(options);
  EXPECT_EQ(labelled.anchors.rows(), 3u);
  EXPECT_EQ(labelled.class_count(), 3u);
  options.class_anchors = "none";
  EXPECT_EQ(load_inputs<float>(options).anchors.rows(), 0u);
  EXPECT_NE(load_inputs<float>(options).checksum(), labelled.checksum());
}

TEST(RunInputs, one_label_for_each_row_is_expected) {
  GenerateOptions options = default_generate_options(Kind::kPoints);
  options.input = "demo:bank";
  options.labels = "demo:outlier-labels";
  EXPECT_THROW(load_inputs<float>(options), InvalidArgument);
}

TEST(RunInputs, a_total_is_spread_over_the_classes) {
  GenerateOptions options = default_generate_options(Kind::kPoints);
  options.sampler.count = 9;
  EXPECT_EQ(count_of_class(options, 0, 3), 9u);
  options.total = 8;
  EXPECT_EQ(count_of_class(options, 0, 3), 3u);
  EXPECT_EQ(count_of_class(options, 1, 3), 3u);
  EXPECT_EQ(count_of_class(options, 2, 3), 2u);
}

TEST(RunInputs, a_finished_run_finds_its_inputs_or_says_that_they_changed) {
  const testing_support::TemporaryFolder folder;
  Matrix<float> bank(40, 3);
  for (std::size_t i = 0; i < 40; ++i) {
    bank(i, i % 3) = 1.0f;
    bank(i, (i + 1) % 3) = 0.01f * static_cast<float>(i);
  }
  const std::string path = folder.file("bank.npy");
  write_npy(path, std::as_const(bank).view());
  GenerateOptions options = default_generate_options(Kind::kPoints);
  options.input = path;
  options.out = folder.file("run");
  options.sampler.count = 3;
  options.sampler.seed = 5;
  options.no_report = true;
  Events events;
  (void)run(options, events);
  const FinishedRun finished(options.out);
  const GenerateOptions read = options_of_run(finished);
  EXPECT_EQ(read.input, path);
  EXPECT_EQ(read.sampler.seed, 5u);
  EXPECT_EQ(read.sampler.count, 3u);
  EXPECT_EQ(load_run_inputs<float>(finished, read).bank.rows(), 40u);
  bank(0, 0) = 2.0f;
  write_npy(path, std::as_const(bank).view());
  EXPECT_THROW(load_run_inputs<float>(finished, read), IoError);
}

}  // namespace run_inputs_test
}  // namespace sbog::job
