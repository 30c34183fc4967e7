// SPDX-License-Identifier: Apache-2.0
// Images from the command line; see image_input.h.
#include "image_input.h"

#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/image/companions.h"
#include "sbog/image/read_images.h"
#include "sbog/image/resize.h"
#include "sbog/image/shapes.h"

namespace sbog::cli {
namespace {

constexpr const char* kPrefix = "demo:";
constexpr std::size_t kTrainCount = 1600;
constexpr std::size_t kTestCount = 400;
constexpr std::uint64_t kSeed = 7;

ImageSet test_shapes() {
  ShapesOptions options;
  options.count = kTestCount;
  options.first = kTrainCount / kShapeClasses;
  return make_shapes(options);
}

ImageSet embedded_images(const std::string& spec) {
  const std::string name = spec.substr(std::string(kPrefix).size());
  if (name == "shapes") {
    ShapesOptions options;
    options.count = kTrainCount;
    return make_shapes(options);
  }
  if (name == "shapes-test") return test_shapes();
  return make_companion(companion_of_name(name), test_shapes(), kSeed);
}

// The first `limit` images of each class.
ImageSet first_of_each(ImageSet images, std::size_t limit) {
  if (limit == 0) return images;
  std::vector<std::size_t> counts(class_count(images) + 1, 0);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < images.count(); ++i) {
    const std::size_t label =
        images.labels.empty() ? 0 : static_cast<std::size_t>(images.labels[i]);
    if (counts[label]++ < limit) rows.push_back(i);
  }
  return take(images, rows);
}

}  // namespace

void declare_image_options(CLI::App& command, ImageInput& input,
                           const std::string& group) {
  const auto grouped = [&](CLI::Option* option) {
    if (!group.empty()) option->group(group);
  };
  grouped(command.add_option("--class-names", input.class_names,
                             "A text with one class name per line"));
  grouped(command.add_option("--side", input.side,
                             "Resize images to so many pixels each way, 0 = "
                             "as they are"));
  grouped(command.add_option("--limit", input.limit,
                             "Images per class at most, 0 = all"));
}

bool is_embedded_images(const std::string& spec) {
  if (!spec.starts_with(kPrefix)) return false;
  const std::string name = spec.substr(std::string(kPrefix).size());
  if (name == "shapes" || name == "shapes-test") return true;
  for (const Companion kind : all_companions()) {
    if (name == to_string(kind)) return true;
  }
  return false;
}

ImageSet load_images(const ImageInput& input, const Console& console) {
  if (is_embedded_images(input.data)) {
    ImageSet images = embedded_images(input.data);
    if (input.side != 0) images = resize(images, input.side, input.side);
    return first_of_each(std::move(images), input.limit);
  }
  if (input.data.starts_with(kPrefix)) {
    throw InvalidArgument("'" + input.data +
                          "' is no embedded set of images: demo:shapes, "
                          "demo:shapes-test, demo:unseen, demo:stripes, "
                          "demo:checker, demo:noise, demo:blobs, "
                          "demo:inverted and demo:rotated are");
  }
  ReadImagesOptions options;
  options.labels = input.labels;
  options.class_names = input.class_names;
  options.height = options.width = input.side;
  ImageSet images = read_images(input.data, options);
  if (!images.reading.empty()) {
    console.note(input.data + ": " + images.reading);
  }
  return first_of_each(std::move(images), input.limit);
}

ImageSet load_known_classes(const ImageInput& input, const Console& console) {
  ImageSet images = load_images(input, console);
  if (class_count(images) < 2) {
    throw InvalidArgument(input.data +
                          ": images of at least two classes are expected; "
                          "name their labels by --labels");
  }
  return images;
}

}  // namespace sbog::cli
