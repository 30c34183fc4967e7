// SPDX-License-Identifier: Apache-2.0
// Sizes as Eigen counts them.
#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace sbog::detail {

inline Eigen::Index eigen_index(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

}  // namespace sbog::detail
