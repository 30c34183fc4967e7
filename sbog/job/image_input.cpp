// SPDX-License-Identifier: Apache-2.0
// See image_input.h.
#include "sbog/job/image_input.h"

#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/image/companions.h"
#include "sbog/image/read_images.h"
#include "sbog/image/resize.h"
#include "sbog/image/shapes.h"

namespace sbog::job {
namespace {

constexpr const char* kImagePrefix = "demo:";
constexpr std::size_t kShapesCount = 1600;
constexpr std::size_t kShapesTestCount = 400;
constexpr std::uint64_t kCompanionSeed = 7;

ImageSet test_shapes() {
  ShapesOptions options;
  options.count = kShapesTestCount;
  options.first = kShapesCount / kShapeClasses;
  return make_shapes(options);
}

ImageSet embedded_images(const std::string& spec) {
  const std::string name = spec.substr(std::string(kImagePrefix).size());
  if (name == "shapes") {
    ShapesOptions options;
    options.count = kShapesCount;
    return make_shapes(options);
  }
  if (name == "shapes-test") return test_shapes();
  return make_companion(companion_of_name(name), test_shapes(), kCompanionSeed);
}

}  // namespace

bool is_embedded_images(const std::string& data) {
  if (!data.starts_with(kImagePrefix)) return false;
  const std::string name = data.substr(std::string(kImagePrefix).size());
  if (name == "shapes" || name == "shapes-test") return true;
  for (const Companion kind : all_companions()) {
    if (name == to_string(kind)) return true;
  }
  return false;
}

ImageSet load_images(const std::string& data, const std::string& labels,
                     const ImageInput& input, Events& events) {
  if (is_embedded_images(data)) {
    ImageSet images = embedded_images(data);
    if (input.side != 0) images = resize(images, input.side, input.side);
    return input.limit == 0 ? std::move(images)
                            : first_of_each_class(images, input.limit);
  }
  if (data.starts_with(kImagePrefix)) {
    throw InvalidArgument("'" + data +
                          "' is no embedded set of images: demo:shapes, "
                          "demo:shapes-test, demo:unseen, demo:stripes, "
                          "demo:checker, demo:noise, demo:blobs, "
                          "demo:inverted and demo:rotated are");
  }
  ReadImagesOptions options;
  options.labels = labels;
  options.class_names = input.class_names;
  options.height = options.width = input.side;
  ImageSet images = read_images(data, options);
  if (!images.reading.empty()) {
    events.on_note(data + ": " + images.reading);
  }
  return input.limit == 0 ? std::move(images)
                          : first_of_each_class(images, input.limit);
}

ImageSet load_known_classes(const std::string& data, const std::string& labels,
                            const ImageInput& input, Events& events) {
  ImageSet images = load_images(data, labels, input, events);
  if (class_count(images) < 2) {
    throw InvalidArgument(data +
                          ": images of at least two classes are expected; "
                          "name their labels by --labels");
  }
  return images;
}

}  // namespace sbog::job
