// SPDX-License-Identifier: Apache-2.0
// Series from the command line; see series_input.h.
#include "series_input.h"

#include "embedded_data.h"

namespace sbog::cli {

void declare_series_input(CLI::App& command, SeriesInput& input) {
  command
      .add_option("data", input.data,
                  "The series: CSV, npy, npz:name, safetensors:name or demo:")
      ->required();
  command.add_option("--time", input.time,
                     "Column with the times, by name or index; none: there is "
                     "none; without it, found by itself (CSV)");
  command.add_option("--columns", input.columns, "Columns to keep (CSV)")
      ->delimiter(',');
}

LoadedSeries load_series(const SeriesInput& input, const Console& console) {
  LoadedSeries loaded =
      is_embedded(input.data)
          ? series_of_array(embedded_array(input.data))
          : read_series(input.data, {input.time, input.columns});
  for (const std::string& sentence : loaded.report.sentences()) {
    console.note(input.data + ": " + sentence);
  }
  return loaded;
}

}  // namespace sbog::cli
