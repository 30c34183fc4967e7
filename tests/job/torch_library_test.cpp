// SPDX-License-Identifier: Apache-2.0
// Loading the library behind LibTorch: what is said where there is none, and
// that calls, events and exceptions cross the border.
#include "sbog/job/torch_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::testing_support {
namespace torch_library_test {

using job::TorchLibrary;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Folders = std::vector<std::string>;

const std::string kAnswering = SBOG_TORCH_LIBRARIES "/answering";
const std::string kOther = SBOG_TORCH_LIBRARIES "/other";

std::string refusal(const Folders& folders) {
  try {
    job::load_torch_library("train image", folders);
  } catch (const IoError& error) {
    return error.what();
  }
  return "it was loaded";
}

TEST(TorchLibrary, a_missing_library_is_one_sentence_that_says_what_to_do) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal({folder.path().string(), folder.file("absent")}),
            "train image needs the library libsbog_torch.so, which is not "
            "installed beside sbog; build it with LibTorch (libtorch-dev)");
}

TEST(TorchLibrary, a_file_that_is_no_library_is_named) {
  const TemporaryFolder folder;
  std::ofstream(folder.file(job::kTorchLibraryFile)) << "no library";
  const std::string sentence = refusal({folder.path().string()});
  EXPECT_THAT(sentence, StartsWith("train image needs the library " +
                                   folder.path().string()));
  EXPECT_THAT(sentence, HasSubstr("does not load"));
}

TEST(TorchLibrary, a_library_of_another_release_is_refused) {
  EXPECT_THAT(refusal({kOther}), HasSubstr("another release of sbog"));
}

TEST(TorchLibrary, the_first_folder_with_a_library_counts) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal({folder.path().string(), kAnswering, kOther}),
            "it was loaded");
  EXPECT_THAT(refusal({kOther, kAnswering}), HasSubstr("another release"));
}

TEST(TorchLibrary, both_exceptions_cross_the_border) {
  const TorchLibrary& library =
      job::load_torch_library("a test", Folders{kAnswering});
  RecordedEvents events;
  job::TrainImageOptions training;
  training.data = "here";
  try {
    library.train_image(training, events, {});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "of the options: here");
  }
  job::ImageDetectorOptions detector;
  detector.data = "there";
  try {
    library.train_image_detector(detector, events, {});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "there: of a file");
  }
}

TEST(TorchLibrary, events_and_the_stop_button_cross_the_border) {
  const TorchLibrary& library =
      job::load_torch_library("a test", Folders{kAnswering});
  RecordedEvents events;
  job::ImageScoreOptions scoring;
  scoring.data = "demo:shapes";
  EXPECT_EQ(library.score_images(scoring, events, {}).options.data,
            "demo:shapes");
  EXPECT_EQ(events.notes, std::vector<std::string>{"scoring demo:shapes"});
  EXPECT_EQ(library.generate_images({}, events, {}).status, job::Status::kDone);
  EXPECT_EQ(events.stages, std::vector<std::string>{"answering"});
  events.stop_after = 1;
  EXPECT_EQ(library.generate_images({}, events, {}).status,
            job::Status::kStopped);
  EXPECT_TRUE(events.is_stopped());
}

TEST(TorchLibrary, threads_that_load_at_once_get_the_same) {
  std::vector<const TorchLibrary*> found(4);
  std::vector<std::thread> threads;
  for (const TorchLibrary*& one : found) {
    threads.emplace_back([&one] {
      one = &job::load_torch_library("a test", Folders{kAnswering});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const TorchLibrary* one : found) EXPECT_EQ(one, found[0]);
  EXPECT_EQ(found[0]->version(), "0.0.0");
}

TEST(TorchLibrary, it_is_looked_for_beside_the_program_first) {
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  const Folders folders = job::torch_library_folders();
  ASSERT_GE(folders.size(), 3u);
  EXPECT_THAT(folders[0], StartsWith(program));
  for (const char* place : {"/lib", "/lib/sbog"}) {
    const std::string wanted =
        std::filesystem::path(program).parent_path().string() + place;
    EXPECT_THAT(folders, ::testing::Contains(wanted));
  }
}

TEST(TorchLibrary, whether_it_is_there_is_told_without_loading_it) {
  bool is_there = false;
  for (const std::string& folder : job::torch_library_folders()) {
    is_there =
        is_there || std::filesystem::exists(std::filesystem::path(folder) /
                                            job::kTorchLibraryFile);
  }
  EXPECT_EQ(job::has_torch_library(), is_there);
}

}  // namespace torch_library_test
}  // namespace sbog::testing_support
