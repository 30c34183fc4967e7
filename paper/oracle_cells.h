// SPDX-License-Identifier: Apache-2.0
// Generators in the controlled VAR experiment, whose boundary is known exactly:
// what `oracle` and `profiles` share. A cell is one world (setting and seed)
// with all generators.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "paper/experiment.h"
#include "sbog/sample/sampler_options.h"

namespace sbog::paper {

/// A generator: Algorithm 1 of the experiment with fields changed.
struct Generator {
  std::string name;
  std::function<void(SamplerOptions&)> change;
};

/// Cells of the three settings: base, 14 nats, S2 (close class means). What
/// every generator does is part of a configuration.
std::vector<Cell> oracle_cells(const Settings& settings,
                               const std::vector<Generator>& generators);

/// One row of figures per generator, in their order. Throws InvalidArgument
/// when the configuration names others.
Json compute_oracle(const Json& configuration,
                    const std::vector<Generator>& generators,
                    const Context& context);

/// A figure that the paper prints for a generator in the base setting.
struct PaperFigure {
  std::string generator;
  double boundary_precision = 0.0;
};

/// The table of all settings and generators; with figures of the paper, a
/// column for them.
Presentation present_oracle(const std::vector<FinishedCell>& cells,
                            const std::string& title,
                            const std::vector<PaperFigure>& figures);

}  // namespace sbog::paper
