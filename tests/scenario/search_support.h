// SPDX-License-Identifier: Apache-2.0
// A window with three channels, a linear encoder and a bank of one atom: a
// search whose answer is known.
#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include "sbog/scenario/edit_library.h"
#include "sbog/scenario/edit_objective.h"
#include "support.h"

namespace sbog::series::testing_support {

struct SearchBench {
  static constexpr std::size_t kWidth = 120;
  static constexpr std::size_t kChannels = 3;
  static constexpr std::size_t kDim = 4;

  explicit SearchBench(bool is_normalised = true, bool is_pooled = false)
      : source(kChannels, kWidth + 2 * kMargin),
        profiles(kChannels, free_profile()),
        embedder(kDim, kChannels, kWidth, is_normalised, is_pooled, 31),
        library(make_library(profiles, kWidth, {},
                             {{{1, 1.0}}, {{2, 1.0}}, {{0, -1.0}}})),
        energy(make_energy()) {
    for (std::size_t c = 0; c < kChannels; ++c) {
      const std::vector<double> row = smooth_row(kWidth, 40 + c);
      std::copy(row.begin(), row.end(), source.row(c).begin());
    }
    point = embedder.embed(crop_window(source));
  }

  /// The point of the source under some edits.
  std::vector<double> point_of(const std::vector<Edit>& edits) {
    EditedWindow window(source, profiles);
    window.apply(edits);
    return embedder.embed(window.window());
  }
  /// A target that asks for no energy.
  EditTarget target_of(std::vector<double> v) const {
    return {point, std::move(v), -1.0};
  }
  static EnergyProbe make_energy() {
    Matrix<float> atoms(1, kDim);
    atoms(0, 0) = 1.0F;
    return EnergyProbe(std::make_shared<EnergyAtoms>(
        atoms, std::vector<std::size_t>{0}, 0.02));
  }

  Matrix<double> source;
  std::vector<ChannelProfile> profiles;
  LinearEmbedder embedder;
  std::vector<Edit> library;
  EnergyProbe energy;
  std::vector<double> point;
};

}  // namespace sbog::series::testing_support
