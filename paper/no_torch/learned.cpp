// SPDX-License-Identifier: Apache-2.0
// What a build without LibTorch answers; see learned.h.
#include "paper/learned.h"

#include "sbog/base/errors.h"

namespace sbog::paper {
namespace {

[[noreturn]] void refuse() {
  throw InvalidArgument(
      "sbog paper: detectors with a learned encoder need a build with "
      "LibTorch");
}

}  // namespace

bool has_learned() { return false; }

Json learned_fields(const LearnedEncoder&, const std::vector<LearnedRun>&) {
  refuse();
}

Json compute_learned(const Json&, const CellContext&) { refuse(); }

}  // namespace sbog::paper
