// SPDX-License-Identifier: Apache-2.0
// Calls that are refused or stopped.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/base/progress.h"

namespace sbog::testing_support {

/// The message of the InvalidArgument that `call` throws; a failure if it
/// throws nothing.
template <class Call>
std::string invalid_argument_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InvalidArgument was thrown";
  return "";
}

/// Asks to stop at the first call.
class CancelAtOnce : public Observer {
 public:
  bool on_progress(std::uint64_t, std::uint64_t) override { return false; }
};

}  // namespace sbog::testing_support
