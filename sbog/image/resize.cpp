// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/resize.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/image/detail/draws.h"
#include "sbog/image/detail/resampler.h"

namespace sbog {
namespace {

using detail::AxisRule;
using detail::Resampler;

constexpr std::size_t kMaxExtent = 65535;

void check_target(std::size_t height, std::size_t width) {
  const auto is_extent = [](std::size_t extent) {
    return extent >= 1 && extent <= kMaxExtent;
  };
  if (!is_extent(height) || !is_extent(width)) {
    throw InvalidArgument("resize: " + std::to_string(height) + " x " +
                          std::to_string(width) +
                          " was given; extents from 1 to 65535 are expected");
  }
}

AxisRule rule_of(Resampling resampling) {
  return resampling == Resampling::kNearest ? AxisRule::kNearest
                                            : AxisRule::kLinear;
}

// One image to another size and back.
void go_and_return(const ImageShape& shape, std::size_t height,
                   std::size_t width, Resampling resampling,
                   std::span<std::uint8_t> image) {
  const AxisRule rule = rule_of(resampling);
  Resampler there(shape, height, width, rule, rule);
  Resampler back(there.output_shape(), shape.height, shape.width, rule, rule);
  std::vector<std::uint8_t> between(there.output_shape().size());
  there.apply(image, between);
  back.apply(between, image);
}

std::size_t scaled(std::size_t extent, double share) {
  const double wanted = std::round(share * static_cast<double>(extent));
  return static_cast<std::size_t>(
      std::clamp(wanted, 1.0, static_cast<double>(kMaxExtent)));
}

}  // namespace

Image resize(const Image& image, std::size_t height, std::size_t width) {
  check_target(height, width);
  Resampler resampler(image.shape, height, width, AxisRule::kArea,
                      AxisRule::kLinear);
  Image out;
  out.shape = resampler.output_shape();
  out.pixels.resize(out.shape.size());
  resampler.apply(image.pixels, out.pixels);
  return out;
}

ImageSet resize(const ImageSet& set, std::size_t height, std::size_t width) {
  check_images(set, "resize");
  check_target(height, width);
  Resampler resampler(set.shape, height, width, AxisRule::kArea,
                      AxisRule::kLinear);
  ImageSet out = set.with_shape(resampler.output_shape());
  for (std::size_t i = 0; i < set.count(); ++i) {
    resampler.apply(set.pixels.row(i), out.pixels.row(i));
  }
  return out;
}

ImageSet there_and_back(const ImageSet& set, std::size_t height,
                        std::size_t width, Resampling resampling) {
  check_images(set, "there_and_back");
  check_target(height, width);
  ImageSet out = set.clone();
  for (std::size_t i = 0; i < set.count(); ++i) {
    go_and_return(set.shape, height, width, resampling, out.pixels.row(i));
  }
  return out;
}

ImageSet there_and_back(const ImageSet& set, std::uint64_t seed,
                        const ThereAndBackOptions& options) {
  check_images(set, "there_and_back");
  if (!(options.smallest > 0.0 && options.smallest <= options.largest &&
        options.largest <= 16.0)) {
    throw InvalidArgument(
        "there_and_back: 0 < smallest <= largest <= 16 is expected");
  }
  ImageSet out = set.clone();
  for (std::size_t i = 0; i < set.count(); ++i) {
    detail::ImageDraws draws(seed, detail::ImagePurpose::kResample, 0,
                             static_cast<std::uint32_t>(i));
    const double share = draws.uniform(options.smallest, options.largest);
    const Resampling resampling =
        draws.uniform() < 0.5 ? Resampling::kNearest : Resampling::kBilinear;
    go_and_return(set.shape, scaled(set.shape.height, share),
                  scaled(set.shape.width, share), resampling,
                  out.pixels.row(i));
  }
  return out;
}

}  // namespace sbog
