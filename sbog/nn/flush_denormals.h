// SPDX-License-Identifier: Apache-2.0
// Numbers below 1e-38 count as zero while an object of this class lives. A
// network whose weights fade away (a collapsed one with weight decay) computes
// with such numbers throughout, which costs the CPU ten times the time and
// changes nothing that matters.
#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace sbog::nn {

#if defined(__SSE__)
/// For the thread that makes it, until it is destroyed.
class FlushDenormals {
 public:
  FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kBoth); }
  ~FlushDenormals() { _mm_setcsr(saved_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned kBoth = 0x8040;  // of results and of inputs
  unsigned saved_;
};
#else
/// CPUs without SSE are left as they are.
class FlushDenormals {
 public:
  FlushDenormals() {}
};
#endif

}  // namespace sbog::nn
