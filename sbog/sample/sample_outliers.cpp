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

// Classes with at most so many outputs are made side by side, so many for every
// worker.
constexpr std::size_t kFewOutputs = 512;
constexpr std::size_t kClassesPerWorker = 4;

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
      : run_(run),
        produced_(run.band_count()),
        rounds_(max_rounds),
        tallies_(run.tally_count()) {}

  // False when cancelled.
  bool make(const PartRange& range, PartStore<T>& store,
            const Context& context) {
    std::optional<OutlierPart<T>> part = store.find(range);
    const bool is_found = part.has_value() && fits(*part);
    if (!is_found) {
      SampledRange<T> sampled =
          run_.sample(range.first_k, range.count, context);
      if (sampled.status != SolveStatus::kDone) return false;
      part = accepted_part(std::move(sampled), rounds_.size());
    }
    add(range, std::move(*part), !is_found, store);
    return true;
  }
  // Whether a part that was found is one of this class; a store may hold
  // anything.
  bool fits(const OutlierPart<T>& part) const {
    return part.tallies.size() == tallies_.size() &&
           part.rounds.size() == rounds_.size();
  }
  // Counts a part, and keeps it if it is new.
  void add(const PartRange& range, OutlierPart<T> part, bool is_new,
           PartStore<T>& store) {
    for (const Output<T>& output : part.outputs) {
      ++produced_[output.k % produced_.size()];
    }
    add_tallies(tallies_, part.tallies);
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
      rounds_[r] += part.rounds[r];
    }
    if (is_new) store.keep(range, std::move(part));
  }
  ClassReport report(std::size_t requested) {
    return run_.report(requested, produced_, std::move(rounds_), tallies_);
  }

 private:
  const ClassRun<T>& run_;
  std::vector<std::size_t> produced_;  // by band
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

// Everything that sample_parts goes through, class by class.
template <typename T>
class PartMaker {
 public:
  PartMaker(const Sampler<T>& sampler, const PartPlan& plan,
            PartStore<T>& store, const Context& context)
      : sampler_(sampler),
        plan_(plan),
        store_(store),
        context_(context),
        progress_(context.observer,
                  std::accumulate(plan.counts.begin(), plan.counts.end(),
                                  std::size_t{0})),
        scores_(sampler.bank_rows()) {}

  SampleSummary make_all() {
    const std::size_t classes = plan_.counts.size();
    for (std::size_t c = 0; c < classes;) {
      const std::size_t together = classes_together(c);
      if (!(together > 1 ? make_several(c, together) : make_one(c))) {
        summary_.status = SolveStatus::kCancelled;
        summary_.halves.clear();
        return std::move(summary_);
      }
      c += together;
    }
    summary_.status = status_of(summary_.reports);
    summary_.bank_scores = std::move(scores_);
    return std::move(summary_);
  }

 private:
  // How many classes from c on are made side by side: a few for every worker
  // while they have few outputs each, which would not keep all workers busy.
  std::size_t classes_together(std::size_t c) const {
    const std::size_t workers = worker_count(context_);
    if (workers < 2) return 1;
    std::size_t end = c;
    while (end < plan_.counts.size() && end - c < kClassesPerWorker * workers &&
           plan_.counts[end] > 0 && plan_.counts[end] <= kFewOutputs &&
           plan_.counts[end] <= plan_.part_size) {
      ++end;
    }
    return std::max<std::size_t>(1, end - c);
  }

  bool make_one(std::size_t c) {
    if (!progress_.start_part(done_)) return false;
    const Stopwatch watch;
    const ClassRun<T> run = sampler_.prepare(c, {context_.pool, nullptr});
    summary_.prepare_seconds += watch.seconds();
    ClassParts<T> parts(run, sampler_.options().max_rounds);
    const std::size_t count = plan_.counts[c];
    for (std::size_t first = 0; first < count; first += plan_.part_size) {
      const PartRange range{c, first, std::min(plan_.part_size, count - first)};
      if (!progress_.start_part(done_ + first) ||
          !parts.make(range, store_, {context_.pool, &progress_})) {
        return false;
      }
    }
    conclude(c, run, parts);
    return true;
  }

  // Each class on one worker; what they made is kept in order.
  bool make_several(std::size_t first, std::size_t count) {
    std::vector<std::optional<OutlierPart<T>>> found(count);
    for (std::size_t i = 0; i < count; ++i) {
      found[i] = store_.find(whole_of(first + i));
    }
    if (!progress_.start_part(done_)) return false;
    std::vector<ClassWork> work(count);
    ProgressCounter counter(&progress_, 0);
    parallel_for(context_, count, [&](std::size_t i, std::size_t) {
      if (counter.is_cancelled()) return;
      const std::size_t c = first + i;
      const Stopwatch watch;
      work[i].run.emplace(sampler_.prepare(c, {}));
      work[i].prepare_seconds = watch.seconds();
      const ClassParts<T> parts(*work[i].run, sampler_.options().max_rounds);
      if (!found[i] || !parts.fits(*found[i])) {
        found[i] = accepted_part(work[i].run->sample(0, plan_.counts[c], {}),
                                 sampler_.options().max_rounds);
        work[i].is_made = true;
      }
      counter.add(plan_.counts[c]);
    });
    for (std::size_t i = 0; i < count; ++i) {
      if (!work[i].run || !found[i]) return false;
      const std::size_t c = first + i;
      summary_.prepare_seconds += work[i].prepare_seconds;
      ClassParts<T> parts(*work[i].run, sampler_.options().max_rounds);
      parts.add(whole_of(c), std::move(*found[i]), work[i].is_made, store_);
      conclude(c, *work[i].run, parts);
    }
    return !counter.is_cancelled();
  }

  struct ClassWork {
    std::optional<ClassRun<T>> run;
    double prepare_seconds = 0.0;
    bool is_made = false;
  };

  PartRange whole_of(std::size_t c) const { return {c, 0, plan_.counts[c]}; }

  void conclude(std::size_t c, const ClassRun<T>& run, ClassParts<T>& parts) {
    for (std::size_t i = 0; i < run.rows().size(); ++i) {
      scores_[run.rows()[i]] = run.scores()[i];
    }
    done_ += plan_.counts[c];
    summary_.reports.push_back(parts.report(plan_.counts[c]));
    if (sampler_.options().certify) summary_.halves.push_back(run.halves());
  }

  const Sampler<T>& sampler_;
  const PartPlan& plan_;
  PartStore<T>& store_;
  const Context& context_;
  WholeProgress progress_;
  SampleSummary summary_;
  std::vector<double> scores_;
  std::size_t done_ = 0;
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
  check_plan(plan, sampler.labels().size());
  return PartMaker<T>(sampler, plan, store, context).make_all();
}

template <typename T>
OutlierSet<T> sample_outliers(const SampleProblem<T>& problem,
                              const SamplerOptions& options,
                              const Context& context) {
  const Sampler<T> sampler(problem, options, context);
  PartPlan plan;
  const std::size_t count =
      options.count * std::max<std::size_t>(1, options.severities.size());
  plan.counts.assign(sampler.labels().size(), count);
  plan.part_size = std::max<std::size_t>(1, count);
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
