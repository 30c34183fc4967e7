// SPDX-License-Identifier: Apache-2.0
// An image on another grid: every output value is a weighted mean of a run of
// input values, along columns and along rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/image/image_set.h"

namespace sbog::detail {

/// How an axis is read. Pixel k covers [k, k + 1).
enum class AxisRule {
  kArea,     ///< mean over what the output pixel covers
  kLinear,   ///< between the centres of the two nearest pixels
  kNearest,  ///< the pixel that holds the centre of the output pixel
};

/// For each output pixel the first input pixel and the weights from there on,
/// which add up to one.
struct AxisTable {
  struct Run {
    std::size_t first = 0;
    std::size_t begin = 0;  ///< of the weights
    std::size_t count = 0;
  };
  std::vector<Run> runs;
  std::vector<double> weights;
};

AxisTable make_axis(std::size_t from, std::size_t to, AxisRule rule);

/// One change of grid, prepared for many images.
class Resampler {
 public:
  /// From images of shape `from` to height x width, neither of them zero.
  Resampler(const ImageShape& from, std::size_t height, std::size_t width,
            AxisRule down_rule, AxisRule up_rule);

  const ImageShape& output_shape() const { return to_; }
  /// Values are kept in double between the axes and rounded once.
  void apply(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

 private:
  void mix_rows(const std::uint8_t* plane, const AxisTable::Run& run);
  void mix_columns(std::uint8_t* row) const;

  ImageShape from_;
  ImageShape to_;
  AxisTable rows_;
  AxisTable columns_;
  std::vector<double> between_;  // one row of the input's width
};

}  // namespace sbog::detail
