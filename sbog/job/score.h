// SPDX-License-Identifier: Apache-2.0
// The job `score`: energies of a bank or of queries, with threshold and
// quantiles; and `merge`: energies from the states of all shards of a bank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/job/energy_options.h"
#include "sbog/job/events.h"

namespace sbog::job {

/// What `score` can be told.
struct ScoreOptions {
  std::string bank;
  std::string queries;       ///< empty: the bank scores itself
  std::string query_labels;  ///< with per_class
  std::vector<std::string> columns;
  EnergySettings energy;
  bool centre = false;  ///< subtract the bank's mean direction
  std::size_t local = 0;
  std::string local_convention = "submeasure";  ///< or "normalised"
  std::string threshold = "quantile";           ///< or "conformal"
  double tolerance = 0.0;
  std::string out;    ///< energies as .npy; empty: not written
  std::string shard;  ///< "I/N"; empty: the whole bank
  std::string state;  ///< file for the state of the shard
  std::uint64_t seed = 0;

  bool is_precomputed() const { return energy.cost == "precomputed"; }
};

const OptionTable<ScoreOptions>& score_option_table();

/// What came out.
struct ScoreResult {
  Status status = Status::kDone;
  ScoreOptions options;
  sbog::ScoreResult scores;  ///< empty for a shard
  std::size_t bank_rows = 0;
  std::size_t dim = 0;
  std::size_t query_rows = 0;
  /// Mean cosine of two bank points before centring; cosine costs only.
  std::optional<double> mean_cosine;
  std::size_t threads = 1;
  double seconds = 0.0;

  double pairs_per_second() const;
};

/// Levels of the quantiles that describe energies.
std::vector<double> summary_levels();

/// Throws InvalidArgument for options that exclude each other, IoError for
/// files.
ScoreResult run(const ScoreOptions& options, Events& events,
                const Context& context = {});
nlohmann::json to_json(const ScoreResult& result);

/// What `merge` can be told.
struct MergeOptions {
  std::vector<std::string> states;
  std::string out;
};

const OptionTable<MergeOptions>& merge_option_table();

/// What came out.
struct MergeResult {
  Status status = Status::kDone;
  MergeOptions options;
  std::size_t points = 0;
  std::size_t blocks = 0;
  double epsilon = 0.0;
};

/// The result has the same bytes as scoring the bank in one piece.
MergeResult run(const MergeOptions& options, Events& events,
                const Context& context = {});
nlohmann::json to_json(const MergeResult& result);

}  // namespace sbog::job
