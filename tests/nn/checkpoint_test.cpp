// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::nn {
namespace checkpoint_test {

using testing_support::TemporaryFolder;

Checkpoint make_checkpoint() {
  Checkpoint state;
  state.parameters.add("a.weight", {2, 3});
  state.parameters.add("a.bias", {2});
  state.buffers.add("norm.running_mean", {4});
  state.optimiser = make_adam_state(8);
  state.scalars = {{"epoch", 3.0}, {"margin", 0.123456789012345}};
  state.metadata = {{"run", "one"}};
  return state;
}

Checkpoint filled() {
  Checkpoint state = make_checkpoint();
  for (std::size_t i = 0; i < 8; ++i) {
    state.parameters.flat()[i] = 0.1F * static_cast<float>(i + 1);
    state.optimiser.first[i] = 1e-8F * static_cast<float>(i);
    state.optimiser.second[i] = 1e-20F * static_cast<float>(i);
  }
  state.buffers.flat()[2] = -7.5F;
  state.optimiser.steps = 12345;
  return state;
}

TEST(Checkpoint, what_is_read_is_what_was_written) {
  const TemporaryFolder folder;
  const std::string path = folder.file("state.safetensors");
  const Checkpoint written = filled();
  save_checkpoint(path, written);
  Checkpoint read = make_checkpoint();
  read.scalars = {{"epoch", 0.0}, {"margin", 0.0}};
  load_checkpoint(path, read);
  EXPECT_TRUE(
      std::ranges::equal(read.parameters.flat(), written.parameters.flat()));
  EXPECT_TRUE(std::ranges::equal(read.buffers.flat(), written.buffers.flat()));
  EXPECT_EQ(read.optimiser.first, written.optimiser.first);
  EXPECT_EQ(read.optimiser.second, written.optimiser.second);
  EXPECT_EQ(read.optimiser.steps, 12345u);
  EXPECT_EQ(read.scalars, written.scalars);
  EXPECT_EQ(read.metadata, written.metadata);
  EXPECT_EQ(read_metadata(path), written.metadata);
}

TEST(Checkpoint, lists_are_read_back_and_their_lengths_are_expected) {
  const TemporaryFolder folder;
  const std::string path = folder.file("state.safetensors");
  Checkpoint state;
  state.vectors = {{"means", {1.5, -2.0, 1e300}}, {"none", {}}};
  state.texts = {{"names", {"a", "", "b c"}}, {"none", {}}};
  save_checkpoint(path, state);
  Checkpoint read;
  read.vectors = {{"means", std::vector<double>(3)}, {"none", {}}};
  read.texts = {{"names", std::vector<std::string>(3)}, {"none", {}}};
  load_checkpoint(path, read);
  EXPECT_EQ(read.vectors, state.vectors);
  EXPECT_EQ(read.texts, state.texts);
  read.texts["names"].resize(2);
  EXPECT_THROW(load_checkpoint(path, read), IoError);
  read.texts["names"].resize(3);
  read.vectors["means"].resize(2);
  EXPECT_THROW(load_checkpoint(path, read), IoError);
  read.vectors["means"].resize(3);
  read.texts["more"] = {};
  EXPECT_THROW(load_checkpoint(path, read), IoError);
}

TEST(Checkpoint, another_shape_name_or_a_missing_optimiser_is_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("state.safetensors");
  save_checkpoint(path, filled());
  Checkpoint other = make_checkpoint();
  other.parameters.add("b.bias", {1});
  EXPECT_THROW(load_checkpoint(path, other), IoError);
  other = make_checkpoint();
  other.scalars["more"] = 0.0;
  EXPECT_THROW(load_checkpoint(path, other), IoError);
  other = make_checkpoint();
  other.optimiser = {};
  EXPECT_THROW(load_checkpoint(path, other), IoError);
}

TEST(Checkpoint, values_that_are_not_finite_are_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("state.safetensors");
  Checkpoint state = filled();
  state.parameters.flat()[1] = std::numeric_limits<float>::quiet_NaN();
  save_checkpoint(path, state);
  Checkpoint read = make_checkpoint();
  EXPECT_THROW(load_checkpoint(path, read), IoError);
}

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

}  // namespace checkpoint_test
}  // namespace sbog::nn
