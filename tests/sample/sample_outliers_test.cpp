// SPDX-License-Identifier: Apache-2.0
// All classes in one call: against the classes one by one, in parts, resumed,
// stopped.
#include "sbog/sample/sample_outliers.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sample/support.h"
#include "sbog/base/thread_pool.h"

namespace sbog {
namespace sample_outliers_test {

using testing_support::Classes;
using testing_support::expect_same_outputs;
using testing_support::expect_same_tallies;
using testing_support::invalid_argument_of;
using testing_support::small_options;

// Keeps parts by class and first output, as a run folder would.
class MapStore : public PartStore<float> {
 public:
  std::optional<OutlierPart<float>> find(const PartRange& range) override {
    const auto found = parts.find({range.cls, range.first_k});
    if (found == parts.end()) return std::nullopt;
    return found->second;
  }
  void keep(const PartRange& range, OutlierPart<float> part) override {
    ++kept;
    largest = std::max(largest, range.count);
    parts[{range.cls, range.first_k}] = std::move(part);
  }
  std::vector<Output<float>> outputs() const {
    std::vector<Output<float>> all;
    for (const auto& [key, part] : parts) {
      all.insert(all.end(), part.outputs.begin(), part.outputs.end());
    }
    return all;
  }

  std::map<std::pair<std::size_t, std::size_t>, OutlierPart<float>> parts;
  std::size_t kept = 0;
  std::size_t largest = 0;
};

// Notes what it is told; stops once `limit` outputs are done.
class StopsAt : public Observer {
 public:
  explicit StopsAt(std::uint64_t limit) : limit_(limit) {}
  bool on_progress(std::uint64_t done, std::uint64_t total) override {
    EXPECT_GE(done, highest);
    EXPECT_LE(done, total);
    highest = done;
    last_total = total;
    return done < limit_;
  }

  std::uint64_t highest = 0;
  std::uint64_t last_total = 0;

 private:
  std::uint64_t limit_;
};

SamplerOptions options_of(std::size_t count) {
  SamplerOptions options = small_options();
  options.count = count;
  return options;
}

TEST(SampleOutliers, equals_the_classes_one_by_one) {
  const Classes<float> data;
  const SamplerOptions options = options_of(20);
  ThreadPool pool(3);
  const OutlierSet<float> set =
      sample_outliers(data.problem(), options, {&pool, nullptr});
  const Sampler<float> sampler(data.problem(), options);
  std::vector<Output<float>> expected;
  std::vector<std::int64_t> classes;
  ASSERT_EQ(set.reports.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) {
    const ClassRun<float> run = sampler.prepare(c);
    const SampledRange<float> range = run.sample(0, 20);
    const std::size_t before = expected.size();
    for (const Output<float>& output : range.outputs) {
      if (!output.is_accepted) continue;
      expected.push_back(output);
      classes.push_back(run.label());
    }
    EXPECT_EQ(set.reports[c].label, run.label());
    EXPECT_EQ(set.reports[c].requested, 20u);
    EXPECT_EQ(set.reports[c].produced, expected.size() - before);
    std::size_t by_rounds = 0;
    for (const std::size_t n : set.reports[c].rounds) by_rounds += n;
    EXPECT_EQ(by_rounds, set.reports[c].produced);
    expect_same_tallies(set.reports[c].tallies, range.tallies);
    for (std::size_t i = 0; i < run.rows().size(); ++i) {
      EXPECT_EQ(set.bank_scores.at(run.rows()[i]), run.scores()[i]);
    }
  }
  expect_same_outputs(set.outputs, expected);
  EXPECT_EQ(set.classes, classes);
  EXPECT_TRUE(set.halves.empty());
  const Matrix<float> points = set.points(5);
  ASSERT_EQ(points.rows(), expected.size());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_EQ(points(i, k), expected[i].point[k]);
    }
  }
}

TEST(SampleOutliers, the_status_tells_how_much_of_it_there_is) {
  const Classes<float> data;
  SamplerOptions options = options_of(20);
  options.rule = Rule::kRandom;
  EXPECT_EQ(sample_outliers(data.problem(), options).status,
            SolveStatus::kDone);
  options = options_of(60);
  options.proposal_count = 2;
  options.max_rounds = 1;
  EXPECT_EQ(sample_outliers(data.problem(), options).status,
            SolveStatus::kPartial);
  options.margin = 5.0;
  const OutlierSet<float> none = sample_outliers(data.problem(), options);
  EXPECT_EQ(none.status, SolveStatus::kInfeasible);
  EXPECT_TRUE(none.outputs.empty());
  EXPECT_EQ(none.reports.size(), 3u);
  options.count = 0;
  EXPECT_EQ(sample_outliers(data.problem(), options).status,
            SolveStatus::kDone);
}

TEST(SampleOutliers, a_split_bank_gives_its_halves) {
  const Classes<double> data;
  SamplerOptions options = options_of(4);
  options.certify = true;
  options.trim = 0.0;
  const OutlierSet<double> set = sample_outliers(data.problem(), options);
  ASSERT_EQ(set.halves.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<std::size_t> rows = set.halves[c].reference;
    rows.insert(rows.end(), set.halves[c].calibration.begin(),
                set.halves[c].calibration.end());
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(std::unique(rows.begin(), rows.end()), rows.end());
    EXPECT_EQ(rows.size(), 50u);
    for (const std::size_t row : rows) {
      EXPECT_EQ(data.labels[row], set.reports[c].label);
    }
  }
}

TEST(SampleOutliers, progress_counts_the_outputs_of_all_classes) {
  const Classes<float> data;
  StopsAt observer(1000);
  const OutlierSet<float> set =
      sample_outliers(data.problem(), options_of(20), {nullptr, &observer});
  EXPECT_NE(set.status, SolveStatus::kCancelled);
  EXPECT_EQ(observer.highest, 60u);
  EXPECT_EQ(observer.last_total, 60u);
}

TEST(SampleOutliers, a_stopped_call_has_no_outputs) {
  const Classes<float> data;
  StopsAt observer(30);
  const OutlierSet<float> set =
      sample_outliers(data.problem(), options_of(20), {nullptr, &observer});
  EXPECT_EQ(set.status, SolveStatus::kCancelled);
  EXPECT_EQ(set.reports.size(), 1u);
  EXPECT_TRUE(set.outputs.empty());
  EXPECT_TRUE(set.bank_scores.empty());
}

TEST(SampleParts, parts_of_any_size_give_the_same_outputs) {
  const Classes<float> data;
  const SamplerOptions options = options_of(20);
  const OutlierSet<float> whole = sample_outliers(data.problem(), options);
  const Sampler<float> sampler(data.problem(), options);
  for (const std::size_t size : {1u, 7u, 20u, 100u}) {
    MapStore store;
    const SampleSummary summary =
        sample_parts<float>(sampler, {{20, 20, 20}, size}, store);
    EXPECT_EQ(summary.status, whole.status);
    EXPECT_EQ(summary.bank_scores, whole.bank_scores);
    EXPECT_LE(store.largest, size);
    expect_same_outputs(store.outputs(), whole.outputs);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(summary.reports[c].rounds, whole.reports[c].rounds);
      expect_same_tallies(summary.reports[c].tallies, whole.reports[c].tallies);
    }
  }
}

TEST(SampleParts, a_stopped_run_goes_on_from_its_parts) {
  const Classes<float> data;
  const SamplerOptions options = options_of(20);
  const Sampler<float> sampler(data.problem(), options);
  const PartPlan plan{{20, 20, 20}, 6};
  MapStore store;
  StopsAt observer(33);
  const SampleSummary stopped =
      sample_parts<float>(sampler, plan, store, {nullptr, &observer});
  EXPECT_EQ(stopped.status, SolveStatus::kCancelled);
  const std::size_t before = store.kept;
  EXPECT_EQ(before, 6u);  // four of the first class, two of the second
  const SampleSummary summary = sample_parts<float>(sampler, plan, store);
  EXPECT_EQ(store.kept, 12u);
  const OutlierSet<float> whole = sample_outliers(data.problem(), options);
  expect_same_outputs(store.outputs(), whole.outputs);
  expect_same_tallies(summary.reports[1].tallies, whole.reports[1].tallies);
  EXPECT_EQ(summary.reports[1].produced, whole.reports[1].produced);
}

TEST(SampleParts, a_part_that_does_not_fit_is_made_again) {
  const Classes<float> data;
  const SamplerOptions options = options_of(20);
  const Sampler<float> sampler(data.problem(), options);
  ThreadPool pool(2);
  for (const std::size_t size : {6u, 20u}) {  // in turn, and side by side
    const PartPlan plan{{20, 20, 20}, size};
    MapStore store;
    (void)sample_parts<float>(sampler, plan, store);
    const std::vector<Output<float>> whole = store.outputs();
    store.parts[{0, 0}].tallies.pop_back();
    store.parts[{1, 0}].rounds.clear();
    store.kept = 0;
    (void)sample_parts<float>(sampler, plan, store, {&pool, nullptr});
    EXPECT_EQ(store.kept, 2u);
    expect_same_outputs(store.outputs(), whole);
  }
}

TEST(SampleParts, classes_may_have_counts_of_their_own) {
  const Classes<float> data;
  const Sampler<float> sampler(data.problem(), options_of(9));
  MapStore store;
  const SampleSummary summary =
      sample_parts<float>(sampler, {{9, 0, 8}, 4}, store);
  EXPECT_EQ(summary.reports[0].requested, 9u);
  EXPECT_EQ(summary.reports[1].requested, 0u);
  EXPECT_EQ(summary.reports[2].requested, 8u);
  EXPECT_EQ(store.kept, 5u);
}

TEST(SampleParts, a_plan_that_does_not_fit_is_refused) {
  const Classes<float> data;
  const Sampler<float> sampler(data.problem(), options_of(9));
  MapStore store;
  const auto message = [&](const PartPlan& plan) {
    return invalid_argument_of(
        [&] { static_cast<void>(sample_parts<float>(sampler, plan, store)); });
  };
  EXPECT_EQ(message({{9, 9}, 4}),
            "counts: one per class is expected (3), got 2");
  EXPECT_EQ(message({{9, 9, 9}, 0}),
            "part_size: at least 1 output is expected");
}

TEST(SampleParts, a_class_of_which_nothing_is_asked_leaves_no_part) {
  const Classes<float> classes;
  const Sampler<float> sampler(classes.problem(), small_options());
  ThreadPool pool(3);
  for (const std::vector<std::size_t>& counts :
       {std::vector<std::size_t>{4, 0, 3}, {0, 4, 3}, {4, 3, 0}}) {
    MapStore store;
    const SampleSummary summary =
        sample_parts(sampler, {counts, 4000}, store, {&pool, nullptr});
    EXPECT_EQ(summary.status, SolveStatus::kDone);
    EXPECT_EQ(summary.reports.size(), 3u);
    EXPECT_EQ(store.kept, 2u);
    EXPECT_EQ(store.outputs().size(), 7u);
  }
}

}  // namespace sample_outliers_test
}  // namespace sbog
