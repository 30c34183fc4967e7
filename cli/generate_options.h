// SPDX-License-Identifier: Apache-2.0
// What `sbog generate` can be asked, and the resolved configuration.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sbog/sample/sampler_options.h"

namespace sbog::cli {

/// The command line of `sbog generate`. What is not given comes from the
/// profile.
struct GenerateArguments {
  std::string input;
  std::string kind;  ///< "latent", "series", "image" or empty: by the input
  std::string out;
  std::string labels;
  std::string anchors;  ///< a file, "means" or "none"; empty: means with labels
  std::string losses;
  std::string metric;
  std::vector<std::string> columns;
  std::string precision = "float";
  std::string profile = std::string(kDefaultProfile);
  std::string rule = "sbog";
  std::size_t count = 100;
  std::size_t total = 0;
  std::size_t part = 4000;
  bool is_resumed = false;
  bool skips_report = false;

  std::optional<std::string> cost, self, local_convention, anchor_rule, pick,
      projection, proposals;
  std::optional<double> epsilon, trim, quantile, margin, anchor_share,
      pool_factor, sigma, semantic_floor, semantic_quantile, semantic_slack,
      ceiling, seed_floor, seed_eligibility, band, explore, task_beta,
      task_lambda, bood_step, bood_share, bood_temperature;
  std::optional<std::size_t> local, anchor_count, regions, proposal_count,
      max_rounds, langevin_steps, knn, vos_draws, bood_max_steps,
      bood_extra_steps;
  std::optional<bool> semantic, anchor_quota, splitting, allow_unsupported,
      collect_all, certify;
  std::vector<double> box_low, box_high;
};

/// Declares the options.
void declare_generate_options(CLI::App& command, GenerateArguments& arguments);

/// Profile, then what was given. Throws InvalidArgument.
SamplerOptions to_sampler_options(const GenerateArguments& arguments,
                                  std::uint64_t seed);

/// The same from other options than those of the profile.
SamplerOptions to_sampler_options(SamplerOptions base,
                                  const GenerateArguments& arguments,
                                  std::uint64_t seed);

/// Every field of the resolved options as TOML, in the spelling of the command
/// line: `sbog generate INPUT --config FILE` repeats the run.
std::string to_toml(const GenerateArguments& arguments,
                    const SamplerOptions& options);

}  // namespace sbog::cli
