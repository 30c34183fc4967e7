// SPDX-License-Identifier: Apache-2.0
// Pieces of a run as safetensors files; see run_part.h.
#include "sbog/run/run_part.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"

namespace sbog {
namespace {

constexpr std::size_t kIntegers = 7;  // k, origin, rounds, round, row, anchor..
constexpr std::size_t kReals = 5;
constexpr std::size_t kTallyIntegers = 7;

template <typename V>
constexpr ElementType kElement = std::is_same_v<V, float>
                                     ? ElementType::kFloat32
                                     : (std::is_same_v<V, double>
                                            ? ElementType::kFloat64
                                            : ElementType::kInt64);

template <typename V>
NamedArray tensor(const std::string& name, const std::vector<V>& values,
                  std::vector<std::size_t> shape) {
  const std::size_t bytes = values.size() * sizeof(V);
  std::shared_ptr<std::byte[]> copy(
      new std::byte[std::max<std::size_t>(bytes, 1)]);
  if (bytes > 0) std::memcpy(copy.get(), values.data(), bytes);
  return {name, Array(name, kElement<V>, std::move(shape),
                      std::shared_ptr<const std::byte>(copy, copy.get()))};
}

template <typename V>
std::vector<V> values_of(const SafetensorsFile& file, const std::string& name,
                         std::size_t cols) {
  for (const NamedArray& entry : file.tensors) {
    if (entry.name != name) continue;
    if (entry.array.type() != kElement<V> || entry.array.cols() != cols) break;
    std::vector<V> values(entry.array.size());
    if (!values.empty()) {
      std::memcpy(values.data(), entry.array.bytes(), entry.array.byte_count());
    }
    return values;
  }
  throw IoError(file.name, "has no tensor '" + name + "' of the right shape");
}

std::uint64_t digest_of(const std::vector<NamedArray>& tensors) {
  Checksum checksum;
  for (const NamedArray& entry : tensors) {
    checksum.update(entry.array.bytes(), entry.array.byte_count());
  }
  return checksum.digest();
}

std::map<std::string, std::string> metadata_of(const PartKey& key,
                                               std::uint64_t digest) {
  return {{"class", std::to_string(key.cls)},
          {"first_k", std::to_string(key.first_k)},
          {"count", std::to_string(key.count)},
          {"run", checksum_hex(key.run)},
          {"checksum", checksum_hex(digest)}};
}

std::vector<NamedArray> tally_tensors(const std::vector<AnchorTally>& tallies) {
  std::vector<std::int64_t> integers;
  std::vector<double> highest;
  for (const AnchorTally& t : tallies) {
    for (const std::uint64_t value :
         {t.draws, t.successes, t.failures.proposals, t.failures.energy,
          t.failures.semantic, t.failures.seed, t.failures.invalid}) {
      integers.push_back(static_cast<std::int64_t>(value));
    }
    highest.push_back(t.highest_score);
  }
  return {tensor("tally_integers", integers, {tallies.size(), kTallyIntegers}),
          tensor("tally_highest", highest, {tallies.size(), 1})};
}

void need(bool is_fine, const std::string& file, const char* what) {
  if (!is_fine) throw IoError(file, std::string("holds ") + what);
}

// Counts and numbers of things, none of them below 0.
std::vector<std::size_t> counts_of(const SafetensorsFile& file,
                                   const std::string& name, std::size_t cols) {
  std::vector<std::size_t> counts;
  for (const std::int64_t value : values_of<std::int64_t>(file, name, cols)) {
    need(value >= 0, file.name, "a count below 0");
    counts.push_back(static_cast<std::size_t>(value));
  }
  return counts;
}

std::vector<AnchorTally> read_tallies(const SafetensorsFile& file) {
  const auto counts = counts_of(file, "tally_integers", kTallyIntegers);
  const auto highest = values_of<double>(file, "tally_highest", 1);
  std::vector<AnchorTally> tallies(highest.size());
  need(counts.size() == tallies.size() * kTallyIntegers, file.name,
       "tallies of different lengths");
  for (std::size_t a = 0; a < tallies.size(); ++a) {
    const std::size_t* at = &counts[a * kTallyIntegers];
    need(at[1] <= at[0], file.name, "more successes than draws");
    tallies[a] = {
        at[0], at[1], highest[a], {at[2], at[3], at[4], at[5], at[6]}};
  }
  return tallies;
}

// How many outputs took so many rounds.
std::vector<std::size_t> read_rounds(const SafetensorsFile& file,
                                     std::size_t max_rounds,
                                     std::size_t outputs) {
  std::vector<std::size_t> rounds = counts_of(file, "rounds", 1);
  need(rounds.size() == max_rounds, file.name, "another number of rounds");
  std::size_t left = outputs;
  for (const std::size_t count : rounds) {
    need(count <= left, file.name, "rounds of more outputs than there are");
    left -= count;
  }
  return rounds;
}

// Outputs of the piece, in order, without their points.
template <typename T>
std::vector<Output<T>> read_outputs(const SafetensorsFile& file,
                                    const PartKey& key,
                                    const PartLimits& limits) {
  const auto integers = counts_of(file, "integers", kIntegers);
  const auto reals = values_of<double>(file, "reals", kReals);
  std::vector<Output<T>> outputs(reals.size() / kReals);
  need(integers.size() == outputs.size() * kIntegers, file.name,
       "outputs of different lengths");
  std::size_t next = key.first_k;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Output<T>& o = outputs[i];
    const std::size_t* at = &integers[i * kIntegers];
    need(at[0] >= next && at[0] - key.first_k < key.count, file.name,
         "an output that is not of this piece");
    next = at[0] + 1;
    need(at[1] <= static_cast<std::size_t>(OutputOrigin::kRival), file.name,
         "an output of unknown origin");
    need(at[2] <= limits.max_rounds && at[3] <= limits.max_rounds, file.name,
         "an output of a later round than there is");
    need(at[4] < limits.bank_rows, file.name, "a row that the bank lacks");
    o.is_accepted = true;
    o.k = at[0];
    o.origin = static_cast<OutputOrigin>(at[1]);
    o.rounds = at[2];
    o.round = at[3];
    o.anchor_row = at[4];
    o.proposal = at[5];
    o.feasible = at[6];
    o.score = reals[i * kReals];
    o.energy = reals[i * kReals + 1];
    o.margin = reals[i * kReals + 2];
    o.class_cosine = reals[i * kReals + 3];
    o.anchor_cosine = reals[i * kReals + 4];
  }
  return outputs;
}

template <typename T>
void read_points(const SafetensorsFile& file, std::size_t dim,
                 std::vector<Output<T>>& outputs) {
  const auto points = values_of<T>(file, "points", dim);
  need(points.size() == outputs.size() * dim, file.name,
       "another number of points than of outputs");
  for (const T x : points) {
    need(std::isfinite(x), file.name, "a point that is not finite");
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(i * dim);
    outputs[i].point.assign(first, first + static_cast<std::ptrdiff_t>(dim));
  }
}

}  // namespace

std::string PartKey::file_name() const {
  return "class" + std::to_string(cls) + "-" + std::to_string(first_k) +
         ".safetensors";
}

template <typename T>
void write_part(const std::string& path, const PartKey& key,
                const RunPart<T>& part, std::size_t dim) {
  std::vector<T> points;
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  for (const Output<T>& o : part.outputs) {
    points.insert(points.end(), o.point.begin(), o.point.end());
    for (const std::size_t value :
         {o.k, static_cast<std::size_t>(o.origin), o.rounds, o.round,
          o.anchor_row, o.proposal, o.feasible}) {
      integers.push_back(static_cast<std::int64_t>(value));
    }
    for (const double value :
         {o.score, o.energy, o.margin, o.class_cosine, o.anchor_cosine}) {
      reals.push_back(value);
    }
  }
  const std::size_t n = part.outputs.size();
  std::vector<std::int64_t> rounds(part.rounds.begin(), part.rounds.end());
  std::vector<NamedArray> tensors = tally_tensors(part.tallies);
  tensors.push_back(tensor("points", points, {n, dim}));
  tensors.push_back(tensor("integers", integers, {n, kIntegers}));
  tensors.push_back(tensor("reals", reals, {n, kReals}));
  tensors.push_back(tensor("rounds", rounds, {rounds.size(), 1}));
  std::sort(tensors.begin(), tensors.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  write_safetensors(path, tensors, metadata_of(key, digest_of(tensors)));
}

template <typename T>
RunPart<T> part_of(const SafetensorsFile& file, const PartKey& key,
                   const PartLimits& limits) {
  RunPart<T> part;
  part.tallies = read_tallies(file);
  part.outputs = read_outputs<T>(file, key, limits);
  part.rounds = read_rounds(file, limits.max_rounds, part.outputs.size());
  read_points(file, limits.dim, part.outputs);
  return part;
}

template <typename T>
std::optional<RunPart<T>> read_part(const std::string& path, const PartKey& key,
                                    const PartLimits& limits) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    SafetensorsFile file = read_safetensors(path);
    std::sort(file.tensors.begin(), file.tensors.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    if (file.metadata != metadata_of(key, digest_of(file.tensors))) {
      return std::nullopt;
    }
    return part_of<T>(file, key, limits);
  } catch (const IoError&) {
    return std::nullopt;  // damaged: it is made again
  }
}

template void write_part(const std::string&, const PartKey&,
                         const RunPart<float>&, std::size_t);
template void write_part(const std::string&, const PartKey&,
                         const RunPart<double>&, std::size_t);
template RunPart<float> part_of(const SafetensorsFile&, const PartKey&,
                                const PartLimits&);
template RunPart<double> part_of(const SafetensorsFile&, const PartKey&,
                                 const PartLimits&);
template std::optional<RunPart<float>> read_part(const std::string&,
                                                 const PartKey&,
                                                 const PartLimits&);
template std::optional<RunPart<double>> read_part(const std::string&,
                                                  const PartKey&,
                                                  const PartLimits&);

}  // namespace sbog
