// SPDX-License-Identifier: Apache-2.0
// Parts of a run on disk: what is written is read back, nothing else is.
#include "sbog/run/run_part.h"

#include <gtest/gtest.h>

#include <fstream>

#include "oracle/temporary_folder.h"

namespace sbog {
namespace run_part_test {

OutlierPart<float> a_part() {
  OutlierPart<float> part;
  Output<float> output;
  output.is_accepted = true;
  output.k = 3;
  output.origin = OutputOrigin::kLangevin;
  output.rounds = 2;
  output.round = 1;
  output.anchor_row = 9;
  output.proposal = 4;
  output.feasible = 11;
  output.energy = 0.1;
  output.score = 0.2;
  output.margin = 0.3;
  output.class_cosine = 0.4;
  output.anchor_cosine = 0.5;
  output.point = {1.0f, 2.0f};
  part.outputs.push_back(output);
  part.tallies.resize(2);
  part.tallies[1].draws = 6;
  part.tallies[1].highest_score = 0.7;
  part.tallies[1].failures.energy = 5;
  part.rounds = {0, 1, 0};
  return part;
}

class RunPartTest : public ::testing::Test {
 protected:
  void put(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  testing_support::TemporaryFolder folder;
  PartKey key{1, 4, 8, 77};
  std::string path = folder.file(key.file_name());
};

TEST_F(RunPartTest, a_part_reads_back_as_it_was) {
  write_part(path, key, a_part(), 2);
  const auto read = read_part<float>(path, key, 2);
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->outputs.size(), 1u);
  const Output<float>& output = read->outputs[0];
  EXPECT_TRUE(output.is_accepted);
  EXPECT_EQ(output.k, 3u);
  EXPECT_EQ(output.origin, OutputOrigin::kLangevin);
  EXPECT_EQ(output.anchor_row, 9u);
  EXPECT_EQ(output.feasible, 11u);
  EXPECT_EQ(output.margin, 0.3);
  EXPECT_EQ(output.anchor_cosine, 0.5);
  EXPECT_EQ(output.point, (std::vector<float>{1.0f, 2.0f}));
  EXPECT_EQ(read->tallies.at(1).draws, 6u);
  EXPECT_EQ(read->tallies.at(1).highest_score, 0.7);
  EXPECT_EQ(read->tallies.at(1).failures.energy, 5u);
  EXPECT_EQ(read->rounds, (std::vector<std::size_t>{0, 1, 0}));
}

TEST_F(RunPartTest, a_part_of_another_run_or_place_does_not_fit) {
  write_part(path, key, a_part(), 2);
  PartKey other = key;
  other.run = 78;
  EXPECT_FALSE(read_part<float>(path, other, 2).has_value());
  other = key;
  other.first_k = 0;
  EXPECT_FALSE(read_part<float>(path, other, 2).has_value());
  EXPECT_FALSE(read_part<float>(path, key, 3).has_value());
  EXPECT_FALSE(read_part<double>(path, key, 2).has_value());
  EXPECT_FALSE(read_part<float>(folder.file("none"), key, 2).has_value());
}

TEST_F(RunPartTest, every_damaged_byte_and_every_cut_is_found) {
  write_part(path, key, a_part(), 2);
  const std::string whole = testing_support::read_bytes(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
    put(bytes);
    const auto read = read_part<float>(path, key, 2);
    // White space of the header may change without a change of meaning.
    if (read) {
      EXPECT_EQ(read->outputs.size(), 1u) << "byte " << i;
      EXPECT_EQ(read->outputs[0].point, a_part().outputs[0].point);
    }
    put(whole.substr(0, i));
    EXPECT_FALSE(read_part<float>(path, key, 2).has_value()) << "cut at " << i;
  }
}

}  // namespace run_part_test
}  // namespace sbog
