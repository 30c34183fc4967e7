// SPDX-License-Identifier: Apache-2.0
// Class means, anchors and cosines to them; see class_similarity.h.
#include "sbog/metrics/class_similarity.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/base/mean.h"
#include "sbog/energy/reference_measure.h"
#include "sbog/metrics/detail/points.h"

namespace sbog {
namespace {

/// A mean of unit vectors shorter than this is rounding, not a direction.
constexpr double kLeastMeanLength = 1e-12;

// Row of the direction of each source class.
std::vector<std::size_t> rows_of_sources(
    std::span<const std::int64_t> sources,
    const std::vector<std::int64_t>& classes) {
  std::map<std::int64_t, std::size_t> row_of;
  for (std::size_t row = 0; row < classes.size(); ++row) {
    row_of.emplace(classes[row], row);
  }
  std::vector<std::size_t> rows;
  rows.reserve(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto found = row_of.find(sources[i]);
    if (found == row_of.end()) {
      throw InvalidArgument("source classes: row " + std::to_string(i) +
                            " has class " + std::to_string(sources[i]) +
                            ", which has no direction");
    }
    rows.push_back(found->second);
  }
  return rows;
}

// What one point says.
struct PointSimilarity {
  double own = 0.0;
  double best_other = -std::numeric_limits<double>::infinity();
  bool is_contaminated = false;
};

PointSimilarity similarity_of(std::span<const double> unit, std::size_t own,
                              const Matrix<double>& directions) {
  PointSimilarity result;
  result.own = detail::dot(unit, directions.row(own));
  for (std::size_t row = 0; row < directions.rows(); ++row) {
    if (row == own) continue;
    const double cosine = detail::dot(unit, directions.row(row));
    result.best_other = std::max(result.best_other, cosine);
    // An equal cosine of an earlier row takes the argmax.
    if (cosine > result.own || (cosine == result.own && row < own)) {
      result.is_contaminated = true;
    }
  }
  return result;
}

}  // namespace

template <typename T>
std::optional<ClassDirections> class_prototypes(
    MatrixView<const T> points, std::span<const std::int64_t> labels) {
  check_label_count(labels, points.rows(), "labels");
  check_points(points, GroundCost::kCosine, "points");
  const auto members = rows_by_label(labels);
  ClassDirections result{Matrix<double>(members.size(), points.cols()), {}};
  std::vector<double> unit(points.cols());
  for (const auto& [label, rows] : members) {
    std::vector<double> sum(points.cols(), 0.0);
    for (const std::size_t row : rows) {
      detail::unit_row(points.row(row), std::span<double>(unit));
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += unit[k];
    }
    const double least = kLeastMeanLength * static_cast<double>(rows.size());
    if (detail::dot(sum, sum) < least * least) return std::nullopt;
    const std::span<const double> direction(sum);
    detail::unit_row(direction, result.directions.row(result.classes.size()));
    result.classes.push_back(label);
  }
  return result;
}

template <typename T>
ClassDirections class_anchors(MatrixView<const T> anchors,
                              std::span<const std::int64_t> classes) {
  check_points(anchors, GroundCost::kCosine, "anchors");
  ClassDirections result{Matrix<double>(anchors.rows(), anchors.cols()), {}};
  if (classes.empty()) {
    result.classes.resize(anchors.rows());
    std::iota(result.classes.begin(), result.classes.end(), std::int64_t{0});
  } else {
    check_label_count(classes, anchors.rows(), "anchor classes");
    result.classes.assign(classes.begin(), classes.end());
  }
  for (const auto& [label, rows] : rows_by_label(result.classes)) {
    if (rows.size() == 1) continue;
    throw InvalidArgument("anchor classes: class " + std::to_string(label) +
                          " is named " + std::to_string(rows.size()) +
                          " times, once is expected");
  }
  for (std::size_t i = 0; i < anchors.rows(); ++i) {
    detail::unit_row(anchors.row(i), result.directions.row(i));
  }
  return result;
}

template <typename T>
ClassSimilarity class_similarity(MatrixView<const T> points,
                                 std::span<const std::int64_t> source_classes,
                                 const ClassDirections& directions,
                                 const Context& context) {
  check_label_count(source_classes, points.rows(), "source classes");
  check_points(points, GroundCost::kCosine, "points");
  detail::check_same_dimension(directions.directions.cols(), points.cols(),
                               "points");
  const std::vector<std::size_t> own =
      rows_of_sources(source_classes, directions.classes);
  const std::size_t count = points.rows();
  ClassSimilarity result;
  result.cosines.resize(count);
  std::vector<double> others(count);
  std::vector<char> is_contaminated(count);
  std::vector<std::vector<double>> units(worker_count(context),
                                         std::vector<double>(points.cols()));
  parallel_for(context, count, [&](std::size_t i, std::size_t worker) {
    detail::unit_row(points.row(i), std::span<double>(units[worker]));
    const PointSimilarity mine =
        similarity_of(units[worker], own[i], directions.directions);
    result.cosines[i] = mine.own;
    others[i] = mine.best_other;
    is_contaminated[i] = mine.is_contaminated ? 1 : 0;
  });
  result.mean_cosine = mean_of(result.cosines);
  result.contamination =
      static_cast<double>(
          std::count(is_contaminated.begin(), is_contaminated.end(), 1)) /
      static_cast<double>(count);
  if (directions.classes.size() > 1) {
    for (std::size_t i = 0; i < count; ++i) {
      result.margins.push_back(result.cosines[i] - others[i]);
    }
    result.margin = mean_of(result.margins);
  }
  return result;
}

template std::optional<ClassDirections> class_prototypes(
    MatrixView<const float>, std::span<const std::int64_t>);
template std::optional<ClassDirections> class_prototypes(
    MatrixView<const double>, std::span<const std::int64_t>);
template ClassDirections class_anchors(MatrixView<const float>,
                                       std::span<const std::int64_t>);
template ClassDirections class_anchors(MatrixView<const double>,
                                       std::span<const std::int64_t>);
template ClassSimilarity class_similarity(MatrixView<const float>,
                                          std::span<const std::int64_t>,
                                          const ClassDirections&,
                                          const Context&);
template ClassSimilarity class_similarity(MatrixView<const double>,
                                          std::span<const std::int64_t>,
                                          const ClassDirections&,
                                          const Context&);

}  // namespace sbog
