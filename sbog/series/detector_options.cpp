// SPDX-License-Identifier: Apache-2.0
// Names and checks of detector_options.h.
#include "sbog/series/detector_options.h"

#include <string>

#include "sbog/base/errors.h"

namespace sbog {

std::string_view to_string(DetectorKind kind) {
  switch (kind) {
    case DetectorKind::kViews:
      return "views";
    case DetectorKind::kViewsBatch:
      return "views-batch";
    case DetectorKind::kChannel:
      return "channel";
  }
  return "unknown";
}

DetectorKind parse_detector_kind(std::string_view name) {
  for (const DetectorKind kind :
       {DetectorKind::kViews, DetectorKind::kViewsBatch,
        DetectorKind::kChannel}) {
    if (name == to_string(kind)) return kind;
  }
  throw InvalidArgument(
      "detector: views, views-batch or channel is expected, got '" +
      std::string(name) + "'");
}

void check_detector_options(const DetectorOptions& options) {
  if (!(options.level > 0.0 && options.level < 1.0)) {
    throw InvalidArgument("level: a number in (0, 1) is expected, got " +
                          std::to_string(options.level));
  }
  if (options.is_causal && options.kind == DetectorKind::kViewsBatch) {
    throw InvalidArgument(
        "detector: views-batch looks at the whole scored series and cannot be "
        "causal; views or channel is expected");
  }
}

}  // namespace sbog
