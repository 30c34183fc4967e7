// SPDX-License-Identifier: Apache-2.0
// Choice and layout of points; see report_points.h.
#include "sbog/report/report_points.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/energy/score_bank.h"
#include "sbog/metrics/nearest_bank.h"
#include "sbog/report/principal_axes.h"

namespace sbog {
namespace {

constexpr std::uint32_t kBankPurpose = 0x52000001;
constexpr std::uint32_t kOutlierPurpose = 0x52000002;
constexpr std::size_t kFeatureOutliers = 600;
constexpr std::size_t kFeatureAnchors = 400;
constexpr std::size_t kLeastFeatures = 45;  // LEAST_POINTS of web/src/umap.ts

template <typename T>
void check(const ReportPointProblem<T>& p) {
  const auto need = [](bool ok, const char* sentence) {
    if (!ok) throw InvalidArgument(sentence);
  };
  need(p.bank.rows() > 0, "report: a bank without points has no map");
  need(p.bank_energies.size() == p.bank.rows() &&
           p.bank_classes.size() == p.bank.rows(),
       "report: one energy and one class per bank row are expected");
  need(p.outlier_facts.size() == p.outliers.rows(),
       "report: one entry of facts per outlier is expected");
  need(p.outliers.rows() == 0 || p.outliers.cols() == p.bank.cols(),
       "report: outliers of the bank's dimension are expected");
  const auto is_row = [&](std::size_t row) { return row < p.bank.rows(); };
  need(std::all_of(p.anchors.begin(), p.anchors.end(),
                   [&](const auto& anchor) { return is_row(anchor.row); }),
       "report: anchors must be rows of the bank");
  need(std::all_of(p.outlier_facts.begin(), p.outlier_facts.end(),
                   [&](const ReportOutlier& outlier) {
                     return !outlier.anchor_row || is_row(*outlier.anchor_row);
                   }),
       "report: anchors of outliers must be rows of the bank");
}

// A random part of `from`, in order.
std::vector<std::size_t> sampled(const std::vector<std::size_t>& from,
                                 std::size_t limit, std::uint64_t seed,
                                 std::uint32_t purpose) {
  if (from.size() <= limit) return from;
  std::vector<std::size_t> chosen;
  for (const std::size_t i : draw_subset(from.size(), limit, seed, purpose)) {
    chosen.push_back(from[i]);
  }
  return chosen;
}

// `count` positions below `size`, evenly spread.
std::vector<std::size_t> spread(std::size_t size, std::size_t count) {
  count = std::min(count, size);
  std::vector<std::size_t> positions(count);
  for (std::size_t i = 0; i < count; ++i) positions[i] = i * size / count;
  return positions;
}

// The anchors to show, and where each bank row is among them.
struct ChosenAnchors {
  std::vector<ReportAnchor> anchors;
  std::map<std::size_t, std::size_t> position_of_row;
  std::size_t total = 0;
};

// Those of the shown outliers, then others that were tried, then the rest.
template <typename T>
ChosenAnchors choose_anchors(const ReportPointProblem<T>& p,
                             const std::vector<std::size_t>& outliers) {
  std::map<std::size_t, ReportAnchor> known;
  for (const ReportAnchor& anchor : p.anchors) known[anchor.row] = anchor;
  for (const ReportOutlier& outlier : p.outlier_facts) {
    if (!outlier.anchor_row) continue;
    const auto [at, is_new] =
        known.try_emplace(*outlier.anchor_row, ReportAnchor{});
    if (!is_new && at->second.draws > 0) continue;
    // A rule without rounds keeps no tally: each outlier is a draw.
    at->second.row = *outlier.anchor_row;
    ++at->second.successes;
  }
  ChosenAnchors chosen;
  const auto add = [&](const ReportAnchor& anchor) {
    if (!std::isfinite(p.bank_energies[anchor.row])) return;
    if (chosen.anchors.size() >= ReportLimits::kAnchors) return;
    if (!chosen.position_of_row.try_emplace(anchor.row, chosen.anchors.size())
             .second) {
      return;
    }
    chosen.anchors.push_back(anchor);
    ReportAnchor& added = chosen.anchors.back();
    added.draws = std::max(added.draws, added.successes);
  };
  for (const std::size_t i : outliers) {
    const auto& row = p.outlier_facts[i].anchor_row;
    if (row) add(known.at(*row));
  }
  for (const bool is_tried : {true, false}) {
    for (const auto& [row, anchor] : known) {
      if ((anchor.draws > 0) == is_tried) add(anchor);
    }
  }
  chosen.total = known.size();
  return chosen;
}

template <typename T>
PrincipalAxes axes_of(MatrixView<const T> shown, std::size_t axis_rows) {
  const std::size_t count = ReportLimits::kFeatureDimension;
  if (shown.cols() <= axis_rows || shown.rows() <= axis_rows) {
    return principal_axes(shown, count);
  }
  const Matrix<T> some = copy_rows<T>(shown, spread(shown.rows(), axis_rows));
  return principal_axes(some.view(), count);
}

void place(const Matrix<double>& coordinates, ReportColumns& columns) {
  for (std::size_t i = 0; i < coordinates.rows(); ++i) {
    columns.x.push_back(coordinates(i, 0));
    columns.y.push_back(coordinates.cols() > 1 ? coordinates(i, 1) : 0.0);
  }
}

void add_features(const Matrix<double>& coordinates,
                  const std::vector<std::size_t>& positions,
                  ReportFeatures& features) {
  for (const std::size_t i : positions) {
    const auto row = coordinates.row(i);
    features.values.insert(features.values.end(), row.begin(), row.end());
  }
}

std::optional<ReportFeatures> make_features(const Matrix<double>& bank,
                                            const Matrix<double>& anchors,
                                            const Matrix<double>& outliers) {
  ReportFeatures features;
  features.dimension = bank.cols();
  features.outliers = spread(outliers.rows(), kFeatureOutliers);
  // The first ones belong to the outliers that are shown.
  features.anchors.resize(std::min(anchors.rows(), kFeatureAnchors));
  for (std::size_t i = 0; i < features.anchors.size(); ++i) {
    features.anchors[i] = i;
  }
  features.bank =
      spread(bank.rows(), ReportLimits::kFeatures - features.outliers.size() -
                              features.anchors.size());
  if (features.bank.size() + features.anchors.size() +
          features.outliers.size() <
      kLeastFeatures) {
    return std::nullopt;
  }
  add_features(bank, features.bank, features);
  add_features(anchors, features.anchors, features);
  add_features(outliers, features.outliers, features);
  return features;
}

// Positions with a finite energy.
template <typename Energy>
std::vector<std::size_t> finite_positions(std::size_t size,
                                          const Energy& energy) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < size; ++i) {
    if (std::isfinite(energy(i))) positions.push_back(i);
  }
  return positions;
}

}  // namespace

template <typename T>
SolveStatus fill_report_points(const ReportPointProblem<T>& p,
                               const ReportPointOptions& options,
                               ReportData& data, const Context& context) {
  check(p);
  const std::vector<std::size_t> bank_rows = finite_positions(
      p.bank.rows(), [&](std::size_t i) { return p.bank_energies[i]; });
  const std::vector<std::size_t> outlier_rows = finite_positions(
      p.outliers.rows(),
      [&](std::size_t i) { return p.outlier_facts[i].energy; });
  const std::size_t lost = p.bank.rows() - bank_rows.size() +
                           p.outliers.rows() - outlier_rows.size();
  if (lost > 0) {
    data.notes.push_back(std::to_string(lost) +
                         " points are not shown: nothing supports them, so "
                         "their energy has no number.");
  }
  if (bank_rows.empty()) {
    throw InvalidArgument("report: no bank point has a finite energy");
  }
  const std::size_t limit =
      std::clamp<std::size_t>(options.bank_limit, 1, ReportLimits::kBank);
  const std::vector<std::size_t> bank =
      sampled(bank_rows, limit, options.seed, kBankPurpose);
  const std::vector<std::size_t> outliers = sampled(
      outlier_rows, ReportLimits::kOutliers, options.seed, kOutlierPurpose);
  const ChosenAnchors chosen = choose_anchors(p, outliers);

  const Matrix<T> bank_points = copy_rows<T>(p.bank, bank);
  const Matrix<T> outlier_points = outliers.empty()
                                       ? Matrix<T>(0, p.bank.cols())
                                       : copy_rows<T>(p.outliers, outliers);
  std::vector<std::size_t> anchor_rows;
  for (const ReportAnchor& anchor : chosen.anchors) {
    anchor_rows.push_back(anchor.row);
  }
  const Matrix<T> anchor_points = copy_rows<T>(p.bank, anchor_rows);

  data.bank = {};
  data.bank.total = p.bank.rows();
  data.bank.row = bank;
  for (const std::size_t row : bank) {
    data.bank.cls.push_back(p.bank_classes[row]);
    data.bank.energy.push_back(p.bank_energies[row]);
  }
  data.anchors = {};
  data.anchors.total = chosen.total;
  for (const ReportAnchor& anchor : chosen.anchors) {
    data.anchors.row.push_back(anchor.row);
    data.anchors.cls.push_back(p.bank_classes[anchor.row]);
    data.anchors.energy.push_back(p.bank_energies[anchor.row]);
    data.anchors.draws.push_back(anchor.draws);
    data.anchors.successes.push_back(anchor.successes);
  }
  data.outliers = {};
  data.outliers.total = p.outliers.rows();
  for (const std::size_t i : outliers) {
    const ReportOutlier& facts = p.outlier_facts[i];
    data.outliers.cls.push_back(facts.cls);
    data.outliers.energy.push_back(facts.energy);
    data.outliers.facts.push_back(facts);
    const auto found = facts.anchor_row
                           ? chosen.position_of_row.find(*facts.anchor_row)
                           : chosen.position_of_row.end();
    data.outliers.anchor.push_back(
        found == chosen.position_of_row.end()
            ? -1
            : static_cast<std::ptrdiff_t>(found->second));
  }

  const PrincipalAxes axes = axes_of<T>(bank_points.view(), options.axis_rows);
  const Matrix<double> bank_at = axes.project<T>(bank_points.view());
  const Matrix<double> anchors_at = axes.project<T>(anchor_points.view());
  const Matrix<double> outliers_at = axes.project<T>(outlier_points.view());
  place(bank_at, data.bank);
  place(anchors_at, data.anchors);
  place(outliers_at, data.outliers);
  data.map.explained = {axes.explained[0],
                        axes.explained.size() > 1 ? axes.explained[1] : 0.0};
  data.map.features = make_features(bank_at, anchors_at, outliers_at);
  if (outliers.empty()) return SolveStatus::kDone;
  const NearestBank nearest = nearest_bank<T>(
      {p.bank, {}, {}}, outlier_points.view(), p.energy, context);
  if (nearest.status != SolveStatus::kDone) return nearest.status;
  for (const double cost : nearest.costs) data.outliers.nearest.push_back(cost);
  return SolveStatus::kDone;
}

template SolveStatus fill_report_points(const ReportPointProblem<float>&,
                                        const ReportPointOptions&, ReportData&,
                                        const Context&);
template SolveStatus fill_report_points(const ReportPointProblem<double>&,
                                        const ReportPointOptions&, ReportData&,
                                        const Context&);

}  // namespace sbog
