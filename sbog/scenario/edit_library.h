// SPDX-License-Identifier: Apache-2.0
// Every edit that the search starts from: channels x kinds x four gates x three
// strengths x signs.
#pragma once

#include <cstddef>
#include <vector>

#include "sbog/scenario/edit.h"
#include "sbog/series/window_source.h"

namespace sbog::series {

/// What may be edited.
struct EditAllowance {
  std::vector<EditKind> kinds;        ///< empty: all
  std::vector<std::size_t> channels;  ///< empty: all
  bool delays_discrete = false;       ///< delay on discrete channels too
};

/// A channel to couple with.
struct Partner {
  std::size_t channel = 0;
  double sign = 1.0;  ///< of the correlation
};

/// For each channel the two most and the least correlated others that are not
/// constant, fewer if there are fewer. At most about 4,000 rows are read.
std::vector<std::vector<Partner>> coupling_partners(
    const WindowSource& windows, const std::vector<ChannelProfile>& profiles);

/// Whether an allowance and the class of the channel admit an edit.
bool is_allowed(const EditAllowance& allowance, EditKind kind,
                std::size_t channel, const ChannelProfile& profile);

/// The candidates. Throws InvalidArgument when nothing may be edited, and for a
/// channel of the allowance that is not there.
std::vector<Edit> make_library(
    const std::vector<ChannelProfile>& profiles, std::size_t width,
    const EditAllowance& allowance,
    const std::vector<std::vector<Partner>>& partners);

}  // namespace sbog::series
