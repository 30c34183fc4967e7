// SPDX-License-Identifier: Apache-2.0
// Models by themselves; see series_model_file.h.
#include "sbog_torch/series/series_model_file.h"

#include "sbog_torch/series/detail/model_checkpoint.h"

namespace sbog::series {
namespace {

constexpr const char* kFormat = "sbog-series-model-1";

}  // namespace

void write_series_model(const std::string& path, const SeriesModel& model) {
  detail::write_model(path, kFormat, model);
}

SeriesModel read_series_model(const std::string& path) {
  return detail::read_model(path, kFormat);
}

}  // namespace sbog::series
