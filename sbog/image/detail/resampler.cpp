// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/detail/resampler.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/image/detail/planes.h"

namespace sbog::detail {
namespace {

void add_run(AxisTable& table, std::size_t first,
             std::span<const double> weights) {
  table.runs.push_back({first, table.weights.size(), weights.size()});
  table.weights.insert(table.weights.end(), weights.begin(), weights.end());
}

// Output pixel k covers [k, k + 1) * from / to. In units of 1 / to of an input
// pixel all borders are integers, so no overlap is lost to rounding.
void add_area_run(AxisTable& table, std::size_t from, std::size_t to,
                  std::size_t k) {
  const std::size_t begin = k * from;
  const std::size_t end = begin + from;
  std::vector<double> weights;
  for (std::size_t i = begin / to; i * to < end; ++i) {
    const std::size_t low = std::max(begin, i * to);
    const std::size_t high = std::min(end, (i + 1) * to);
    weights.push_back(static_cast<double>(high - low) /
                      static_cast<double>(from));
  }
  add_run(table, begin / to, weights);
}

// The centre of output pixel k in input pixels, counted from their centres.
void add_linear_run(AxisTable& table, std::size_t from, std::size_t to,
                    std::size_t k) {
  const double centre = (static_cast<double>(k) + 0.5) *
                            static_cast<double>(from) /
                            static_cast<double>(to) -
                        0.5;
  const double place = std::clamp(centre, 0.0, static_cast<double>(from - 1));
  const auto first = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(first);
  if (share == 0.0) {
    add_run(table, first, std::vector<double>{1.0});
  } else {
    add_run(table, first, std::vector<double>{1.0 - share, share});
  }
}

}  // namespace

AxisTable make_axis(std::size_t from, std::size_t to, AxisRule rule) {
  AxisTable table;
  for (std::size_t k = 0; k < to; ++k) {
    if (rule == AxisRule::kArea) {
      add_area_run(table, from, to, k);
    } else if (rule == AxisRule::kLinear) {
      add_linear_run(table, from, to, k);
    } else {
      add_run(table, (2 * k + 1) * from / (2 * to), std::vector<double>{1.0});
    }
  }
  return table;
}

Resampler::Resampler(const ImageShape& from, std::size_t height,
                     std::size_t width, AxisRule down_rule, AxisRule up_rule)
    : from_(from),
      to_{from.channels, height, width},
      rows_(make_axis(from.height, height,
                      height < from.height ? down_rule : up_rule)),
      columns_(make_axis(from.width, width,
                         width < from.width ? down_rule : up_rule)),
      between_(from.width) {}

// Rows are mixed first, one output row at a time: what lies between the axes
// is then one row, however long the image is.
void Resampler::mix_rows(const std::uint8_t* plane, const AxisTable::Run& run) {
  std::fill(between_.begin(), between_.end(), 0.0);
  for (std::size_t k = 0; k < run.count; ++k) {
    const double weight = rows_.weights[run.begin + k];
    const std::uint8_t* row = plane + (run.first + k) * from_.width;
    for (std::size_t j = 0; j < from_.width; ++j) {
      between_[j] += weight * row[j];
    }
  }
}

void Resampler::mix_columns(std::uint8_t* row) const {
  for (std::size_t j = 0; j < to_.width; ++j) {
    const AxisTable::Run& run = columns_.runs[j];
    double sum = 0.0;
    for (std::size_t k = 0; k < run.count; ++k) {
      sum += columns_.weights[run.begin + k] * between_[run.first + k];
    }
    row[j] = to_byte(sum);
  }
}

void Resampler::apply(std::span<const std::uint8_t> in,
                      std::span<std::uint8_t> out) {
  SBOG_ASSERT(in.size() == from_.size() && out.size() == to_.size());
  for (std::size_t c = 0; c < from_.channels; ++c) {
    const std::uint8_t* plane = &in[c * from_.height * from_.width];
    for (std::size_t i = 0; i < to_.height; ++i) {
      mix_rows(plane, rows_.runs[i]);
      mix_columns(&out[(c * to_.height + i) * to_.width]);
    }
  }
}

}  // namespace sbog::detail
