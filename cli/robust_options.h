// SPDX-License-Identifier: Apache-2.0
// The command line of robust alignment: what `sbog train image --robust` and
// `sbog generate --kind image --robust` may say about the ball.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "toml_text.h"

namespace sbog::cli {

/// How logits are made robust; sbog_torch/image/robust_alignment.h says what
/// each field does.
struct RobustArguments {
  bool is_asked = false;
  std::string atoms = "latent";  ///< or input, or neighbour
  std::size_t atom_count = 8;
  double epsilon = 0.05;
  double kappa = 0.1;
  double warm_up = 0.2;
  std::string sign = "paper";  ///< or adversarial
};

/// Declares --robust and the options that go with it alone.
void declare_robust_options(CLI::App& command, RobustArguments& a,
                            const std::string& group);

/// Adds what was resolved.
void add_robust(Toml& toml, const RobustArguments& a);

}  // namespace sbog::cli
