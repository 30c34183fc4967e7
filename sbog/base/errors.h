// SPDX-License-Identifier: Apache-2.0
// The two exceptions of the library and its debug assertion.
//
// A numerical outcome (not converged, infeasible) is never an exception: it is
// a status inside the result.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace sbog {

/// The caller's mistake: a wrong shape, a non-finite value, a bad option.
/// The message is one sentence: what, where, what was expected.
class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The world's fault: a file that is missing, damaged or of another format.
/// The message begins with the path.
class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  IoError(const std::string& path, const std::string& what)
      : std::runtime_error(path + ": " + what) {}
};

/// Throws InvalidArgument "<operation>: <what>" unless the condition holds.
inline void require(const char* operation, bool condition, const char* what) {
  if (!condition) throw InvalidArgument(std::string(operation) + ": " + what);
}

}  // namespace sbog

/// Checks our own reasoning; compiled in debug and sanitizer builds only.
#ifdef SBOG_ENABLE_ASSERT
#define SBOG_ASSERT(condition)                                        \
  do {                                                                \
    if (!(condition)) {                                               \
      std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, \
                   __LINE__, #condition);                             \
      std::abort();                                                   \
    }                                                                 \
  } while (false)
#else
#define SBOG_ASSERT(condition) static_cast<void>(0)
#endif
