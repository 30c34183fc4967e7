// SPDX-License-Identifier: Apache-2.0
// See labelled_bank.h.
#include "sbog/detect/labelled_bank.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/base/labels.h"
#include "sbog/energy/reference_measure.h"
#include "sbog/energy/score_bank.h"

namespace sbog::detect {
namespace {

// Streams of draw_subset, plus the number of the class.
constexpr std::uint32_t kSplitPurpose = 0x44000000;

}  // namespace

Matrix<float> unit_rows(MatrixView<const float> points,
                        const std::string& name) {
  check_points(points, GroundCost::kCosine, name);
  Matrix<float> unit(points.rows(), points.cols());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double length = norm_of<float>(points.row(i));
    for (std::size_t j = 0; j < points.cols(); ++j) {
      unit(i, j) = static_cast<float>(points(i, j) / length);
    }
  }
  return unit;
}

LabelledBank make_bank(MatrixView<const float> points,
                       std::span<const std::int64_t> labels,
                       const std::string& name) {
  if (points.is_empty()) {
    throw InvalidArgument(name + ": at least one point is expected, got " +
                          std::to_string(points.rows()) + " x " +
                          std::to_string(points.cols()));
  }
  LabelledBank bank;
  bank.points = unit_rows(points, name);
  if (labels.empty()) {
    bank.classes.assign(points.rows(), 0);
    bank.class_labels = {0};
    return bank;
  }
  check_label_count(labels, points.rows(), "labels");
  bank.classes.resize(points.rows());
  for (const auto& [label, rows] : rows_by_label(labels)) {
    for (const std::size_t row : rows) bank.classes[row] = bank.class_count();
    bank.class_labels.push_back(label);
  }
  return bank;
}

std::vector<std::uint32_t> class_numbers(const LabelledBank& bank) {
  return {bank.classes.begin(), bank.classes.end()};
}

std::vector<std::size_t> class_sizes(const LabelledBank& bank) {
  std::vector<std::size_t> sizes(bank.class_count(), 0);
  for (const std::size_t c : bank.classes) ++sizes[c];
  return sizes;
}

HeldOutSplit split_bank(const LabelledBank& bank, double share,
                        std::uint64_t seed) {
  if (!(share >= 0.0 && share < 1.0)) {
    throw InvalidArgument(
        "held-out share: a number of at least 0 and below 1 is expected, got " +
        std::to_string(share));
  }
  std::vector<std::vector<std::size_t>> members(bank.class_count());
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    members[bank.classes[i]].push_back(i);
  }
  std::vector<char> is_held(bank.rows(), 0);
  for (std::size_t c = 0; c < members.size(); ++c) {
    const auto count = static_cast<std::size_t>(
        share * static_cast<double>(members[c].size()));
    for (const std::size_t k :
         draw_subset(members[c].size(), count, seed,
                     kSplitPurpose + static_cast<std::uint32_t>(c))) {
      is_held[members[c][k]] = 1;
    }
  }
  HeldOutSplit split;
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    (is_held[i] != 0 ? split.held_out : split.kept).push_back(i);
  }
  return split;
}

LabelledBank part_of_bank(const LabelledBank& bank,
                          std::span<const std::size_t> rows) {
  LabelledBank part;
  part.points = copy_rows<float>(bank.points, rows);
  part.class_labels = bank.class_labels;
  for (const std::size_t row : rows) part.classes.push_back(bank.classes[row]);
  const std::vector<std::size_t> sizes = class_sizes(part);
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] > 0) continue;
    throw InvalidArgument("class " + std::to_string(part.class_labels[c]) +
                          " has no row left to learn from");
  }
  return part;
}

Matrix<double> class_means(const LabelledBank& bank) {
  Matrix<double> means(bank.class_count(), bank.dim());
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    const std::span<double> sum = means.row(bank.classes[i]);
    const std::span<const float> point = bank.points.row(i);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += point[j];
  }
  const std::vector<std::size_t> sizes = class_sizes(bank);
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    for (double& x : means.row(c)) x /= static_cast<double>(sizes[c]);
  }
  return means;
}

}  // namespace sbog::detect
