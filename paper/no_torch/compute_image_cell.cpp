// SPDX-License-Identifier: Apache-2.0
// What a program without LibTorch answers; see image_cells.h.
#include "paper/image_cells.h"
#include "sbog/base/errors.h"

namespace sbog::paper {

Json compute_image_cell(const Json& /*configuration*/,
                        const CellContext& /*context*/) {
  throw InvalidArgument(
      "sbog paper: cells about images are computed by a program with LibTorch");
}

}  // namespace sbog::paper
