// SPDX-License-Identifier: Apache-2.0
// See series_input.h.
#include "sbog/job/series_input.h"

#include "sbog/job/embedded_data.h"
#include "sbog/series/synthetic_plant.h"

namespace sbog::job {
namespace {

// demo:plant, two weeks of minutes.
constexpr std::size_t kPlantRows = 20000;
constexpr std::uint64_t kPlantSeed = 1;

}  // namespace

std::string time_column_help() {
  return "Column of a table that holds the times, by name or index; none: the "
         "rows have no times";
}

OptionTable<SeriesInput> series_input_table() {
  OptionTable<SeriesInput> table;
  table.stage("Input");
  table
      .add("data", &SeriesInput::data,
           "Series, one row per moment: CSV, npy, npz:name, safetensors:name "
           "or demo:series")
      .positional()
      .value("FILE");
  table.add("time", &SeriesInput::time, time_column_help())
      .kinds(kForSeries)
      .value("COLUMN")
      .without("detected");
  table
      .add("columns", &SeriesInput::columns,
           "Columns of a table that are the channels")
      .kinds(kForSeries)
      .value("NAMES")
      .without("all but the times");
  return table;
}

OptionTable<SeriesInput> series_or_images_table() {
  OptionTable<SeriesInput> table = series_input_table();
  table.find("data")->info().help =
      "Series (CSV, npy, npz:name, safetensors:name or demo:series), points, "
      "one per row, such as embeddings of texts (the same formats or "
      "demo:bank), or images (a folder with a folder per class, idx, npy, npz, "
      "CIFAR records or demo:shapes)";
  table.find("columns")->kinds(kForSeries | kForPoints);
  table.find("columns")->info().help =
      "Columns of a table that are the channels, or the coordinates of points";
  return table;
}

LoadedSeries load_series(const SeriesInput& input, Events& events) {
  if (input.data == "demo:plant") {
    LoadedSeries plant{synthetic_plant(kPlantRows, kPlantSeed), {}};
    plant.report.has_readable_times = true;
    plant.report.step = 60.0;
    return plant;
  }
  LoadedSeries loaded =
      is_embedded(input.data)
          ? series_of_array(embedded_array(input.data))
          : read_series(input.data, {input.time, input.columns});
  for (const std::string& sentence : loaded.report.sentences()) {
    events.on_note(input.data + ": " + sentence);
  }
  return loaded;
}

}  // namespace sbog::job
