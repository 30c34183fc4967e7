// SPDX-License-Identifier: Apache-2.0
// Scores the queries again on subsets of the bank; see flip_rate.h.
#include "sbog/metrics/flip_rate.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/metrics/detail/points.h"
#include "sbog/metrics/detail/streams.h"
#include "sbog/metrics/energy_margin.h"

namespace sbog {
namespace {

// A part of the bank that owns its points.
template <typename T>
struct SubBank {
  Matrix<T> points;
  std::vector<double> weights;
  std::vector<std::int64_t> labels;
};

template <typename T>
SubBank<T> take_rows(const ScoreProblem<T>& problem,
                     const std::vector<std::size_t>& rows) {
  SubBank<T> part{copy_rows<T>(problem.bank, rows), {}, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!problem.weights.empty()) {
      part.weights.push_back(problem.weights[rows[i]]);
    }
    if (!problem.labels.empty()) part.labels.push_back(problem.labels[rows[i]]);
  }
  return part;
}

// Rows of positive weight that a subset is drawn from: one list, or one per
// class that some query has.
template <typename T>
RowsByLabel bank_groups(const ScoreProblem<T>& problem, bool is_per_class) {
  const RowsByLabel used = rows_by_label(problem.query_labels);
  RowsByLabel groups;
  for (std::size_t i = 0; i < problem.bank.rows(); ++i) {
    if (!problem.weights.empty() && !(problem.weights[i] > 0.0)) continue;
    const std::int64_t label = is_per_class ? problem.labels[i] : 0;
    if (!is_per_class || used.contains(label)) groups[label].push_back(i);
  }
  return groups;
}

std::vector<std::size_t> draw_rows(const RowsByLabel& groups,
                                   const FlipRateOptions& options,
                                   std::size_t subset) {
  const std::uint32_t purpose =
      detail::kFlipPurpose + static_cast<std::uint32_t>(subset);
  std::vector<std::size_t> drawn;
  for (const auto& [label, rows] : groups) {
    for (const std::size_t position :
         draw_subset(rows.size(), options.subset_size, options.seed, purpose)) {
      drawn.push_back(rows[position]);
    }
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

// Whether E >= tau, query by query.
template <typename T>
std::vector<bool> decisions_of(const ScoreProblem<T>& problem,
                               const ScoreOptions& options,
                               const ScoreResult& scored) {
  const std::vector<double> thresholds = query_thresholds(
      scored, options.is_per_class ? problem.query_labels
                                   : std::span<const std::int64_t>());
  std::vector<bool> decisions;
  decisions.reserve(thresholds.size());
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    decisions.push_back(scored.energies[i] >= thresholds[i]);
  }
  return decisions;
}

double share_that_differs(const std::vector<bool>& a,
                          const std::vector<bool>& b) {
  std::size_t flips = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) ++flips;
  }
  return static_cast<double>(flips) / static_cast<double>(a.size());
}

template <typename T>
void check_problem(const ScoreProblem<T>& problem, const ScoreOptions& options,
                   const ScoreResult& scored,
                   const FlipRateOptions& flip_options) {
  const auto need = [](bool holds, const char* sentence) {
    if (!holds) throw InvalidArgument(sentence);
  };
  need(!problem.queries.is_empty(),
       "flip rate: at least one query is expected");
  need(scored.energies.size() == problem.queries.rows(),
       "flip rate: the energies of the same queries are expected");
  need(!options.includes_self,
       "flip rate: leave-one-out energies are expected, not the literal ones");
  need(flip_options.subset_size >= 2,
       "subset size: at least 2 points are expected");
  need(flip_options.subsets > 0 && flip_options.subsets < (1u << 20),
       "subsets: between 1 and 1048575 are expected");
}

}  // namespace

template <typename T>
FlipRate flip_rate(const ScoreProblem<T>& problem, const ScoreOptions& options,
                   const ScoreResult& scored,
                   const FlipRateOptions& flip_options,
                   const Context& context) {
  check_problem(problem, options, scored, flip_options);
  const std::vector<bool> full = decisions_of(problem, options, scored);
  const RowsByLabel groups = bank_groups(problem, options.is_per_class);
  FlipRate result;
  for (const auto& [label, rows] : groups) {
    if (rows.size() <= flip_options.subset_size) return result;
  }
  for (std::size_t b = 0; b < flip_options.subsets; ++b) {
    const SubBank<T> part =
        take_rows(problem, draw_rows(groups, flip_options, b));
    const ScoreProblem<T> small{part.points, part.weights, part.labels,
                                problem.queries, problem.query_labels};
    const ScoreResult again = score_bank(small, options, context);
    result.status = again.status;
    if (result.status != SolveStatus::kDone) return result;
    result.rates.push_back(
        share_that_differs(full, decisions_of(small, options, again)));
  }
  result.value =
      std::accumulate(result.rates.begin(), result.rates.end(), 0.0) /
      static_cast<double>(result.rates.size());
  return result;
}

template FlipRate flip_rate(const ScoreProblem<float>&, const ScoreOptions&,
                            const ScoreResult&, const FlipRateOptions&,
                            const Context&);
template FlipRate flip_rate(const ScoreProblem<double>&, const ScoreOptions&,
                            const ScoreResult&, const FlipRateOptions&,
                            const Context&);

}  // namespace sbog
