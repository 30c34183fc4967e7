// SPDX-License-Identifier: Apache-2.0
// Energy states on disk. Layout, little-endian: 8 bytes magic; u64 query count,
// total blocks, query checksum, first block, node count; f64 epsilon; per node
// u64 first block, u64 level, then max, sum, mass as f64 arrays; at the end the
// XXH3 checksum of all before.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/energy/energy_state.h"

namespace sbog {
namespace {

static_assert(std::endian::native == std::endian::little,
              "state files are written in native order");

constexpr std::array<char, 8> kMagic = {'S', 'B', 'O', 'G', 'S', 'T', 'A', '1'};
// A complete range of 2^48 blocks has at most this many nodes.
constexpr std::uint64_t kLargestNodeCount = 96;
constexpr std::uint64_t kLargestQueryCount = std::uint64_t{1} << 40;

class Writer {
 public:
  explicit Writer(const std::string& path) : file_(path) {}
  void write(const void* bytes, std::size_t count) {
    file_.write(bytes, count);
    checksum_.update(bytes, count);
  }
  template <typename V>
  void value(V v) {
    write(&v, sizeof v);
  }
  void array(const std::vector<double>& values) {
    write(values.data(), values.size() * sizeof(double));
  }
  void finish() {
    const std::uint64_t digest = checksum_.digest();
    file_.write(&digest, sizeof digest);
    file_.commit();
  }

 private:
  AtomicFile file_;
  Checksum checksum_;
};

class Reader {
 public:
  explicit Reader(const std::string& path)
      : path_(path), stream_(path, std::ios::binary | std::ios::ate) {
    if (!stream_) throw IoError(path, "cannot be opened for reading");
    const std::streamoff size = stream_.tellg();
    if (size < 0) throw IoError(path, "is not a regular file");
    left_ = static_cast<std::uint64_t>(size);
    stream_.seekg(0);
  }
  void read(void* bytes, std::size_t count) {
    if (count > left_) throw IoError(path_, "ends too early for a state file");
    stream_.read(static_cast<char*>(bytes),
                 static_cast<std::streamsize>(count));
    if (!stream_) throw IoError(path_, "cannot be read");
    left_ -= count;
    checksum_.update(bytes, count);
  }
  template <typename V>
  V value() {
    V v;
    read(&v, sizeof v);
    return v;
  }
  std::vector<double> array(std::uint64_t count) {
    // The file must hold them before memory is asked for.
    if (count > left_ / sizeof(double)) {
      throw IoError(path_, "ends too early for a state file");
    }
    std::vector<double> values(count);
    read(values.data(), count * sizeof(double));
    return values;
  }
  void finish() {
    const std::uint64_t expected = checksum_.digest();
    if (left_ != sizeof expected || value<std::uint64_t>() != expected) {
      throw IoError(path_, "is damaged: its checksum does not match");
    }
  }

 private:
  std::string path_;
  std::ifstream stream_;
  std::uint64_t left_ = 0;
  Checksum checksum_;
};

StateNode read_node(Reader& reader, std::uint64_t queries,
                    const std::string& path) {
  StateNode node;
  node.first_block = reader.value<std::uint64_t>();
  const auto level = reader.value<std::uint64_t>();
  if (level > 48 || node.first_block > (std::uint64_t{1} << 48)) {
    throw IoError(path, "names a block outside any bank");
  }
  node.level = static_cast<unsigned>(level);
  node.max = reader.array(queries);
  node.sum = reader.array(queries);
  node.mass = reader.array(queries);
  return node;
}

}  // namespace

void write_energy_state(const std::string& path, const EnergyStateFile& file) {
  Writer writer(path);
  writer.write(kMagic.data(), kMagic.size());
  writer.value<std::uint64_t>(file.state.query_count());
  writer.value<std::uint64_t>(file.total_blocks);
  writer.value<std::uint64_t>(file.query_checksum);
  writer.value<std::uint64_t>(file.state.first_block());
  writer.value<std::uint64_t>(file.state.nodes().size());
  writer.value<double>(file.epsilon);
  for (const StateNode& node : file.state.nodes()) {
    writer.value<std::uint64_t>(node.first_block);
    writer.value<std::uint64_t>(node.level);
    writer.array(node.max);
    writer.array(node.sum);
    writer.array(node.mass);
  }
  writer.finish();
}

EnergyStateFile read_energy_state(const std::string& path) {
  Reader reader(path);
  std::array<char, 8> magic{};
  reader.read(magic.data(), magic.size());
  if (magic != kMagic) throw IoError(path, "is not an energy state file");
  EnergyStateFile file;
  const auto queries = reader.value<std::uint64_t>();
  file.total_blocks = reader.value<std::uint64_t>();
  file.query_checksum = reader.value<std::uint64_t>();
  const auto first_block = reader.value<std::uint64_t>();
  const auto node_count = reader.value<std::uint64_t>();
  file.epsilon = reader.value<double>();
  if (queries > kLargestQueryCount || node_count > kLargestNodeCount ||
      !std::isfinite(file.epsilon) || !(file.epsilon > 0.0)) {
    throw IoError(path, "has a header that no state can have");
  }
  std::vector<StateNode> nodes;
  for (std::uint64_t i = 0; i < node_count; ++i) {
    nodes.push_back(read_node(reader, queries, path));
  }
  reader.finish();
  file.state = EnergyState(queries, first_block);
  try {
    for (StateNode& node : nodes) file.state.append(std::move(node));
  } catch (const InvalidArgument& error) {
    throw IoError(path, error.what());
  }
  return file;
}

EnergyStateFile merge_energy_states(std::vector<EnergyStateFile> shards) {
  if (shards.empty()) {
    throw InvalidArgument("merge: at least one state is expected");
  }
  std::sort(shards.begin(), shards.end(), [](const auto& a, const auto& b) {
    return std::pair(a.state.first_block(), a.state.end_block()) <
           std::pair(b.state.first_block(), b.state.end_block());
  });
  EnergyStateFile whole = std::move(shards.front());
  for (std::size_t i = 1; i < shards.size(); ++i) {
    if (shards[i].epsilon != whole.epsilon ||
        shards[i].query_checksum != whole.query_checksum ||
        shards[i].total_blocks != whole.total_blocks) {
      throw InvalidArgument(
          "merge: the states come from different queries, banks or epsilons");
    }
    whole.state.append(std::move(shards[i].state));
  }
  if (whole.state.first_block() != 0 ||
      whole.state.end_block() != whole.total_blocks) {
    throw InvalidArgument("merge: the states cover blocks " +
                          std::to_string(whole.state.first_block()) + " to " +
                          std::to_string(whole.state.end_block()) +
                          ", but the bank has " +
                          std::to_string(whole.total_blocks));
  }
  return whole;
}

}  // namespace sbog
