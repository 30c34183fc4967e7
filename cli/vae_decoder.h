// SPDX-License-Identifier: Apache-2.0
// The conditional autoencoder of windows as a decoder of a run on a series.
// Only `sbog-torch` has it; call need_libtorch() before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "console.h"
#include "sbog/scenario/scenario.h"

namespace sbog::cli {

/// What the autoencoder is made from.
struct VaeArguments {
  std::string file;  ///< read if it is there, else written
  std::size_t epochs = 20;
  std::uint64_t seed = 0;
};

/// Reads or trains it. Encoder and windows stay the caller's. Nothing when
/// interrupted; then the next call goes on. Throws IoError for a file of
/// another shape.
std::optional<series::WindowDecoder> make_vae_decoder(
    const series::Encoder& encoder, const series::WindowSource& windows,
    const VaeArguments& arguments, bool is_quiet);

}  // namespace sbog::cli
