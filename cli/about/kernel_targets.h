// SPDX-License-Identifier: Apache-2.0
// The instruction sets that the kernels were compiled for, and the choice of
// one of them for a self-check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sbog::cli {

/// One instruction set with kernels of its own.
struct KernelTarget {
  std::int64_t bit = 0;  ///< as Highway numbers them
  std::string name;      ///< such as "AVX2"
  bool is_supported = false;
};

/// All that are compiled in, the widest first.
std::vector<KernelTarget> kernel_targets();

/// Makes the kernels use one target as long as it lives; afterwards they choose
/// for themselves. The target must be a supported one. One at a time: the
/// choice is the same for all threads.
class UseKernelTarget {
 public:
  explicit UseKernelTarget(const KernelTarget& target);
  UseKernelTarget(const UseKernelTarget&) = delete;
  UseKernelTarget& operator=(const UseKernelTarget&) = delete;
  ~UseKernelTarget();
};

}  // namespace sbog::cli
