// SPDX-License-Identifier: Apache-2.0
// The report of a run on images; see report_files.h. Its points are reported as
// those of any run; here are the images that were decoded from them.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/image/png.h"
#include "sbog/image/read_images.h"
#include "sbog/image/resize.h"
#include "sbog/job/report_files.h"
#include "sbog/report/safe_text.h"

namespace sbog::job {
namespace {

using Node = nlohmann::json;

constexpr const char* kUnseen = "unseen_nearest_distance";

// Larger pictures are shrunk: a page should open fast, and decoded/ has them.
constexpr std::size_t kMostPixels = 96;

// Columns of decoded/images.csv.
enum Column { kOutlier, kClass, kEnergy, kDecoded, kCosine, kNearest };

struct Decoded {
  Matrix<double> values;  // a row per image, by Column
  ImageSet images;
  ImageSet sources;
};

ImageSet read_decoded(const std::string& path, std::size_t count) {
  // What the run wrote: channels first, whatever the extents look like.
  ReadImagesOptions options;
  options.layout = PixelLayout::kChannelsFirst;
  options.range = PixelRange::kByte;
  options.finds_labels = false;
  ImageSet images = read_images(path, options);
  if (images.count() != count) {
    throw IoError(path, "has " + std::to_string(images.count()) +
                            " images for " + std::to_string(count) +
                            " rows of images.csv");
  }
  return images;
}

Decoded read_decoded_files(const FinishedRun& run) {
  const std::string path = run.file("decoded/images.csv");
  CsvOptions csv;
  csv.header = CsvHeader::kPresent;
  csv.allows_missing = true;
  csv.columns = {"outlier",        "class",       "class_energy",
                 "decoded_energy", "consistency", "nearest_distance"};
  Decoded decoded;
  decoded.values = read_csv(path, csv).values;
  const std::size_t count = decoded.values.rows();
  decoded.images = read_decoded(run.file("decoded/images.npy"), count);
  decoded.sources = read_decoded(run.file("decoded/source-images.npy"), count);
  return decoded;
}

// The position of each image's class in the report.
std::vector<std::size_t> classes_of(const Decoded& decoded,
                                    const FinishedRun& run) {
  std::vector<std::size_t> positions;
  const Node& classes = run.manifest().at("classes");
  for (std::size_t i = 0; i < decoded.values.rows(); ++i) {
    const auto found =
        std::find_if(classes.begin(), classes.end(), [&](const Node& entry) {
          return entry.at("label").get<double>() == decoded.values(i, kClass);
        });
    const double outlier = decoded.values(i, kOutlier);
    if (found == classes.end() || !(outlier >= 0.0 && outlier < 9e15)) {
      throw IoError(run.file("decoded/images.csv"),
                    "row " + std::to_string(i) +
                        " names an outlier that the run does not have");
    }
    positions.push_back(static_cast<std::size_t>(found - classes.begin()));
  }
  return positions;
}

// Of every class the same number, from its lowest to its highest energy, and
// no more in all than the page takes.
std::vector<std::size_t> choose(const Decoded& decoded,
                                const std::vector<std::size_t>& classes,
                                std::size_t class_count) {
  const std::size_t quota =
      std::max<std::size_t>(1, ReportLimits::kImages / class_count);
  std::vector<std::size_t> chosen;
  for (std::size_t c = 0; c < class_count; ++c) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i] == c) members.push_back(i);
    }
    std::stable_sort(
        members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
          return decoded.values(a, kEnergy) < decoded.values(b, kEnergy);
        });
    const std::size_t count = std::min(quota, members.size());
    for (std::size_t k = 0; k < count; ++k) {
      if (chosen.size() == ReportLimits::kImages) return chosen;
      chosen.push_back(
          members[count == 1 ? 0 : k * (members.size() - 1) / (count - 1)]);
    }
  }
  return chosen;
}

std::string png_of(const ImageSet& set, std::size_t i) {
  const auto row = set.pixels.row(i);
  Image image{set.shape, {row.begin(), row.end()}};
  const std::size_t longest = std::max(set.shape.height, set.shape.width);
  if (longest > kMostPixels) {
    const auto shrunk = [&](std::size_t side) {
      return std::max<std::size_t>(1, side * kMostPixels / longest);
    };
    image = resize(image, shrunk(set.shape.height), shrunk(set.shape.width));
  }
  return base64(encode_png(image.shape, image.pixels));
}

void add_images(const FinishedRun& run, ReportData& data) {
  if (!run.has_file("decoded/images.npy")) return;
  const Decoded decoded = read_decoded_files(run);
  const std::vector<std::size_t> classes = classes_of(decoded, run);
  data.images_total = decoded.images.count();
  for (const std::size_t i : choose(decoded, classes, data.classes.size())) {
    const auto known = [&](Column column) {
      const double value = decoded.values(i, column);
      return std::isnan(value) ? std::optional<double>()
                               : std::optional<double>(value);
    };
    ReportImage image;
    image.outlier = static_cast<std::size_t>(decoded.values(i, kOutlier));
    image.cls = classes[i];
    image.png = png_of(decoded.images, i);
    image.source_png = png_of(decoded.sources, i);
    image.energy = known(kEnergy);
    image.decoded_energy = known(kDecoded);
    image.consistency = known(kCosine);
    image.nearest_image = known(kNearest);
    data.images.push_back(std::move(image));
  }
  const ImageShape& shape = decoded.images.shape;
  if (std::max(shape.height, shape.width) > kMostPixels) {
    data.notes.push_back("Pictures are shrunk to " +
                         std::to_string(kMostPixels) +
                         " pixels a side; decoded/ of the run has them whole.");
  }
}

struct ImageEntry {
  const char* key;
  ReportMetric metric;
};

// What image_metrics.Node holds, in words.
std::vector<ImageEntry> image_metrics() {
  constexpr const char* kNeutral = "neutral";
  constexpr const char* kHigher = "higher is better";
  return {{"accuracy",
           {"Accuracy",
            {},
            kHigher,
            "share of images that were not trained on whose class is found",
            ""}},
          {"decoded_outside",
           {"Decoded_outside",
            {},
            kHigher,
            "share of decoded images that the encoder places outside of their "
            "class",
            ""}},
          {"class_energy",
           {"Class_energy",
            {},
            kNeutral,
            "mean energy of the decoded points, against their whole class",
            ""}},
          {"decoded_energy",
           {"Decoded_energy",
            {},
            kNeutral,
            "the same after decoding: of the points of the images",
            ""}},
          {"consistency",
           {"Consistency",
            {},
            kHigher,
            "mean cosine of an outlier and the point of its image",
            ""}},
          {"least_consistency",
           {"Consistency_min", {}, kHigher, "the smallest of them", ""}},
          {"nearest_distance",
           {"Pixels_mean",
            {},
            kNeutral,
            "mean distance to the nearest training image, root mean square of "
            "pixels in [0, 1]; 0 is a copy",
            ""}},
          {"least_nearest_distance",
           {"Pixels_min", {}, kNeutral, "the smallest of them", ""}},
          {kUnseen,
           {"Pixels_unseen",
            {},
            kNeutral,
            "the same mean for real images that were not trained on",
            ""}}};
}

// Those of the images come first; those of the points may be missing yet.
void add_image_metrics(const FinishedRun& run, ReportData& data) {
  const Node found = json_of_file(run.file("image_metrics.json"));
  std::vector<ReportMetric> metrics;
  for (ImageEntry& entry : image_metrics()) {
    if (found.contains(entry.key)) {
      entry.metric.value = found.at(entry.key).get<double>();
    } else if (found.at("decoded").get<std::size_t>() == 0) {
      entry.metric.reason = "nothing was decoded";
    } else {
      entry.metric.reason =
          std::string_view(entry.key) == kUnseen
              ? "all images were trained on, or the run does not say"
              : "it needs an encoder of images";
    }
    metrics.push_back(std::move(entry.metric));
  }
  if (data.metrics) {
    metrics.insert(metrics.end(), data.metrics->begin(), data.metrics->end());
  } else {
    data.notes.push_back("Metrics of the points are missing: " +
                         data.metrics_note);
  }
  data.metrics = std::move(metrics);
}

}  // namespace

std::optional<ReportData> image_report(const ReportOptions& options,
                                       const FinishedRun& run, Events& events,
                                       const Context& context) {
  std::optional<ReportData> data = latent_report(options, run, events, context);
  if (!data) return data;
  add_image_metrics(run, *data);
  add_images(run, *data);
  data->notes.push_back(
      "A point of the bank is the place of a training image. The outlier is a "
      "point; its image is the reading of the decoder " +
      run.manifest().at("decoder").get<std::string>() + ".");
  return data;
}

}  // namespace sbog::job
