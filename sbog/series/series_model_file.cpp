// SPDX-License-Identifier: Apache-2.0
// Models by themselves; see series_model_file.h.
#include "sbog/series/series_model_file.h"

#include "sbog/series/detail/model_checkpoint.h"

namespace sbog::series {
namespace {

constexpr const char* kSeriesModelFormat = "sbog-series-model-1";

}  // namespace

void write_series_model(const std::string& path, const SeriesModel& model) {
  detail::write_model(path, kSeriesModelFormat, model);
}

SeriesModel read_series_model(const std::string& path) {
  return detail::read_model(path, kSeriesModelFormat);
}

}  // namespace sbog::series
