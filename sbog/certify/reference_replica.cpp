// SPDX-License-Identifier: Apache-2.0
// See reference_replica.h.
#include "sbog/certify/reference_replica.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "sbog/base/inner_product.h"
#include "sbog/base/philox.h"
#include "sbog/certify/detail/checks.h"
#include "sbog/certify/detail/streams.h"
#include "sbog/energy/refined_reference.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/proposals.h"

namespace sbog {
namespace {

template <typename T>
void check_base(const PreparedClass<T>& base, std::size_t weights) {
  const Rule rule = base.options.rule;
  detail::need(score_kind(rule) == ScoreKind::kEnergy && rule != Rule::kVos &&
                   rule != Rule::kBood,
               "bootstrap: a rule that ranks by energy is expected");
  detail::need(base.local.empty(),
               "bootstrap: a class without a local reference is expected");
  detail::need(weights == base.problem.points.rows(),
               "bootstrap: one weight per point is expected");
}

// All rows, or the half that is not for calibration.
template <typename T>
std::vector<std::size_t> reference_rows(const PreparedClass<T>& base) {
  std::vector<std::size_t> rows(base.problem.points.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (!base.options.certify) return rows;
  std::vector<std::size_t> half;
  std::set_difference(rows.begin(), rows.end(), base.calibration.begin(),
                      base.calibration.end(), std::back_inserter(half));
  return half;
}

template <typename T>
void weigh_reference(PreparedClass<T>& replica, std::span<const double> weights,
                     const Context& context) {
  const SamplerOptions& options = replica.options;
  replica.kept = reference_rows(replica);
  ReferenceMeasure<T> measure{replica.problem.points, weights, {}};
  if (options.trim > 0.0) {
    RefineOptions refine;
    refine.trim = options.trim;
    refine.includes_self = options.includes_self;
    const std::vector<std::size_t> all = std::move(replica.kept);
    if (all.size() < weights.size()) measure.atoms = all;
    replica.kept =
        refine_reference(measure, options.energy, refine, context).kept;
    measure.atoms = {};
  }
  if (replica.kept.size() < weights.size()) measure.atoms = replica.kept;
  replica.whole = std::make_unique<ProposalScorer<T>>(
      measure, replica.problem.losses, options);
  std::vector<std::size_t> self(options.includes_self ? 0 : weights.size());
  std::iota(self.begin(), self.end(), std::size_t{0});
  replica.scores = replica.whole->score(replica.problem.points, self, context);
}

template <typename T>
void choose_threshold(PreparedClass<T>& replica) {
  std::vector<double> scores;
  scores.reserve(replica.calibration.size());
  for (const std::size_t i : replica.calibration) {
    scores.push_back(replica.scores[i]);
  }
  ThresholdOptions rule;
  rule.rule = replica.options.certify ? ThresholdRule::kConformal
                                      : ThresholdRule::kQuantile;
  rule.level = replica.options.quantile;
  replica.plan.quantile_value = calibrate_threshold(scores, rule).value;
  // Rules without an energy test keep their limit of -inf.
  const bool has_test = replica.limits.threshold == replica.plan.threshold;
  replica.plan.threshold = replica.plan.quantile_value + replica.options.margin;
  if (has_test) replica.limits.threshold = replica.plan.threshold;
}

// Rows that may become anchors: the floor in force is that of `base`.
template <typename T>
std::vector<std::size_t> eligible_rows(const PreparedClass<T>& base) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < base.problem.points.rows(); ++i) {
    const bool is_eligible = base.plan.seed_eligibility < -1.0 ||
                             cosine_of<T, double>(base.problem.points.row(i),
                                                  base.problem.class_anchor) >=
                                 base.plan.seed_eligibility;
    if (is_eligible) rows.push_back(i);
  }
  return rows;
}

template <typename T>
Matrix<double> mapped_rows(const PreparedClass<T>& base,
                           const std::vector<std::size_t>& rows) {
  const bool is_sphere = base.options.projection == Projection::kSphere;
  Matrix<double> mapped(rows.size(), base.problem.points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = base.problem.points.row(rows[i]);
    const double norm =
        is_sphere ? std::sqrt(inner_product<T, T>(row, row)) : 1.0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      mapped(i, k) = static_cast<double>(row[k]) / norm;
    }
  }
  return mapped;
}

template <typename T>
void choose_anchors(PreparedClass<T>& replica, const PreparedClass<T>& base) {
  const SamplerOptions& options = replica.options;
  // The anchors of a split bank come from the half that is not resampled.
  if (options.rule == Rule::kRandom || options.rule == Rule::kNoTop ||
      options.certify) {
    replica.anchors = base.anchors;
  } else {
    const std::vector<std::size_t> rows = eligible_rows(base);
    const Matrix<double> mapped = mapped_rows(base, rows);
    std::vector<double> scores;
    scores.reserve(rows.size());
    for (const std::size_t i : rows) scores.push_back(replica.scores[i]);
    AnchorProblem problem;
    problem.points = mapped;
    problem.scores = scores;
    problem.class_anchor = base.problem.class_anchor;
    problem.threshold = replica.plan.threshold;
    problem.count = anchor_count(options, base.problem.points.rows());
    replica.anchors = select_anchors(problem, options);
    for (std::size_t& a : replica.anchors.anchors) a = rows[a];
  }
  replica.mapped_anchors = mapped_rows(base, replica.anchors.anchors);
}

// Reorders a region's draws so that common rows stand where they stand in
// `wanted`; the others fill the gaps in their order.
void align(const std::vector<std::size_t>& wanted,
           const std::vector<std::size_t>& anchors,
           std::vector<std::size_t>& region) {
  std::map<std::size_t, std::size_t> place;
  for (std::size_t p = 0; p < std::min(wanted.size(), region.size()); ++p) {
    place.emplace(wanted[p], p);
  }
  std::vector<std::size_t> aligned(region.size(), kNoAtom);
  std::vector<std::size_t> others;
  for (const std::size_t a : region) {
    const auto found = place.find(anchors[a]);
    if (found == place.end()) {
      others.push_back(a);
    } else {
      aligned[found->second] = a;
    }
  }
  auto next = others.begin();
  for (std::size_t& a : aligned) {
    if (a == kNoAtom) a = *next++;
  }
  region = std::move(aligned);
}

void align_regions(const AnchorSet& base, AnchorSet& mine) {
  const std::size_t count = std::min(base.regions.size(), mine.regions.size());
  for (std::size_t r = 0; r < count; ++r) {
    std::vector<std::size_t> wanted;
    for (const std::size_t a : base.regions[r]) {
      wanted.push_back(base.anchors[a]);
    }
    align(wanted, mine.anchors, mine.regions[r]);
  }
}

}  // namespace

std::vector<double> draw_weights(std::size_t n, std::uint64_t seed,
                                 std::uint32_t replicate) {
  const std::array<std::uint32_t, 2> key = {
      static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  std::vector<double> weights(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const PhiloxBlock block = philox4x32(
        {static_cast<std::uint32_t>(i), PhiloxStream::kReservedClass << 16,
         replicate, detail::kBootstrapPurpose},
        key);
    const auto drawn = static_cast<std::size_t>(to_uniform(block.low64()) *
                                                static_cast<double>(n));
    weights[std::min(drawn, n - 1)] += 1.0;
  }
  return weights;
}

template <typename T>
std::unique_ptr<PreparedClass<T>> replicate_class(
    const PreparedClass<T>& base, std::span<const double> weights,
    const Context& context) {
  check_base(base, weights.size());
  auto replica = std::make_unique<PreparedClass<T>>();
  replica->problem = base.problem;
  replica->options = base.options;
  replica->plan = base.plan;
  replica->plan.uses_subspace = false;
  replica->limits = base.limits;
  replica->scale = base.scale;
  replica->calibration = base.calibration;
  weigh_reference(*replica, weights, context);
  choose_threshold(*replica);
  choose_anchors(*replica, base);
  align_regions(base.anchors, replica->anchors);
  return replica;
}

template std::unique_ptr<PreparedClass<float>> replicate_class(
    const PreparedClass<float>&, std::span<const double>, const Context&);
template std::unique_ptr<PreparedClass<double>> replicate_class(
    const PreparedClass<double>&, std::span<const double>, const Context&);

}  // namespace sbog
