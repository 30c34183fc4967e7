// SPDX-License-Identifier: Apache-2.0
// Writing and checked reading of detectors; see cluster_detector_file.h.
#include "sbog/series/cluster_detector_file.h"

#include <algorithm>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/series/detail/model_checkpoint.h"

namespace sbog::series {
namespace {

using detail::ModelExtras;
using detail::ModelFields;

constexpr const char* kClusterDetectorFormat = "sbog-cluster-detector-1";
constexpr const char* kWeight = "cluster.weight";
constexpr const char* kBias = "cluster.bias";
constexpr std::size_t kMostClasses = 4096;
constexpr std::size_t kMostRows = std::size_t{1} << 40;
constexpr double kLeastLevel = 1e-300;
constexpr double kMostLevel = 1.0 - 0x1p-53;  // the last below 1

ModelExtras extras_of(const ClusterDetector& detector) {
  std::vector<double> normal(detector.normal.begin(), detector.normal.end());
  return {detector.head,
          {{"normal", std::move(normal)},
           {"training_scores", detector.training_scores}},
          {{"rule", to_string(detector.rule)},
           {"level", shortest(detector.level)},
           {"classes", std::to_string(detector.normal.size())},
           {"rows", std::to_string(detector.training_scores.size())}}};
}

// Zeros of the sizes that the metadata names, once the file has them.
ModelExtras expected_extras(const ModelFields& fields,
                            const SafetensorsFile& file) {
  const std::size_t classes = fields.count("classes", 2, kMostClasses);
  const std::size_t rows = fields.count("rows", 1, kMostRows);
  const std::size_t inputs = fields.count("head", 1, kMostRows);
  detail::check_tensor(file, std::string("parameter.") + kWeight,
                       {classes, inputs});
  detail::check_tensor(file, "vector.training_scores", {rows});
  ModelExtras extras;
  extras.parameters.add(kWeight, {classes, inputs});
  extras.parameters.add(kBias, {classes});
  extras.vectors["normal"] = std::vector<double>(classes);
  extras.vectors["training_scores"] = std::vector<double>(rows);
  return extras;
}

std::vector<bool> flags_of(const std::string& path,
                           const std::vector<double>& values) {
  std::vector<bool> flags;
  for (const double value : values) {
    if (value != 0.0 && value != 1.0) {
      throw IoError(path, "its classes are to be marked by 0 and 1");
    }
    flags.push_back(value == 1.0);
  }
  if (std::find(flags.begin(), flags.end(), true) == flags.end()) {
    throw IoError(path, "none of its classes is normal");
  }
  return flags;
}

void check_scores(const std::string& path, const std::vector<double>& scores) {
  if (!std::is_sorted(scores.begin(), scores.end()) || scores.front() < 0.0 ||
      scores.back() > 1.0) {
    throw IoError(path,
                  "its training scores are not ascending or not within 0 and "
                  "1");
  }
}

}  // namespace

void write_cluster_detector(const std::string& path,
                            const ClusterDetector& detector) {
  detail::write_model(path, kClusterDetectorFormat, detector.model,
                      extras_of(detector));
}

ClusterDetector read_cluster_detector(const std::string& path) {
  NegativeRule rule{};
  double level = 0.0;
  ModelExtras extras;
  SeriesModel model = detail::read_model(
      path, kClusterDetectorFormat,
      [&](const ModelFields& fields, const SafetensorsFile& file) {
        try {
          rule = parse_negative_rule(fields.text("rule"));
        } catch (const InvalidArgument& error) {
          fields.fail(error.what());
        }
        level = fields.real("level", kLeastLevel, kMostLevel);
        return expected_extras(fields, file);
      },
      &extras);
  std::vector<double>& scores = extras.vectors.at("training_scores");
  check_scores(path, scores);
  return {std::move(model),
          rule,
          std::move(extras.parameters),
          flags_of(path, extras.vectors.at("normal")),
          std::move(scores),
          level};
}

}  // namespace sbog::series
