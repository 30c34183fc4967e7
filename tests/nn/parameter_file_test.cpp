// SPDX-License-Identifier: Apache-2.0
// Files of networks: parameters come back as they were, counts in full.
#include "sbog/nn/parameter_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"

namespace sbog::nn {
namespace parameter_file_test {

using sbog::testing_support::TemporaryFolder;

ParameterSet two_tensors(float value) {
  ParameterSet set;
  set.add("weight", {2, 3});
  set.add("bias", {3});
  for (float& x : set.flat()) x = value++;
  return set;
}

TEST(ParameterFile, parameters_and_metadata_come_back) {
  const TemporaryFolder folder;
  const ParameterSet written = two_tensors(0.5F);
  save_parameters(folder.file("p"), written,
                  with_counts({{"format", "test"}}, {{"width", 7}}));
  const Metadata metadata = read_metadata(folder.file("p"));
  EXPECT_EQ(metadata.at("format"), "test");
  EXPECT_EQ(read_count(metadata, "width", "p"), 7u);
  ParameterSet read = two_tensors(0.0F);
  load_parameters(folder.file("p"), read);
  EXPECT_TRUE(std::ranges::equal(read.flat(), written.flat()));
}

TEST(ParameterFile, another_shape_is_refused_and_changes_nothing) {
  const TemporaryFolder folder;
  save_parameters(folder.file("p"), two_tensors(0.5F), {});
  ParameterSet other;
  other.add("weight", {2, 4});
  EXPECT_THROW(load_parameters(folder.file("p"), other), IoError);
  EXPECT_EQ(other.flat().size(), 8u);
  EXPECT_THROW(load_parameters(folder.file("absent"), other), IoError);
}

TEST(ParameterFile, counts_are_whole_numbers_in_full) {
  const Metadata metadata = {{"a", "18446744073709551615"},
                             {"b", "-1"},
                             {"c", "7 "},
                             {"d", "18446744073709551616"},
                             {"e", ""}};
  EXPECT_EQ(read_count(metadata, "a", "file"), 18446744073709551615U);
  for (const char* name : {"b", "c", "d", "e", "missing"}) {
    try {
      read_count(metadata, name, "file");
      ADD_FAILURE() << name;
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(),
                  ::testing::HasSubstr(std::string("named ") + name));
    }
  }
}

}  // namespace parameter_file_test
}  // namespace sbog::nn
