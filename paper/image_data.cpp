// SPDX-License-Identifier: Apache-2.0
// Sets of images; see image_data.h.
#include "paper/image_data.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include "sbog/base/errors.h"
#include "sbog/image/companions.h"
#include "sbog/image/read_images.h"
#include "sbog/image/shapes.h"

namespace sbog::paper {
namespace {

namespace fs = std::filesystem;

// Images per class at the full size: 12,000 and 2,000 where there are ten.
constexpr std::size_t kTrainPerClass = 1200;
constexpr std::size_t kTestPerClass = 200;
constexpr std::size_t kSmallTrainPerClass = 40;
constexpr std::size_t kSmallTestPerClass = 20;
constexpr std::size_t kShapeSide = 16;
constexpr std::uint64_t kCompanionSeed = 77;

// A set of a data folder: where its two parts lie.
struct FileSet {
  const char* name;
  const char* train;
  const char* test;
};
constexpr std::array<FileSet, 3> kFileSets = {
    {{"fashion-mnist", "train-images-idx3-ubyte.gz",
      "t10k-images-idx3-ubyte.gz"},
     {"cifar-10", "train_images.npy", "test_images.npy"},
     {"mnist", "train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"}}};

const FileSet& file_set(const std::string& name) {
  for (const FileSet& set : kFileSets) {
    if (name == set.name) return set;
  }
  throw InvalidArgument("'" + name + "' is no set of images");
}

bool is_there(const std::string& data, const FileSet& set) {
  std::error_code error;
  return fs::exists(fs::path(data) / set.name / set.test, error);
}

// One part of a set in the form of another one; shape {0, 0, 0}: its own.
ImageSet read_part(const std::string& data, const std::string& name,
                   bool is_test, std::size_t per_class,
                   const ImageShape& shape) {
  const FileSet& set = file_set(name);
  ReadImagesOptions options;
  options.channels = shape.channels;
  options.height = shape.height;
  options.width = shape.width;
  const fs::path path =
      fs::path(data) / set.name / (is_test ? set.test : set.train);
  return first_of_each_class(read_images(path, options), per_class);
}

// Stripes, boards and smooth noise in turn.
ImageSet make_textures(const ImageShape& shape, std::size_t count) {
  ImageSet all;
  all.shape = shape;
  all.pixels = Matrix<std::uint8_t>(count, shape.size());
  constexpr std::array kKinds = {Companion::kStripes, Companion::kChecker,
                                 Companion::kBlobs};
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    const ImageSet some =
        make_companion(kKinds[k], shape, count, kCompanionSeed);
    for (std::size_t i = k; i < count; i += kKinds.size()) {
      std::ranges::copy(some.pixels.row(i), all.pixels.row(i).begin());
    }
  }
  return all;
}

ImageSet draw_shapes(std::size_t per_class, std::size_t first) {
  ShapesOptions options;
  options.count = per_class * kShapeClasses;
  options.first = first;
  options.height = options.width = kShapeSide;
  return make_shapes(options);
}

ImageSet outside_set(const std::string& name, const ImageSet& test,
                     std::size_t per_class, const std::string& data) {
  if (name == "textures") return make_textures(test.shape, test.count());
  for (const Companion kind : all_companions()) {
    if (name == to_string(kind)) {
      return make_companion(kind, test, kCompanionSeed);
    }
  }
  return read_part(data, name, true, per_class, test.shape);
}

}  // namespace

std::string image_obstacle(const Settings& settings) {
  const bool is_missing = settings.data.empty() && settings.size == Size::kFull;
  return is_missing ? "the full size needs --data DIR, a folder with "
                      "fashion-mnist, cifar-10 and mnist"
                    : "";
}

std::vector<std::string> list_image_sets(const Settings& settings) {
  if (settings.data.empty()) return {"shapes"};
  std::vector<std::string> sets;
  for (const char* name : {"fashion-mnist", "cifar-10"}) {
    if (is_there(settings.data, file_set(name))) sets.emplace_back(name);
  }
  if (sets.empty()) {
    throw IoError(settings.data, "holds neither fashion-mnist nor cifar-10");
  }
  return wanted_sets(settings, sets);
}

Json image_fields(const std::string& set, const Settings& settings) {
  const bool is_small = settings.size == Size::kSmall;
  Json outside = Json::array();
  if (set == "shapes") {
    outside = {"unseen", "textures", "noise"};
  } else {
    for (const FileSet& other : kFileSets) {
      if (other.name != set && is_there(settings.data, other)) {
        outside.push_back(other.name);
      }
    }
    for (const char* name : {"textures", "noise", "rotated"}) {
      outside.push_back(name);
    }
  }
  return {{"set", set},
          {"train_per_class", is_small ? kSmallTrainPerClass : kTrainPerClass},
          {"test_per_class", is_small ? kSmallTestPerClass : kTestPerClass},
          {"outside", outside}};
}

ImageBench load_image_bench(const Json& configuration,
                            const std::string& data) {
  const std::string set = configuration.at("set");
  const std::size_t train = configuration.at("train_per_class");
  const std::size_t test = configuration.at("test_per_class");
  ImageBench bench;
  if (set == "shapes") {
    bench.train = draw_shapes(train, 0);
    bench.test = draw_shapes(test, train);
  } else {
    bench.train = read_part(data, set, false, train, {0, 0, 0});
    bench.test = read_part(data, set, true, test, {0, 0, 0});
  }
  for (const std::string name : configuration.at("outside")) {
    bench.outside.emplace_back(name, outside_set(name, bench.test, test, data));
  }
  return bench;
}

}  // namespace sbog::paper
