// SPDX-License-Identifier: Apache-2.0
// libsbog_torch.so itself, loaded as a program loads it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sbog/base/errors.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace library_test {

using namespace testing_support;

TEST(Library, is_found_and_says_what_it_was_built_with) {
  EXPECT_TRUE(job::has_torch_library());
  EXPECT_EQ(job::torch_library().version(), TORCH_VERSION);
}

TEST(Library, refuses_another_interface) {
  job::torch_library();
  void* library = nullptr;
  for (const std::string& folder : job::torch_library_folders()) {
    const auto file = std::filesystem::path(folder) / job::kTorchLibraryFile;
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library != nullptr) break;
  }
  ASSERT_NE(library, nullptr);
  auto* entry = reinterpret_cast<job::TorchLibraryEntry*>(
      dlsym(library, job::kTorchLibraryEntry));
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry(job::torch_interface()), &job::torch_library());
  EXPECT_EQ(entry(job::torch_interface() + 1), nullptr);
  dlclose(library);
}

TEST(Library, jobs_through_it_give_the_bits_of_jobs_without_it) {
  const TemporaryFolder folder;
  RecordedEvents events;
  const auto result = job::torch_library().train_image(
      small_training(folder.file("m")), events, {});
  EXPECT_EQ(result.status, job::Status::kDone);
  EXPECT_EQ(read_bytes(folder.file("m/encoder.safetensors")),
            read_bytes(small_model() + "/encoder.safetensors"));
}

TEST(Library, its_exceptions_are_ours) {
  RecordedEvents events;
  job::TrainImageOptions training = small_training("nowhere");
  training.data = "demo:circles";
  EXPECT_THROW(job::torch_library().train_image(training, events, {}),
               InvalidArgument);
  job::ImageScoreOptions scoring;
  scoring.model = "absent";
  EXPECT_THROW(job::torch_library().score_images(scoring, events, {}), IoError);
}

}  // namespace library_test
}  // namespace sbog::torch_jobs
