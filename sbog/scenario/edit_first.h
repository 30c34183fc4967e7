// SPDX-License-Identifier: Apache-2.0
// The quick way round: random single edits of a window, embedded; the weakest
// of those that land just outside is the outlier, its own point the target. No
// decoding error, but the law of such outliers is that of the random edits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sbog/scenario/edit_library.h"
#include "sbog/scenario/edited_window.h"
#include "sbog/scenario/embedder.h"
#include "sbog/scenario/latent_bank.h"

namespace sbog::series {

/// Settings.
struct EditFirstSettings {
  std::size_t draws = 128;
  double band = 0.06;  ///< above the threshold
};

/// What keys a draw of edits.
struct DrawKey {
  std::uint64_t seed = 0;
  std::size_t output = 0;
  std::size_t attempt = 0;  ///< 0: the first try; below 16
};

/// Random edits of kinds and channels as they occur in the library; strength
/// log-uniform on 0.1 to 1.5 units but at least the least of its kind, length
/// log-uniform on 0.05 to 1.1 widths, start uniform.
std::vector<Edit> random_edits(const std::vector<Edit>& library,
                               const std::vector<ChannelProfile>& profiles,
                               std::size_t width, std::size_t count,
                               const DrawKey& key);

/// The weakest of the random edits whose window lies in the band and passes the
/// tests of a stored window; nothing when there is none. `i` is the window,
/// `edited` work space over its padded source.
std::optional<Edit> find_edit_first(const WindowSource& windows, std::size_t i,
                                    const std::vector<ChannelProfile>& profiles,
                                    const std::vector<Edit>& library,
                                    const LatentBank& bank, Embedder& embedder,
                                    EditedWindow& edited,
                                    const EditFirstSettings& settings,
                                    const DrawKey& key);

}  // namespace sbog::series
