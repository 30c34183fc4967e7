// SPDX-License-Identifier: Apache-2.0
// How a solver ended. A numerical outcome is a status, never an exception.
#pragma once

namespace sbog {

/// The end of a solve. Anything but kDone leaves a result that says how far
/// the call came.
enum class SolveStatus {
  kDone,          ///< everything asked for is there
  kCancelled,     ///< the observer asked to stop
  kUnsupported,   ///< the problem lies outside what this method can solve
  kInfeasible,    ///< no point satisfies the constraints
  kPartial,       ///< a part of what was asked for is there
  kNotConverged,  ///< the iteration limit came before the tolerance
};

/// The status in words, for messages and reports.
constexpr const char* to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::kDone:
      return "done";
    case SolveStatus::kCancelled:
      return "cancelled";
    case SolveStatus::kUnsupported:
      return "unsupported";
    case SolveStatus::kInfeasible:
      return "infeasible";
    case SolveStatus::kPartial:
      return "partial";
    case SolveStatus::kNotConverged:
      return "not converged";
  }
  return "unknown";
}

}  // namespace sbog
