// SPDX-License-Identifier: Apache-2.0
// Classes and parts in order; see sample_outliers.h.
#include "sbog/sample/sample_outliers.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"

namespace sbog {
namespace {

// Tells the caller's observer of outputs of all classes, not of one part.
class WholeProgress : public Observer {
 public:
  WholeProgress(Observer* observer, std::size_t total)
      : observer_(observer), total_(total) {}
  // Finished outputs before the part that comes; false when asked to stop.
  bool start_part(std::size_t base) {
    base_ = base;
    return on_progress(0, 0);
  }
  bool on_progress(std::uint64_t done, std::uint64_t /*total*/) override {
    return observer_ == nullptr || observer_->on_progress(base_ + done, total_);
  }

 private:
  Observer* observer_;
  std::size_t total_;
  std::size_t base_ = 0;
};

void check_plan(const PartPlan& plan, std::size_t classes) {
  if (plan.part_size == 0) {
    throw InvalidArgument("part_size: at least 1 output is expected");
  }
  if (plan.counts.size() != classes) {
    throw InvalidArgument("counts: one per class is expected (" +
                          std::to_string(classes) + "), got " +
                          std::to_string(plan.counts.size()));
  }
}

SolveStatus status_of(const std::vector<ClassReport>& reports) {
  std::size_t requested = 0;
  std::size_t produced = 0;
  for (const ClassReport& report : reports) {
    requested += report.requested;
    produced += report.produced;
  }
  if (produced == requested) return SolveStatus::kDone;
  return produced == 0 ? SolveStatus::kInfeasible : SolveStatus::kPartial;
}

// Parts of one class, and what they add up to.
template <typename T>
class ClassParts {
 public:
  ClassParts(const ClassRun<T>& run, std::size_t max_rounds)
      : run_(run), rounds_(max_rounds), tallies_(run.anchor_count()) {}

  // False when cancelled.
  bool make(const PartRange& range, PartStore<T>& store,
            const Context& context) {
    std::optional<OutlierPart<T>> part = store.find(range);
    const bool is_found = part.has_value();
    if (!is_found) {
      SampledRange<T> sampled =
          run_.sample(range.first_k, range.count, context);
      if (sampled.status != SolveStatus::kDone) return false;
      part = accepted_part(std::move(sampled), rounds_.size());
    }
    produced_ += part->outputs.size();
    add_tallies(tallies_, part->tallies);
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
      rounds_[r] += part->rounds[r];
    }
    if (!is_found) store.keep(range, std::move(*part));
    return true;
  }
  ClassReport report(std::size_t requested) {
    return run_.report(requested, produced_, std::move(rounds_),
                       std::move(tallies_));
  }

 private:
  const ClassRun<T>& run_;
  std::size_t produced_ = 0;
  std::vector<std::size_t> rounds_;
  std::vector<AnchorTally> tallies_;
};

// Keeps all outputs in memory.
template <typename T>
class MemoryStore : public PartStore<T> {
 public:
  MemoryStore(OutlierSet<T>& set, const std::vector<std::int64_t>& labels)
      : set_(set), labels_(labels) {}
  std::optional<OutlierPart<T>> find(const PartRange& /*range*/) override {
    return std::nullopt;
  }
  void keep(const PartRange& range, OutlierPart<T> part) override {
    std::move(part.outputs.begin(), part.outputs.end(),
              std::back_inserter(set_.outputs));
    set_.classes.resize(set_.outputs.size(), labels_[range.cls]);
  }

 private:
  OutlierSet<T>& set_;
  const std::vector<std::int64_t>& labels_;
};

}  // namespace

template <typename T>
Matrix<T> OutlierSet<T>::points(std::size_t dim) const {
  Matrix<T> rows(outputs.size(), dim);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::ranges::copy(outputs[i].point, rows.row(i).begin());
  }
  return rows;
}

template <typename T>
SampleSummary sample_parts(const Sampler<T>& sampler, const PartPlan& plan,
                           PartStore<T>& store, const Context& context) {
  const std::size_t classes = sampler.labels().size();
  check_plan(plan, classes);
  WholeProgress progress(
      context.observer,
      std::accumulate(plan.counts.begin(), plan.counts.end(), std::size_t{0}));
  SampleSummary summary;
  std::vector<double> scores(sampler.bank_rows());
  const auto cancelled = [&] {
    summary.status = SolveStatus::kCancelled;
    summary.halves.clear();
    return std::move(summary);
  };
  std::size_t done = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    if (!progress.start_part(done)) return cancelled();
    const Stopwatch watch;
    const ClassRun<T> run = sampler.prepare(c, {context.pool, nullptr});
    summary.prepare_seconds += watch.seconds();
    for (std::size_t i = 0; i < run.rows().size(); ++i) {
      scores[run.rows()[i]] = run.scores()[i];
    }
    ClassParts<T> parts(run, sampler.options().max_rounds);
    const std::size_t count = plan.counts[c];
    for (std::size_t first = 0; first < count; first += plan.part_size) {
      const PartRange range{c, first, std::min(plan.part_size, count - first)};
      if (!progress.start_part(done + first) ||
          !parts.make(range, store, {context.pool, &progress})) {
        return cancelled();
      }
    }
    done += count;
    summary.reports.push_back(parts.report(count));
    if (sampler.options().certify) summary.halves.push_back(run.halves());
  }
  summary.status = status_of(summary.reports);
  summary.bank_scores = std::move(scores);
  return summary;
}

template <typename T>
OutlierSet<T> sample_outliers(const SampleProblem<T>& problem,
                              const SamplerOptions& options,
                              const Context& context) {
  const Sampler<T> sampler(problem, options);
  PartPlan plan;
  plan.counts.assign(sampler.labels().size(), options.count);
  plan.part_size = std::max<std::size_t>(1, options.count);
  OutlierSet<T> set;
  MemoryStore<T> store(set, sampler.labels());
  static_cast<SampleSummary&>(set) =
      sample_parts(sampler, plan, store, context);
  if (set.status == SolveStatus::kCancelled) {
    set.outputs.clear();
    set.classes.clear();
  }
  return set;
}

template struct OutlierSet<float>;
template struct OutlierSet<double>;
template SampleSummary sample_parts(const Sampler<float>&, const PartPlan&,
                                    PartStore<float>&, const Context&);
template SampleSummary sample_parts(const Sampler<double>&, const PartPlan&,
                                    PartStore<double>&, const Context&);
template OutlierSet<float> sample_outliers(const SampleProblem<float>&,
                                           const SamplerOptions&,
                                           const Context&);
template OutlierSet<double> sample_outliers(const SampleProblem<double>&,
                                            const SamplerOptions&,
                                            const Context&);

}  // namespace sbog
