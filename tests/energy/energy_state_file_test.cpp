// SPDX-License-Identifier: Apache-2.0
// State files: what is written is read, and no damage passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "oracle/temporary_folder.h"
#include "sbog/energy/energy_state.h"

namespace sbog {
namespace energy_state_file_test {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::invalid_argument_of;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;

EnergyStateFile shard(std::size_t first, std::size_t end,
                      std::size_t queries = 3) {
  EnergyStateFile file;
  file.state = EnergyState(queries, first);
  file.epsilon = 0.05;
  file.query_checksum = 0x1234;
  file.total_blocks = 6;
  for (std::size_t b = first; b < end; ++b) {
    StateNode node = file.state.next_block();
    for (std::size_t q = 0; q < queries; ++q) {
      node.max[q] = -static_cast<double>(b + q);
      node.sum[q] = 1.0 + static_cast<double>(b * q) / 7.0;
      node.mass[q] = 256.0;
    }
    file.state.append(std::move(node));
  }
  return file;
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string read_error(const std::string& path) {
  try {
    static_cast<void>(read_energy_state(path));
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

TEST(EnergyStateFile, is_read_as_it_was_written) {
  const TemporaryFolder folder;
  const EnergyStateFile written = shard(1, 6);
  write_energy_state(folder.file("a"), written);
  const EnergyStateFile read = read_energy_state(folder.file("a"));
  EXPECT_EQ(read.epsilon, written.epsilon);
  EXPECT_EQ(read.query_checksum, written.query_checksum);
  EXPECT_EQ(read.total_blocks, written.total_blocks);
  EXPECT_EQ(read.state.query_count(), 3u);
  EXPECT_EQ(read.state.first_block(), 1u);
  EXPECT_EQ(read.state.end_block(), 6u);
  ASSERT_EQ(read.state.nodes().size(), written.state.nodes().size());
  for (std::size_t i = 0; i < read.state.nodes().size(); ++i) {
    const StateNode& a = read.state.nodes()[i];
    const StateNode& b = written.state.nodes()[i];
    EXPECT_EQ(a.level, b.level);
    EXPECT_EQ(a.max, b.max);
    EXPECT_EQ(a.sum, b.sum);
    EXPECT_EQ(a.mass, b.mass);
  }
}

TEST(EnergyStateFile, truncated_anywhere_is_refused_with_its_path) {
  const TemporaryFolder folder;
  write_energy_state(folder.file("a"), shard(0, 3, 2));
  const std::string bytes = read_bytes(folder.file("a"));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    write_bytes(folder.file("b"), bytes.substr(0, size));
    ASSERT_THAT(read_error(folder.file("b")), StartsWith(folder.file("b")))
        << size << " bytes";
  }
  write_bytes(folder.file("b"), bytes + "x");
  EXPECT_THAT(read_error(folder.file("b")), HasSubstr("damaged"));
}

TEST(EnergyStateFile, a_changed_byte_is_found) {
  const TemporaryFolder folder;
  write_energy_state(folder.file("a"), shard(0, 3, 2));
  const std::string bytes = read_bytes(folder.file("a"));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      write_bytes(folder.file("b"), damaged);
      ASSERT_THAT(read_error(folder.file("b")), StartsWith(folder.file("b")))
          << "byte " << at << " xor " << mask;
    }
  }
}

TEST(EnergyStateFile, another_magic_is_another_format) {
  const TemporaryFolder folder;
  write_bytes(folder.file("a"), std::string(200, 'N'));
  EXPECT_THAT(read_error(folder.file("a")), HasSubstr("not an energy state"));
}

TEST(EnergyStateFile, what_is_not_a_file_is_refused) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_error(folder.file("none")), HasSubstr("opened"));
  EXPECT_THAT(read_error(folder.path().string()),
              StartsWith(folder.path().string()));
}

TEST(EnergyStateFile, huge_counts_ask_for_no_memory) {
  const TemporaryFolder folder;
  write_energy_state(folder.file("a"), shard(0, 3, 2));
  const std::string bytes = read_bytes(folder.file("a"));
  // The u64 fields: queries at 8, node count at 40, first node at 56 and 64.
  for (const std::size_t at : {8, 40, 56, 64}) {
    for (const std::uint64_t value :
         {~std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{1} << 61,
          std::uint64_t{90}, std::uint64_t{1} << 35}) {
      std::string damaged = bytes;
      std::memcpy(damaged.data() + at, &value, sizeof value);
      write_bytes(folder.file("b"), damaged);
      ASSERT_THAT(read_error(folder.file("b")), StartsWith(folder.file("b")));
    }
  }
}

TEST(EnergyStateFile, shards_merge_in_any_order) {
  std::vector<EnergyStateFile> shards;
  shards.push_back(shard(4, 6));
  shards.push_back(shard(0, 0));
  shards.push_back(shard(0, 3));
  shards.push_back(shard(3, 4));
  const EnergyStateFile whole = merge_energy_states(std::move(shards));
  EXPECT_EQ(whole.state.first_block(), 0u);
  EXPECT_EQ(whole.state.end_block(), 6u);
  const auto merged = whole.state.fold();
  const auto expected = shard(0, 6).state.fold();
  for (std::size_t q = 0; q < 3; ++q) {
    EXPECT_EQ(merged[q].max, expected[q].max);
    EXPECT_EQ(merged[q].sum, expected[q].sum);
    EXPECT_EQ(merged[q].mass, expected[q].mass);
  }
}

template <class Change>
std::string merge_message(const Change& change) {
  std::vector<EnergyStateFile> shards;
  shards.push_back(shard(0, 3));
  shards.push_back(shard(3, 6));
  change(shards);
  return invalid_argument_of(
      [&] { static_cast<void>(merge_energy_states(std::move(shards))); });
}

TEST(EnergyStateFile, shards_that_do_not_belong_together_are_refused) {
  using Shards = std::vector<EnergyStateFile>;
  EXPECT_THAT(merge_message([](Shards& s) { s.clear(); }),
              HasSubstr("at least one"));
  EXPECT_THAT(merge_message([](Shards& s) { s[1].epsilon = 0.1; }),
              HasSubstr("different"));
  EXPECT_THAT(merge_message([](Shards& s) { s[1].query_checksum = 1; }),
              HasSubstr("different"));
  EXPECT_THAT(merge_message([](Shards& s) { s[1].total_blocks = 7; }),
              HasSubstr("different"));
  EXPECT_THAT(merge_message([](Shards& s) { s.pop_back(); }),
              HasSubstr("cover blocks 0 to 3, but the bank has 6"));
  EXPECT_THAT(merge_message([](Shards& s) { s.erase(s.begin()); }),
              HasSubstr("cover blocks 3 to 6"));
  EXPECT_THAT(merge_message([](Shards& s) { s[1] = shard(4, 6); }),
              HasSubstr("do not continue"));
  EXPECT_THAT(merge_message([](Shards& s) { s[1] = shard(3, 6, 4); }),
              HasSubstr("do not continue"));
  EXPECT_THAT(merge_message([](Shards& s) { s.push_back(shard(0, 3)); }),
              HasSubstr("do not continue"));
}

}  // namespace energy_state_file_test
}  // namespace sbog
