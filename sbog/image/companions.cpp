// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/companions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/image/channels.h"
#include "sbog/image/detail/distance.h"
#include "sbog/image/detail/draws.h"
#include "sbog/image/detail/planes.h"
#include "sbog/image/shapes.h"

namespace sbog {
namespace {

using detail::ImageDraws;
using detail::ImagePurpose;

constexpr std::array<Companion, 7> kAll = {
    Companion::kStripes, Companion::kChecker,      Companion::kNoise,
    Companion::kBlobs,   Companion::kUnseenShapes, Companion::kInverted,
    Companion::kRotated};
constexpr std::array<const char*, kAll.size()> kNames = {
    "stripes", "checker", "noise", "blobs", "unseen", "inverted", "rotated"};

bool is_made_of_images(Companion kind) {
  return kind == Companion::kInverted || kind == Companion::kRotated;
}

// Dark and light of one channel, at least 0.3 of the range apart.
struct Inks {
  double dark;
  double light;
};

std::vector<Inks> draw_inks(ImageDraws& draws, std::size_t channels) {
  std::vector<Inks> inks;
  for (std::size_t c = 0; c < channels; ++c) {
    const double dark = draws.uniform(0.0, 0.4);
    inks.push_back({dark, dark + draws.uniform(0.3, 0.6)});
  }
  // A second channel may be light where the first is dark.
  for (std::size_t c = 1; c < channels; ++c) {
    if (draws.uniform() < 0.5) std::swap(inks[c].dark, inks[c].light);
  }
  return inks;
}

// Two waves that cross at a right angle.
struct Waves {
  double cosine;
  double sine;
  double frequency;  // per pixel
  double phase;
  double cross_phase;

  double along(double x, double y) const {
    return frequency * (cosine * x + sine * y) + phase;
  }
  double across(double x, double y) const {
    return frequency * (cosine * y - sine * x) + cross_phase;
  }
};

Waves draw_waves(ImageDraws& draws, const ImageShape& shape) {
  const double angle = draws.uniform(0.0, std::numbers::pi);
  const auto side = static_cast<double>(std::min(shape.height, shape.width));
  // Two to seven periods over the image, none shorter than four pixels.
  const double periods = std::min(draws.uniform(2.0, 7.0), side / 4.0);
  return {std::cos(angle), std::sin(angle), periods / side, draws.uniform(),
          draws.uniform()};
}

// A square wave in [-1, 1] with edges about one pixel wide.
double square_wave(double t, double frequency) {
  const double wave = std::sin(2.0 * std::numbers::pi * t);
  return std::clamp(wave / (std::numbers::pi * frequency), -1.0, 1.0);
}

void draw_waves_image(Companion kind, const ImageShape& shape,
                      ImageDraws& draws, std::span<std::uint8_t> out) {
  const std::vector<Inks> inks = draw_inks(draws, shape.channels);
  const Waves waves = draw_waves(draws, shape);
  const std::size_t plane = shape.height * shape.width;
  for (std::size_t k = 0; k < plane; ++k) {
    const std::size_t row = k / shape.width;
    const auto x = static_cast<double>(k % shape.width);
    const auto y = static_cast<double>(row);
    double level = square_wave(waves.along(x, y), waves.frequency);
    if (kind == Companion::kChecker) {
      level *= square_wave(waves.across(x, y), waves.frequency);
    }
    for (std::size_t c = 0; c < shape.channels; ++c) {
      const double share = 0.5 * (level + 1.0);
      out[c * plane + k] = detail::to_byte(
          255.0 * (inks[c].dark + share * (inks[c].light - inks[c].dark)));
    }
  }
}

void draw_noise_image(ImageDraws& draws, std::span<std::uint8_t> out) {
  for (std::uint8_t& value : out) {
    // All 256 levels are equally likely.
    value = static_cast<std::uint8_t>(std::min(256.0 * draws.uniform(), 255.0));
  }
}

// A coarse grid of levels, 3 to 7 knots a side, read bilinearly.
void draw_blobs_image(const ImageShape& shape, ImageDraws& draws,
                      std::span<std::uint8_t> out) {
  const auto knots = static_cast<std::size_t>(draws.uniform(3.0, 8.0));
  const std::size_t plane = shape.height * shape.width;
  std::vector<double> grid(knots * knots);
  const auto place = [&](std::size_t at, std::size_t extent) {
    return (static_cast<double>(at) + 0.5) / static_cast<double>(extent) *
           static_cast<double>(knots - 1);
  };
  for (std::size_t c = 0; c < shape.channels; ++c) {
    for (double& level : grid) level = draws.uniform();
    for (std::size_t k = 0; k < plane; ++k) {
      const double y = place(k / shape.width, shape.height);
      const double x = place(k % shape.width, shape.width);
      const auto i = static_cast<std::size_t>(y);
      const auto j = static_cast<std::size_t>(x);
      const double s = y - static_cast<double>(i);
      const double t = x - static_cast<double>(j);
      const double* corner = &grid[i * knots + j];
      const double upper = (1.0 - t) * corner[0] + t * corner[1];
      const double lower = (1.0 - t) * corner[knots] + t * corner[knots + 1];
      out[c * plane + k] =
          detail::to_byte(255.0 * ((1.0 - s) * upper + s * lower));
    }
  }
}

void draw_image(Companion kind, const ImageShape& shape, ImageDraws& draws,
                std::span<std::uint8_t> out) {
  if (kind == Companion::kNoise) return draw_noise_image(draws, out);
  if (kind == Companion::kBlobs) return draw_blobs_image(shape, draws, out);
  draw_waves_image(kind, shape, draws, out);
}

ImageSet unseen_shapes(const ImageShape& shape, std::size_t count,
                       std::uint64_t seed) {
  ShapesOptions options;
  options.count = count;
  options.seed = seed;
  options.height = shape.height;
  options.width = shape.width;
  return to_channels(make_unseen_shapes(options), shape.channels);
}

void turn_image(const ImageShape& shape, std::span<const std::uint8_t> image,
                std::span<std::uint8_t> out) {
  const std::size_t side = shape.width;
  for (std::size_t c = 0; c < shape.channels; ++c) {
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j < side; ++j) {
        out[(c * side + i) * side + j] =
            image[(c * side + j) * side + side - 1 - i];
      }
    }
  }
}

ImageSet rotated(const ImageSet& set) {
  if (set.shape.height != set.shape.width) {
    throw InvalidArgument("companion: images of " + to_string(set.shape) +
                          " cannot be rotated; square ones are expected");
  }
  ImageSet turned = set.clone();
  for (std::size_t i = 0; i < set.count(); ++i) {
    turn_image(set.shape, set.pixels.row(i), turned.pixels.row(i));
  }
  return turned;
}

ImageSet inverted(const ImageSet& set) {
  ImageSet out = set.clone();
  for (std::uint8_t& value : out.pixels.elements()) {
    value = static_cast<std::uint8_t>(255 - value);
  }
  return out;
}

}  // namespace

std::span<const Companion> all_companions() { return kAll; }

const char* to_string(Companion kind) {
  const auto number = static_cast<std::size_t>(kind);
  return number < kNames.size() ? kNames[number] : "?";
}

Companion companion_of_name(std::string_view name) {
  std::string known;
  for (const Companion kind : kAll) {
    if (name == to_string(kind)) return kind;
    known += std::string(known.empty() ? "" : ", ") + to_string(kind);
  }
  throw InvalidArgument("companion: '" + std::string(name) + "' is unknown; " +
                        known + " are there");
}

ImageSet make_companion(Companion kind, const ImageSet& set,
                        std::uint64_t seed) {
  check_images(set, "companion");
  if (kind == Companion::kInverted) return inverted(set);
  if (kind == Companion::kRotated) return rotated(set);
  return make_companion(kind, set.shape, set.count(), seed);
}

ImageSet make_companion(Companion kind, const ImageShape& shape,
                        std::size_t count, std::uint64_t seed) {
  if (is_made_of_images(kind)) {
    throw InvalidArgument(std::string("companion: ") + to_string(kind) +
                          " is made of images; a set is expected");
  }
  if (kind == Companion::kUnseenShapes) {
    return unseen_shapes(shape, count, seed);
  }
  ImageSet set;
  set.shape = shape;
  check_images(set, "companion");
  set.pixels = Matrix<std::uint8_t>(count, shape.size());
  for (std::size_t i = 0; i < count; ++i) {
    ImageDraws draws(seed, ImagePurpose::kTexture,
                     static_cast<std::uint32_t>(kind),
                     static_cast<std::uint32_t>(i));
    draw_image(kind, shape, draws, set.pixels.row(i));
  }
  return set;
}

}  // namespace sbog
