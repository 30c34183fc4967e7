// SPDX-License-Identifier: Apache-2.0
// The report of a run on images; see report_files.h. Its points are reported as
// those of any run; here are the images that were decoded from them.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "sbog/base/number_text.h"
#include "sbog/image/png.h"
#include "sbog/image/resize.h"
#include "sbog/job/image_table.h"
#include "sbog/job/report_files.h"
#include "sbog/job/report_stress.h"
#include "sbog/job/stress_cases.h"
#include "sbog/report/safe_text.h"

namespace sbog::job {
namespace {

using Node = nlohmann::json;

constexpr const char* kUnseen = "unseen_nearest_distance";

// Larger pictures are shrunk: a page should open fast, and decoded/ has them.
constexpr std::size_t kMostPixels = 96;

struct Decoded {
  std::vector<DecodedRow> rows;
  ImageSet images;
  ImageSet sources;
};

Decoded read_decoded(const FinishedRun& run) {
  Decoded decoded;
  decoded.rows = read_decoded_rows(run);
  const std::size_t count = decoded.rows.size();
  decoded.images = read_decoded_images(run, "images.npy", count);
  decoded.sources = read_decoded_images(run, "source-images.npy", count);
  return decoded;
}

// The clearest cases of weak spots, and of every class the same number, from
// its lowest to its highest energy; no more in all than the page takes. By
// class and then by energy.
std::vector<std::size_t> choose(const std::vector<DecodedRow>& rows,
                                const std::vector<std::size_t>& clearest,
                                std::size_t class_count) {
  std::set<std::size_t> chosen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (chosen.size() == ReportLimits::kImages) break;
    if (std::ranges::find(clearest, rows[i].outlier) != clearest.end()) {
      chosen.insert(i);
    }
  }
  const auto is_lower = [&](std::size_t a, std::size_t b) {
    return rows[a].energy.value_or(0.0) < rows[b].energy.value_or(0.0);
  };
  const std::size_t quota =
      std::max<std::size_t>(1, ReportLimits::kImages / class_count);
  std::vector<std::size_t> in_order;
  for (std::size_t c = 0; c < class_count; ++c) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].cls == c) members.push_back(i);
    }
    std::ranges::stable_sort(members, is_lower);
    const std::size_t count = std::min(quota, members.size());
    for (std::size_t k = 0; k < count; ++k) {
      if (chosen.size() == ReportLimits::kImages) break;
      chosen.insert(
          members[count == 1 ? 0 : k * (members.size() - 1) / (count - 1)]);
    }
    for (const std::size_t i : members) {
      if (chosen.contains(i)) in_order.push_back(i);
    }
  }
  return in_order;
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

// Which of the decoded images are no outliers after all, in a sentence.
void add_outside_note(const std::vector<DecodedRow>& rows, ReportData& data) {
  data.images_outside = outside_count(rows);
  if (!data.images_outside) return;
  const std::size_t inside = rows.size() - *data.images_outside;
  for (const DecodedRow& row : rows) {
    if (row.is_outside == false) ++data.classes[row.cls].inside;
  }
  if (inside == 0) {
    data.notes.push_back("All " + with_commas(rows.size()) +
                         " decoded images lie outside of their class.");
    return;
  }
  data.notes.push_back(
      with_commas(*data.images_outside) + " of " + with_commas(rows.size()) +
      " decoded images lie outside of their class; the other " +
      with_commas(inside) +
      " lie inside again after decoding: they are marked, and are no outliers "
      "(--outside-only keeps drawing until all lie outside).");
}

void add_images(const FinishedRun& run, ReportData& data) {
  if (!run.has_file("decoded/images.npy")) return;
  const Decoded decoded = read_decoded(run);
  data.images_total = decoded.images.count();
  add_outside_note(decoded.rows, data);
  const auto chosen =
      choose(decoded.rows, clearest_cases(data.stress), data.classes.size());
  for (const std::size_t i : chosen) {
    const DecodedRow& row = decoded.rows[i];
    ReportImage image;
    image.outlier = row.outlier;
    image.cls = row.cls;
    image.png = png_of(decoded.images, i);
    image.source_png = png_of(decoded.sources, i);
    image.energy = row.energy;
    image.decoded_energy = row.decoded_energy;
    image.is_outside = row.is_outside;
    image.severity = severity_of_text(row.severity);
    image.consistency = row.consistency;
    image.nearest_image = row.nearest;
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
