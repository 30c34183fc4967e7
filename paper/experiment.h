// SPDX-License-Identifier: Apache-2.0
// One table or figure: independent cells, each a pure function of its
// configuration, and what to show of their results.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "paper/table.h"
#include "sbog/base/progress.h"

namespace sbog::paper {

/// How much is computed.
enum class Size {
  kSmall,  ///< seconds: shows that it works, proves nothing
  kFull,   ///< what results are quoted from
};

/// What the cells of a run depend on.
struct Settings {
  Size size = Size::kFull;
  std::vector<std::uint64_t> seeds;
  std::string data{};               ///< folder of data sets; empty: none
  std::vector<std::string> sets{};  ///< of the folder; empty: all
};

/// A unit of work. The key is unique in its experiment and names a file, so it
/// is made of a-z, 0-9, '.', '_' and '-'.
struct Cell {
  std::string key;
  Json configuration;
};

/// A cell with its result.
struct FinishedCell {
  std::string key;
  Json configuration;
  Json result;
  Json seconds{};        ///< processor seconds by name; no part of the result
  std::string commit{};  ///< of the program that computed it
};

/// What a cell is computed with besides its configuration. None of it changes
/// the result.
struct CellContext : Context {
  std::string data{};       ///< folder of data sets
  std::string scratch{};    ///< folder for what cells may share; empty: none
  Json* seconds = nullptr;  ///< takes processor seconds by name; may be null
};

/// What is shown of finished cells.
struct Presentation {
  Table table;
  Json chart;                      ///< a complete Vega-Lite v5 specification
  std::vector<std::string> notes;  ///< sentences below the table
};

/// One entry of the registry.
struct Experiment {
  std::string name;
  std::string title;
  /// The seeds unless others are asked for.
  std::function<std::vector<std::uint64_t>(Size)> default_seeds;
  std::function<std::vector<Cell>(const Settings&)> cells;
  /// The result of a configuration, the same for any number of threads.
  std::function<Json(const Json& configuration, const CellContext&)> compute;
  /// Gets the cells in the order of `cells`.
  std::function<Presentation(const std::vector<FinishedCell>&)> present;
  /// One sentence about what these settings lack; empty: nothing. May be unset.
  std::function<std::string(const Settings&)> obstacle{};
};

/// "small" or "full"; the reverse throws InvalidArgument.
const char* to_string(Size size);
Size parse_size(std::string_view name);

/// "8": seeds 1 to 8. "3,5,101-116": these. "7-7": seed 7 alone. Throws
/// InvalidArgument for anything else, for a seed twice and for more than
/// 10,000 of them.
std::vector<std::uint64_t> parse_seeds(const std::string& text);
/// A text that parse_seeds reads back.
std::string to_string(const std::vector<std::uint64_t>& seeds);

/// What the settings lack for this experiment, in one sentence; empty: nothing.
std::string obstacle_of(const Experiment& experiment, const Settings& settings);

/// Those of the sets found in settings.data that settings.sets asks for, in
/// the order they were found in. Throws InvalidArgument for a set that is not
/// among them.
std::vector<std::string> wanted_sets(const Settings& settings,
                                     const std::vector<std::string>& found);

/// The seeds 1 .. count.
std::vector<std::uint64_t> first_seeds(std::uint64_t count);
/// For Experiment::default_seeds: so many first seeds of each size.
std::function<std::vector<std::uint64_t>(Size)> seeds_by_size(
    std::uint64_t small, std::uint64_t full);

/// Cells that agree in these fields of their configuration, such as all seeds
/// of one setting, in the order of their first member.
std::vector<std::vector<FinishedCell>> group_by(
    const std::vector<FinishedCell>& cells,
    const std::vector<std::string>& fields);

/// Mean of one number of the results; null when it is missing in all of them.
/// `pointer` is a JSON pointer such as "/include/threshold".
Json mean_of(const std::vector<FinishedCell>& cells,
             const std::string& pointer);
/// [mean, s.d. with n - 1], the s.d. null for a single value.
Json mean_sd_of(const std::vector<FinishedCell>& cells,
                const std::string& pointer);
/// Geometric mean, for numbers that differ by factors from seed to seed; null
/// when they are missing, "inf" when one is infinite.
Json geometric_mean_of(const std::vector<FinishedCell>& cells,
                       const std::string& pointer);

}  // namespace sbog::paper
