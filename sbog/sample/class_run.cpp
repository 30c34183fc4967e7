// SPDX-License-Identifier: Apache-2.0
// One class of a sampler: its outputs, of all bands or of a rival, and its
// report; see sampler.h.
#include <cmath>
#include <numeric>
#include <utility>

#include "sbog/energy/exact_energy.h"
#include "sbog/sample/proposals.h"
#include "sbog/sample/round.h"
#include "sbog/sample/sampler.h"

namespace sbog {
namespace {

// Empty outputs of a class, or a band, that is out of reach.
template <typename T>
SampledRange<T> nothing_of(const PreparedClass<T>& prepared, std::size_t first,
                           std::size_t count) {
  SampledRange<T> none;
  none.outputs.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    none.outputs[i].k =
        (first + i) * prepared.output_stride + prepared.output_offset;
  }
  none.tallies.resize(prepared.anchors.anchors.size());
  return none;
}

// Tells an observer of one band after the other as of one range.
class PartProgress : public Observer {
 public:
  PartProgress(Observer* observer, std::size_t total)
      : observer_(observer), total_(total) {}
  void add(std::size_t done) { before_ += done; }
  bool on_progress(std::uint64_t done, std::uint64_t /*total*/) override {
    return observer_ == nullptr ||
           observer_->on_progress(before_ + done, total_);
  }

 private:
  Observer* observer_;
  std::size_t total_;
  std::size_t before_ = 0;
};

}  // namespace

template <typename T>
std::vector<std::size_t> ClassRun<T>::rows_of(
    const std::vector<std::size_t>& positions) const {
  std::vector<std::size_t> rows;
  rows.reserve(positions.size());
  for (const std::size_t i : positions) rows.push_back(rows_[i]);
  return rows;
}

template <typename T>
Output<T> ClassRun<T>::draw_rival(std::size_t k) const {
  const SamplerOptions& options = prepared_->options;
  const std::uint32_t cls = prepared_->problem.cls;
  Output<T> output;
  output.k = k;
  output.origin = OutputOrigin::kRival;
  output.rounds = 1;
  std::vector<double> point;
  if (gaussian_ != nullptr) {
    point = gaussian_->draw(options.seed, cls, static_cast<std::uint32_t>(k),
                            options.vos_draws);
    if (!project(options, point)) return output;
  } else {
    if (boundary_.empty()) return output;
    const PhiloxStream stream(options.seed, cls, 0, k);
    const std::size_t from = boundary_[stream.anchor_index(boundary_.size())];
    const auto start = prepared_->problem.points.row(from);
    point.assign(start.begin(), start.end());
    project(options, point);
    std::vector<double> noise(point.size());
    stream.normals(0, std::span<double>(noise));
    for (std::size_t i = 0; i < point.size(); ++i) {
      point[i] += prepared_->scale.high * noise[i];
    }
    project(options, point);
    if (walk_->steps_to_flip(cls, point, options.bood_max_steps) >
        options.bood_max_steps) {
      return output;
    }
    for (std::size_t s = 0; s < options.bood_extra_steps; ++s) {
      walk_->ascend(cls, point);
    }
    output.anchor_row = from;
  }
  output.point.assign(point.begin(), point.end());
  // As stored, so that the energy can be checked from the file.
  point.assign(output.point.begin(), output.point.end());
  output.energy = exact_energy(prepared_->whole->support().energy(), point);
  output.score = output.energy;
  output.margin = output.score - prepared_->plan.threshold;
  if (!anchor_.empty()) {
    output.class_cosine = cosine_of<double, double>(point, anchor_);
  }
  output.is_accepted = true;
  return output;
}

template <typename T>
bool ClassRun<T>::fill_pool(const Context& context) const {
  if (pool_) return true;
  std::optional<ProposalPool> pool =
      collect_pool(*prepared_, prepared_->options.count, context);
  if (!pool) return false;
  pool_ = std::make_unique<ProposalPool>(std::move(*pool));
  return true;
}

// Outputs of the pool, or of a rival that draws each at once.
template <typename T>
SampledRange<T> ClassRun<T>::sample_without_rounds(
    std::size_t first_k, std::size_t count, const Context& context) const {
  const bool collects = prepared_->options.collect_all;
  if (collects && !fill_pool(context)) {
    return {SolveStatus::kCancelled, {}, {}};
  }
  SampledRange<T> range;
  range.outputs.resize(count);
  range.status = play_batches(
      context, count, 1, [&](std::size_t i, std::size_t, std::size_t) {
        range.outputs[i] =
            collects ? output_of_entry(*prepared_, *pool_, first_k + i)
                     : draw_rival(first_k + i);
      });
  if (range.status != SolveStatus::kDone) return {range.status, {}, {}};
  range.tallies.resize(anchor_count());
  // The pool is counted once, with the first outputs.
  if (collects && first_k == 0) range.tallies = pool_->tallies;
  return range;
}

// Outputs of every band in turn, in order.
template <typename T>
SampledRange<T> ClassRun<T>::sample_bands(std::size_t first_k,
                                          std::size_t count,
                                          const Context& context) const {
  const std::size_t bands = prepared_->bands.size();
  SampledRange<T> range;
  range.outputs.resize(count);
  PartProgress progress(context.observer, count);
  for (std::size_t b = 0; b < bands; ++b) {
    // Numbers i with first_k <= i * bands + b < first_k + count.
    const std::size_t first = (first_k + bands - 1 - b) / bands;
    const std::size_t end = (first_k + count + bands - 1 - b) / bands;
    const PreparedClass<T>& band = *prepared_->bands[b];
    SampledRange<T> mine =
        band.plan.is_infeasible
            ? nothing_of(band, first, end - first)
            : sample_class(band, first, end - first, {context.pool, &progress});
    if (mine.status != SolveStatus::kDone) return {mine.status, {}, {}};
    progress.add(end - first);
    for (Output<T>& output : mine.outputs) {
      const std::size_t at = output.k - first_k;
      range.outputs[at] = std::move(output);
    }
    range.tallies.insert(range.tallies.end(), mine.tallies.begin(),
                         mine.tallies.end());
  }
  return range;
}

template <typename T>
SampledRange<T> ClassRun<T>::sample(std::size_t first_k, std::size_t count,
                                    const Context& context) const {
  if (prepared_->plan.is_infeasible) {
    return nothing_of(*prepared_, first_k, count);
  }
  SampledRange<T> range =
      !prepared_->bands.empty() ? sample_bands(first_k, count, context)
      : has_rounds() && !prepared_->options.collect_all
          ? sample_class(*prepared_, first_k, count, context)
          : sample_without_rounds(first_k, count, context);
  for (Output<T>& output : range.outputs) {
    if (output.is_accepted) output.anchor_row = rows_[output.anchor_row];
  }
  return range;
}

template <typename T>
std::vector<BandReport> ClassRun<T>::report_bands(
    std::size_t requested, const std::vector<std::size_t>& produced,
    const std::vector<AnchorTally>& tallies) const {
  std::vector<BandReport> reports;
  const std::size_t bands = prepared_->bands.size();
  for (std::size_t b = 0; b < bands; ++b) {
    const ClassPlan& plan = prepared_->bands[b]->plan;
    BandReport report;
    report.severity = plan.severity;
    report.low = plan.band_low;
    report.high = plan.band_high;
    report.radius_low = plan.radius_low;
    report.radius_high = plan.radius_high;
    report.requested = (requested + bands - 1 - b) / bands;
    report.produced = b < produced.size() ? produced[b] : 0;
    FailureCounts failures;
    for (std::size_t a = 0; a < anchor_count() && !tallies.empty(); ++a) {
      failures.add(tallies[b * anchor_count() + a].failures);
    }
    if (report.produced < report.requested) {
      report.binding = plan.is_infeasible ? plan.infeasible_by
                                          : binding_constraint(failures);
    }
    reports.push_back(report);
  }
  return reports;
}

template <typename T>
ClassReport ClassRun<T>::report(std::size_t requested,
                                const std::vector<std::size_t>& produced,
                                std::vector<std::size_t> rounds,
                                const std::vector<AnchorTally>& tallies) const {
  ClassReport report;
  report.label = label_;
  report.plan = prepared_->plan;
  report.requested = requested;
  report.produced =
      std::accumulate(produced.begin(), produced.end(), std::size_t{0});
  report.rounds = std::move(rounds);
  report.bands = report_bands(requested, produced, tallies);
  report.tallies.resize(anchor_count());
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    report.tallies[i % anchor_count()].add(tallies[i]);
  }
  FailureCounts failures;
  std::size_t drawn = 0;
  std::size_t filled = 0;
  std::uint64_t draws = 0;
  std::uint64_t successes = 0;
  for (const AnchorTally& tally : report.tallies) {
    failures.add(tally.failures);
    draws += tally.draws;
    successes += tally.successes;
    drawn += tally.draws > 0 ? 1 : 0;
    filled += tally.successes > 0 ? 1 : 0;
  }
  report.fill_anchors =
      drawn == 0 ? 0.0
                 : static_cast<double>(filled) / static_cast<double>(drawn);
  report.acceptance =
      draws == 0 ? 0.0
                 : static_cast<double>(successes) / static_cast<double>(draws);
  report.acceptance_interval = clopper_pearson(successes, draws);
  const bool is_done = report.produced == requested;
  report.status = is_done                ? SolveStatus::kDone
                  : report.produced == 0 ? SolveStatus::kInfeasible
                                         : SolveStatus::kPartial;
  if (!is_done && prepared_->plan.is_infeasible) {
    report.binding = prepared_->plan.infeasible_by;
  } else if (!is_done) {
    report.binding =
        walk_ != nullptr ? Constraint::kBoundary : binding_constraint(failures);
  }
  // Where only some bands fell short, the counts of the others say nothing.
  for (const BandReport& band : report.bands) {
    if (band.binding != Constraint::kNone) report.binding = band.binding;
  }
  for (const std::size_t a : prepared_->anchors.anchors) {
    report.anchor_rows.push_back(rows_[a]);
    report.anchor_scores.push_back(prepared_->scores[a]);
  }
  return report;
}

template class ClassRun<float>;
template class ClassRun<double>;

}  // namespace sbog
