// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/edit_first.h"

#include <gtest/gtest.h>

#include <set>

#include "latent_support.h"

namespace sbog::series {
namespace edit_first_test {

using namespace testing_support;

TEST(EditFirst, random_edits_are_within_their_ranges_and_keyed) {
  const std::vector<ChannelProfile> profiles(2, free_profile());
  const std::vector<Edit> library =
      make_library(profiles, 100, {}, {{{1, 1.0}}, {{0, -1.0}}});
  const std::vector<Edit> edits =
      random_edits(library, profiles, 100, 500, {3, 1, 0});
  ASSERT_EQ(edits.size(), 500u);
  std::set<EditKind> kinds;
  for (const Edit& edit : edits) {
    kinds.insert(edit.kind);
    const StrengthRange range = strength_range(edit.kind, profiles[0]);
    EXPECT_GE(std::abs(edit.amount), range.least);
    EXPECT_LE(std::abs(edit.amount),
              std::max(range.least, std::min(range.most, 1.5 * range.unit)));
    EXPECT_GE(edit.start, -5.0);
    EXPECT_GE(edit.end, edit.start + 6.0 - 1e-9);
    EXPECT_LE(edit.end, 105.0);
    EXPECT_GE(edit.period, 5.0);
  }
  EXPECT_EQ(kinds.size(), kEditKinds.size());
  const auto amounts = [&](const DrawKey& key) {
    std::vector<double> values;
    for (const Edit& e : random_edits(library, profiles, 100, 5, key)) {
      values.push_back(e.amount);
    }
    return values;
  };
  EXPECT_EQ(amounts({3, 1, 0}), amounts({3, 1, 0}));
  EXPECT_NE(amounts({3, 1, 0}), amounts({3, 1, 1}));
  EXPECT_NE(amounts({3, 1, 0}), amounts({3, 2, 0}));
  EXPECT_NE(amounts({3, 1, 0}), amounts({4, 1, 0}));
}

TEST(EditFirst, what_it_finds_lies_just_outside) {
  const SmallPlant& plant = SmallPlant::get();
  const auto profiles = profile_channels(plant.windows);
  const auto library = make_library(profiles, 120, {},
                                    coupling_partners(plant.windows, profiles));
  const LatentBank bank(plant.encoder.embed(plant.windows), bank_options(12));
  EncoderEmbedder embedder(plant.encoder);
  std::size_t found = 0;
  for (const std::size_t i : bank.anchors()) {
    const Matrix<double> padded = pad_window(plant.windows, i);
    EditedWindow edited(padded, profiles);
    const auto edit = find_edit_first(plant.windows, i, profiles, library, bank,
                                      embedder, edited, {}, {1, i, 0});
    if (!edit) continue;
    ++found;
    edited.apply({&*edit, 1});
    const double energy = bank.energy(embedder.embed(edited.window()));
    // The stored window was tested; this one is not rounded to the grid.
    EXPECT_GE(energy, bank.threshold() - 1e-3);
    EXPECT_LE(energy, bank.threshold() + 0.06 + 1e-3);
  }
  EXPECT_GE(found, 3u);
}

}  // namespace edit_first_test
}  // namespace sbog::series
