// SPDX-License-Identifier: Apache-2.0
// A table as the input of a run on points, and its outliers as rows again.
#pragma once

#include "sbog/job/generate.h"
#include "sbog/job/run_inputs.h"
#include "sbog/run/run_folder.h"

namespace sbog::job {

/// Rows of outliers in a run on a table, one per outlier.
inline constexpr const char* kRowsFile = "decoded/rows.csv";

/// Bank, labels and names of the classes from the CSV file that the options
/// name. Throws IoError, InvalidArgument.
template <typename T>
RunInputs<T> load_table_inputs(const GenerateOptions& options);

/// Writes the outliers of a run as rows of the table, with the column of their
/// class if there is one. Throws IoError.
template <typename T>
void write_table_rows(const RunFolder& folder, const GenerateOptions& options,
                      const RunInputs<T>& inputs);

}  // namespace sbog::job
