// SPDX-License-Identifier: Apache-2.0
// Options between Python and their tables: values travel as lists of texts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sbog/base/option_table.h"

namespace sbog::python {

/// Names with the texts of their values.
using Given = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Applies them to `options`; throws InvalidArgument for what does not fit.
template <typename Options>
void apply_given(const OptionTable<Options>& table, const Given& given,
                 Options& options) {
  std::vector<Assignment> assignments;
  for (const auto& [name, values] : given) {
    assignments.push_back({name, values, name});
  }
  table.apply(assignments, options);
}

}  // namespace sbog::python
