// SPDX-License-Identifier: Apache-2.0
// The scores of boundary_metrics.h.
#include "sbog/oracle/boundary_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace {

// What the exact densities say about one output.
struct Reading {
  std::array<bool, kPerturbations> is_in_band{};
  bool is_valid = false;
};

void check_outputs(const BoundaryOutputs& outputs,
                   std::span<const BandSample> bands) {
  const std::size_t count = outputs.classes.size();
  if (outputs.points.rows() != count || outputs.windows.rows() != count ||
      bands.size() != kOracleRegions) {
    throw InvalidArgument(
        "boundary: a point, a window and a class per output and one sample per "
        "region are expected");
  }
  for (const std::size_t cls : outputs.classes) {
    if (cls >= kOracleClasses) {
      throw InvalidArgument("boundary: a class below 3 is expected, got " +
                            std::to_string(cls));
    }
  }
}

double share_of(const std::vector<Reading>& readings,
                bool (*holds)(const Reading&)) {
  if (readings.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto count = std::count_if(readings.begin(), readings.end(), holds);
  return static_cast<double>(count) / static_cast<double>(readings.size());
}

}  // namespace

double neighbour_radius(MatrixView<const float> points,
                        std::size_t neighbours) {
  const std::size_t n = points.rows();
  if (neighbours == 0 || n <= neighbours) {
    throw InvalidArgument("radius: more than " + std::to_string(neighbours) +
                          " points are expected, got " + std::to_string(n));
  }
  const auto kth = static_cast<std::ptrdiff_t>(neighbours) - 1;
  std::vector<double> radii(n);
  std::vector<double> apart;
  for (std::size_t i = 0; i < n; ++i) {
    apart.clear();
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      apart.push_back(
          squared_distance<float, float>(points.row(i), points.row(j)));
    }
    std::nth_element(apart.begin(), apart.begin() + kth, apart.end());
    radii[i] = apart[neighbours - 1];
  }
  return quantile(radii, 0.5);
}

double covered_share(MatrixView<const float> targets,
                     MatrixView<const float> points, double radius) {
  if (targets.rows() == 0) return 0.0;
  std::size_t covered = 0;
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    for (std::size_t j = 0; j < points.rows(); ++j) {
      if (squared_distance<float, float>(targets.row(i), points.row(j)) <=
          radius) {
        ++covered;
        break;
      }
    }
  }
  return static_cast<double>(covered) / static_cast<double>(targets.rows());
}

BoundaryScores score_boundary(const Boundary& boundary,
                              const BoundaryOutputs& outputs,
                              std::span<const BandSample> bands,
                              const Context& context) {
  check_outputs(outputs, bands);
  std::vector<Reading> readings(outputs.classes.size());
  parallel_for(context, readings.size(), [&](std::size_t i, std::size_t) {
    const std::size_t cls = outputs.classes[i];
    const auto window = outputs.windows.row(i);
    for (std::size_t k = 0; k < kPerturbations; ++k) {
      readings[i].is_in_band[k] =
          boundary.is_in_band(kPerturbations * cls + k, window);
    }
    readings[i].is_valid = boundary.likeliest_class(window) == cls;
  });
  BoundaryScores scores;
  scores.precision = share_of(readings, [](const Reading& reading) {
    return std::any_of(reading.is_in_band.begin(), reading.is_in_band.end(),
                       [](bool is_in) { return is_in; });
  });
  scores.validity = share_of(
      readings, [](const Reading& reading) { return reading.is_valid; });
  scores.region_coverage.resize(kOracleRegions);
  parallel_for(context, kOracleRegions, [&](std::size_t l, std::size_t) {
    std::vector<std::size_t> mine;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      if (outputs.classes[i] == l / kPerturbations &&
          readings[i].is_in_band[l % kPerturbations]) {
        mine.push_back(i);
      }
    }
    scores.region_coverage[l] =
        covered_share(bands[l].points, copy_rows<float>(outputs.points, mine),
                      bands[l].radius);
  });
  scores.coverage = std::accumulate(scores.region_coverage.begin(),
                                    scores.region_coverage.end(), 0.0) /
                    static_cast<double>(kOracleRegions);
  scores.worst_coverage = *std::min_element(scores.region_coverage.begin(),
                                            scores.region_coverage.end());
  return scores;
}

}  // namespace sbog
