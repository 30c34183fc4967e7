// SPDX-License-Identifier: Apache-2.0
// What one anchor of a ScenarioGenerator works with.
#pragma once

#include "sbog/scenario/scenario.h"

namespace sbog::series {

struct ScenarioGenerator::Work {
  Work(const ScenarioGenerator& generator, std::size_t place)
      : anchor(place),
        row(generator.bank_.anchors()[place]),
        embedder(*generator.encoder_),
        energy(generator.bank_.atoms()),
        padded(pad_window(*generator.windows_, row)),
        edited(padded, generator.profiles_),
        screen(screen_edits(edited, generator.profiles_, generator.library_,
                            embedder)) {}

  std::size_t anchor;  // index among the anchors of the bank
  std::size_t row;     // number of the window
  EncoderEmbedder embedder;
  EnergyProbe energy;
  Matrix<double> padded;
  EditedWindow edited;
  Screen screen;  // of the source
};

}  // namespace sbog::series
