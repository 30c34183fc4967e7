// SPDX-License-Identifier: Apache-2.0
// Parts of a run on disk: what is written is read back, nothing else is.
#include "sbog/run/run_part.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>

#include "oracle/temporary_folder.h"

namespace sbog {
namespace run_part_test {

// Of two numbers, a bank of 10 rows and 3 rounds.
constexpr PartLimits kLimits{2, 10, 3};

OutlierPart<float> a_part() {
  OutlierPart<float> part;
  Output<float> output;
  output.is_accepted = true;
  output.k = 5;
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
  const auto read = read_part<float>(path, key, kLimits);
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->outputs.size(), 1u);
  const Output<float>& output = read->outputs[0];
  EXPECT_TRUE(output.is_accepted);
  EXPECT_EQ(output.k, 5u);
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
  EXPECT_FALSE(read_part<float>(path, other, kLimits).has_value());
  other = key;
  other.first_k = 0;
  EXPECT_FALSE(read_part<float>(path, other, kLimits).has_value());
  EXPECT_FALSE(read_part<float>(path, key, {3, 10, 3}).has_value());
  EXPECT_FALSE(read_part<double>(path, key, kLimits).has_value());
  EXPECT_FALSE(read_part<float>(folder.file("none"), key, kLimits).has_value());
}

// Written with a right checksum, by somebody who knows the format.
TEST_F(RunPartTest, numbers_that_no_run_could_have_written_are_refused) {
  using Part = OutlierPart<float>;
  const auto is_read = [&](void (*change)(Part&)) {
    Part part = a_part();
    change(part);
    write_part(path, key, part, 2);
    return read_part<float>(path, key, kLimits).has_value();
  };
  EXPECT_TRUE(is_read([](Part&) {}));
  EXPECT_FALSE(is_read([](Part& p) { p.outputs[0].k = 3; }));
  EXPECT_FALSE(is_read([](Part& p) { p.outputs[0].k = 12; }));
  EXPECT_FALSE(is_read([](Part& p) { p.outputs.push_back(p.outputs[0]); }));
  EXPECT_FALSE(is_read(
      [](Part& p) { p.outputs[0].origin = static_cast<OutputOrigin>(4); }));
  EXPECT_FALSE(is_read([](Part& p) { p.outputs[0].rounds = 4; }));
  EXPECT_FALSE(is_read([](Part& p) { p.outputs[0].anchor_row = 10; }));
  EXPECT_FALSE(is_read([](Part& p) { p.outputs[0].feasible = SIZE_MAX; }));
  EXPECT_FALSE(is_read([](Part& p) { p.outputs[0].point[1] = NAN; }));
  EXPECT_FALSE(is_read([](Part& p) { p.rounds = {0, 1}; }));
  EXPECT_FALSE(is_read([](Part& p) { p.rounds = {}; }));
  EXPECT_FALSE(is_read([](Part& p) { p.rounds = {1, 1, 0}; }));
  EXPECT_FALSE(is_read([](Part& p) { p.tallies[1].successes = 7; }));
  EXPECT_FALSE(
      is_read([](Part& p) { p.tallies[0].failures.seed = UINT64_MAX; }));
}

TEST_F(RunPartTest, every_damaged_byte_and_every_cut_is_found) {
  write_part(path, key, a_part(), 2);
  const std::string whole = testing_support::read_bytes(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
    put(bytes);
    const auto read = read_part<float>(path, key, kLimits);
    // White space of the header may change without a change of meaning.
    if (read) {
      EXPECT_EQ(read->outputs.size(), 1u) << "byte " << i;
      EXPECT_EQ(read->outputs[0].point, a_part().outputs[0].point);
    }
    put(whole.substr(0, i));
    EXPECT_FALSE(read_part<float>(path, key, kLimits).has_value())
        << "cut at " << i;
  }
}

}  // namespace run_part_test
}  // namespace sbog
