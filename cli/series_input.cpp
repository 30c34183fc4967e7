// SPDX-License-Identifier: Apache-2.0
// Series from the command line; see series_input.h.
#include "series_input.h"

#include "embedded_data.h"
#include "sbog/series/synthetic_plant.h"

namespace sbog::cli {
namespace {

// demo:plant, two weeks of minutes.
constexpr std::size_t kPlantRows = 20000;
constexpr std::uint64_t kPlantSeed = 1;

}  // namespace

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
  if (input.data == "demo:plant") {
    return {synthetic_plant(kPlantRows, kPlantSeed), {}};
  }
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
