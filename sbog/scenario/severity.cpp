// SPDX-License-Identifier: Apache-2.0
// Decades; see severity.h.
#include "sbog/scenario/severity.h"

#include <cmath>

namespace sbog::series {
namespace {

// Powers of ten by division, so that 0.01 is the upper end of severity 2.
double upper_end(std::size_t severity) {
  double power = 1.0;
  for (std::size_t i = 0; i < severity; ++i) power *= 10.0;
  return 1.0 / power;
}

}  // namespace

std::size_t severity_of(double p) {
  std::size_t severity = 0;
  while (severity < 300 && p <= upper_end(severity + 1)) ++severity;
  return severity;
}

double band_middle(std::size_t severity) {
  return std::pow(10.0, -(static_cast<double>(severity) + 0.5));
}

}  // namespace sbog::series
