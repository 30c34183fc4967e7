// SPDX-License-Identifier: Apache-2.0
// What a build without LibTorch answers; see learned.h.
#include "paper/learned.h"

#include "sbog/base/errors.h"

namespace sbog::paper {
namespace {

constexpr const char* kSentence =
    "detectors with a learned encoder need a build with LibTorch";

[[noreturn]] void refuse() {
  throw InvalidArgument(std::string("sbog paper: ") + kSentence);
}

}  // namespace

bool has_learned() { return false; }

std::string learned_obstacle(const Settings&) { return kSentence; }

Json learned_fields(const LearnedEncoder&, const std::vector<LearnedRun>&) {
  refuse();
}

Json compute_learned(const Json&, const CellContext&) { refuse(); }

}  // namespace sbog::paper
