// SPDX-License-Identifier: Apache-2.0
// `sbog generate` on a series: its options, and the job itself, which torch/
// does and no_torch/ refuses.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "console.h"
#include "generate_options.h"

namespace sbog::cli {

/// What only a run on a series can be asked.
struct SeriesRunArguments {
  std::string time;
  std::string model;
  std::string second_model;
  std::size_t width = 200;
  std::size_t stride = 0;
  /// Enough for scenarios; `sbog train series` takes 30.
  std::size_t epochs = 10;
  std::size_t mid = 4;
  std::size_t head = 4;
  std::vector<std::string> kinds;
  std::vector<std::string> channels;
  std::vector<std::string> classes;  ///< "channel=class"
  std::string decoder;               ///< empty: edits, for images cvae
  std::size_t decoder_epochs = 20;
  std::string law = "auto";
  std::size_t slots = 3;
  std::size_t steps = 40;
  std::size_t redraws = 3;
  std::size_t alternatives = 3;
  bool keeps_outside_only = false;
  bool delays_discrete = false;
  std::size_t plots = 12;
};

/// Declares the options in a group of their own.
void declare_series_run_options(CLI::App& command, SeriesRunArguments& a);

/// "latent", "series" or "image"; see --kind. Throws InvalidArgument for an
/// option that is not for that kind.
std::string resolve_kind(const CLI::App& command, const GenerateArguments& a);

/// The resolved configuration: `sbog generate INPUT --config FILE` repeats it.
std::string series_run_toml(const GenerateArguments& shared,
                            const SeriesRunArguments& own, std::uint64_t seed);

/// Makes the run and returns the exit code. Throws IoError, InvalidArgument.
int generate_series(const GenerateArguments& shared,
                    const SeriesRunArguments& own, const CommonOptions& common);

/// The second example of the help page, which works in this build.
const char* second_generate_example();

}  // namespace sbog::cli
