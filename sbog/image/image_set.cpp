// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/image_set.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/image/detail/draws.h"

namespace sbog {
namespace {

constexpr std::size_t kMaxClasses = 65536;

void check_labels(const ImageSet& set, const std::string& name) {
  if (set.labels.empty()) return;
  if (set.labels.size() != set.count()) {
    throw InvalidArgument(name + ": " + std::to_string(set.labels.size()) +
                          " labels for " + std::to_string(set.count()) +
                          " images; one for each is expected");
  }
  const std::size_t limit =
      set.class_names.empty() ? kMaxClasses : set.class_names.size();
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    const std::int32_t label = set.labels[i];
    if (label < 0 || static_cast<std::size_t>(label) >= limit) {
      throw InvalidArgument(name + ": the label of image " + std::to_string(i) +
                            " is " + std::to_string(label) + "; 0 to " +
                            std::to_string(limit - 1) + " is expected");
    }
  }
}

// The rows of every class in order; one class when there are no labels.
std::vector<std::vector<std::size_t>> rows_by_class(const ImageSet& set) {
  std::vector<std::vector<std::size_t>> rows(
      std::max<std::size_t>(class_count(set), 1));
  for (std::size_t i = 0; i < set.count(); ++i) {
    const auto cls =
        set.labels.empty() ? 0 : static_cast<std::size_t>(set.labels[i]);
    rows[cls].push_back(i);
  }
  return rows;
}

std::size_t held_out_count(std::size_t count, double share) {
  if (count < 2) return 0;
  const double wanted = std::round(share * static_cast<double>(count));
  return std::clamp(static_cast<std::size_t>(wanted), std::size_t{1},
                    count - 1);
}

}  // namespace

std::string to_string(const ImageShape& shape) {
  return std::to_string(shape.channels) + " x " + std::to_string(shape.height) +
         " x " + std::to_string(shape.width);
}

ImageSet ImageSet::clone() const {
  return {shape, pixels.clone(), labels, class_names, sources, reading};
}

ImageSet ImageSet::with_shape(const ImageShape& other) const {
  return {other,   Matrix<std::uint8_t>(count(), other.size()),
          labels,  class_names,
          sources, reading};
}

std::size_t class_count(const ImageSet& set) {
  if (!set.class_names.empty()) return set.class_names.size();
  if (set.labels.empty()) return 0;
  const std::int32_t largest =
      *std::max_element(set.labels.begin(), set.labels.end());
  return static_cast<std::size_t>(std::max(largest, -1) + 1);
}

void check_images(const ImageSet& set, const std::string& name) {
  const ImageShape& shape = set.shape;
  if ((shape.channels != 1 && shape.channels != 3) || shape.height == 0 ||
      shape.width == 0) {
    throw InvalidArgument(name + ": the shape is " + to_string(shape) +
                          "; 1 or 3 channels and no zero extent are expected");
  }
  if (set.count() > 0 && set.pixels.cols() != shape.size()) {
    throw InvalidArgument(name + ": an image has " +
                          std::to_string(set.pixels.cols()) + " values; " +
                          to_string(shape) + " are expected");
  }
  check_labels(set, name);
  if (!set.sources.empty() && set.sources.size() != set.count()) {
    throw InvalidArgument(name + ": " + std::to_string(set.sources.size()) +
                          " sources for " + std::to_string(set.count()) +
                          " images; one for each is expected");
  }
}

ImageSet take(const ImageSet& set, std::span<const std::size_t> rows) {
  check_images(set, "take");
  for (const std::size_t row : rows) {
    if (row >= set.count()) {
      throw InvalidArgument("take: there is no image " + std::to_string(row) +
                            " in a set of " + std::to_string(set.count()));
    }
  }
  ImageSet taken;
  taken.shape = set.shape;
  taken.pixels = copy_rows(set.pixels.view(), rows);
  taken.class_names = set.class_names;
  taken.reading = set.reading;
  for (const std::size_t row : rows) {
    if (!set.labels.empty()) taken.labels.push_back(set.labels[row]);
    if (!set.sources.empty()) taken.sources.push_back(set.sources[row]);
  }
  return taken;
}

ImageSet first_of_each_class(const ImageSet& set, std::size_t count) {
  check_images(set, "first_of_each_class");
  std::vector<std::size_t> counts(std::max<std::size_t>(1, class_count(set)));
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < set.count(); ++i) {
    const std::size_t label =
        set.labels.empty() ? 0 : static_cast<std::size_t>(set.labels[i]);
    if (counts.at(label)++ < count) rows.push_back(i);
  }
  return take(set, rows);
}

ImageSplit split_by_class(const ImageSet& set, double held_out,
                          std::uint64_t seed) {
  check_images(set, "split_by_class");
  if (!(held_out > 0.0 && held_out < 1.0)) {
    throw InvalidArgument("split_by_class: held_out is " +
                          std::to_string(held_out) +
                          "; a share between 0 and 1 is expected");
  }
  ImageSplit split;
  const auto classes = rows_by_class(set);
  for (std::size_t cls = 0; cls < classes.size(); ++cls) {
    std::vector<std::pair<std::uint64_t, std::size_t>> ranked;
    for (std::size_t i = 0; i < classes[cls].size(); ++i) {
      detail::ImageDraws draws(seed, detail::ImagePurpose::kSplit,
                               static_cast<std::uint32_t>(cls),
                               static_cast<std::uint32_t>(i));
      ranked.emplace_back(draws.bits(), classes[cls][i]);
    }
    std::sort(ranked.begin(), ranked.end());
    const std::size_t apart = held_out_count(ranked.size(), held_out);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      (i < apart ? split.held_out : split.train).push_back(ranked[i].second);
    }
  }
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.held_out.begin(), split.held_out.end());
  return split;
}

}  // namespace sbog
