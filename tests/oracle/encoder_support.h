// SPDX-License-Identifier: Apache-2.0
// Windows of all three processes with their labels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "oracle/var_support.h"
#include "sbog/oracle/window_encoder.h"

namespace sbog::oracle {

/// A bank of windows, class after class.
struct LabelledWindows {
  Matrix<double> windows;
  std::vector<std::int64_t> labels;
};

inline LabelledWindows labelled_windows(std::size_t per_class,
                                        std::uint64_t seed) {
  LabelledWindows bank{Matrix<double>(kOracleClasses * per_class, kWindowSize),
                       {}};
  for (std::size_t c = 0; c < kOracleClasses; ++c) {
    const Matrix<double> mine = drawn_windows(c, per_class, seed);
    std::copy_n(mine.data(), mine.size(),
                bank.windows.row(c * per_class).data());
    bank.labels.insert(bank.labels.end(), per_class,
                       static_cast<std::int64_t>(c));
  }
  return bank;
}

}  // namespace sbog::oracle
