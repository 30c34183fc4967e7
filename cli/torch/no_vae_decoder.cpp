// SPDX-License-Identifier: Apache-2.0
// In `sbog`: need_libtorch() has handed the job over before this is asked for;
// see vae_decoder.h.
#include <stdexcept>

#include "vae_decoder.h"

namespace sbog::cli {

std::optional<series::WindowDecoder> make_vae_decoder(
    const series::Encoder& /*encoder*/, const series::WindowSource& /*windows*/,
    const VaeArguments& /*arguments*/, bool /*is_quiet*/) {
  throw std::logic_error("the autoencoder is asked of a tool without LibTorch");
}

}  // namespace sbog::cli
