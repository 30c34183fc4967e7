// SPDX-License-Identifier: Apache-2.0
// The job `train series`: an encoder of windows, learnt once from a series that
// is taken to be normal, as a file that other jobs read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/job/events.h"
#include "sbog/job/series_input.h"
#include "sbog/series/series_model.h"

namespace sbog::job {

/// What `train series` can be told. The defaults are those of the profile
/// "repaired".
struct TrainSeriesOptions {
  SeriesInput input;
  std::string out;  ///< file of the model; OUT.checkpoint while it trains
  std::string profile = "repaired";  ///< or "faithful"
  std::size_t width = 200;           ///< rows of a window
  std::size_t stride = 0;            ///< 0: at most 5,000 windows
  std::size_t epochs = 30;
  std::size_t batch = 50;
  std::size_t mid = 4;
  std::size_t head = 4;
  std::string loss = "infonce";    ///< or "hinge", "pull-push"
  std::string space = "standard";  ///< or "raw"
  bool resume = false;
  std::uint64_t seed = 0;
};

/// The defaults of a profile; throws InvalidArgument for an unknown one.
TrainSeriesOptions train_series_profile(std::string_view profile);

const OptionTable<TrainSeriesOptions>& train_series_option_table();

/// What came out.
struct TrainSeriesResult {
  /// kNotReached: the encoder has collapsed.
  Status status = Status::kDone;
  TrainSeriesOptions options;
  std::optional<series::SeriesModel> model;  ///< nothing when stopped
  std::size_t rows = 0;                      ///< of the series
  std::size_t epochs = 0;                    ///< finished in all
  /// Mean losses of the first and of the last epoch of this call; nothing when
  /// an earlier call had finished them all.
  std::optional<double> first_loss;
  std::optional<double> last_loss;
  double seconds = 0.0;
};

/// A stopped training leaves its checkpoint; with `resume` the next call goes
/// on to the same bits. Throws InvalidArgument for options and series that
/// cannot be learnt from, IoError for files.
TrainSeriesResult run(const TrainSeriesOptions& options, Events& events,
                      const Context& context = {});
nlohmann::ordered_json to_json(const TrainSeriesResult& result);

}  // namespace sbog::job
