// SPDX-License-Identifier: Apache-2.0
// Metrics and words; see image_facts.h.
#include "linked/image_facts.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "sbog/base/mean.h"

namespace sbog::cli {
namespace {

using image::ImageModel;
using image::LatentOutliers;

double least_of(const std::vector<double>& values) {
  return values.empty() ? 0.0 : *std::min_element(values.begin(), values.end());
}

// Share of decoded images whose energy reaches the threshold of their class.
double outside_share(const LatentOutliers& outliers,
                     const DecodedOutliers& decoded) {
  if (decoded.rows.empty()) return 0.0;
  std::size_t outside = 0;
  for (std::size_t i = 0; i < decoded.rows.size(); ++i) {
    const std::int64_t label = outliers.classes[decoded.rows[i]];
    for (const ClassReport& report : outliers.reports) {
      if (report.label == label && decoded.energy[i] >= report.plan.threshold) {
        ++outside;
      }
    }
  }
  return static_cast<double>(outside) /
         static_cast<double>(decoded.rows.size());
}

}  // namespace

nlohmann::ordered_json image_metrics_json(const ImageModel& model,
                                          const LatentOutliers& outliers,
                                          const DecodedOutliers& decoded) {
  std::vector<double> energies;
  std::vector<double> cosines;
  for (const Output<float>& output : outliers.outputs) {
    energies.push_back(output.energy);
    cosines.push_back(output.class_cosine);
  }
  nlohmann::ordered_json json;
  json["accuracy"] = model.accuracy;
  json["outliers"] = outliers.latents.rows();
  json["energy"] = mean_of(energies);
  json["class_cosine"] = mean_of(cosines);
  json["decoded"] = decoded.rows.size();
  if (decoded.rows.empty()) return json;
  json["class_energy"] = mean_of(decoded.class_energy);
  if (!decoded.energy.empty()) {  // there is an encoder to ask
    json["decoded_energy"] = mean_of(decoded.energy);
    json["decoded_outside"] = outside_share(outliers, decoded);
    json["consistency"] = mean_of(decoded.consistency);
    json["least_consistency"] = least_of(decoded.consistency);
  }
  json["nearest_distance"] = mean_of(decoded.distance);
  json["least_nearest_distance"] = least_of(decoded.distance);
  if (!decoded.unseen_distance.empty()) {
    json["unseen_nearest_distance"] = mean_of(decoded.unseen_distance);
  }
  return json;
}

void print_image_run(const nlohmann::json& manifest,
                     const nlohmann::ordered_json& metrics,
                     const GenerateArguments& shared,
                     const CommonOptions& common, double seconds) {
  if (!common.prints_result) return;
  if (common.is_json) {
    nlohmann::json result = manifest;
    for (auto& entry : result["classes"]) entry.erase("anchors");
    result["out"] = shared.out;
    result["seconds"] = seconds;
    result["metrics"] = metrics;
    std::printf("%s\n", result.dump(2).c_str());
    return;
  }
  std::printf("%s of %s outliers in %s (%s)\n",
              with_commas(manifest["produced"].get<std::size_t>()).c_str(),
              with_commas(manifest["requested"].get<std::size_t>()).c_str(),
              shared.out.c_str(), duration(seconds).c_str());
  if (!metrics.contains("nearest_distance")) return;
  std::printf("decoded: %s images",
              with_commas(metrics["decoded"].get<std::size_t>()).c_str());
  if (metrics.contains("consistency")) {
    std::printf(
        ", taken by the encoder for their points by a cosine of %.2f; %.0f %% "
        "of them lie outside of their class",
        metrics["consistency"].get<double>(),
        100.0 * metrics["decoded_outside"].get<double>());
  }
  std::printf("\nnearest training image: %.3f away on average, %.3f at least",
              metrics["nearest_distance"].get<double>(),
              metrics["least_nearest_distance"].get<double>());
  if (metrics.contains("unseen_nearest_distance")) {
    std::printf("; of real images that were not trained on: %.3f",
                metrics["unseen_nearest_distance"].get<double>());
  }
  std::printf(
      " (root mean square of pixels in [0, 1])\n"
      "see %s/decoded/grid.png: sources and outliers side by side, a line per "
      "class, by increasing energy\n",
      shared.out.c_str());
}

void warn_of_classes(const LatentOutliers& outliers,
                     const std::vector<std::string>& names,
                     const Console& console) {
  for (const ClassReport& report : outliers.reports) {
    if (report.produced == report.requested) continue;
    const std::string& name = names[static_cast<std::size_t>(report.label)];
    console.warn(
        "class " + std::to_string(report.label) +
        (name.empty() ? "" : " (" + name + ")") + ": " +
        with_commas(report.produced) + " of " + with_commas(report.requested) +
        " outliers are feasible; the " + report.binding + " test binds");
  }
}

}  // namespace sbog::cli
