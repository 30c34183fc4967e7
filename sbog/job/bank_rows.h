// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a bank and looks at them as a careful reader would: what
// was read is rarely wrong, but it may not be what was meant.
#pragma once

#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/data/array.h"
#include "sbog/data/dataset.h"
#include "sbog/energy/ground_cost.h"
#include "sbog/job/events.h"

namespace sbog::job {

/// What there is to say about a bank.
struct BankRemarks {
  std::vector<std::string> notes;
  std::vector<std::string> warnings;

  /// Tells all of them.
  void tell(Events& events) const;
};

/// The rows of a bank.
template <typename T>
struct LoadedBank {
  LoadedMatrix<T> rows;
  BankRemarks remarks;
};

/// Reads the array `spec` as points. Throws InvalidArgument for a single number
/// and for a single row, which supports nothing but itself. Remarks: an array
/// of three or more dimensions is flattened; under a cosine cost one column
/// decides alone when it makes up nearly all of the squared length of the rows.
template <typename T>
LoadedBank<T> load_bank(const std::string& spec, const ReadOptions& options,
                        GroundCost cost);

}  // namespace sbog::job
